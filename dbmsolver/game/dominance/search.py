"""The fewest moves that park cards as they have to lie: a search over positions.

It is for where the plain way of `parking` does not do: slots run full, and it matters
which card lies in a column.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from heapq import heappop, heappush

from dbmsolver.game.dominance.edges import Edge
from dbmsolver.game.dominance.records import (
    TO_EMPTY_COLUMN,
    columns_are_slots,
    plain_record,
    slot_cards,
)
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules


def search_along(
    position: Position, edge: Edge, alone: frozenset[int], rules: Rules
) -> tuple[list[Move], Position]:
    """Return the fewest moves along an edge to a position with the given cards alone in columns.

    They are parking moves of slot cards and of the cards that the edge lifts, with the edge's own
    move at the end. Also returns the position after them.
    """
    lifted = set(edge.lifted(rules)) - {edge.card}
    slots = {*slot_cards(edge.before), *slot_cards(edge.after)}
    parkable = lifted | slots | {edge.card}

    def fits(here: Position) -> bool:
        plain = plain_record(here, rules)
        same = plain.foundations == edge.after.foundations and plain.columns == edge.after.columns
        return same and alone <= cards_alone(here)

    def choices(here: Position) -> Iterator[Move]:
        for move in here.moves(rules):
            if _is_own(move, edge, here) or (
                move.card in parkable and _is_parking(move, here, rules)
            ):
                yield move

    found = _fewest_moves(position, choices, fits, lifted)
    if found is None:
        raise ValueError(f"{edge} cannot be made from {position}")
    return found


def park(position: Position, to: Position, rules: Rules) -> list[Move]:
    """Return the fewest parking moves from a position to another; ValueError if there are none.

    Columns and freecells of the other may be in another order.
    """
    lower = {card for column in to.columns for card in column[1:]}
    lifted = {card for column in position.columns for card in column[1:]} - lower
    wanted = to.canonical()

    def choices(here: Position) -> Iterator[Move]:
        for move in here.moves(rules):
            if move.card not in lower and _is_parking(move, here, rules):
                yield move

    found = _fewest_moves(position, choices, lambda here: here.canonical() == wanted, lifted)
    if found is None:
        raise ValueError(f"parking does not lead from {position} to {to}")
    return found[0]


def _fewest_moves(
    position: Position,
    choices: Callable[[Position], Iterator[Move]],
    fits: Callable[[Position], bool],
    lifted: set[int],
) -> tuple[list[Move], Position] | None:
    """Return the fewest of the moves chosen that lead to a position that fits, and that position.

    None if no moves do. The search is A*: the cards of ``lifted`` that lie on others have to be
    moved yet, which is a lower bound.
    """
    heap: list[tuple[int, int, Position, list[Move]]] = [(0, 0, position, [])]
    seen: set[Hashable] = {position.canonical()}
    count = 0
    while heap:
        _, _, here, moves = heappop(heap)
        if fits(here):
            return moves, here
        for move in choices(here):
            there = here.apply(move)
            if there.canonical() in seen:
                continue
            seen.add(there.canonical())
            count += 1
            left = sum(card in lifted for column in there.columns for card in column[1:])
            heappush(heap, (len(moves) + 1 + left, -count, there, [*moves, move]))
    return None


def cards_alone(position: Position) -> frozenset[int]:
    """Return the cards that lie alone in columns."""
    return frozenset(column[0] for column in position.columns if len(column) == 1)


def _is_own(move: Move, edge: Edge, here: Position) -> bool:
    """Return True if a move is the edge's own."""
    kind, index = move.destination
    if move.card != edge.card or kind == "freecell":
        return False
    if kind == "foundation":
        return edge.onto is None
    column = here.columns[index]
    return edge.onto == (column[-1] if column else TO_EMPTY_COLUMN)


def _is_parking(move: Move, here: Position, rules: Rules) -> bool:
    kind, index = move.destination
    if kind == "column":
        return columns_are_slots(rules) and not here.columns[index]
    return kind == "freecell"
