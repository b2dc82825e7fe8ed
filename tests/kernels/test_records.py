"""The kernels that close signatures, for records and classes, against a plain search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers.batches import Batch, Candidate, closed_in, collect, lowest, pack, unpack
from helpers.dominance_brute import random_deck
from helpers.kernels import class_successors
from helpers.selection import few_fast
from helpers.small_klondikes import small_klondike
from helpers.support import words_of

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import Record, has_dominance
from dbmsolver.game.kinds import FILLS, Build, Fill
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.decorators import kernel
from dbmsolver.kernels import record_groups
from dbmsolver.kernels.exhaust import (
    close_piece,
    exhaust_batch,
    split_other_pieces,
    write_runs,
)
from dbmsolver.kernels.hashing import EMPTY
from dbmsolver.kernels.pieces import insert_into_piece
from dbmsolver.kernels.record_groups import MOST_TARGETS, RecordSpace, make_record_space
from dbmsolver.kernels.runs import RunArrays, key_bits, local_key, widths_of
from dbmsolver.kernels.states import MAX_SUCCESSORS
from dbmsolver.kernels.workspace import (
    BUFFER,
    CLOSED_FORCED,
    PARTIAL_COUNT,
    PARTIAL_HEAD,
    PARTIAL_OUTGOING,
    USED_RUNS,
    USED_SIGNATURES,
    USED_WIDTH,
    Output,
    Workspace,
    make_output,
    make_workspace,
)
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.kits.records.dominance import successors
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import State
from dbmsolver.search.proof.closing import count_flips

STATES = 4 * BUFFER
CANDIDATES = 3 * BUFFER
TABLE_BITS = 12
MOST = 80
"""Records of the largest small deck."""
WORD = (1 << 64) - 1
BUILDS: tuple[Build, ...] = ("alternate", "suit")
KINDS = [(build, fill) for build in BUILDS for fill in FILLS]
Keys = RecordKeys | ClassKeys
Graph = dict[State, set[State]]
"""The successors of each state."""


@cache
def memory() -> tuple[Workspace, RecordSpace]:
    """Scratch memory; what earlier games left in it must not matter."""
    tables = RecordKeys(Deal.from_number(1), "wkr").tables
    workspace = make_workspace(3 * STATES, 1 << 17, CANDIDATES, np.uint8)
    return workspace, make_record_space(tables, CANDIDATES)


def step(keys: Keys, state: State) -> set[State]:
    """Return what follows from a record or class."""
    if isinstance(keys, ClassKeys):
        rows = np.zeros((400, 5), np.uint64)
        count = class_successors(keys.tables, *words_of(*state[:2]), rows)
        return {State(*row[:3], 0) for row in rows[:count].tolist()}
    _, space = memory()
    count = successors(keys.tables, *words_of(*state[:3]), space.scratch)
    return {State(*row[:3], 0) for row in space.scratch.found[:count].tolist()}


def raw_successors(keys: RecordKeys, state: State) -> int:
    """Return how many successors the kernel lists, some of them twice."""
    _, space = memory()
    return int(successors(keys.tables, *words_of(*state[:3]), space.scratch))


def graph_of(keys: Keys, most: int = MOST) -> Graph | None:
    """Return all that the deal leads to, None if that is more than ``most``."""
    graph: Graph = {}
    waiting = [keys.root]
    while waiting:
        state = waiting.pop()
        if state in graph:
            continue
        if len(graph) == most:
            return None
        graph[state] = step(keys, state)
        waiting += graph[state]
    return graph


def small_games(build: Build, fill: Fill, seeds: range) -> Iterator[tuple[RecordKeys, Graph]]:
    """Yield the records of small decks that are not over at once."""
    for seed in seeds:
        deck = random_deck(Random(f"closing {build} {fill} {seed}"), build, fill)
        if has_dominance(deck.rules):
            keys = RecordKeys(Deal(deck.start, deck.rules), deck.policy)
            graph = graph_of(keys)
            if graph is not None and len(graph) > 10:
                yield keys, graph


def small_klondikes(seeds: range) -> Iterator[tuple[Keys, Graph]]:
    """Yield the classes of small decks of Klondike."""
    for seed in seeds:
        keys = ClassKeys(small_klondike(Random(f"closing {seed}"), 16), "wkr")
        graph = graph_of(keys)
        if graph is not None and len(graph) > 10:
            yield keys, graph


def fingerprint(state: State) -> int:
    """Return the code that tells a record's successors of it."""
    word = state.signature * 0x9E3779B97F4A7C15 & WORD
    word ^= state.off * 0xD6E8FEB86659FD93 & WORD
    word ^= state.low * 0xA0761D6478BD642F & WORD
    word ^= word >> 32
    return (word * 0x9E3779B97F4A7C15 & WORD) >> 56


