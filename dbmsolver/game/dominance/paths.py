"""Unfolding a path over records of dominating positions into legal moves of single cards.

A path is the deal's position and the macros made from its record on. Between macros the cards that
normalising moves are moved, too. Where a record has a free slot, slot cards can change places as
the next move wants it. Where it has none, their places have to be right before the last slot is
taken: so it is first found out, from the end of the path backwards, which cards have to lie in
columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.dominance.attempts import Macro
from dbmsolver.game.dominance.edges import Edge, reduction_edges
from dbmsolver.game.dominance.parking import ParkingBoard
from dbmsolver.game.dominance.records import (
    TO_EMPTY_COLUMN,
    columns_are_slots,
    free_slots,
    plain_record,
    slot_cards,
)
from dbmsolver.game.dominance.search import search_along
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules


def unfold(
    start: Position, path: Sequence[Macro], rules: Rules, policy: Policy
) -> tuple[list[Move], Position]:
    """Return legal moves along macros from `record_of(start)` on, and the position after them.

    The last position is one of those that the last record stands for. Moves are legal by the rules;
    safe moves that a search is forced to make may come later than in the search over states.
    """
    edges = reduction_edges(plain_record(start, rules), rules, policy)
    for macro in path:
        record = edges[-1].after if edges else plain_record(start, rules)
        onto = TO_EMPTY_COLUMN if macro.kind == "to column" else macro.onto
        edges.append(Edge(record, macro.card, onto, macro.raw))
        edges += reduction_edges(macro.raw, rules, policy)
    return follow_edges(start, edges, frozenset(), rules)


def follow_edges(
    start: Position, edges: Sequence[Edge], last: frozenset[int], rules: Rules
) -> tuple[list[Move], Position]:
    """Return legal moves along edges, and the position that they lead to.

    If no slot is free there, the cards ``last`` lie alone in columns.
    """
    moves: list[Move] = []
    position = start
    for edge, alone in zip(edges, _alone(edges, last, rules), strict=True):
        made = directly(position, edge, alone, rules) or search_along(position, edge, alone, rules)
        moves += made[0]
        position = made[1]
    return moves, position


def _alone(edges: Sequence[Edge], last: frozenset[int], rules: Rules) -> list[frozenset[int]]:
    """Return, for each edge, the slot cards that have to lie in columns once it is made."""
    wanted: list[frozenset[int]] = []
    later = last
    for edge in reversed(edges):
        full = free_slots(edge.after, rules) == 0
        here = later | edge.after.fix if full else frozenset()
        wanted.append(here)
        # If a slot was free before, any arrangement could be made for this move.
        later = here.intersection(slot_cards(edge.before))
        if edge.onto is not None and edge.onto in slot_cards(edge.before):
            later |= {edge.onto}
    return wanted[::-1]


def directly(
    position: Position, edge: Edge, alone: frozenset[int], rules: Rules
) -> tuple[list[Move], Position] | None:
    """Return moves along an edge without a search: each lifted card goes to the next slot.

    Also returns the position after them. None if these moves do not do. They nearly always do; they
    may not where slots run full and it matters which card lies in a column.
    """
    board = ParkingBoard(position)
    card, onto = edge.card, edge.onto
    wanted = alone if onto is None or onto == TO_EMPTY_COLUMN else alone | {onto}
    for lifted in edge.lifted(rules):
        _to_columns(board, wanted, card)
        if not _park(board, lifted, lifted in wanted, rules):
            return None
    _to_columns(board, wanted, card)
    if onto is None:
        done = board.home(card)
    elif onto == TO_EMPTY_COLUMN:
        done = board.move(card, board.empty_column())
    else:
        done = onto not in board.cells and board.move(card, board.place_of(onto))
    if not done or not alone <= board.alone():
        return None
    return board.moves, board.position()


def _park(board: ParkingBoard, card: int, to_column: bool, rules: Rules) -> bool:
    """Lift a card to a free slot; return True if there is one."""
    column = board.empty_column() if columns_are_slots(rules) else None
    cell = board.free_cell()
    return board.move(card, column or cell if to_column else cell or column)


def _to_columns(board: ParkingBoard, wanted: frozenset[int], card: int) -> None:
    """Bring cards from freecells to columns, as far as there is room.

    Other cards make room where they can. ``card`` stays where it is: it is about to be moved.
    """
    for parked in wanted.intersection(board.cells):
        if board.empty_column() is None:
            others = sorted(board.alone() - wanted - {card})
            if not others or not board.move(others[0], board.free_cell()):
                return
        board.move(parked, board.empty_column())
