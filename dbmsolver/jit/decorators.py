"""Decorators that compile the kernels: one for each kind of function.

All of them release the interpreter's lock and keep their machine code on disk. Most do without
numba's reference counts: arrays come in from outside and outlive the call, but numba cannot know
that of arrays in a tuple, and counts each use with an atomic instruction. Measured on deal 12064
with 2 freecells, that takes half of all time, and more with two threads, which then share the
counters' cache lines. A function without counts must not create arrays.

Only `inlined` compiles a function into its callers. numba lets functions of the other kinds inherit
that from the caller that is compiled first, so that machine code would depend on the order in which
kernels are compiled. It matters: a search takes up to a fifth longer if a small function is not
compiled into its callers. So functions that are `inlined` call only functions that are `inlined`,
too, and nothing is inherited; a test makes sure of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

from dbmsolver.jit.arguments import type_of
from dbmsolver.jit.collector import pause_while_compiling
from dbmsolver.jit.library import KernelCompiler
from dbmsolver.jit.sharing import LateCache, release_after_failures

pause_while_compiling()
release_after_failures()


def _kind(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles functions with these options into the shared cache."""
    compiled = njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=KernelCompiler, **options)

    def decorate(function: Callable[..., Any]) -> Any:
        kernel = compiled(function)
        kernel._cache = LateCache(kernel, function)  # in the place of numba's own
        kernel.typeof_pyval = type_of  # likewise
        return kernel

    return decorate


kernel = _kind(_nrt=False)
"""A function that works on arrays it is given."""

inner = _kind(_nrt=False, no_cpython_wrapper=True)
"""The same, called by other kernels only.

It saves compiling the way in from Python, half a second with large tuples."""

inlined = _kind(_nrt=False, no_cpython_wrapper=True, forceinline=True)
"""Compiled into its callers: for a few operations on words, or what runs for each state or move.

numba can put functions into their callers before it infers types, too; that makes compiling take a
third longer, for the same machine code."""

inlined_kernel = _kind(_nrt=False, forceinline=True)
"""The same, and called from Python as well."""

allocating = _kind(_nrt=True)
"""A function that creates arrays."""
