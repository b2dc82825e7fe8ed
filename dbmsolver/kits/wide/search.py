"""Searches in memory over the states of a wide game, best first.

States lie row after row in one array of words. A hash table leads to them; whole rows are compared,
so two states are never taken for one. What is found and not expanded yet lies in lists, one for
each value; the state that was put into the lowest list last is expanded next.

Where the values are those of a dive, the search ends with the first state that is won. Where they
are moves made plus a bound, states are expanded in layers; a state is put into a lower list when a
shorter way to it is found. As the bound is consistent, a state that is expanded has its shortest
way, and so has a won one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import U64
from dbmsolver.kits.wide.moves import MOST_FOUND, list_moves, make_move, remember, take_back
from dbmsolver.kits.wide.rows import is_won, read_row, write_row
from dbmsolver.kits.wide.tables import ROW_WORDS, WideBoard, WideTables, make_board, row_words
from dbmsolver.kits.wide.values import VALUES, bound_of, kinds_of, value_of

EXHAUSTED, GIVEN_UP, FULL = -1, -2, -3
"""The values that :func:`explore` returns where it has found no solution."""
CLOSED = np.int32(-2)
"""The link of a state that is expanded; NONE ends a list."""
NONE = np.int32(-1)
BYTES_BESIDE = 56
"""Bytes that a state takes beside its row, its share of the hash table among them."""

MET, USED, KIND, EXPANDED, OPEN, LAYER = 0, 1, 2, 3, 4, 5
"""The places of `Frontier.state`."""
FIRST_STATES = 1 << 12
"""The states that the first hash table has room for."""


@struct
class Frontier(NamedTuple):
    """All states that a search has met, expanded or not, in that order; the deal is first."""

    words: NDArray[np.uint64]  # the rows, one behind the other
    starts: NDArray[np.int64]  # [states + 1]: where each begins
    parent: NDArray[np.int32]  # [states]: a state before it, -1 for the deal's
    moves: NDArray[np.int32]  # [states]: moves on the way to it
    value: NDArray[np.int32]  # [states]: the list that it is in
    following: NDArray[np.int32]  # [states]: the next one of the list, CLOSED if expanded
    previous: NDArray[np.int32]  # [states]: the one before it in the list
    lists: NDArray[np.int32]  # [kinds * VALUES]: the first state of each list
    lowest: NDArray[np.int64]  # [kinds]: the lowest list of each kind that may have a state
    slots: NDArray[np.uint64]  # [2**n]: upper half of the hash, number of the state plus one
    state: NDArray[np.int64]  # [6]: see MET and so on
    digest: NDArray[np.uint64]  # [1]: the sum of the hashes of all states that are expanded
    board: WideBoard
    found: NDArray[np.int64]  # [MOST_FOUND]: the moves of a state


def make_frontier(
    t: WideTables, root: NDArray[np.uint64], most: int, layers: bool = False
) -> Frontier:
    """Return the beginning of a search that meets at most ``most`` states; ``root`` is the deal.

    With ``layers`` it goes by moves made and a bound, otherwise it is a dive.
    """
    kinds = 1 if layers else int(kinds_of(t))
    most = max(most, 2)
    numbers = [np.empty(most, np.int32) for _ in range(5)]
    frontier = Frontier(
        np.empty(most * row_words(t) + ROW_WORDS, np.uint64),
        np.zeros(most + 1, np.int64),
        *numbers,
        np.full(kinds * VALUES, NONE, np.int32),
        np.full(kinds, VALUES, np.int64),
        _make_slots(min(most, FIRST_STATES)),
        np.zeros(6, np.int64),
        np.zeros(1, np.uint64),
        make_board(t),
        np.zeros(MOST_FOUND, np.int64),
    )
    begin(frontier, root)
    return frontier


def _make_slots(states: int) -> NDArray[np.uint64]:
    """Return an empty hash table that has room for ``states`` states."""
    return zeros(1 << (2 * states - 1).bit_length(), np.uint64)


def with_slots(f: Frontier, limit: int) -> Frontier:
    """Return the search with a hash table that is large enough to go on to ``limit`` states.

    The table is enlarged step by step: zeroing one of full size takes seconds.
    """
    needed = min(limit + MOST_FOUND, f.parent.size)
    if 2 * needed <= f.slots.size:
        return f
    grown = f._replace(slots=_make_slots(needed))
    enter_all(grown)
    return grown


@inlined
def _hash(words, start, size):
    """Return the hash of a row (uint64)."""
    mixed = U64(0x9E3779B97F4A7C15) * U64(size)
    for place in range(start, start + size):
        mixed = (mixed ^ words[place]) * U64(0xD6E8FEB86659FD93)
        mixed ^= mixed >> U64(32)
    mixed *= U64(0xA0761D6478BD642F)
    return mixed ^ (mixed >> U64(29))


@inlined
def _unlink(f, number):
    """Take a state out of its list."""
    after, before = f.following[number], f.previous[number]
    if before == NONE:
        f.lists[f.value[number]] = after
    else:
        f.following[before] = after
    if after != NONE:
        f.previous[after] = before
    f.state[OPEN] -= 1


@inlined
def _link(f, number, value):
    """Put a state into the list of a value."""
    first = f.lists[value]
    f.value[number] = value
    f.following[number] = first
    f.previous[number] = NONE
    if first != NONE:
        f.previous[first] = number
    f.lists[value] = number
    kind = value // VALUES
    f.lowest[kind] = min(f.lowest[kind], value % VALUES)
    f.state[OPEN] += 1


@inner
def _insert(f, words, size, parent, moves, value, layers):
    """Make a state known; return False if there is no room for it.

    ``words`` is its row. If ``layers`` is True and the state is known, but not expanded, a shorter
    way to it moves it to a lower list.
    """
    mixed = _hash(words, 0, size)
    mask = f.slots.size - 1
    slot = np.int64(mixed) & mask
    high = mixed >> U64(32)
    while f.slots[slot]:
        entry = f.slots[slot]
        if entry >> U64(32) == high:
            number = np.int64(entry & U64(0xFFFFFFFF)) - 1
            start = f.starts[number]
            same = f.starts[number + 1] - start == size
            place = 0
            while same and place < size:
                same = f.words[start + place] == words[place]
                place += 1
            if same:
                if layers and f.following[number] != CLOSED and moves < f.moves[number]:
                    lower = f.value[number] - (f.moves[number] - moves)
                    _unlink(f, number)
                    f.moves[number] = moves
                    f.parent[number] = parent
                    _link(f, number, lower)
                return True
        slot = (slot + 1) & mask
    number = f.state[MET]
    is_full = number >= f.parent.size or 2 * number >= f.slots.size
    if is_full or f.state[USED] + size > f.words.size:
        return False
    start = f.state[USED]
    for place in range(size):
        f.words[start + place] = words[place]
    f.starts[number + 1] = start + size
    f.state[USED] = start + size
    f.state[MET] = number + 1
    f.parent[number] = parent
    f.moves[number] = moves
    f.slots[slot] = high << U64(32) | U64(number + 1)
    _link(f, number, value)
    return True


@kernel
def enter_all(f):
    """Enter all states that are known into the hash table, which is empty."""
    mask = f.slots.size - 1
    for number in range(f.state[MET]):
        mixed = _hash(f.words, f.starts[number], f.starts[number + 1] - f.starts[number])
        slot = np.int64(mixed) & mask
        while f.slots[slot]:
            slot = (slot + 1) & mask
        f.slots[slot] = (mixed >> U64(32)) << U64(32) | U64(number + 1)


@kernel
def begin(f, root):
    """Make the deal's state, of the row ``root``, the only one."""
    _insert(f, root, root.size, np.int64(-1), np.int64(0), np.int64(0), False)


