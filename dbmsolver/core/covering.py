"""Successors of states of which a move may lead to any later signature.

Records and classes are such states, which stand for several positions, and so are the positions of
games of one pile and of pairs, and of Klondike and its relatives. The kernels that close them call
these names. Which function it is, the class of the tables decides (:mod:`dbmsolver.jit.families`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.core import classes, dominance, macros, pairs, patience_states, pile
from dbmsolver.core.class_tables import WON, ClassTables
from dbmsolver.core.expand import HEIGHTS_ALL_HOME, height
from dbmsolver.core.hashing import HASH
from dbmsolver.core.pairs import PairTables
from dbmsolver.core.patience_states import StrataTables
from dbmsolver.core.pile import PileTables
from dbmsolver.core.tables import HIGH, Tables
from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.families import ByType

U64 = np.uint64


@inlined
def fingerprint(signature, off, low):
    """Return eight bits of a hash of a state (int64), which tell it from most others."""
    word = (signature * HASH) ^ (off * U64(0xD6E8FEB86659FD93)) ^ (low * U64(0xA0761D6478BD642F))
    word ^= word >> U64(32)
    return np.int64((word * HASH) >> U64(56))


@inlined
def _expand_record(t, sets, off, low, high, scratch):
    return dominance.expand_record(t, sets, off, low, scratch)


@inlined
def _expand_class(t, sets, off, low, high, scratch):
    return classes.expand_class(t, sets, off, scratch.found)


@inlined
def _expand_pile(t, sets, off, low, high, scratch):
    return pile.expand_pile(t, sets, off, scratch.found)


@inlined
def _expand_pairs(t, sets, off, low, high, scratch):
    return pairs.expand_pairs(t, sets, off, scratch.found)


@inlined
def _expand_words(t, sets, off, low, high, scratch):
    return patience_states.expand_words(t, sets, off, low, high, scratch)


@inlined
def _fingerprint_of(t, sets, off, low):
    return fingerprint(sets.signature, off, low)


@inlined
def _card_on_top(t, sets, off, low):
    return np.int64(off & U64(pile.TOP))


@inlined
def _no_code(t, sets, off, low):
    return np.int64(0)


@inlined
def _as_of_all(t, found, index, code):
    return code


@inlined
def _as_found(t, found, index, code):
    return np.int64(found[index, pairs.CODE])


@inlined
def _code_of_word(t, found, index, code):
    return np.int64(found[index, patience_states.CODE])


@inlined
def _none(t, found, index):
    return U64(0)


@inlined
def _high_of_word(t, found, index):
    return found[index, HIGH]


@inlined
def _record_is_won(t, signature):
    return signature == HEIGHTS_ALL_HOME


@inlined
def _class_is_won(t, signature):
    return signature == WON


@inlined
def _record_height(t, signature, off, suit):
    return height(signature, suit)


@inlined
def _class_height(t, signature, off, suit):
    return classes.class_height(t, off, suit)


expand_state = ByType(
    {
        Tables: _expand_record,
        ClassTables: _expand_class,
        PileTables: _expand_pile,
        PairTables: _expand_pairs,
        StrataTables: _expand_words,
    }
)
"""List the successors of a state into ``scratch.found``; see :mod:`dbmsolver.core.dominance`."""
childrens_code = ByType(
    {
        Tables: _fingerprint_of,
        ClassTables: _fingerprint_of,
        PileTables: _card_on_top,
        PairTables: _no_code,
        StrataTables: _no_code,
    }
)
"""Return the code (int64) of the states that follow from a state, if they have one in common."""
code_of_child = ByType(
    {
        **dict.fromkeys((Tables, ClassTables, PileTables), _as_of_all),
        PairTables: _as_found,
        StrataTables: _code_of_word,
    }
)
"""Return the code (int64) of the state in a row of ``found``; ``code`` is what they have in common.
"""
high_of_child = ByType(
    {
        **dict.fromkeys((Tables, ClassTables, PileTables, PairTables), _none),
        StrataTables: _high_of_word,
    }
)
"""Return the plane *high* (uint64) of the state in a row of ``found``."""
is_won = ByType({Tables: _record_is_won, ClassTables: _class_is_won})
"""True for the signature of a won state."""
home_height = ByType({Tables: _record_height, ClassTables: _class_height})
"""The height (int64) of a foundation in a state."""


def make_scratch(t: Any) -> Any:
    """Return scratch memory of one thread to expand states with these tables."""
    return patience_states.make_scratch() if isinstance(t, StrataTables) else macros.make_scratch()
