"""Positions of states and records, to be shown in a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.board import Board, make_board
from dbmsolver.verify.kernels.positions import Tables, lay_out, state_in
from dbmsolver.verify.kernels.record_layout import make_table, take_apart
from dbmsolver.verify.kernels.words import SUIT
from dbmsolver.verify.refutation import StateWords


def cards_of(cards: int) -> list[int]:
    """Return the cards of a set."""
    return [card for card in range(CARDS) if cards >> card & 1]


def columns_of(board: Board, bottoms: int) -> list[tuple[int, ...]]:
    """Return the columns of a board, by the cards at their bottoms."""
    columns = []
    for card in cards_of(bottoms):
        column = [card]
        while board.load[column[-1]] >= 0:
            column.append(int(board.load[column[-1]]))
        columns.append(tuple(column))
    return columns


def as_dealt(
    columns: Iterable[tuple[int, ...]], dealt: Sequence[Sequence[int]]
) -> list[tuple[int, ...]]:
    """Return columns where the deal has their bottom cards, the others where there is room."""
    places: list[tuple[int, ...]] = [()] * len(dealt)
    homes = {column[0]: index for index, column in enumerate(dealt) if column}
    rest = []
    for column in columns:
        index = homes.get(column[0])
        if index is None or places[index]:
            rest.append(column)
        else:
            places[index] = column
    for index, column in enumerate(places):
        if not column and rest:
            places[index] = rest.pop(0)
    return places


def position_of(tables: Tables, deal: Deal, words: StateWords) -> Position | None:
    """Return the position of a state; None if there is none."""
    board, dealt, base = make_board(), deal.position, deal.position.base
    error, laid = lay_out(tables, state_in(words), board)
    if error:
        return None
    counted = as_dealt(columns_of(board, laid.bottoms), dealt.turned().columns)
    columns = tuple(tuple(map(base.card, column)) for column in counted)
    hearts, spades, diamonds, clubs = (laid.heights >> 4 * suit & 15 for suit in range(4))
    heights = hearts, spades, diamonds, clubs
    if dealt.has_waste:
        left = tuple(map(base.card, board.hand[: laid.hand].tolist()))
        return dealt.rearranged(
            columns=columns,
            foundations=heights,
            stock=left[laid.waste :],
            waste=left[: laid.waste],
            hidden=tuple(sum(laid.down >> card & 1 for card in column) for column in counted),
            turns=None if dealt.turns is None else laid.turns,
            reserve=dealt.reserve[: laid.reserve],
        )
    cells = [base.card(card) for card in cards_of(laid.cells)]
    empty = [None] * (deal.rules.freecells - len(cells))
    return Position(columns, (*cells, *empty), heights, base=base)


def position_of_record(tables: Tables, deal: Deal, words: StateWords) -> Position | None:
    """Return one of the positions that a record stands for, slot cards in freecells first.

    None if there is none.
    """
    table = make_table()
    error, laid = take_apart(tables, state_in(words), table)
    if error:
        return None
    free = cards_of(laid.slots & ~laid.fix)
    cells, alone = free[: deal.rules.freecells], free[deal.rules.freecells :]
    columns = columns_of(table.board, laid.bottoms)
    columns += [(card,) for card in [*cards_of(laid.fix), *alone]]
    empty = [None] * (deal.rules.freecells - len(cells))
    home = words[0] & words[1] & words[2]
    hearts, spades, diamonds, clubs = ((home >> suit & int(SUIT)).bit_count() for suit in range(4))
    placed = as_dealt(columns, deal.position.columns)
    return Position(tuple(placed), (*cells, *empty), (hearts, spades, diamonds, clubs))
