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

The last takes a tenth off the time of compiling, the first a fifth. Kernels are as fast.
"""

from __future__ import annotations

from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_WAY_IN = "_ZN7cpython"
"""The beginning of the names of functions that Python calls."""
_VARIABLES = "_ZN08NumbaEnv"
"""The beginning of the names of variables that numba writes to, for each function."""
_AS_IT_IS = ("noinline", "optnone")
"""LLVM's attributes of a function that is not optimised; LLVM takes both or neither."""


class _Library(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
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
        """Make machine code. Of what only kernels call, the variables that numba writes to do."""
        code = self._final_module
        if self.is_inner:
            self._finalize_dynamic_globals()
            self._verify_declare_only_symbols()
            self._final_module = _variables_of(code)
        super()._finalize_final_module()
        self._final_module = code  # for kernels that call this, and the cache


def _variables_of(code: Any) -> Any:
    """Return a module with nothing but the variables of ``code`` that numba writes to."""
    names = [variable.name for variable in code.global_variables]
    lines = [f'@"{name}" = common global i8* null' for name in names if name.startswith(_VARIABLES)]
    return binding.parse_assembly("\n".join(lines))


class KernelCompiler(Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler, which puts a kernel into a library of the above kind."""

    def define_pipelines(self) -> Any:
        """Return numba's list of passes."""
        state = self.state
        library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        library.is_inner = bool(state.flags.no_cpython_wrapper)
        library.counts_references = bool(state.flags.nrt)
        library.enable_object_caching()
        state.library = library
        return super().define_pipelines()
