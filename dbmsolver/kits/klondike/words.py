"""Klondike and its relatives: positions as states that the engine of strata closes.

The words of a position (:mod:`dbmsolver.kits.klondike.tables`) are the planes *off*, *low* and
*high* of a state, and its local key: nothing is packed. The signature is that of
:mod:`dbmsolver.kits.klondike.strata`. Turning the stock is part of the play that follows it, so a
move that keeps the stratum keeps the cards of the waste and the turns left, and the signature.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.bits import popcount
from dbmsolver.kernels.states import CARDS, HIGH, LOW, OFF, SIGNATURE, U64, Words
from dbmsolver.kits.klondike.moves import list_moves, take
from dbmsolver.kits.klondike.strata import CARD_BITS, WON, signature_of
from dbmsolver.kits.klondike.tables import (
    FILL_KINGS,
    FILL_NONE,
    MOST_MOVES,
    PER_WORD,
    TURNS_SHIFT,
    Found,
    PatienceBoard,
    PatienceTables,
    make_board,
    make_found,
)

CODE = 4
"""Column of ``PatienceScratch.found`` after a state: its parent-move code."""


@struct
class StrataTables(NamedTuple):
    """Constants of one deal: those of its moves, and those of its states."""

    game: PatienceTables
    planes: int  # 3
    varying: Words  # [3]: bits that each plane may have
    last: int  # the stratum of won states
    marks: Words  # [3]: of each card that the signature tells of, the lowest bit of its digit
    bits: (
        Words  # [8, 256]: bits of a signature, by the number and the value of a byte of cards gone
    )
    narrow: bool  # whether rows that hold states are narrow (:mod:`.rows`)


@struct
class PatienceScratch(NamedTuple):
    """Scratch memory of one thread that expands states."""

    found: Words  # [MOST_MOVES, 5]: states that follow, and their codes
    moves: Found
    board: PatienceBoard
    words: Words  # [3]


def make_tables(game: PatienceTables) -> StrataTables:
    """Return the tables of a deal, with the constants of its moves."""
    digits = (1 << 63) - 1
    varying = np.array([digits, digits, (1 << TURNS_SHIFT + 6) - 1], np.uint64)
    marks = np.array([_marks(game, word) for word in range(3)], np.uint64)
    last = 1 + int((game.bits >= 0).sum())
    return StrataTables(game, 3, varying, last, marks, _bits(game), _are_narrow(game))


def _bits(game: PatienceTables) -> Words:
    """Return the bits of signatures for each byte of :func:`.strata.cards_gone`."""
    found = np.zeros((8, 256), np.uint64)
    values = np.arange(256)
    for card in range(CARDS):
        if game.bits[card] >= 0:
            byte, bit = divmod(3 * (card % PER_WORD) + card // PER_WORD, 8)
            found[byte, values >> bit & 1 == 1] |= np.uint64(1 << int(game.bits[card]))
    return found


def _are_narrow(game: PatienceTables) -> bool:
    """Return True if two bits tell where a card lies: each has few places, as narrow rows need."""
    kings = slice(CARDS - 4, CARDS)
    return bool(
        (game.parents[:, 2:] < 0).all()
        and (game.parents[kings] < 0).all()
        and game.fill in (FILL_NONE, FILL_KINGS)
        and not game.reserve.size  # whose cards come to the bottom of columns
    )


def _marks(game: PatienceTables, word: int) -> int:
    """Return the lowest bits of the digits, in a word, of cards that have a bit in signatures."""
    cards = range(word * PER_WORD, min(CARDS, (word + 1) * PER_WORD))
    return sum(1 << 3 * (card % PER_WORD) for card in cards if game.bits[card] >= 0)


def make_scratch() -> PatienceScratch:
    """Return scratch memory of one thread."""
    found = np.zeros((MOST_MOVES, CODE + 1), np.uint64)
    return PatienceScratch(found, make_found(), make_board(), np.zeros(3, np.uint64))


@inlined
def strata_progress(t, signature, locked_in_deal):
    """Return the stratum (int64) of a signature."""
    if signature == WON:
        return np.int64(t.last)
    return np.int64(popcount(signature & CARD_BITS))


@inlined
def expand_words(t, sets, off, low, high, scratch):
    """List the successors of a state into ``scratch.found``; return how many (int64).

    ``sets`` are those of its signature.
    """
    words, found, moves = scratch.words, scratch.found, scratch.moves
    words[0], words[1], words[2] = off, low, high
    take(t.game, off, low, high, scratch.board)
    count = list_moves(t.game, words, scratch.board, moves)
    for number in range(count):
        following = moves.words[number]
        off, low, high = following[0], following[1], following[2]
        found[number, SIGNATURE] = signature_of(t, off, low, high)
        found[number, OFF], found[number, LOW], found[number, HIGH] = off, low, high
        found[number, CODE] = U64(moves.codes[number])
    return count
