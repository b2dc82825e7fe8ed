"""Edges of a path over records: one card that is moved, and the cards parked for it."""

from __future__ import annotations

from collections.abc import Set
from typing import NamedTuple

from dbmsolver.game.cards import suit
from dbmsolver.game.dominance.records import (
    TO_EMPTY_COLUMN,
    Record,
    make_record,
    reductions,
    shortest_stuck,
)
from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules


class Edge(NamedTuple):
    """One card that is moved, with the cards parked for it: from a record to the next."""

    before: Record
    card: int
    onto: int | None
    """A card; None for the foundation, TO_EMPTY_COLUMN for an empty column."""
    after: Record

    def lifted(self, rules: Rules) -> list[int]:
        """Return the cards to be parked: cards of stuck columns that lie there no more.

        They come in an order in which that can be done. Columns of which nothing is left come
        first: they make room for a card that has to lie alone. The edge's own card is among those
        parked if one that lies under it has to be.
        """
        rests = {column[0]: column for column in self.after.columns}
        changed = [column for column in self.before.columns if rests.get(column[0]) != column]
        cards: list[int] = []
        for column in sorted(changed, key=lambda column: column[0] in rests):
            rest = rests.get(column[0], column[: shortest_stuck(rules) - 1])
            left = 0
            while left < min(len(rest), len(column)) and rest[left] == column[left]:
                left += 1
            above = column[left:]
            if above[:1] == (self.card,):  # it leaves from here, when the others have been lifted
                above = above[1:]
            cards += reversed(above)
        return cards


def reduction_edges(record: Record, rules: Rules, policy: Policy) -> list[Edge]:
    """Return the edges from a record to its normal form."""
    edges = []
    for step, after in reductions(record, rules, policy):
        edges.append(Edge(record, step.card, step.onto, after))
        record = after
    return edges


def macro_edge(
    record: Record, card: int, onto: int | None, lifted: Set[int], fix: Set[int], rules: Rules
) -> Edge:
    """Return the edge of a macro that parks the cards ``lifted`` and then moves a card.

    The record it leads to is not in normal form; ``fix`` is known of it.
    """
    heights = list(record.foundations)
    columns = []
    for column in record.columns:
        kept = 0
        while kept < len(column) and column[kept] != card and column[kept] not in lifted:
            kept += 1
        columns.append(column[:kept])
    if onto is None:
        heights[suit(card)] += 1
    elif onto == TO_EMPTY_COLUMN:
        columns.append((card,))
    else:
        tops = [column[-1] if column else None for column in columns]
        if onto in tops:
            columns[tops.index(onto)] += (card,)
        else:
            columns.append((onto, card))
    hearts, spades, diamonds, clubs = heights
    after = make_record((hearts, spades, diamonds, clubs), columns, fix, rules)
    return Edge(record, card, onto, after)
