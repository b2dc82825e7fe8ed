"""The kernels of a proof against a plain search: the states, those forced, their parents."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from helpers.batches import Batch, Candidate, closed_in, collect, lowest, pack, unpack
from helpers.naive_search import Closure, small_game
from helpers.support import EVERY_GAME, Game, words_of
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.exhaust import (
    close_piece,
    exhaust_batch,
    split_other_pieces,
    write_runs,
)
from dbmsolver.kernels.hashing import EMPTY
from dbmsolver.kernels.pieces import insert_into_piece
from dbmsolver.kernels.runs import RunArrays, key_bits, local_key, widths_of
from dbmsolver.kernels.workspace import (
    BUFFER,
    CLOSED_FORCED,
    TARGETS,
    USED_CANDIDATES,
    USED_SIGNATURES,
    USED_WIDTH,
    Output,
    Workspace,
    make_output,
    make_workspace,
)
from dbmsolver.kits.cards.groups import PositionSpace, make_position_space
from dbmsolver.kits.states import State
from dbmsolver.search.proof.closing import count_flips

SEEDS = st.integers(0, 2**32)

STATES = 4 * BUFFER
CANDIDATES = 3 * BUFFER
COMPACT_BITS = 12


@cache
def workspace(code_type: Any) -> Workspace:
    """Scratch memory; what earlier games left in it must not matter."""
    return make_workspace(3 * STATES, 1 << 17, CANDIDATES, code_type)


@cache
def space() -> PositionSpace:
    """More of it: this, too, is used by one game after the other."""
    return make_position_space(CANDIDATES)


@cache
def output(code_type: Any, signatures: int) -> Output:
    """Room for what comes out."""
    return make_output(3 * STATES, CANDIDATES, signatures, code_type)


def root(game: Game) -> Batch:
    """Return the deal as a candidate."""
    return {game.codec.root.signature: [Candidate(game.codec.root, game.codec.root_code)]}


def check(game: Game, expected: Closure, found: list[Candidate], forced: int) -> None:
    """Check that the states and forced ones are the same, and that codes lead to the deal."""
    codes = dict(found)
    assert len(codes) == len(found)
    assert codes.keys() == expected.depth.keys()
    assert forced == len(expected.forced)
    leads = {game.codec.root}
    for state in expected.depth:
        way = []
        while state not in leads:
            way.append(state)
            state = expected.parents[state][codes[state]]
            assert state not in way
        leads.update(way)


@EVERY_GAME
@given(seed=SEEDS, signatures=st.sampled_from([3, 1000]))
@settings(max_examples=3, deadline=None)
def test_exhaust_batch(rules: Rules, seed: int, signatures: int) -> None:
    """A whole proof, stratum by stratum; the output may be full after a few signatures."""
    game, expected = small_game(rules, seed)
    ws = workspace(game.codec.code_type)
    out = output(game.codec.code_type, signatures)
    pending = root(game)
    found: list[Candidate] = []
    forced = 0
    while pending:
        runs = pack(game.codec, lowest(game.codec, pending))
        first, last = 0, runs.signatures.size
        while first < last:
            out.used[:] = 0
            reached = exhaust_batch(game.codec.tables, ws, space(), out, runs, first, last, STATES)
            assert int(out.used[USED_SIGNATURES]) == reached - first > 0
            found += closed_in(game.codec, out)
            forced += int(out.closed[: reached - first, CLOSED_FORCED].sum())
            collect(game.codec, out, pending)
            first = reached
    check(game, expected, found, forced)


@EVERY_GAME
@given(seed=SEEDS)
@settings(max_examples=2, deadline=None)
def test_too_big(rules: Rules, seed: int) -> None:
    """A signature with more candidates than the limit is left alone, and told."""
    game, _ = small_game(rules, seed)
    out = output(game.codec.code_type, 3)
    out.used[:] = 0
    out.partial[:] = 7
    ws = workspace(game.codec.code_type)
    runs = pack(game.codec, root(game))
    assert exhaust_batch(game.codec.tables, ws, space(), out, runs, 0, 1, BUFFER) == 0
    assert out.used[USED_SIGNATURES] == 0
    assert not out.partial.any()


def test_keys_of_one_width_only_are_closed_at_once() -> None:
    """A signature whose keys have another width than those of the output is left."""
    game, _ = small_game(GAMES["freecell"], 0)
    ws, out = workspace(game.codec.code_type), output(game.codec.code_type, 1000)
    runs = pack(game.codec, root(game))
    for width, reached in ((3, 0), (1, 1)):
        out.used[:] = 0
        out.used[USED_SIGNATURES], out.used[USED_WIDTH] = 1, width
        assert exhaust_batch(game.codec.tables, ws, space(), out, runs, 0, 1, STATES) == reached
        assert out.used[USED_SIGNATURES] == 1 + reached


def test_a_signature_that_the_output_has_no_room_for_is_left() -> None:
    """Room for states, words, signatures, candidates and runs: each may be one too little."""
    tried = 0
    for seed in range(3):
        game, _ = small_game(GAMES["freecell"], seed)
        codec, pending = game.codec, root(game)
        ws, out = workspace(codec.code_type), output(codec.code_type, 1000)
        while pending:
            runs = pack(codec, lowest(codec, pending))
            last = runs.signatures.size
            used = []
            for end in (last - 1, last):
                out.used[:] = 0
                assert exhaust_batch(codec.tables, ws, space(), out, runs, 0, end, STATES) == end
                used.append(out.used.tolist())
            collect(codec, out, pending)
            (_, _, _, _, _, begun, _), (states, words, _, candidates, candidate_words, *_) = used
            rooms = {
                "codes": (states, states - 1),
                "keys": (words, words - 1),
                "signatures": (last, last - 1),
                "run_codes": (candidates, candidates - 1),
                "run_keys": (candidate_words, candidate_words - 1),
                "run_counts": (begun + TARGETS, begun + TARGETS - 1),
            }
            if used[0][USED_CANDIDATES] == candidates:
                continue  # none of the last signature
            for name, (_, little) in rooms.items():
                small = out._replace(**{name: getattr(out, name)[:little]})
                out.used[:] = 0
                reached = exhaust_batch(codec.tables, ws, space(), small, runs, 0, last, STATES)
                assert reached < last, name
                assert name == "codes" or reached == last - 1, name
                tried += 1
            enough = {n: getattr(out, n)[:size] for n, (size, _) in rooms.items() if n != "codes"}
            out.used[:] = 0
            small = out._replace(**enough)
            assert exhaust_batch(codec.tables, ws, space(), small, runs, 0, last, STATES) == last
    assert tried > 20


class Piece:
    """A part of one signature, with a table of its own that does not grow."""

    def __init__(self, game: Game, signature: int, mask: int, value: int) -> None:
        width = int(widths_of(game.codec.tables, np.array([signature], np.uint64))[0])
        bits = key_bits(game.codec.tables, np.uint64(signature))
        compact = width > 1 and game.codec.tables.planes == 2 and bits <= 64 + COMPACT_BITS
        slots = np.full((1 if compact else width) << COMPACT_BITS, EMPTY, np.uint64)
        self.ws = workspace(game.codec.code_type)._replace(
            table=slots, steps=np.empty(compact << COMPACT_BITS, np.uint16), grows=False
        )
        self.mask, self.value = np.uint64(mask), np.uint64(value)
        self.waiting: list[tuple[Any, Any]] = []


def piece_bit(game: Game, signature: int, states: list[State]) -> int:
    """Return a bit of the key's piece word in which the states differ, or 1."""
    keys = [local_key(game.codec.tables, *np.array(state, np.uint64)) for state in states]
    words = [int(key[1 if key.size > 1 else 0]) for key in keys]
    differ = 0
    for word in words:
        differ |= word ^ words[0]
    return differ & -differ or 1


