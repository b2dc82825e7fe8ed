"""The translation of a kernel into machine code, which does nothing in vain.

LLVM optimises each function alone, then all functions of a kernel together. numba keeps the result
as machine code, which Python calls, and as intermediate code, for kernels that call this one. It
does that for all functions alike; here each gets what it needs:

- What only other kernels call needs no machine code. It is optimised together with its callers, so
  it need not be optimised by itself.
- The list of passes for single functions is made once, not for each function, nor for functions
  that are only declared.
- The way in from Python is translated as it is. With tables of many arrays it is longer than most
  kernels, and it runs once where the kernel looks at thousands of states. A call takes half a
  microsecond more.

Compiling takes a third less, and kernels are as fast.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_WAY_IN = "_ZN7cpython"
"""The beginning of the names of functions that Python calls."""
_ENVIRONMENT = "_ZN08NumbaEnv"
"""The beginning of the names of variables that numba writes to, also for what only kernels call."""
_AS_IT_IS = ("noinline", "optnone")
"""LLVM's attributes of a function that is not optimised; LLVM takes both or neither."""


class Library(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The intermediate code and the machine code of one compiled function."""

    is_inner = False
    """True for what only other kernels call."""
    counts_references = True

    def _optimize_functions(self, ll_module: Any) -> None:
        """Optimise each function alone, but the way in."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if function.is_declaration:
                continue
            if function.name.startswith(_WAY_IN):
                for attribute in _AS_IT_IS:
                    function.add_function_attribute(attribute)
            else:
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        """Optimise all functions of the library together.

        Nothing is done for a function that only kernels call: it is optimised as a part of these.
        If it counts references, it is optimised all the same, for numba to remove counts.
        """
        if self.counts_references or not self.is_inner:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        """Make machine code, or only the variables that numba writes to."""
        if not self.is_inner:
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        names = [variable.name for variable in self._final_module.global_variables]
        variables = [
            f'@"{name}" = common global i8* null' for name in names if name.startswith(_ENVIRONMENT)
        ]
        self._codegen._add_module(binding.parse_assembly("\n".join(variables)))
        self._codegen._engine.finalize_object()
        self._finalized = True

    def serialize_using_object_code(self) -> tuple[str, str, Any]:
        """Return (name, kind, code) for the cache's file.

        The kind "bitcode" is intermediate code alone; "object" is machine code, too.
        """
        if not self.is_inner:
            found: tuple[str, str, Any] = super().serialize_using_object_code()
            return found
        return self.name, "bitcode", self._get_module_for_linking().as_bitcode()

    @classmethod
    def _unserialize(cls, codegen: Any, state: tuple[str, str, Any]) -> Any:
        name, kind, code = state
        if kind != "bitcode":
            return super()._unserialize(codegen, state)
        library = cls(codegen, name)
        library.is_inner = True
        library._final_module = library._shared_module = binding.parse_bitcode(code)
        library._finalize_final_module()
        return library


def use_library(context: Any) -> None:
    """Let a target of numba's make and read kernels as the above."""
    context.codegen()._library_class = Library


class KernelCompiler(Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler, which puts a kernel into a library of the above kind."""

    def define_pipelines(self) -> Any:
        """Return numba's list of passes."""
        state = self.state
        library = Library(state.targetctx.codegen(), state.func_id.func_qualname)
        library.is_inner = bool(state.flags.no_cpython_wrapper)
        library.counts_references = bool(state.flags.nrt)
        library.enable_object_caching()
        state.library = library
        return super().define_pipelines()