def batch_of(
    keys: Keys, candidates: RunArrays, out: Output, first: int, limit: int = STATES
) -> int:
    """Close what there is room for; return the index of the first signature that is left."""
    ws, space = memory()
    out.used[:] = 0
    last = candidates.signatures.size
    return int(exhaust_batch(keys.tables, ws, space, out, candidates, first, last, limit))


def tight_output(graph: Graph) -> Output:
    """Return an output with room for one signature only, for the largest just enough.

    A signature begins to be closed where its candidates and a full buffer more have room.
    """
    states = Counter(state.signature for state in graph)
    sent: dict[int, set[tuple[int, State]]] = {signature: set() for signature in states}
    for state, after in graph.items():
        sent[state.signature] |= {
            (fingerprint(state), one) for one in after if one.signature != state.signature
        }
    candidates = max(map(len, sent.values()))
    targets = max(len({one.signature for _, one in some}) for some in sent.values())
    waiting = Counter(one.signature for after in graph.values() for one in after)
    room = max(max(states.values()), max(waiting.values())) + BUFFER
    out = make_output(room, candidates, 3, np.uint8)
    return out._replace(
        keys=out.keys[: max(states.values())],
        run_keys=out.run_keys[:candidates],
        run_signatures=out.run_signatures[:targets],
        run_counts=out.run_counts[:targets],
        run_offsets=out.run_offsets[:targets],
        run_words=out.run_words[:targets],
    )


def check_batches(keys: Keys, graph: Graph, out: Output) -> None:
    """Close all of a game; there is room for so many signatures at once."""
    parents: dict[State, set[int]] = {keys.root: {keys.root_code}}
    for state, after in graph.items():
        for one in after:
            parents.setdefault(one, set()).add(fingerprint(state))
    away = {
        (state.signature, fingerprint(state), one)
        for state, after in graph.items()
        for one in after
        if one.signature != state.signature
    }
    pending: Batch = {keys.root.signature: [Candidate(keys.root, keys.root_code)]}
    found: list[Candidate] = []
    sent = 0
    while pending:
        runs = pack(keys, lowest(keys, pending))
        first = 0
        while first < runs.signatures.size:
            reached = batch_of(keys, runs, out, first)
            assert int(out.used[USED_SIGNATURES]) == reached - first > 0
            room = (out.codes, out.keys, out.signatures, out.run_codes, out.run_keys)
            sizes = (array.size for array in (*room, out.run_counts))
            assert all(used <= size for used, size in zip(out.used.tolist(), sizes, strict=False))
            assert not out.closed[: reached - first, CLOSED_FORCED].any()
            found += closed_in(keys, out)
            collect(keys, out, pending)
            # A state comes once at most from each signature and each code.
            sent += int(out.run_counts[: out.used[USED_RUNS]].sum())
            first = reached
    assert len(found) == len(graph)
    assert {candidate.state for candidate in found} == graph.keys()
    for state, code in found:
        assert code in parents[state]
    assert sent <= len(away)


def check_with_all_outputs(keys: Keys, graph: Graph) -> None:
    """Close all of a game where the output is full after some, or after one signature, or never."""
    check_batches(keys, graph, make_output(3 * STATES, CANDIDATES, 3, np.uint8))
    check_batches(keys, graph, make_output(3 * STATES, CANDIDATES, 1000, np.uint8))
    check_batches(keys, graph, tight_output(graph))


@pytest.mark.parametrize(("build", "fill"), few_fast(KINDS, 2))
def test_all_records_are_closed(build: Build, fill: Fill) -> None:
    """A whole proof, stratum by stratum."""
    games = list(small_games(build, fill, range(25)))
    assert len(games) > 1
    for keys, graph in games:
        check_with_all_outputs(keys, graph)


def test_all_classes_are_closed() -> None:
    games = list(small_klondikes(range(25)))
    assert len(games) > 5
    for keys, graph in games:
        check_with_all_outputs(keys, graph)


