"""Meta: one word for all that a search by cost layers knows of a state, besides the state itself.

From the lowest bit on it is:

====== ===================================================================
bits   meaning
====== ===================================================================
0-15   parent-move code
16-30  g, moves made
31     the state has a forced move
32-47  h, its lower bound; 0 in a candidate if it is not known
48     closed
49     h is only the cheap part of the bound
50     the caller's: written to the store as it is, or, where it is closed, as a closed one
====== ===================================================================
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.states import U64

META = 4
"""Column of meta in a candidate, after those of its state, and in a row of cards."""
CODE_MASK = np.uint64(0xFFFF)
G_SHIFT = np.uint64(16)
G_MASK = np.uint64(0x7FFF)
IS_FORCED = np.uint64(1 << 31)
CLOSED_SHIFT, STORED_SHIFT = 48, 50
IS_CLOSED = np.uint64(1 << CLOSED_SHIFT)
IS_CHEAP = np.uint64(1 << 49)
IS_STORED = np.uint64(1 << STORED_SHIFT)
CODE_AND_G = np.uint64(0x7FFFFFFF)
BOUND_SHIFT = np.uint64(32)
BOUND_MASK = np.uint64(0xFFFF)
OF_CANDIDATE = CODE_AND_G | (BOUND_MASK << BOUND_SHIFT)
"""Bits of meta that a candidate has."""


@inlined
def g_of(meta):
    """Return the number of moves made (int64)."""
    return np.int64((meta >> G_SHIFT) & G_MASK)


@inlined
def h_of(meta):
    """Return the lower bound (int64)."""
    return np.int64((meta >> BOUND_SHIFT) & BOUND_MASK)


@inlined
def code_of(meta):
    """Return the parent-move code (int64)."""
    return np.int64(meta & CODE_MASK)


@inlined
def make_meta(code, g):
    """Return the meta of a state that has not been looked at."""
    return U64(code) | (U64(g) << G_SHIFT)


@inlined
def with_bound(meta, bound):
    """Return meta with its code and g, this bound, and no flags."""
    return (meta & CODE_AND_G) | (U64(bound) << BOUND_SHIFT)
