"""The translation of a kernel into machine code, which optimises nothing in vain.

LLVM optimises each function alone, then all functions of a kernel together. numba makes the list of
passes for single functions anew for each function, even for functions that are only declared. And
it optimises the way in from Python as much as the kernel. With tables of many arrays the way in is
longer than most kernels, and it runs once where the kernel looks at thousands of states. Here the
way in is translated as it is: a call takes half a microsecond more, and compiling takes a tenth
less. The kernel is optimised as numba does it.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

_WAY_IN = "_ZN7cpython"
"""The beginning of the names of functions that Python calls."""
_AS_IT_IS = ("noinline", "optnone")
"""LLVM's attributes of a function that is not optimised; LLVM takes both or neither."""


class _Library(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """The machine code of one kernel."""

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


class KernelCompiler(Compiler):  # type: ignore[misc]  # numba has no types
    """numba's compiler, which puts a kernel into a library of the above kind."""

    def define_pipelines(self) -> Any:
        """Return numba's list of passes."""
        state = self.state
        state.library = _Library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()