def test_what_cannot_be_a_record_is_told() -> None:
    """More cards in a game of one column and one freecell than there are places."""
    piles = (tuple(range(CARDS)),)
    deal = Deal(Position(piles, (None,), (0, 0, 0, 0)), Rules("narrow", 1, 1, "suit", "any"))
    keys = RecordKeys(deal, "none")
    broken = keys.state_of(Record((0, 0, 0, 0), ()))
    runs = pack(keys, {broken.signature: [Candidate(broken, 0)]})
    out = make_output(3 * STATES, CANDIDATES, 3, np.uint8)
    assert batch_of(keys, runs, out, 0) == -1


def test_keys_of_one_width_only_are_closed_at_once() -> None:
    """Keys of three words lie in an output of their own, whichever come first."""
    out = make_output(3 * STATES, CANDIDATES, 1000, np.uint8)
    keys = RecordKeys(Deal.from_number(1, GAMES["somerset"]), "none")
    random = Random(2)
    closed: dict[int, tuple[RunArrays, list[Candidate]]] = {}
    while len(closed) < 2:
        position = position_of_runs(keys.rules, random)
        if position is not None and all(position.columns):  # with few moves
            state = keys.state(position)
            runs = pack(keys, {state.signature: [Candidate(state, 5)]})
            if batch_of(keys, runs, out, 0, BUFFER + 40) == 1:
                closed[int(out.used[USED_WIDTH])] = runs, closed_in(keys, out)
    for width, other in ((1, 3), (3, 1)):
        (first, found), (second, _) = closed[width], closed[other]
        both = RunArrays(
            np.concatenate([first.signatures, second.signatures]),
            np.array([1, 1]),
            np.array([0, 1]),
            np.array([0, first.keys.size]),
            np.concatenate([first.keys, second.keys]),
            np.concatenate([first.codes, second.codes]),
        )
        assert batch_of(keys, both, out, 0) == 1
        assert out.used[USED_WIDTH] == width
        assert closed_in(keys, out) == found


def test_a_signature_that_is_too_big_is_left_alone() -> None:
    """The output tells how far it came; nothing, if there is no room for the candidates."""
    for keys, graph in small_games("alternate", "any", range(20)):
        starts = [one for one, after in graph.items() if any(one[0] == b[0] for b in after - {one})]
        for state in starts[:3]:
            out = make_output(3 * STATES, CANDIDATES, 3, np.uint8)
            out.partial[:] = 7
            runs = pack(keys, {state.signature: [Candidate(state, 0)]})
            assert batch_of(keys, runs, out, 0, BUFFER) == 0
            assert not out.used[USED_SIGNATURES]
            assert not out.partial.any()
            assert batch_of(keys, runs, out, 0, BUFFER + 1) == 0
            assert not out.used[USED_SIGNATURES]
            within = [one for one in graph[state] | {state} if one.signature == state.signature]
            assert out.partial[PARTIAL_HEAD] == 1
            assert out.partial[PARTIAL_COUNT] == len(within)
            assert out.partial[PARTIAL_OUTGOING] == len(graph[state] - set(within))


def deep_records(game: str, seeds: range) -> Iterator[tuple[Keys, State]]:
    """Yield records far from the deal: of positions in which most cards lie on a legal parent."""
    rules = GAMES[game]
    for seed in seeds:
        random = Random(f"{game} {seed}")
        keys = RecordKeys(Deal.from_number(seed, rules), "none")
        while (position := position_of_runs(rules, random)) is None:
            pass
        state = keys.state(position)
        for _ in range(6):
            yield keys, state
            state = random.choice(sorted(step(keys, state)) or [state])


def position_of_runs(rules: Rules, random: Random) -> Position | None:
    """Return a position of runs from kings down, and of cards alone; None if they have no room."""
    columns: list[list[int]] = []
    cells: list[int] = []
    lowest_rank, together = random.randint(0, 7), random.choice((0.5, 0.95))
    for rank in range(12, lowest_rank - 1, -1):
        for suit in random.sample(range(4), 4):
            card = 4 * rank + suit
            fits = [column for column in columns if rules.can_stack(card, column[-1])]
            may_begin = rank == 12 or (rules.fill == "any" and random.random() < 0.7)
            if fits and random.random() < together:
                random.choice(fits).append(card)
            elif len(columns) < rules.columns and may_begin:
                columns.append([card])
            elif len(cells) < rules.freecells:
                cells.append(card)
            elif fits:
                random.choice(fits).append(card)
            else:
                return None
    columns += [[] for _ in range(rules.columns - len(columns))]
    empty = [None] * (rules.freecells - len(cells))
    home = (lowest_rank,) * 4
    return Position(tuple(map(tuple, columns)), (*cells, *empty), home)


