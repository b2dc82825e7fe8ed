"""One name for functions of several families of games; which one it is, numba decides by types.

A kernel that calls such a name is compiled anew for each type of tables that it is called with, and
only for those. Each time the function of that family is compiled into it: nothing is chosen while
it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numba.extending import overload

from dbmsolver.jit.library import KernelCompiler


def by_type(functions: Mapping[type, Any], **options: Any) -> Callable[..., Any]:
    """Return a function that calls one of ``functions``, by the class of its first argument.

    That is a NamedTuple. ``functions`` are compiled ones, all with the same arguments. The result
    can be called by kernels and from Python. ``options`` are numba's, for the copies that kernels
    call.
    """

    def chosen(first: Any, *rest: Any) -> Any:
        return functions[type(first)](first, *rest)

    def choose(first: Any, *rest: Any) -> Any:
        found = functions.get(getattr(first, "instance_class", type(None)))
        return None if found is None else found.py_func

    chosen.functions = functions  # type: ignore[attr-defined]
    how: Any = {
        "nogil": True,
        "_nrt": False,
        "no_cfunc_wrapper": True,
        "pipeline_class": KernelCompiler,
        **options,
    }
    overload(chosen, strict=False, jit_options=how)(choose)
    return chosen


def function_of(chosen: Callable[..., Any], first: Any) -> Any:
    """Return the compiled function that ``chosen``, made by :func:`by_type`, is for an argument."""
    return chosen.functions[type(first)]  # type: ignore[attr-defined]


def inlined_by_type(functions: Mapping[type, Any]) -> Callable[..., Any]:
    """Return the same function as `by_type`, compiled into its callers."""
    return by_type(functions, forceinline=True)
