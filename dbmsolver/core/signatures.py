"""Facts that the states of a signature share, and their stratum, for every kind of states.

The kernels that close, sort and store states call these names. Which function it is, the class of
the tables decides (:mod:`dbmsolver.jit.families`). The functions are compiled apart, once, and
called by the kernels.
"""

from __future__ import annotations

from dbmsolver.core import classes, expand, pairs, patience_states, pile
from dbmsolver.core.class_tables import ClassTables
from dbmsolver.core.pairs import PairTables
from dbmsolver.core.patience_states import StrataTables
from dbmsolver.core.pile import PileTables
from dbmsolver.core.run_tables import RunTables
from dbmsolver.core.tables import Tables
from dbmsolver.core.two_way_tables import TwoWayTables
from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.families import ByType


@inlined
def _card_sets(t, signature):
    return expand.signature_sets(t, signature)


@inlined
def _card_progress(t, signature, locked_in_deal):
    return expand.progress(t, signature, locked_in_deal)


@inlined
def _class_sets(t, signature):
    return classes.class_sets(t, signature)


@inlined
def _class_progress(t, signature, locked_in_deal):
    return classes.class_progress(t, signature, locked_in_deal)


@inlined
def _pile_sets(t, signature):
    return pile.pile_sets(t, signature)


@inlined
def _pile_progress(t, signature, locked_in_deal):
    return pile.pile_progress(t, signature)


@inlined
def _pair_sets(t, signature):
    return pairs.pair_sets(t, signature)


@inlined
def _pair_progress(t, signature, locked_in_deal):
    return pairs.pair_progress(t, signature)


@inlined
def _strata_sets(t, signature):
    return patience_states.strata_sets(t, signature)


@inlined
def _strata_progress(t, signature, locked_in_deal):
    return patience_states.strata_progress(t, signature)


_OF_CARDS = (Tables, RunTables, TwoWayTables)

signature_sets = ByType(
    {
        **dict.fromkeys(_OF_CARDS, _card_sets),
        ClassTables: _class_sets,
        PileTables: _pile_sets,
        PairTables: _pair_sets,
        StrataTables: _strata_sets,
    }
)
"""The sets of cards (a NamedTuple) that all states of a signature (uint64) share."""
progress = ByType(
    {
        **dict.fromkeys(_OF_CARDS, _card_progress),
        ClassTables: _class_progress,
        PileTables: _pile_progress,
        PairTables: _pair_progress,
        StrataTables: _strata_progress,
    }
)
"""The stratum (int64) of a signature; the third argument is the codec's ``locked``."""