def close_one(keys: Keys, state: State, room: int = STATES) -> int:
    """Close the piece of a signature that has the state's piece word; return its keys' words.

    It ends when ``room`` is used up. All that leaves is compared with the successors of what was
    expanded.
    """
    tables, word = keys.tables, np.uint64(state.signature)
    width = int(widths_of(tables, np.array([word]))[0])
    compact = width > 1 and tables.planes == 2 and key_bits(tables, word) <= 64 + TABLE_BITS
    ws, space = memory()
    ws = ws._replace(
        table=np.full((1 if compact else width) << TABLE_BITS, EMPTY, np.uint64),
        steps=np.empty(compact << TABLE_BITS, np.uint16),
        grows=False,
    )

    def piece_word(one: State) -> int:
        key = local_key(tables, *np.array(one, np.uint64))
        return int(key[1 if width > 1 else 0])

    runs = pack(keys, {state.signature: [Candidate(state, 77)]})
    count = insert_into_piece(tables, ws, word, TABLE_BITS, 0, runs.keys, runs.codes, 1)
    value = piece_word(state)
    head, count, outgoing, words, forced = close_piece(
        tables, ws, space, word, TABLE_BITS, 0, count, room, np.uint64(WORD), np.uint64(value)
    )
    assert head == count or count + BUFFER > room
    assert not forced
    closed = unpacked(keys, word, count, ws.order, ws.order_codes, width)
    assert len(closed) == count
    assert next(iter(closed.items())) == (state, 77)
    graph: Graph = {one: step(keys, one) for one in list(closed)[:head]}
    parents: dict[State, set[int]] = {}
    for one, after in graph.items():
        for following in after:
            parents.setdefault(following, set()).add(fingerprint(one))
    inside = {one for one in parents if one.signature == word and piece_word(one) == value}
    assert inside | {state} == closed.keys()
    for one, code in list(closed.items())[1:]:
        assert code in parents[one]
    other_pieces = {one for one in parents.keys() - inside if one.signature == word}
    out = make_output(3 * STATES, CANDIDATES, 1000, np.uint8)
    sizes = widths_of(tables, space.signatures[space.outgoing_targets[:outgoing] % 4096])
    sizes[space.outgoing_targets[:outgoing] == 0xFFFF] = width
    assert words == int(sizes.sum())
    moved, left = split_other_pieces(ws, space, outgoing, width, out.run_keys, out.run_codes)
    assert moved + left == outgoing
    found = unpacked(keys, word, moved, out.run_keys, out.run_codes, width)
    assert found.keys() == other_pieces
    assert all(code in parents[one] for one, code in found.items())
    pending: Batch = {}
    write_runs(ws, space, out, left)
    collect(keys, out, pending)
    sent = [one for run in pending.values() for one in run]
    assert {one.state for one in sent} == parents.keys() - inside - other_pieces
    for one, code in sent:
        assert code in parents[one]
    return width


def unpacked(
    keys: Keys, signature: np.uint64, count: int, words: Any, codes: Any, width: int
) -> dict[State, int]:
    """Return the states with these local keys, and their codes."""
    zero = np.zeros(1, np.int64)
    counts = np.array([count], np.int64)
    runs = RunArrays(
        np.array([signature]), counts, zero, zero, words[: width * count], codes[:count]
    )
    return dict(unpack(keys, runs))


@pytest.mark.parametrize(
    ("game", "expected"), [("freecell", {1, 3}), ("eight_off", {1}), ("somerset", {1, 3})]
)
def test_pieces_of_records(game: str, expected: set[int]) -> None:
    """Keys of one word and of three, and candidates of either kind side by side."""
    widths = {close_one(*one, BUFFER + 1) for one in deep_records(game, range(1, 9))}
    assert widths == expected


