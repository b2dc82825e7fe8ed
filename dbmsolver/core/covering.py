"""Successors of states that stand for several positions: of records, and of classes.

The kernels of proofs call these names. Which function it is, the class of the tables decides
(:mod:`dbmsolver.jit.families`).
"""

from __future__ import annotations

from dbmsolver.core import classes, dominance
from dbmsolver.core.class_tables import WON, ClassTables
from dbmsolver.core.expand import HEIGHTS_ALL_HOME, height
from dbmsolver.core.tables import Tables
from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.families import inlined_by_type


@inlined
def _expand_record(t, sets, off, low, scratch):
    return dominance.expand_record(t, sets, off, low, scratch)


@inlined
def _expand_class(t, sets, off, low, scratch):
    return classes.expand_class(t, sets, off, scratch.found)


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


expand_state = inlined_by_type({Tables: _expand_record, ClassTables: _expand_class})
"""List the successors of a state into ``scratch.found``; see :mod:`dbmsolver.core.dominance`."""
is_won = inlined_by_type({Tables: _record_is_won, ClassTables: _class_is_won})
"""True for the signature of a won state."""
home_height = inlined_by_type({Tables: _record_height, ClassTables: _class_height})
"""The height (int64) of a foundation in a state."""
