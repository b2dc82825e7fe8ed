"""The kinds of states, by one name for each thing that is asked of a closed state.

Which function it is, the class of the deal's tables decides. A kind is added here, in
:mod:`dbmsolver.verify.kernels.opening`, and in :mod:`dbmsolver.verify.forms`.
"""

from __future__ import annotations

from dbmsolver.jit.families import ByType
from dbmsolver.verify.kernels.class_layout import ClassRules
from dbmsolver.verify.kernels.classes import expand_class
from dbmsolver.verify.kernels.expand import bound_of_cards, expand_cards, no_bound
from dbmsolver.verify.kernels.expand_leaving import expand_leaving
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.kernels.record_expand import expand_record
from dbmsolver.verify.kernels.record_layout import RecordTables

expand_state = ByType(
    {
        Tables: expand_cards,
        RecordTables: expand_record,
        ClassRules: expand_class,
        Pile: expand_leaving,
        Pairs: expand_leaving,
    }
)
"""Judge a state, and list what its moves lead to."""
bound_of = ByType(
    {
        Tables: bound_of_cards,
        RecordTables: no_bound,
        ClassRules: no_bound,
        Pile: no_bound,
        Pairs: no_bound,
    }
)
"""Return (error, a lower bound of the moves to come from a state).

The bound is below 0 if no moves from the deal lead to the state.
"""