def test_closing_pauses_where_memory_for_what_leaves_is_full() -> None:
    """It goes on where it paused, and all that leaves has come out in the end."""
    paused = 0
    for keys, graph in small_games("alternate", "any", range(25)):
        most = max(raw_successors(keys, state) for state in graph)
        ws, space = memory()
        ws = ws._replace(outgoing=ws.outgoing[: 3 * most])
        out = make_output(3 * STATES, CANDIDATES, 1000, np.uint8)
        word = np.uint64(keys.root.signature)
        ws.table[: 1 << TABLE_BITS] = EMPTY
        key = local_key(keys.tables, *np.array(keys.root, np.uint64))
        count = insert_into_piece(
            keys.tables, ws, word, TABLE_BITS, 0, key, np.zeros(1, np.uint8), 1
        )
        head, sent = 0, {}
        while head < count:
            before = head
            head, count, outgoing, *_ = close_piece(
                keys.tables, ws, space, word, TABLE_BITS, head, count, STATES, *words_of(0, 0)
            )
            assert before < head <= count
            out.used[:] = 0
            write_runs(ws, space, out, outgoing)
            collect(keys, out, sent)
            paused += head < count
        closed = unpacked(keys, word, count, ws.order, ws.order_codes, 1)
        after = {one for state in closed for one in graph[state]}
        states = {one.state for run in sent.values() for one in run}
        assert states == after - closed.keys()
    assert paused


@kernel
def target_of(t, space, signature):  # type: ignore[no-untyped-def]
    return record_groups.target_number(t, space, signature)


@kernel
def has_left(space, key, target):  # type: ignore[no-untyped-def]
    return record_groups.left_just_now(space, key, target)


def test_targets_that_share_a_slot() -> None:
    """Each signature has a number of its own; some of so many have the same hash."""
    keys = RecordKeys(Deal.from_number(1), "wkr")
    space, random = make_record_space(keys.tables, 1), Random(1)
    most_locked = keys.tables.locked.shape[1] - 1
    shifts = keys.tables.column_shift[:8].tolist()
    signatures = {
        sum(random.randint(0, 13) << 4 * suit for suit in range(4))
        | sum(random.randint(0, most_locked) << shift for shift in shifts)
        for _ in range(600)
    }
    assert len(signatures) == 600
    for _ in range(2):
        for number, signature in enumerate(sorted(signatures)):
            assert target_of(keys.tables, space, np.uint64(signature)) == number


def test_candidates_that_have_just_left() -> None:
    """The same key for another target, another key, and a later round are none of them."""
    space = make_record_space(RecordKeys(Deal.from_number(1), "wkr").tables, 1)
    for key, other in ((5, 6), (1 << 40, 1 << 41)):
        for target in range(4096):
            assert not has_left(space, np.uint64(key), target)
            assert has_left(space, np.uint64(key), target)
            assert not has_left(space, np.uint64(other), target)
    assert not has_left(space, np.uint64(7), 0)
    space.counters[record_groups.ROUND] += 1
    assert not has_left(space, np.uint64(7), 0)
    # Of more keys than there are places, none is taken for another.
    for key in range(8, 10_000):
        assert not has_left(space, np.uint64(key), 3)


def test_pieces_of_classes() -> None:
    for keys, graph in small_klondikes(range(20)):
        for state in graph:
            if not state.signature >> 63:
                close_one(keys, state)


def test_the_successors_of_a_record_are_candidates_of_one_group() -> None:
    """A record with more of them than a group may have would wait for room for ever."""
    assert min(BUFFER, MOST_TARGETS) >= MAX_SUCCESSORS


@pytest.mark.parametrize("game", ["freecell", "eight_off"])
def test_flips_of_bits_are_counted(game: str) -> None:
    """For each bit how often it is set, and how often a successor differs in it."""
    _, space = memory()
    for keys, state in deep_records(game, range(11, 15)):
        word = np.uint64(state.signature)
        key = local_key(keys.tables, *np.array(state, np.uint64))
        number = 1 if key.size > 1 else 0
        codes = np.zeros(2, np.uint8)
        ones, flips = count_flips(keys, state.signature, np.tile(key, 2), codes, key.size)
        bits = 1 << np.arange(64, dtype=np.uint64)
        assert ones.tolist() == (2 * ((key[number] & bits) > 0)).tolist()
        count = successors(keys.tables, *words_of(*state[:3]), space.scratch)
        rows = space.scratch.found[:count].copy()
        if key.size == 1:  # successors that are listed twice are dropped
            rows = np.unique(rows[:, :3], axis=0)
        expected = np.zeros(64, np.int64)
        for row in rows:
            if row[0] == word:
                after = local_key(keys.tables, *row[:3], np.uint64(0))
                expected += 2 * (((after[number] ^ key[number]) & bits) > 0)
        assert flips.tolist() == expected.tolist()
