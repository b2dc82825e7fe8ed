"""Keys of wide games: from positions to rows of words, and from rows back to moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InputError, InternalError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kernels.samples import Call
from dbmsolver.kits.states import Step
from dbmsolver.kits.wide.rows import least_moves, normal_row
from dbmsolver.kits.wide.tables import (
    GONE,
    WASTED,
    WideBoard,
    WideTables,
    earlier_alike,
    heads_of,
    make_board,
)
from dbmsolver.results import Method

Row = NDArray[np.uint64]
_FILLS = {"none": 0, "any": 1, "kings": 2}
_ROW_DEALS = {"none": 0, "rows": 1, "full-rows": 2}
_FIRST = {"column": 0, "stock": 18, "waste": 19, "columns": 20, "foundation": 21}
"""The number of the first place of each kind."""
_PLACES = 25


class WideKeys:
    """The keys of one deal of a wide game.

    ``root`` is the row of the deal itself, ``least`` a lower bound of the length of solutions.
    """

    method = Method.EVERY_POSITION

    def __init__(self, deal: Deal) -> None:
        self.deal = deal
        self.rules: Rules = deal.rules
        self.measure = Measure(deal.rules, "none", "turns")
        self._own = deal.position
        self.tables = _tables(deal.position, deal.rules)
        self._board = make_board(self.tables)
        self.root = self.row(deal.position)
        self.least = int(least_moves(self.tables, self._board, self.root))

    def own_kernels(self) -> list[Call]:
        """Return all kernels, those first that take longest to compile."""
        from dbmsolver.kits.wide.ahead import all_kernels

        return all_kernels(self.tables, self.root)

    def row(self, position: Position) -> Row:
        """Return the row of a position; InputError if it is none of this deal."""
        t, b, own = self.tables, self._board, self._own
        gone = len(own.stock) - len(position.stock)
        if gone < 0 or own.stock[gone:] != position.stock:
            raise InputError("the stock lies otherwise than it was dealt")
        _write_out(b, position, own, gone)
        size = normal_row(t, b)
        return b.words[:size].copy()

    def moves_along(self, rows: Sequence[Row]) -> list[Move]:
        """Return the moves that lead from each row to the next; the first row is the deal's."""
        position, moves = self._own, []
        for row in rows[1:]:
            for move in position.moves(self.rules):
                after = position.apply(move)
                if np.array_equal(self.row(after), row):
                    moves.append(move)
                    position = after
                    break
            else:
                raise InternalError(f"move {len(moves) + 1} of the solution found is not legal")
        return moves

    def step_of(self, position: Position, move: Move) -> Step:
        """Return the step of a move: its card, and a number for its places."""
        return move.card, place_of(move)


def place_of(move: Move) -> int:
    """Return a number for the places that a move leads from and to, and its number of cards."""
    return (move.count * _PLACES + _number(move.source)) * _PLACES + _number(move.destination)


def _number(place: Place) -> int:
    return _FIRST[place.kind] + place.index


Flags = tuple[tuple[bool, ...], ...]


@lru_cache
def _pairs_of_cards(rules: Rules) -> tuple[Flags, Flags]:
    """Return two tables of flags, by a card and one of the deck's cards right beneath it.

    In the first a flag is True if the rules let the card be put there, in the second if both may
    move together as a run.
    """
    both = [[(card, under) for under in range(CARDS)] for card in range(CARDS)]
    return (
        tuple(tuple(rules.can_stack(card, under) for card, under in row) for row in both),
        tuple(tuple(rules.is_run((under, card)) for card, under in row) for row in both),
    )


def _tables(position: Position, rules: Rules) -> WideTables:
    columns, lowest = len(position.columns), position.lowest
    stacks, joined = _pairs_of_cards(rules)
    heads, origin, count = heads_of(position.columns, position.hidden)
    down = [
        card
        for column, number in zip(position.columns, position.hidden, strict=True)
        for card in column[:number]
    ]
    dealing = rules.row_deals != "none"
    return WideTables(
        columns,
        _most_cards(position, rules),
        lowest,
        int(rules.whole_suits),
        int(rules.moves == "groups"),
        _FILLS[rules.fill],
        int(rules.removable),
        _ROW_DEALS[rules.row_deals],
        rules.draw,
        np.array(stacks, np.uint8),
        np.array(joined, np.uint8),
        np.array(position.stock, np.uint8),
        np.cumsum([0, *map(len, position.home)]).astype(np.int64),
        np.array(down, np.uint8),
        np.cumsum([0, *position.hidden]).astype(np.int64),
        np.array(heads, np.uint8),
        np.array(origin, np.int64),
        np.array(count, np.int64),
        np.array(earlier_alike(position.stock, columns, dealing), np.int64),
    )


def _most_cards(position: Position, rules: Rules) -> int:
    """Return the most cards that the waste and the columns can have together, at any time.

    Cards that are in the stock now are not counted.
    """
    cards = len(position.lying()) - len(position.stock)
    if rules.removable:
        cards += sum(
            height - position.lowest + 1 for heights in position.home for height in heights
        )
    return cards


def _write_out(b: WideBoard, position: Position, own: Position, gone: int) -> None:
    """Write a position out on a board."""
    b.numbers[GONE], b.numbers[WASTED] = gone, len(position.waste)
    b.waste[: len(position.waste)] = position.waste
    b.home[:] = [height for heights in position.home for height in heights]
    for index, (column, down) in enumerate(zip(position.columns, position.hidden, strict=True)):
        hidden = column[:down]
        found = [
            number
            for number, (dealt, most) in enumerate(zip(own.columns, own.hidden, strict=True))
            if down <= most and dealt[:down] == hidden
        ]
        if not found:
            raise InputError(f"column {index + 1}: its cards face down are not those of the deal")
        b.origin[index], b.down[index], b.up[index] = found[0], down, len(column) - down
        b.cards[index, : len(column) - down] = column[down:]
