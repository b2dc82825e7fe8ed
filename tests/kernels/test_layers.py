"""The kernels of a shortest solution against a plain search: states and moves by layer."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import naive_bound
from helpers.kernels import patience_states, patience_words
from helpers.naive_search import Closure, small_game
from helpers.patience_games import PATIENCE_GAMES, small_deck
from helpers.support import EVERY_GAME, Game, words_of
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels.hashes import hash_state
from dbmsolver.kernels.hooks import as_held, make_bound_tables
from dbmsolver.kernels.layers import (
    expand_layer,
    find_row,
    has_room,
    insert_candidates,
    order_todo,
    requeue,
)
from dbmsolver.kernels.meta import (
    BOUND_SHIFT,
    CODE_AND_G,
    IS_CHEAP,
    IS_CLOSED,
    IS_FORCED,
    IS_STORED,
    META,
)
from dbmsolver.kernels.shards import (
    BUFFER,
    CEILING,
    COUNT,
    DONE,
    EVALUATED,
    GOAL_ROW,
    LATER,
    NO_CEILING,
    NOWHERE,
    OUTGOING,
    ROW,
    SLICES,
    TODO,
    Shard,
    hold_closed,
    make_shard,
    mark_rows,
    read_rows,
    rehash,
    shards_of,
    slices_of,
    slot_of,
    take_later,
    take_outgoing,
    take_rows,
)
from dbmsolver.kernels.states import SIGNATURE
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.rows import NARROW, WIDE
from dbmsolver.kits.klondike.tables import WASTE_SHIFT, make_board, make_found
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.results import Question

STATES = 1 << 14
SLOTS = 1 << 13
NO_LAYER = 1 << 20
TABLES = StateCodec(Deal.from_number(1), "wkr").tables

Rows = np.ndarray[Any, np.dtype[np.uint64]]


class Layers:
    """A search that only hands candidates from shard to shard.

    Each has room for ``room`` outgoing ones; what rises above the slice ``ceiling`` goes out,
    too.
    """

    def __init__(self, game: Game, shards: int, room: int, ceiling: int, stop: int) -> None:
        self.game = game
        self.tables = game.codec.tables
        self.bound = make_bound_tables(self.tables, game.codec.columns)
        self.shards: list[Shard] = [
            make_shard(self.tables, STATES, SLOTS, room) for _ in range(shards)
        ]
        self.queue: list[list[Rows]] = [[] for _ in range(shards)]
        self.waiting: list[dict[int, list[Any]]] = [{} for _ in range(shards)]
        self.ceiling, self.stop = ceiling, stop
        for shard in self.shards:
            shard.state[GOAL_ROW] = -1
        self.send(np.array([[*game.codec.root, game.codec.root_code]], np.uint64))

    def send(self, candidates: Rows) -> None:
        """Put candidates into the queues of their shards."""
        owners = shards_of(self.tables, candidates, len(self.shards))
        for number, queue in enumerate(self.queue):
            queue.append(candidates[owners == number])

    def close(self, layer: int) -> None:
        """Close a layer, or come to the goal in it."""
        while self.goal() is None and any(
            self.busy(number, layer) for number in range(len(self.shards))
        ):
            for number in range(len(self.shards)):
                self.round(number, layer)
                self.distribute(number)

    def busy(self, number: int, layer: int) -> bool:
        """Return True if a shard has anything to do for a layer."""
        to_do = self.shards[number].state[TODO] > 0
        return bool(to_do or self.queue[number] or layer in self.waiting[number])

    def round(self, number: int, layer: int) -> None:
        """One round of a shard; what there was no room for is left for the next."""
        shard = self.shards[number]
        constants = (self.tables, self.bound, shard, layer, 1, self.game.codec.locked)
        waiting, self.waiting[number][layer] = self.waiting[number].pop(layer, []), []
        for rows in waiting:
            first = int(requeue(*constants, rows, 0))
            if first < rows.size:
                self.waiting[number][layer].append(rows[first:])
        if not self.waiting[number][layer]:
            del self.waiting[number][layer]
        queue, self.queue[number] = self.queue[number], []
        for candidates in queue:
            first = int(insert_candidates(*constants, candidates, 0))
            if first < candidates.shape[0]:
                self.queue[number].append(candidates[first:])
        expand_layer(*constants, number, len(self.shards), self.ceiling, self.stop)

    def distribute(self, number: int) -> None:
        """Send what left a shard to where it belongs."""
        later, layers = take_later(self.shards[number])
        outgoing = take_outgoing(self.shards[number])
        for row, layer in zip(later.tolist(), layers.tolist(), strict=True):
            self.waiting[number].setdefault(layer, []).append(np.array([row], np.uint32))
        if outgoing.shape[0]:
            codec = self.game.codec
            slices = slices_of(self.tables, outgoing, codec.locked)
            owners = shards_of(self.tables, outgoing, len(self.shards))
            assert ((owners != number) | (slices > self.ceiling)).all()
            self.send(outgoing)

    def next_layer(self) -> int | None:
        """Return the lowest layer that anything waits for."""
        return min((layer for waiting in self.waiting for layer in waiting), default=None)

    def goal(self) -> list[int] | None:
        """Return the row of the goal, once it is reached."""
        for shard in self.shards:
            if shard.state[GOAL_ROW] >= 0:
                row: list[int] = shard.rows[shard.state[GOAL_ROW]].tolist()
                return row
        return None

    def rows(self) -> Iterator[tuple[State, int, bool]]:
        """Yield each state looked at with its last word, and True if it waits for its layer."""
        for number, shard in enumerate(self.shards):
            rows = shard.rows[: shard.state[COUNT]]
            assert (shards_of(self.tables, rows, len(self.shards)) == number).all()
            for index, (*words, meta) in enumerate(rows.tolist()):
                chunks = self.waiting[number].get(g_of(meta) + h_of(meta), [])
                yield State(*words), meta, any(index in chunk for chunk in chunks)


def g_of(meta: int) -> int:
    """Return the moves made."""
    return meta >> 16 & 0x7FFF


def h_of(meta: int) -> int:
    """Return the bound, or its cheap part."""
    return meta >> 32 & 0xFFFF


def check_rows(game: Game, expected: Closure, search: Layers, layer: int) -> None:
    """After a layer, the states up to it are closed with their fewest moves; others wait.

    Which others do depends on parent-move codes: some moves are left out by these.
    """
    bounds = {s: naive_bound.bound_of(p, game.rules) for s, p in expected.positions.items()}
    rows = list(search.rows())
    closed = {state for state, meta, _ in rows if meta & int(IS_CLOSED)}
    assert closed == {s for s, depth in expected.depth.items() if depth + bounds[s] <= layer}
    seen = {s for s, p in expected.parents.items() if not closed.isdisjoint(p.values())}
    looked_at = {state for state, _, _ in rows}
    assert len(looked_at) == len(rows)
    assert looked_at <= seen | {game.codec.root}
    assert sum(int(shard.state[DONE]) for shard in search.shards) == len(closed)
    for state, meta, waits in rows:
        if state != game.codec.root:
            parent = expected.parents[state][meta & 0xFFFF]
            assert parent in closed
            assert g_of(meta) >= expected.depth[parent] + 1
        if state in closed:
            assert g_of(meta) == expected.depth[state]
            assert h_of(meta) == bounds[state] and not meta & int(IS_CHEAP)
            assert bool(meta & int(IS_FORCED)) == (state in expected.forced)
        else:
            assert waits and g_of(meta) + h_of(meta) > layer
            assert h_of(meta) == bounds[state] or meta & int(IS_CHEAP)
            assert h_of(meta) <= bounds[state]


@EVERY_GAME
@given(
    seed=st.integers(0, 2**32),
    shards=st.sampled_from([1, 2, 4]),
    room=st.sampled_from([BUFFER, 8 * BUFFER]),
    height=st.sampled_from([0, 1, 5, 1000]),
    stop=st.sampled_from([1, 50, 1 << 14]),
)
@settings(max_examples=3, deadline=None)
def test_layers(rules: Rules, seed: int, shards: int, room: int, height: int, stop: int) -> None:
    """Whatever is sent where, each layer holds what it must, and has the goal where it should."""
    game, expected = small_game(rules, seed)
    codec = game.codec
    root = np.array([[*codec.root, 0]], np.uint64)
    bottom = int(slices_of(codec.tables, root, codec.locked)[0])
    search = Layers(game, shards, room, bottom + SLICES * height, stop)
    layer: int | None = 0
    while layer is not None:
        search.close(layer)
        if search.goal() is not None:
            break
        check_rows(game, expected, search, layer)
        layer = search.next_layer()
    length = {s.signature: depth for s, depth in expected.depth.items()}.get(codec.goal)
    assert layer == length
    row = search.goal()
    if row is None:
        assert length is None
    else:
        assert g_of(row[META]) == length
        assert row[META] & 0xFFFF in expected.parents[State(*row[:4])] or length == 0
    for shard in search.shards:
        assert shard.state[EVALUATED] == shard.state[COUNT]


def test_candidates_of_the_highest_slice_stay_in_a_partition() -> None:
    """Partitions end in any slice, and those that leave one are those that lie above it."""
    random, left = Random("slices"), 0
    board, found = make_board(), make_found()
    for _ in range(20):
        deal = small_deck(random.choice(PATIENCE_GAMES), random)
        keys = PatienceKeys(deal, random.choice(POLICIES), "turns", Question.SOLVE)
        count = int(moves_of(keys.game, patience_words(keys.root), board, found))
        after = patience_states(keys, found.words[:count])
        rows = np.array([[*state, 0] for state in (keys.root, *after)], np.uint64)
        slices = slices_of(keys.tables, rows, 0)
        for highest in set(slices.tolist()):
            shard = make_shard(keys.tables, 4 * BUFFER, 8 * BUFFER, 2 * BUFFER)
            shard.state[GOAL_ROW], shard.state[CEILING] = -1, NO_CEILING
            constants = (keys.tables, keys.bounds, shard, 1000, 1, 0)
            assert insert_candidates(*constants, rows[:1], 0) == 1
            expand_layer(*constants, 0, 1, highest, 1)
            outgoing = take_outgoing(shard)
            above = rows[1:][slices[1:] > highest]
            assert sorted(outgoing[:, :META].tolist()) == sorted(above[:, :META].tolist())
            left += len(above)
    assert left > 20


@pytest.mark.parametrize("game", ["freecell", "klondike", "whitehead"])
def test_a_row_that_was_stored_is_not_stored_as_closed(game: str) -> None:
    """The store only knows that it is open."""
    deal = Deal.from_number(1, GAMES[game])
    codec: StateCodec
    if deal.rules.is_patience:
        codec = PatienceKeys(deal, "none", "turns", Question.SOLVE)
        bounds = codec.bounds
    else:
        codec = StateCodec(deal, "wkr")
        bounds = make_bound_tables(codec.tables, codec.columns)
    shard = make_shard(codec.tables, 4 * BUFFER, 8 * BUFFER, 2 * BUFFER)
    shard.state[GOAL_ROW], shard.state[CEILING] = -1, NO_CEILING
    constants = (codec.tables, bounds, shard, 1000, 1, codec.locked)
    insert_candidates(*constants, np.array([[*codec.root, codec.root_code]], np.uint64), 0)
    number, row = np.zeros(1, np.uint32), np.zeros((1, ROW), np.uint64)
    mark_rows(codec.tables, shard.rows, number, IS_STORED)
    for wanted in (IS_STORED, IS_CLOSED):
        read_rows(codec.tables, shard.rows, number, row)
        assert row[0, META] & (IS_STORED | IS_CLOSED) == wanted
        expand_layer(*constants, 0, 1, NO_CEILING, 1)


@given(words=st.lists(st.integers(0, 2**64 - 1), max_size=40), shards=st.sampled_from([1, 2, 8]))
def test_take_rows(words: list[int], shards: int) -> None:
    """Every row goes to its shard, in the order in which they were."""
    rows = np.arange(ROW * len(words), dtype=np.uint64).reshape(len(words), ROW)
    rows[:, SIGNATURE] = words
    owners = shards_of(TABLES, rows, shards)
    for me in range(shards):
        shard = make_shard(TABLES, 40, 16, 1)
        places = np.empty(len(words), np.uint32)
        mine = rows[owners == me]
        assert take_rows(TABLES, rows, shard, me, shards, places) == len(mine)
        assert (shard.rows[: len(mine)] == mine).all()
        assert (shard.rows[places[owners == me]] == mine).all()
        assert (places[owners != me] == NOWHERE).all()


def test_take_rows_without_room() -> None:
    rows = np.zeros((3, ROW), np.uint64)
    shard = make_shard(TABLES, 2, 16, 1)
    places = np.empty(3, np.uint32)
    assert take_rows(TABLES, rows, shard, 0, 1, places) == 3
    assert places.tolist() == [0, 1, NOWHERE]


@EVERY_GAME
@given(seed=st.integers(0, 2**32))
@settings(max_examples=3, deadline=None)
def test_rehash(rules: Rules, seed: int) -> None:
    """In a table made anew all rows are found: taking them in again changes nothing."""
    game, _ = small_game(rules, seed)
    search = Layers(game, 1, 8 * BUFFER, NO_LAYER, 1 << 14)
    layer: int | None = 0
    while layer is not None and search.goal() is None:
        search.close(layer)
        last, layer = layer, search.next_layer()
    old = search.shards[0]
    shard = old._replace(table=np.zeros(4 * SLOTS, np.uint32))
    count = int(shard.state[COUNT])
    rehash(search.tables, shard.rows, count, shard.table, shard.starts)
    assert np.count_nonzero(shard.table) == count
    before = shard.rows[:count].copy()
    candidates = before.copy()
    candidates[:, META] &= CODE_AND_G
    constants = (game.codec.tables, search.bound, shard, last, 1, game.codec.locked)
    assert insert_candidates(*constants, candidates, 0) == count
    assert shard.state[COUNT] == count
    assert (shard.rows[:count] == before).all()


@given(bounds=st.lists(st.integers(0, 300), max_size=50), closed=st.integers(0, 3))
def test_order_todo(bounds: list[int], closed: int) -> None:
    """The last rows, which come first, have the lowest bounds; nothing is lost."""
    shard = make_shard(TABLES, 64, 64, 64)
    rows = [closed + number for number in range(len(bounds))]
    for row, bound in zip(rows, bounds, strict=True):
        shard.rows[row, META] = bound << int(BOUND_SHIFT)
    shard.todo[: len(rows)] = rows
    shard.state[TODO] = len(rows)
    order_todo(TABLES, shard, np.empty(len(rows), np.uint32), np.empty(len(rows), np.uint16))
    found = shard.todo[: len(rows)].tolist()
    assert sorted(found) == rows
    highest = shard.starts.size - 1
    kept = [min(bounds[row - closed], highest) for row in found]
    assert kept == sorted(kept, reverse=True)
    assert int(shard.state[TODO]) == len(rows)


@kernel
def finds(t, shard, like, state):  # type: ignore[no-untyped-def]
    """Return True if a shard has a state, where one finds it by the hash of another."""
    hashed = hash_state(as_held(t, like[0], like[1], like[2], like[3]))
    held = as_held(t, state[0], state[1], state[2], state[3])
    slot = find_row(t, shard, held, hashed, slot_of(hashed, shard.table.size))
    return shard.table[slot] > 0


def tables_of(game: str) -> Any:
    """Return the tables of a game, of a deal of a whole deck."""
    deal = Deal.from_number(1, GAMES[game])
    if not deal.rules.is_patience:
        return StateCodec(deal, "wkr").tables
    return PatienceKeys(deal, "none", "turns", Question.SOLVE).tables


@pytest.mark.parametrize(
    ("game", "width"), [("freecell", 5), ("klondike", NARROW), ("whitehead", WIDE)]
)
def test_states_with_the_same_hash(game: str, width: int) -> None:
    """Each word is compared; of Klondike all but the signature, which follows from them."""
    tables = tables_of(game)
    state = words_of(0, 1 << 3, 1 << 6, 1 << 9)
    shard = make_shard(tables, 2, 16, 1)
    assert shard.rows.shape[1] == width
    hold_closed(tables, np.array([[*state, 0]], np.uint64), shard.rows, 0)
    rehash(tables, shard.rows, 1, shard.table, shard.starts)
    assert finds(tables, shard, state, state)
    changes = [(1, 1), (2, 1), (3, 1)]
    changes.append((0, 1) if game == "freecell" else (3, 1 << WASTE_SHIFT))
    for word, bits in changes:
        other = list(state)
        other[word] ^= np.uint64(bits)
        assert not finds(tables, shard, state, tuple(other))


def test_room_for_a_full_buffer() -> None:
    """Rows, the table, what is to be expanded, what waits and what leaves: each may be full."""
    room = has_room.py_func  # it has no way in from Python of its own
    shard = make_shard(TABLES, 3 * BUFFER, 8 * BUFFER, 2 * BUFFER)
    full = {TODO: 2 * BUFFER, COUNT: 2 * BUFFER, LATER: BUFFER, OUTGOING: BUFFER}
    for column, most in full.items():
        shard.state[column] = most
    assert room(shard)
    for column in full:
        shard.state[column] += 1
        assert not room(shard)
        shard.state[column] -= 1
    small = np.zeros(4 * BUFFER, np.uint32)
    assert room(shard._replace(table=small))  # three quarters are taken after it
    assert not room(shard._replace(table=small[:-2]))
