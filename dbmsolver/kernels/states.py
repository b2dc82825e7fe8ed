"""States as rows of words: what kernels and kits take for granted of each other.

A state is a signature and three planes, *off*, *low* and *high*: words with a bit for each card, or
what a kit keeps in them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct

CARDS = 52
SUITS = 4

SIGNATURE, OFF, LOW, HIGH = range(4)
"""Columns of arrays that hold states as rows."""

MAX_MOVES = 256
"""Room for the moves of one state: 26 movable cards, seven places each, and the foundations."""

MAX_SUCCESSORS = 4096
"""Room for the successors of one state of which a move may lead to any later signature."""

U64 = np.uint64
ONE = np.uint64(1)
ZERO = np.uint64(0)

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]


class WordSets(NamedTuple):
    """Facts that all states of a signature share, for states whose keys are unpacked words."""

    signature: np.uint64
    loose: np.uint64  # bits of the key


@inlined
def word_sets(t, signature):
    """Return the :class:`WordSets` of a signature (uint64)."""
    return WordSets(signature, t.varying[0])


@struct
class FoundScratch(NamedTuple):
    """Scratch memory of one thread that lists the successors of a state."""

    found: Words  # [MAX_SUCCESSORS, 5]: signature, planes, and what the kit adds


def make_found(t: Any) -> FoundScratch:
    """Return scratch memory of one thread that lists successors, whatever the tables are."""
    return FoundScratch(np.zeros((MAX_SUCCESSORS, 5), np.uint64))
