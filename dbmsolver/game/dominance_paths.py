"""From a path over records of dominating positions to legal moves of single cards.

A path is the deal's position and the macros made from its record on. Between macros the cards that
normalising moves are moved, too. Where a record has a free slot, slot cards can change places as
the next move wants it. Where it has none, their places have to be right before the last slot is
taken: so it is first found out, from the end of the path backwards, which cards have to lie in
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from heapq import heappop, heappush
from typing import NamedTuple

from dbmsolver.game.cards import suit
from dbmsolver.game.dominance import (
    TO_EMPTY_COLUMN,
    Record,
    columns_are_slots,
    free_slots,
    make_record,
    plain_record,
    reductions,
    shortest_stuck,
    slot_cards,
)
from dbmsolver.game.dominance_attempts import Macro
from dbmsolver.game.dominance_parking import Board
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

    def lifted(self, rules: Rules) -> list[int]:
        """What has to be parked: cards of stuck columns that lie there no more.

        They come in an order in which that can be done. Columns of which nothing is left come
        first: they make room for a card that has to lie alone. The edge's own card is among those
        parked if one that lies under it has to be.
        """
        rests = {column[0]: column for column in self.after.columns}
        changed = [one for one in self.before.columns if rests.get(one[0]) != one]
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


def unfold(
    start: Position, path: Sequence[Macro], rules: Rules, policy: Policy
) -> tuple[list[Move], Position]:
    """Legal moves from a position along macros from `record_of(start)` on, and where they end.

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


def reduction_edges(record: Record, rules: Rules, policy: Policy) -> list[Edge]:
    """The edges from a record to its normal form."""
    edges = []
    for step, after in reductions(record, rules, policy):
        edges.append(Edge(record, step.card, step.onto, after))
        record = after
    return edges


def macro_edge(
    record: Record, card: int, onto: int | None, lifted: Set[int], fix: Set[int], rules: Rules
) -> Edge:
    """The edge of a macro that parks the cards ``lifted`` and then moves a card.

    What it leads to is not in normal form; ``fix`` is known of it.
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


def follow_edges(
    start: Position, edges: Sequence[Edge], last: frozenset[int], rules: Rules
) -> tuple[list[Move], Position]:
    """Legal moves along edges, and the position that they lead to.

    If no slot is free there, the cards ``last`` lie alone in columns.
    """
    moves: list[Move] = []
    position = start
    for edge, alone in zip(edges, _alone(edges, last, rules), strict=True):
        made = directly(position, edge, alone, rules) or _search(position, edge, alone, rules)
        moves += made[0]
        position = made[1]
    return moves, position


def _alone(edges: Sequence[Edge], last: frozenset[int], rules: Rules) -> list[frozenset[int]]:
    """For each edge, the slot cards that have to lie in columns once it is made."""
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
    """Moves along an edge without a search: each lifted card goes to the next slot.

    None if that does not do. It nearly always does; it may not where slots run full and it
    matters which card lies in a column.
    """
    board = Board(position)
    card, onto = edge.card, edge.onto
    wanted = alone if onto is None or onto == TO_EMPTY_COLUMN else alone | {onto}
    for one in edge.lifted(rules):
        _to_columns(board, wanted, card)
        if not _park(board, one, one in wanted, rules):
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


def _park(board: Board, card: int, to_column: bool, rules: Rules) -> bool:
    """Lift a card to a free slot; whether there is one."""
    column = board.empty_column() if columns_are_slots(rules) else None
    cell = board.free_cell()
    return board.move(card, column or cell if to_column else cell or column)


def _to_columns(board: Board, wanted: frozenset[int], card: int) -> None:
    """Bring cards from freecells to columns, as far as there is room.

    Other cards make room where they can. ``card`` stays where it is: it is about to be moved.
    """
    for one in wanted.intersection(board.cells):
        if board.empty_column() is None:
            others = sorted(board.alone() - wanted - {card})
            if not others or not board.move(others[0], board.free_cell()):
                return
        board.move(one, board.empty_column())


def _search(
    position: Position, edge: Edge, alone: frozenset[int], rules: Rules
) -> tuple[list[Move], Position]:
    """The fewest moves along an edge to a position with the given cards alone in columns.

    Parking moves of slot cards and of the cards that the edge lifts, and the edge's own move at the
    end.
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
    """The fewest parking moves from a position to another; ValueError if there are none.

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
    """The fewest of the moves chosen that lead to a position that fits, and that position.

    A*: the cards of ``lifted`` that lie on others have to be moved yet, which is a lower bound.
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
    """The cards that lie alone in columns."""
    return frozenset(column[0] for column in position.columns if len(column) == 1)


def _is_own(move: Move, edge: Edge, here: Position) -> bool:
    """Whether a move is the edge's own."""
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
