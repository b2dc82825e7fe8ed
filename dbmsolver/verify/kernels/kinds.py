"""The kinds of keys, by one name for each thing that is asked of a closed state.

Which function it is, the class of the deal's tables decides. A kind is added here, in
:mod:`dbmsolver.verify.kernels.opening`, and in :mod:`dbmsolver.verify.forms`.
"""

from __future__ import annotations

from dbmsolver.jit.families import ByType
from dbmsolver.verify.format import Format, RecordFormat
from dbmsolver.verify.kernels import classes, expand, expand_leaving, record_expand, states
from dbmsolver.verify.kernels.class_layout import ClassRules
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.kernels.pairs import Pairs
from dbmsolver.verify.kernels.piles import Pile


def _kinds(of_cards, of_records, of_classes, of_leaving):  # type: ignore[no-untyped-def]
    return ByType(
        {
            Format: of_cards,
            DigitFormat: of_cards,
            RecordFormat: of_records,
            ClassRules: of_classes,
            Pile: of_leaving,
            Pairs: of_leaving,
        }
    )


take_run = _kinds(
    expand.take_sets, record_expand.take_cards, classes.take_class, expand_leaving.take_nothing
)
"""Return (error, facts that a signature tells), before states of the signature are looked at.

Classes leave theirs in the scratch memory. That does for one signature at a time, as no bounds of
others are asked for where costs do not count.
"""
expand_state = _kinds(
    expand.expand_cards,
    record_expand.expand_record,
    classes.expand_class,
    expand_leaving.expand_leaving,
)
"""Judge a state, and list what its moves lead to."""
lay_row = _kinds(expand.lay_cards, expand.lay_nothing, expand.lay_nothing, expand.lay_nothing)
"""Lay a state out for its lower bound: (error, whatever that needs)."""
bound_of = ByType(
    {
        Format: states.bound_of_planes,
        DigitFormat: states.bound_of_digits,
        RecordFormat: expand.no_bound,
        ClassRules: expand.no_bound,
        Pile: expand.no_bound,
        Pairs: expand.no_bound,
    }
)
"""Return a lower bound of the moves to come, below 0 if no moves from the deal lead to a state."""
