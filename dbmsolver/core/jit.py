"""How the kernels are compiled: one decorator for each kind of function.

All of them release the interpreter's lock and keep their machine code on disk.  Most do without numba's reference counts:
arrays come in from outside and outlive the call, but numba cannot know that of arrays in a tuple, and counts each use
with an atomic instruction.  Measured on deal 12064 with 2 freecells, that was half of all time, and more with two
threads, which then share the counters' cache lines.  A function without counts must not create arrays.
"""

from __future__ import annotations

from numba import njit

kernel = njit(nogil=True, cache=True, _nrt=False, no_cfunc_wrapper=True)
"""A function that works on arrays it is given."""

inner = njit(
    nogil=True, cache=True, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True
)
"""The same, called by other kernels only: saves compiling the way in from Python, half a second with large tuples."""

inlined = njit(
    nogil=True,
    cache=True,
    _nrt=False,
    forceinline=True,
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)
"""Compiled into its callers: for what runs once for each state or move and takes large tuples."""

expression = njit(nogil=True, cache=True, _nrt=False, inline="always")
"""A few operations, put into its callers before types are inferred."""

allocating = njit(nogil=True, cache=True, _nrt=True, no_cfunc_wrapper=True)
"""A function that creates arrays."""
