"""The successors of a record of dominating positions.

A macro is one move that parking cannot make (a card x onto a card p, home, or a king to an empty
column), with the fewest lifts that make room for it. `docs/dominance.md` proves that the successors
cover whatever the covered positions can do. The order is fixed: cards x from the lowest on; for
each the foundation first, then parents p from the lowest on, in place before moved; hosts by their
bottom card; sets J by their size, then by the bottom cards. Equal successors may come twice.

Which macros there are depends on what empty columns take: `slot_macros` for any card,
`cell_macros` for kings or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from dbmsolver.game.dominance.attempts import Macro, RecordFacts
from dbmsolver.game.dominance.cell_macros import cell_macros
from dbmsolver.game.dominance.records import (
    Record,
    columns_are_slots,
    empty_columns,
    free_slots,
    normalise,
)
from dbmsolver.game.dominance.slot_macros import slot_macros
from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules


def macros(record: Record, rules: Rules, policy: Policy) -> Iterator[Macro]:
    """Yield all successors of a normalised record; some may be equal."""
    places = {
        card: (index, depth)
        for index, column in enumerate(record.columns)
        for depth, card in enumerate(column)
    }
    free, empty = free_slots(record, rules), empty_columns(record, rules)
    facts = RecordFacts(record, rules, places, free, empty)
    make = slot_macros if columns_are_slots(rules) else cell_macros
    for macro in make(facts):
        yield macro._replace(record=normalise(macro.raw, rules, policy))
