"""Tables of a wide game: its rules and its deal as kernels have them.

A state is a row of bytes, padded to whole words with PAD. It begins with the number of cards that
have left the stock, and the heights of all foundations, suit after suit, those of a suit in
descending order. The waste follows, if the game has one, then the columns. Each of them begins with
a *head*: HEAD, or above it a number that stands for the cards face down in the column. Then come
its cards face up, the deepest one first.

Heads are made so that alike cards face down have the same one. Columns that get the same cards from
the stock, or none, are sorted. So two positions have the same row if they are the same for the rest
of the game, and only then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.structs import struct

HEAD = 64
"""The head of a column without cards face down; cards are lower."""
PAD = 255
"""The byte after the end of a row."""
ROW_WORDS = 24
"""More words than any row has."""
MOST_CARDS = 128
"""More cards than a column can have."""

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]


@struct
class WideTables(NamedTuple):
    """The rules and the deal. ``columns`` and other single numbers are int64."""

    columns: int
    most_cards: int  # that waste and columns can have at once, but for cards of the stock
    lowest: int  # the lowest rank of the deck
    whole: int  # 1 if whole suits go home
    groups: int  # 1 if any cards face up move
    fill: int  # 0 if empty columns take nothing, 1 for any card, 2 for kings
    removable: int  # 1 if cards come back from the foundations
    dealing: int  # 0 for none, 1 if rows are dealt at any time, 2 if no column may be empty
    draw: int  # cards turned to the waste at once
    stacks: Bytes  # [52, 52]: 1 if the first card may be put on the second
    joined: Bytes  # [52, 52]: 1 if the first card moves along with the second, which it lies on
    stock: Bytes  # the stock of the deal, the card first that is turned next
    first_home: Numbers  # [5]: the number of the first foundation of each suit, and of the end
    down: Bytes  # the cards face down of all columns, column after column, the deepest first
    first_down: Numbers  # [columns + 1]: where those of a column begin
    heads: Bytes  # [cards face down]: the head of a column in which that one is the last of them
    origin: Numbers  # [heads]: a column that had the cards face down of a head
    count: Numbers  # [heads]: the number of cards face down of a head
    before: Numbers  # [stages, columns]: the last column before, that gets the same cards, or -1


@struct
class WideBoard(NamedTuple):
    """A state written out, to be changed."""

    cards: Bytes  # [columns, MOST_CARDS]: the cards face up, the deepest first
    waste: Bytes  # [MOST_CARDS]
    up: Numbers  # [columns]: how many cards lie face up
    down: Numbers  # [columns]: how many cards lie face down
    origin: Numbers  # [columns]: the column that they were dealt to
    home: Numbers  # [foundations]: heights
    numbers: Numbers  # [2]: cards that have left the stock, cards in the waste
    counters: Numbers  # the same memory as the last five
    counters_before: Numbers  # those of the state before a move
    deepest_before: Bytes  # [columns]: the deepest cards face up, before a move
    order: Numbers  # [columns]: the columns in the order of the row
    row: Bytes  # [8 * ROW_WORDS]: scratch, the row as bytes
    words: NDArray[np.uint64]  # the same memory as words


GONE, WASTED = 0, 1
"""The places of `WideBoard.numbers`."""


def make_board(t: WideTables) -> WideBoard:
    """Return a board without cards."""
    row = np.zeros(8 * ROW_WORDS, np.uint8)
    sizes = [t.columns, t.columns, t.columns, int(t.first_home[4]), 2]
    counters = np.zeros(sum(sizes), np.int64)
    return WideBoard(
        np.zeros((t.columns, MOST_CARDS), np.uint8),
        np.zeros(MOST_CARDS, np.uint8),
        *np.split(counters, np.cumsum(sizes[:-1])),
        counters,
        np.zeros(counters.size, np.int64),
        np.zeros(t.columns, np.uint8),
        np.zeros(t.columns, np.int64),
        row,
        row.view(np.uint64),
    )


def heads_of(
    dealt: Sequence[tuple[int, ...]], hidden: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Return the heads of all cards face down, and the column and number of each head.

    Head 0 is that of columns without cards face down.
    """
    known: dict[tuple[int, ...], int] = {}
    heads, origin, count = [], [0], [0]
    for index, (column, down) in enumerate(zip(dealt, hidden, strict=True)):
        for number in range(1, down + 1):
            cards = column[:number]
            if cards not in known:
                known[cards] = len(known) + 1
                origin.append(index)
                count.append(number)
            heads.append(HEAD + known[cards])
    return heads, origin, count


def earlier_alike(stock: Sequence[int], columns: int, dealing: bool) -> list[list[int]]:
    """Return, for each number of rows dealt, the last column before each that gets the same cards.

    -1 stands for none. Where no rows are dealt, all columns are alike.
    """
    stages = -(-len(stock) // columns) if dealing else 0
    found = []
    for stage in range(stages + 1):
        left = stock[stage * columns :] if dealing else ()
        futures = [tuple(left[index::columns]) for index in range(columns)]
        found.append(
            [
                max((i for i in range(index) if futures[i] == futures[index]), default=-1)
                for index in range(columns)
            ]
        )
    return found


def row_words(t: WideTables) -> int:
    """Return the number of words that a row has at most."""
    cards = int(t.stock.size) + t.most_cards
    return int(1 + t.first_home[4] + t.columns + cards + 7) // 8
