"""One step of a search each, as a kernel that tests call from Python."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.jit.decorators import allocating, kernel
from dbmsolver.kernels.hooks import (
    apply_move,
    before_move,
    bound_sets,
    cheap_bound,
    full_bound,
    list_moves,
    place_of,
)
from dbmsolver.kernels.states import MAX_MOVES, FoundScratch, Words, word_sets
from dbmsolver.kits.cards.expand import only_skipping, signature_sets
from dbmsolver.kits.klondike.bound import bound_after, bound_here
from dbmsolver.kits.klondike.class_distances import class_bound, distance_along
from dbmsolver.kits.klondike.classes import class_sets, expand_class
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.moves import take
from dbmsolver.kits.klondike.strata import signatures
from dbmsolver.kits.pairs.moves import expand_pairs
from dbmsolver.kits.pile.moves import expand_pile
from dbmsolver.kits.records.dives_of_deals import lay_out
from dbmsolver.kits.states import State
from dbmsolver.kits.wide.marks import after_move, mark
from dbmsolver.kits.wide.moves import STOCK, kind_of_move, make_move, remember, take_back
from dbmsolver.kits.wide.moves import list_moves as list_wide_moves
from dbmsolver.kits.wide.rows import read_row, write_row
from dbmsolver.kits.wide.values import bound_of as wide_bound

ZERO = np.uint64(0)
NO_LIMIT = 255
"""A limit that no bound exceeds."""


@allocating
def successors(t, signature, off, low, high, skip, states, codes):
    """Find all successors of one state.

    Writes ``states`` (uint64[256, 4]: signature and planes) and ``codes`` (uint16[256]); returns
    (count, forced).
    """
    moves = np.empty(MAX_MOVES, np.uint16)
    sets = signature_sets(t, signature)
    count, forced = list_moves(t, sets, off, low, high, only_skipping(skip), moves)
    for index in range(count):
        card, new = np.int64(moves[index]) >> 3, np.int64(moves[index]) & 7
        old = place_of(t, sets.locked, off, low, high, card)
        result = apply_move(t, signature, off, low, high, card, old, new)
        for word in range(4):
            states[index, word] = result[word]
        codes[index] = t.codes[8 * card + old]
    return count, forced


@kernel
def needed_moves(t, signature, off, low, high, code, every, moves):
    """Write the moves of a state, those only that its code asks for or all; return how many."""
    sets = signature_sets(t, signature)
    before = only_skipping(np.uint64(0))
    if not every:
        before = before_move(t, sets, off, low, high, code)
    return list_moves(t, sets, off, low, high, before, moves)[0]


@kernel
def bound_of_state(b, t, signature, off, low, high, over, work, limit):
    """Return the lower bound (int64) of one state, its signature worked out each time.

    Writes ``over`` (uint64[52]) and ``work``; if the cheap part exceeds ``limit``, only that.
    """
    s = bound_sets(b, t, signature_sets(t, signature), over, work)
    cheap, chained = cheap_bound(b, t, s, off, low, high, over)
    if cheap > limit:
        return cheap
    return full_bound(b, s, cheap, chained, over, work)


@kernel
def lay_out_deal(t, root, laid, deal):
    """Lay out one of the deals, as `kits.records.dives_of_deals.lay_out` does."""
    return lay_out(t, root, laid.cards[deal], laid.lengths[deal])


@kernel
def pile_successors(t, signature, key, found):
    """Write the successors of a state as `expand_pile` does; return how many."""
    return expand_pile(t, word_sets(t, signature), key, ZERO, ZERO, FoundScratch(found))


@kernel
def pair_successors(t, signature, key, found):
    """Write the successors of a state as `expand_pairs` does; return how many."""
    return expand_pairs(t, word_sets(t, signature), key, ZERO, ZERO, FoundScratch(found))


def patience_words(state: State) -> Words:
    """Return the three words (uint64[3]) of a state of Klondike's kind."""
    return np.array(state[1:], np.uint64)


def patience_states(keys: PatienceKeys, words: Any) -> list[State]:
    """Return the states with these words (uint64[*, 3])."""
    found = np.zeros(len(words), np.uint64)
    signatures(keys.tables, words, found)
    return [State(one, *row) for one, row in zip(found.tolist(), words.tolist(), strict=True)]


@kernel
def patience_bound(t, b, words, board, weights):
    """Return the bound (int64) of a state (uint64[3])."""
    take(t, words[0], words[1], words[2], board)
    return bound_here(t, b, board, weights)


@kernel
def patience_bounds(t, b, words, found, number, board, weights, bounds):
    """Write the bounds of ``number`` states that follow from one state."""
    take(t, words[0], words[1], words[2], board)
    bound_here(t, b, board, weights)
    for move in range(number):
        bounds[move] = bound_after(t, b, board, weights, found.words[move], found.codes[move])


@kernel
def wide_successors(t, b, words, moves, rows, sizes, bounds):
    """Write the rows of what a state leads to (``words`` is its row), and their bounds.

    Returns how many there are: one for each of the ``moves`` (int64[MOST_FOUND]).
    """
    read_row(t, b, words, 0, words.size)
    count = list_wide_moves(t, b, moves)
    remember(b)
    for index in range(count):
        make_move(t, b, moves[index])
        sizes[index], bounds[index] = write_row(t, b), wide_bound(t, b)
        for place in range(sizes[index]):
            rows[index, place] = b.words[place]
        take_back(b)
    return count


@kernel
def marked_moves(t, b, m, weights, words, moves, told):
    """List the moves of a state, and what its marks tell of each; return how many there are.

    ``words`` is the row of the state. The first row of ``told`` (uint64[MOST_FOUND + 1, 3]) is
    about the state itself, the others about the moves: the costs, and two hashes, as of
    `kits.wide.marks.after_move`. A move of the stock is made on the board, and marked there.
    """
    read_row(t, b, words, 0, words.size)
    mark(t, b, m, weights)
    told[0, 0], told[0, 1], told[0, 2] = np.uint64(m.total[0]), m.hash[0], m.hash[1]
    count = list_wide_moves(t, b, moves)
    for place in range(count):
        row = told[place + 1]
        if kind_of_move(moves[place]) == STOCK:
            make_move(t, b, moves[place])
            mark(t, b, m, weights)
            row[0], row[1], row[2] = np.uint64(m.total[0]), m.hash[0], m.hash[1]
        else:
            total, whole, group = after_move(t, b, m, weights, moves[place])
            row[0], row[1], row[2] = np.uint64(total), whole, group
    return count


@kernel
def class_successors(t, signature, key, found):
    """Write the successors of a class as `expand_class` does; return how many."""
    return expand_class(t, class_sets(t, signature), key, found)


@kernel
def distance_of_class(c, signature, key, found):
    """Return the distance of a class that is not won; ``found`` is uint64[*, 5]."""
    return distance_along(c, signature, key, found)


@kernel
def bound_by_class(c, words, found):
    """Return the bound of a position (uint64[3]) by its class; ``found`` is uint64[*, 5]."""
    return class_bound(c, words[0], words[1], words[2], found)
