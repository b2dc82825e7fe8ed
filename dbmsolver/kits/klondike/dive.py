"""Klondike and its relatives: searches depth first for any solution.

The moves of a state are tried in an order of promise, with some chance in it. Moves of a part of a
run that neither turn up a card nor free one that goes home are left out, and so are columns that
are moved for nothing. So such a search proves nothing where it finds no solution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.kernels.bits import multiply_high
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.klondike.moves import list_moves, take
from dbmsolver.kits.klondike.strata import is_won
from dbmsolver.kits.klondike.tables import (
    DEALT,
    HOME,
    PER_WORD,
    RESERVE,
    USED,
    Found,
    Ints,
    PatienceBoard,
    Words,
    last_of_reserve,
    make_board,
    make_found,
)

U64 = np.uint64
ONE = np.uint64(1)
MOST_PLAYS = 400
"""The longest solution that is looked for."""
KEPT_MOVES = 64
"""Moves of a state that are kept at most, the most promising ones."""
EXHAUSTED, GIVEN_UP = -1, -2
"""The results of :func:`dive` where it has found no solution."""
_LEFT_OUT = 1 << 30


class PatienceDiving(NamedTuple):
    """A dive in progress; :func:`make_diving` begins one."""

    slots: Words  # [2**n]: hashes of the states met, 0 where free
    words: Words  # [401, 3]: the states on the way, the deal first
    moves: Words  # [401, 64, 3]: for each of them what follows
    codes: NDArray[np.uint16]  # [401, 64]
    counts: Ints  # [401]: how many follow
    tried: Ints  # [401]: how many were tried
    path: NDArray[np.uint16]  # [401]: codes of the moves on the way
    state: Ints  # [2]: depth, and how many states were met
    random: Words  # [1]
    column: Ints  # [52]: the column of each card, -1 for none
    depth: Ints  # [52]: how many cards lie under it there
    scores: Ints  # [512]
    board: PatienceBoard
    found: Found


def make_diving(root: Words, most: int, seed: int) -> PatienceDiving:
    """Return a new dive from a state (uint64[3]) that meets at most ``most`` states.

    ``seed`` decides the order of moves as far as it is left to chance.
    """
    diving = PatienceDiving(
        slots=np.zeros(1 << (2 * most - 1).bit_length(), np.uint64),
        words=np.zeros((MOST_PLAYS + 1, 3), np.uint64),
        moves=np.zeros((MOST_PLAYS + 1, KEPT_MOVES, 3), np.uint64),
        codes=np.zeros((MOST_PLAYS + 1, KEPT_MOVES), np.uint16),
        counts=np.full(MOST_PLAYS + 1, -1, np.int64),
        tried=np.zeros(MOST_PLAYS + 1, np.int64),
        path=np.zeros(MOST_PLAYS + 1, np.uint16),
        state=np.array([0, 1], np.int64),
        random=np.array([2 * seed + 1], np.uint64) * np.uint64(0x9E3779B97F4A7C15),
        column=np.zeros(CARDS, np.int64),
        depth=np.zeros(CARDS, np.int64),
        scores=np.zeros(512, np.int64),
        board=make_board(),
        found=make_found(),
    )
    diving.words[0] = root
    return diving


@inlined
def _hash(words):
    mixed = words[0] * U64(0x9E3779B97F4A7C15)
    mixed ^= multiply_high(mixed ^ words[1], U64(0xC2B2AE3D27D4EB4F))
    mixed += words[1] * U64(0x165667B19E3779F9)
    mixed ^= multiply_high(mixed ^ words[2], U64(0xD6E8FEB86659FD93))
    mixed += words[2] * U64(0xA0761D6478BD642F)
    return (mixed ^ (mixed >> U64(29))) | ONE


@inlined
def _is_new(slots, words):
    """Note that a state is met; return True if it was not met before."""
    value = _hash(words)
    mask = U64(slots.size - 1)
    slot = (value >> U64(17)) & mask
    while slots[slot]:
        if slots[slot] == value:
            return False
        slot = (slot + ONE) & mask
    slots[slot] = value
    return True


@inlined
def _chance(diving):
    """Return the next pseudorandom number (int64), from 0 to 255."""
    value = diving.random[0]
    value ^= value << U64(13)
    value ^= value >> U64(7)
    value ^= value << U64(17)
    diving.random[0] = value
    return np.int64(value >> U64(56))


@inner
def _score(t, diving, number):
    """Return a number for a move that is lower the more promising the move is."""
    board = diving.board
    code = np.int64(diving.found.codes[number])
    card, old = code & 63, (code >> 6) & 7
    word = diving.found.words[number, card // PER_WORD]
    new = np.int64((word >> U64(3 * (card % PER_WORD))) & U64(7))
    if old == HOME:
        return 900
    column = diving.column[card]
    if column < 0:  # from the waste, or the reserve
        held = board.numbers[RESERVE]
        if held and last_of_reserve(t, held) == card:
            return 60 if new == HOME else 250
        if new == HOME:
            return 150
        return 400
    depth, last = diving.depth[card], board.lengths[column] - 1
    hidden = board.up[column]
    if new == HOME:
        return 50 if hidden == depth else 100
    if hidden == depth and depth > 0:
        return 200 - 10 * depth
    if depth == 0:  # the reserve fills the column, if it has cards
        return 300 if board.numbers[RESERVE] else 500
    under = board.stacks[column, depth - 1]
    if board.heights[under & 3] == under >> 2:
        return 450
    if t.takes == 3:
        return 600 if t.under[card] == under and old == DEALT else 800
    return 650 if old == DEALT and depth <= last else _LEFT_OUT


@inner
def _list(t, diving):
    """Write the states that follow from the one at the present depth, the most promising first."""
    level = diving.state[0]
    words, board, found = diving.words[level], diving.board, diving.found
    take(t, words[0], words[1], words[2], board)
    for card in range(CARDS):
        diving.column[card] = -1
    for column in range(board.numbers[USED]):
        for depth in range(board.lengths[column]):
            diving.column[board.stacks[column, depth]] = column
            diving.depth[board.stacks[column, depth]] = depth
    moves = list_moves(t, words, board, found)
    scores = diving.scores
    for number in range(moves):
        score = _score(t, diving, number)
        scores[number] = score + _chance(diving) if score != _LEFT_OUT else score
    kept = np.int64(0)
    while kept < KEPT_MOVES and kept < moves:
        best = np.int64(0)
        for number in range(1, moves):
            if scores[number] < scores[best]:
                best = number
        if scores[best] >= _LEFT_OUT:
            break
        scores[best] = _LEFT_OUT + 1
        for word in range(3):
            diving.moves[level, kept, word] = found.words[best, word]
        diving.codes[level, kept] = found.codes[best]
        kept += 1
    diving.counts[level] = kept
    diving.tried[level] = 0


@kernel
def dive(t, diving, limit):
    """Go on with a dive until ``limit`` states are met in all.

    Returns the number of plays of a solution, whose codes are in ``diving.path``; EXHAUSTED where
    no state is left; GIVEN_UP where the limit came first.
    """
    state = diving.state
    while True:
        level = state[0]
        if diving.counts[level] < 0:
            _list(t, diving)
        if diving.tried[level] == diving.counts[level] or level == MOST_PLAYS:
            if level == 0:
                return EXHAUSTED
            diving.counts[level] = -1
            state[0] = level - 1
            continue
        number = diving.tried[level]
        diving.tried[level] = number + 1
        words = diving.moves[level, number]
        if not _is_new(diving.slots, words):
            continue
        diving.path[level] = diving.codes[level, number]
        if is_won(words):
            return level + 1
        for word in range(3):
            diving.words[level + 1, word] = words[word]
        diving.counts[level + 1] = -1
        state[0] = level + 1
        state[1] += 1
        if state[1] >= limit:
            return GIVEN_UP


__all__ = ["EXHAUSTED", "GIVEN_UP", "PatienceDiving", "dive", "make_diving"]
