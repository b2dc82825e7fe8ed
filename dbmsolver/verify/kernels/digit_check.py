"""The check of states of Klondike and its relatives, one by one, among those that are closed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels.board import ALL_HOME, CARD, COST
from dbmsolver.verify.kernels.digits import (
    CARDS,
    Ints,
    Words,
    lay_digits,
    make_move,
    stratum_of,
    undo_move,
)
from dbmsolver.verify.kernels.moves import list_moves
from dbmsolver.verify.kernels.rules import forced_card, one
from dbmsolver.verify.kernels.stock_bound import least
from dbmsolver.verify.kernels.words import ALL

GOOD, BAD_KEY, WRONG_STRATUM, WON, NO_SUCCESSOR, NO_PARENT, WRONG_LAYER = range(7)
"""The results of :func:`check`."""
DEAL = 63
"""The card in the code of the deal, which has no parent."""


class KnownStates(NamedTuple):
    """States in ascending order, and the layer of each; -1 in a proof."""

    words: Words  # [*, 3]
    layers: Ints  # [*]


class CheckedStates(NamedTuple):
    """States to be checked, with their codes and layers, and where their parents are known."""

    words: Words  # [*, 3]
    codes: Ints
    layers: Ints
    parents: Ints  # written here: a number among the known states, -1 for the deal


class Wanted(NamedTuple):
    """The claim: the stratum of the states, and the length of a solution, -1 for none."""

    stratum: int
    length: int


@inner
def place_in(known, words):
    """Return the index of a state among those known, -1 if it is not there."""
    low, high = 0, known.layers.size
    while low < high:
        middle = (low + high) >> 1
        less = known.words[middle, 2] < words[2]
        if known.words[middle, 2] == words[2]:
            less = known.words[middle, 1] < words[1]
            if known.words[middle, 1] == words[1]:
                less = known.words[middle, 0] < words[0]
        if less:
            low = middle + 1
        else:
            high = middle
    if low == known.layers.size:
        return -1
    for word in range(3):
        if known.words[low, word] != words[word]:
            return -1
    return low


@inlined
def moves_of(d, board, laid, only):
    """Write the moves of the cards ``only`` to ``board.moves``; return how many there are."""
    return list_moves(d.rules, board, laid, forced_card(d.rules, laid.heights, laid.tops), only)


@kernel
def check(d, boards, known, states, wanted, pair):
    """Check states: (what was found, the state).

    ``pair`` (uint64[3]) gets the other state concerned.
    """
    for number in range(states.codes.size):
        found = check_state(d, boards, known, states, number, wanted, pair)
        if found != GOOD:
            return found, number
    return GOOD, 0


@inner
def check_state(d, boards, known, states, number, wanted, pair):
    """Check one of some states: as :func:`check`."""
    words, layer = states.words[number], states.layers[number]
    good, laid = lay_digits(d, words, boards.own)
    if not good:
        return BAD_KEY
    if stratum_of(d, laid) != wanted.stratum:
        return WRONG_STRATUM
    if laid.heights == ALL_HOME:
        return WON
    made, is_deal = np.int64(0), states.codes[number] & 63 == DEAL
    if layer >= 0:
        made = layer - least(d.rules, boards.own, laid)
        if made < 0 or (made == 0) != is_deal:
            return WRONG_LAYER
    if wanted.length < 0 or layer < wanted.length:
        for move in range(moves_of(d, boards.own, laid, ALL)):
            row = boards.own.moves[move]
            make_move(d, words, boards.own, laid, row, pair)
            here = layer, made + row[COST]
            if not is_closed(d, boards.other, known, pair, here, wanted.length):
                return NO_SUCCESSOR
    states.parents[number] = -1
    return GOOD if is_deal else check_parent(d, boards.other, known, states, number, made, pair)


@inlined
def is_closed(d, board, known, words, here, length):
    """Return True if a successor is closed, or cannot be part of a shorter solution.

    ``here`` is the layer that it was found from, and the moves made to it from there. It has to be
    in a layer that is no higher than these moves and the bound let it be.
    """
    layer, made = here
    place = place_in(known, words)
    if layer < 0:
        return place >= 0
    if place >= 0 and known.layers[place] <= layer:
        return True
    if place < 0 and length < 0:
        return False
    _, laid = lay_digits(d, words, board)
    least_layer = made + least(d.rules, board, laid)
    if 0 <= length <= least_layer:
        return True
    return place >= 0 and known.layers[place] <= least_layer


@inlined
def check_parent(d, board, known, states, number, made, pair):
    """Check that the parent by a state's code is closed, and leads to it: as :func:`check`."""
    words, code, layer = states.words[number], states.codes[number], states.layers[number]
    undo_move(d, words, code, pair)
    parent = place_in(known, pair)
    if parent < 0 or code & 63 >= CARDS:
        return NO_PARENT
    good, laid = lay_digits(d, pair, board)
    if not good:
        return NO_PARENT
    before = known.layers[parent] - least(d.rules, board, laid) if layer >= 0 else 0
    after = board.after
    for move in range(moves_of(d, board, laid, one(code & 63))):
        row = board.moves[move]
        if row[CARD] != code & 63 or (layer >= 0 and before + row[COST] != made):
            continue
        make_move(d, pair, board, laid, row, after)
        if after[0] == words[0] and after[1] == words[1] and after[2] == words[2]:
            states.parents[number] = parent
            return GOOD
    return NO_PARENT


@kernel
def places(known, words, found):
    """Write the place of each state among those known."""
    for number in range(words.shape[0]):
        found[number] = place_in(known, words[number])


@kernel
def bound(d, board, words):
    """Return the lower bound of a state."""
    _, laid = lay_digits(d, words, board)
    return least(d.rules, board, laid)
