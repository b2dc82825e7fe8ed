"""From a path over records of dominating positions to legal moves of single cards.

A path is the deal's position and the macros made from its record on. Between macros the cards that
normalising moves are moved, too. Where a record has a free slot, slot cards can change places as
the next move wants it. Where it has none, their places have to be right before the last slot is
taken: so it is first found out, from the end of the path backwards, which cards have to lie in
columns.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from dbmsolver.game.dominance import (
    TO_EMPTY_COLUMN,
    Record,
    columns_are_slots,
    free_slots,
    plain_record,
    reductions,
    slot_cards,
)
from dbmsolver.game.dominance_macros import Macro
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Policy, Rules


class Edge(NamedTuple):
    """One card that is moved, with what has to be parked for it: from a record to the next."""

    before: Record
    card: int
    onto: int | None
    """A card; None for the foundation, TO_EMPTY_COLUMN for an empty column."""
    after: Record


def unfold(
    start: Position, path: Sequence[Macro], rules: Rules, policy: Policy
) -> tuple[list[Move], Position]:
    """Legal moves from a position along macros from `record_of(start)` on, and where they end.

    The last position is one of those that the last record stands for. Moves are legal by the rules;
    safe moves that a search is forced to make may come later than in the search over states.
    """
    edges = list(_edges(plain_record(start, rules), path, rules, policy))
    moves: list[Move] = []
    position = start
    for edge, alone in zip(edges, _alone(edges, rules), strict=True):
        made, position = _follow(position, edge, alone, rules)
        moves += made
    return moves, position


def _edges(record: Record, path: Sequence[Macro], rules: Rules, policy: Policy) -> Iterator[Edge]:
    for macro in (None, *path):
        if macro is not None:
            onto = TO_EMPTY_COLUMN if macro.kind == "to column" else macro.onto
            yield Edge(record, macro.card, onto, macro.raw)
            record = macro.raw
        for step, after in reductions(record, rules, policy):
            yield Edge(record, step.card, step.onto, after)
            record = after


def _alone(edges: Sequence[Edge], rules: Rules) -> list[frozenset[int]]:
    """For each edge, the slot cards that have to lie in columns once it is made."""
    wanted: list[frozenset[int]] = []
    later: frozenset[int] = frozenset()
    for edge in reversed(edges):
        full = free_slots(edge.after, rules) == 0
        here = later | edge.after.fix if full else frozenset()
        wanted.append(here)
        # If a slot was free before, any arrangement could be made for this move.
        later = here.intersection(slot_cards(edge.before))
        if edge.onto is not None and edge.onto in slot_cards(edge.before):
            later |= {edge.onto}
    return wanted[::-1]


def _follow(
    position: Position, edge: Edge, alone: frozenset[int], rules: Rules
) -> tuple[list[Move], Position]:
    """The fewest moves along an edge to a position with the given cards alone in columns.

    A search from the position (A*: cards still to be lifted are a lower bound), through parking
    moves of slot cards and of the cards that the edge lifts, that ends with the edge's own move.
    """
    stay = {
        (card, under)
        for column in edge.after.columns
        for card, under in zip(column, (None, *column), strict=False)
    }
    lifted = {
        card
        for column in edge.before.columns
        for card, under in zip(column, (None, *column), strict=False)
        if (card, under) not in stay and card != edge.card
    }
    parkable = lifted | {edge.card} | set(slot_cards(edge.before))
    heap: list[tuple[int, int, Position, list[Move]]] = [(0, 0, position, [])]
    seen: set[Hashable] = {position.canonical()}
    count = 0
    while heap:
        _, _, here, moves = heappop(heap)
        if _fits(here, edge.after, alone, rules):
            return moves, here
        for move in _moves(here, edge, parkable, rules):
            there = here.apply(move)
            if there.canonical() in seen:
                continue
            seen.add(there.canonical())
            count += 1
            left = sum(card in lifted for column in there.columns for card in column[1:])
            heappush(heap, (len(moves) + 1 + left, -count, there, [*moves, move]))
    raise ValueError(f"{edge} cannot be made from {position}")


def _fits(position: Position, record: Record, alone: frozenset[int], rules: Rules) -> bool:
    plain = plain_record(position, rules)
    same = plain.foundations == record.foundations and plain.columns == record.columns
    return same and alone <= {c[0] for c in position.columns if len(c) == 1}


def _moves(position: Position, edge: Edge, parkable: set[int], rules: Rules) -> Iterator[Move]:
    """The edge's own move, if it can be made, and parking moves of its cards."""
    card, onto = edge.card, edge.onto
    for move in position.moves(rules):
        kind, index = move.destination
        if kind == "foundation":
            own = move.card == card and onto is None
        elif kind == "column" and position.columns[index]:
            own = move.card == card and onto == position.columns[index][-1]
        else:
            to_column = kind == "column"
            own = move.card == card and to_column and onto == TO_EMPTY_COLUMN
            parking = not to_column or columns_are_slots(rules)
            own |= parking and move.card in parkable
        if own:
            yield move