def close_in_pieces(
    game: Game, signature: int, candidates: list[Candidate], bit: int, pending: Batch
) -> tuple[list[Candidate], int]:
    """Close a signature in two pieces: (closed states, how many are forced)."""
    tables, word = game.codec.tables, np.uint64(signature)
    out = output(game.codec.code_type, 1000)
    pieces = [Piece(game, signature, bit, value) for value in (0, bit)]
    runs = pack(game.codec, {signature: candidates})
    width = runs.keys.size // runs.codes.size

    def distribute(keys: Any, codes: Any) -> None:
        of_piece = keys.reshape(-1, width)[:, 1 if width > 1 else 0]
        for piece in pieces:
            mine = np.flatnonzero((of_piece & piece.mask) == piece.value)
            piece.waiting.append((keys.reshape(-1, width)[mine].reshape(-1), codes[mine]))

    distribute(runs.keys, runs.codes)
    found: list[Candidate] = []
    forced = 0
    while any(piece.waiting for piece in pieces):
        for piece in pieces:
            ws, head, count = piece.ws, 0, 0
            for keys, codes in piece.waiting:
                size = codes.size
                count = insert_into_piece(tables, ws, word, COMPACT_BITS, count, keys, codes, size)
            piece.waiting = []
            while head < count:
                reach = COMPACT_BITS, head, count, STATES
                head, count, outgoing, _, some = close_piece(
                    tables, ws, space(), word, *reach, piece.mask, piece.value
                )
                forced += some
                out.used[:] = 0
                other_pieces, rest = split_other_pieces(
                    ws, space(), outgoing, width, out.run_keys, out.run_codes
                )
                if other_pieces:
                    keys = out.run_keys[: width * other_pieces].copy()
                    distribute(keys, out.run_codes[:other_pieces].copy())
                write_runs(ws, space(), out, rest)
                collect(game.codec, out, pending)
            zero = np.zeros(1, np.int64)
            closed = RunArrays(
                runs.signatures,
                np.array([count], np.int64),
                zero,
                zero,
                ws.order[: width * count].copy(),
                ws.order_codes[:count].copy(),
            )
            found += unpack(game.codec, closed)
    return found, forced