@inlined
def _next_kind(f):
    """Return the kind whose best state is expanded next (int64): kinds take turns."""
    state, kinds = f.state, f.lowest.size
    while True:
        kind = state[KIND]
        while f.lowest[kind] < VALUES and f.lists[kind * VALUES + f.lowest[kind]] == NONE:
            f.lowest[kind] += 1
        if f.lowest[kind] < VALUES:
            state[KIND] = kind - 1 if kind else kinds - 1
            return kind
        state[KIND] = kind - 1 if kind else kinds - 1


@kernel
def explore(t, f, weights, limit):
    """Expand states until ``limit`` states are known, or a won one is about to be expanded.

    ``weights`` are those of :func:`.values.value_of`. If they have one element only,
    states are expanded by moves made plus a lower bound.

    Returns the number of the won state; EXHAUSTED if no state is left; GIVEN_UP if the limit came
    first, and another call may go on; FULL if the arrays hold no more states. After FULL the state
    that was expanded last is not closed.
    """
    layers = weights.size == 1
    state, b = f.state, f.board
    while True:
        if not state[OPEN]:
            return np.int64(EXHAUSTED)
        if state[MET] >= limit:
            return np.int64(GIVEN_UP)
        kind = _next_kind(f)
        number = np.int64(f.lists[kind * VALUES + f.lowest[kind]])
        start, end = f.starts[number], f.starts[number + 1]
        read_row(t, b, f.words, start, end)
        state[LAYER] = f.lowest[kind]
        if is_won(b):
            return number
        moves = np.int64(f.moves[number]) + 1
        remember(b)
        for index in range(list_moves(t, b, f.found)):
            make_move(t, b, f.found[index])
            size = write_row(t, b)
            wanted = bound_of(t, b) + moves if layers else value_of(t, b, weights)
            take_back(b)
            if not _insert(f, b.words, size, number, moves, wanted, layers):
                return np.int64(FULL)
        _unlink(f, number)
        f.following[number] = CLOSED
        state[EXPANDED] += 1
        f.digest[0] += _hash(f.words, start, end - start)


@kernel
def layers_of_closed(f, counts):
    """Count the expanded states of each layer in ``counts`` (int64[layers])."""
    for number in range(f.state[MET]):
        if f.following[number] == CLOSED:
            counts[f.value[number]] += 1