def test_closing_pauses_where_memory_for_what_leaves_is_full() -> None:
    """It goes on where it paused, and all that leaves has come out in the end."""
    paused = 0
    for seed in (6, 7):
        game, expected = small_game(GAMES["freecell"], seed)
        codec, signature = game.codec, game.codec.root.signature
        ws, out = Piece(game, signature, 0, 0).ws, output(codec.code_type, 1000)
        ws = ws._replace(outgoing=ws.outgoing[: 3 * BUFFER])
        runs, word = pack(codec, root(game)), np.uint64(signature)
        count = insert_into_piece(codec.tables, ws, word, COMPACT_BITS, 0, runs.keys, runs.codes, 1)
        head, sent = 0, Batch()
        while head < count:
            before = head
            head, count, outgoing, *_ = close_piece(
                codec.tables, ws, space(), word, COMPACT_BITS, head, count, STATES, *words_of(0, 0)
            )
            assert before < head
            out.used[:] = 0
            write_runs(ws, space(), out, outgoing)
            collect(codec, out, sent)
            paused += head < count
        inside = {state for state in expected.depth if state.signature == signature}
        assert count == len(inside)
        after = {s for s, parents in expected.parents.items() if inside & {*parents.values()}}
        assert {one.state for run in sent.values() for one in run} == after - inside
    assert paused


@EVERY_GAME
@given(seed=SEEDS)
@settings(max_examples=3, deadline=None)
def test_close_piece(rules: Rules, seed: int) -> None:
    """The same with every signature in two pieces that send each other candidates."""
    game, expected = small_game(rules, seed)
    by_signature: dict[int, list[State]] = {}
    for state in expected.depth:
        by_signature.setdefault(state.signature, []).append(state)
    pending = root(game)
    found: list[Candidate] = []
    forced = 0
    while pending:
        for signature, candidates in lowest(game.codec, pending).items():
            bit = piece_bit(game, signature, by_signature[signature])
            closed, some = close_in_pieces(game, signature, candidates, bit, pending)
            found += closed
            forced += some
    check(game, expected, found, forced)


@EVERY_GAME
@given(seed=SEEDS)
@settings(max_examples=2, deadline=None)
def test_flips_of_bits_are_counted(rules: Rules, seed: int) -> None:
    """For each bit how often it is set, and how often a move within the signature changes it."""
    game, expected = small_game(rules, seed)
    codec = game.codec
    by_signature: dict[int, list[State]] = {}
    for state in expected.depth:
        by_signature.setdefault(state.signature, []).append(state)
    bits = 1 << np.arange(64, dtype=np.uint64)
    for signature, states in by_signature.items():
        keys = [local_key(codec.tables, *np.array(state, np.uint64)) for state in states]
        number = 1 if keys[0].size > 1 else 0
        words = {state: key[number] for state, key in zip(states, keys, strict=True)}
        set_bits, changed = np.zeros(64, np.int64), np.zeros(64, np.int64)
        for state in states:
            set_bits += (words[state] & bits) > 0
            for before in {*expected.parents.get(state, {}).values()} & words.keys():
                changed += ((words[state] ^ words[before]) & bits) > 0
        codes = np.full(len(states), codec.root_code, codec.code_type)
        of = signature, np.concatenate(keys), codes, keys[0].size
        ones, flips = count_flips(codec, *of)
        assert ones.tolist() == set_bits.tolist()
        assert flips.tolist() == changed.tolist()
