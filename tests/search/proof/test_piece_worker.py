"""The expansion of a piece: what is taken, closed and left adds up, in scratch memory of any size.

The kernel that expands states is a made-up one: it closes some states each time and finds none.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.made_up_pieces import (
    BITS,
    CODEC,
    MORE,
    SHAPE,
    SIGNATURE,
    closed,
    packed,
    result_for,
    some,
    worker_of,
)

from dbmsolver.kernels.workspace import BUFFER, USED_CANDIDATES, USED_RUNS
from dbmsolver.search.proof import piece_worker
from dbmsolver.search.proof.piece_tables import KeyShape, Table, rebuilt
from dbmsolver.search.proof.piece_worker import PieceExpansion, PieceResult, expand_piece
from dbmsolver.search.proof.pieces import Piece, Tree
from dbmsolver.storage.blocks import Runs, decode_block


def test_all_that_a_piece_is_expanded_from_is_in_work() -> None:
    """A commit meanwhile finds it there, and nowhere else."""
    waiting, later, opened = some([1]), some([2]), some([3])
    piece = Piece(0, 0, 0, [], queue=[later], in_work=[waiting], opened=[opened])
    done = PieceResult.to(piece, Tree(SHAPE, piece).routes(), 16)
    assert (done.rest, done.opened) == ([waiting], [opened])
    assert piece.candidates == [later, waiting, opened]
    assert piece.work == 1


@pytest.mark.parametrize("words", [1, 3])
@pytest.mark.parametrize("at_once", [16, MORE])
def test_opened_states_that_there_is_no_room_for_wait(words: int, at_once: int) -> None:
    """Half of the scratch memory is for 50 of them; what is not expanded in a turn waits, too."""
    shape = KeyShape(CODEC, 0, SIGNATURE, words, False)
    piece = Piece(0, 0, 0, [], opened=[some(range(120), words), some(range(120, 180), words)])
    done = PieceResult.to(piece, Tree(shape, piece).routes(), 16)
    expansion = PieceExpansion(
        shape, done, Table.empty(shape, BITS), worker_of(100, words, at_once)
    )
    expansion.work(-1.0)
    left = sum(one.states for one in done.opened)
    assert left == 180 - min(at_once, 50)
    assert done.taken - done.put_back == done.result.states == 180 - left
    while done.opened:
        expansion.work(60.0)
    assert closed(done) == list(range(180))
    assert (done.taken - done.put_back, done.result.forced) == (180, 180)
    assert done.put_back == (330 if at_once == 16 else 0)  # no group fits behind those taken
    assert (done.rest, done.full) == ([], False)


def test_candidates_that_there_is_no_room_for_wait() -> None:
    """All count as taken; one that is there twice, or was known, is closed once."""
    piece = Piece(0, 0, 0, [])
    done = result_for(piece, some(range(60, 200)), some(range(130)))
    table = Table.empty(SHAPE, BITS)
    assert table.load(np.arange(10, 20, dtype=np.uint64), 0, 0)
    expansion = PieceExpansion(SHAPE, done, table, worker_of(100))
    expansion.work(-1.0)
    assert (done.taken, sum(one.states for one in done.rest)) == (60, 210)
    expansion.work(60.0)
    assert closed(done) == [*range(10), *range(20, 200)]
    assert (done.taken, done.put_back, done.rest, done.opened) == (270, 0, [], [])
    assert table.held == 200


def test_a_table_that_is_full_ends_the_expansion() -> None:
    """All that was taken is closed; a larger table has room for the rest."""
    piece = Piece(0, 0, 0, [])
    done = result_for(piece, some(range(9000)))
    table = Table.empty(SHAPE, BITS)
    assert table.capacity == (3 << 12) - BUFFER == 8192
    worker = worker_of(MORE)
    PieceExpansion(SHAPE, done, table, worker).work(60.0)
    assert (done.full, table.held, done.taken) == (True, 8192, 8192)
    assert closed(done) == list(range(8192))
    (table,) = rebuilt(table, 0, 0, None)
    done.full = False
    PieceExpansion(SHAPE, done, table, worker).work(60.0)
    assert (done.full, table.held, done.taken) == (False, 9000, 9000)
    assert closed(done) == list(range(9000))
    assert done.result.forced == 9000


@pytest.mark.parametrize(("states", "full"), [(4096, False), (4097, True)])
def test_a_table_without_room_for_a_full_buffer_is_full(states: int, full: bool) -> None:
    piece = Piece(0, 0, 0, [])
    done = result_for(piece, some(range(states)))
    PieceExpansion(SHAPE, done, Table.empty(SHAPE, BITS), worker_of(MORE)).work(60.0)
    assert done.full == full
    assert closed(done) == list(range(states))


@pytest.mark.parametrize(
    ("size", "reached", "put_back"),
    [
        (MORE, [(0, 4, 8192 + BUFFER), (4, 7, 8192 + BUFFER)], 0),
        (50, [(0, 4, 50), (0, 3, 50)], 3),
    ],
)
def test_states_that_are_found_take_room_in_the_table(
    size: int, reached: list[tuple[int, int, int]], put_back: int
) -> None:
    """A full buffer beyond its capacity fits. No more is found in one go than there is room for."""
    done = result_for(Piece(0, 0, 0, []), some(range(4)))
    table, worker, room = Table.empty(SHAPE, BITS), worker_of(size), []
    found = some(range(100, 103)).load()

    def close_piece(
        ws: Any, _signature: int, _bits: int, reach: tuple[int, int, int], _piece: Any
    ) -> tuple[int, int, int, int]:
        head, count, most = reach
        room.append((head, count, most))
        new = 3 if count == 4 else 0
        ws.order[count : count + new] = found.keys[:new]
        ws.order_codes[count : count + new] = found.codes[:new]
        return count, count + new, 0, 0

    kernels: Any = SimpleNamespace(close_piece=close_piece)
    worker.kernels = kernels
    PieceExpansion(SHAPE, done, table, worker).work(60.0)
    assert room == reached
    assert (table.held, done.taken, done.put_back) == (7, 4 + put_back, put_back)
    assert closed(done) == [0, 1, 2, 3, 100, 101, 102]


def test_what_leaves_a_piece_is_collected_once() -> None:
    worker, piece = worker_of(MORE, at_once=2), Piece(0, 0, 0, [])
    expand = worker.kernels.close_piece

    def close_piece(*state: Any) -> tuple[int, int, int, int]:
        head, count, _, forced = expand(*state)
        return head, count, 1, forced

    def write_runs(_ws: Any, out: Any, rest: int) -> None:
        number = int(out.used[USED_RUNS])
        out.run_signatures[number], out.run_counts[number] = SIGNATURE, rest
        out.run_offsets[number] = out.run_words[number] = number
        out.run_keys[number] = out.run_codes[number] = 5
        out.used[[USED_RUNS, USED_CANDIDATES]] += 1

    kernels: Any = SimpleNamespace(
        close_piece=close_piece, write_runs=write_runs, split_other_pieces=lambda *_: (0, 1)
    )
    worker.kernels = kernels
    done = result_for(piece, some(range(6)))
    PieceExpansion(SHAPE, done, Table.empty(SHAPE, BITS), worker).work(60.0)
    assert [one.load().keys.tolist() for one in done.result.candidates] == [[5], [5], [5]]


def test_samples_are_from_all_of_the_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piece_worker, "_SAMPLE", 5)
    done = result_for(Piece(0, 0, 0, []), some(range(23)))
    PieceExpansion(SHAPE, done, Table.empty(SHAPE, BITS), worker_of(MORE)).work(60.0)
    assert done.sample is not None
    keys, codes = (part.tolist() for part in done.sample)
    assert (keys, codes) == ([0, 4, 8, 12, 16], [0, 4, 1, 5, 2])


def test_states_of_all_blocks_are_known() -> None:
    piece = Piece(0, 0, 0, [], table=Table.empty(SHAPE, BITS))
    done = result_for(piece, some(range(100)))
    assert expand_piece(SHAPE, done, worker_of(MORE), [packed(range(30)), packed(range(50, 70))])
    assert done.loaded
    assert closed(done) == [*range(30, 50), *range(70, 100)]


def test_nothing_is_done_where_the_blocks_do_not_fit_into_the_table() -> None:
    waiting = some(range(100))
    piece = Piece(0, 0, 0, [], table=Table.empty(SHAPE, BITS))
    done = result_for(piece, waiting)
    expand_piece(SHAPE, done, worker_of(MORE), [packed(range(9000, 22_000)), packed(range(9))])
    assert (done.loaded, done.taken, done.rest) == (False, 0, [waiting])
    assert closed(done) == []


def test_blocks_are_divided_by_the_bit_of_the_piece() -> None:
    piece = Piece(0, 0, 0, [], bit=4)
    done = result_for(piece, some(range(40)))
    PieceExpansion(SHAPE, done, Table.empty(SHAPE, BITS), worker_of(MORE)).work(60.0)
    assert done.result.sides == [0, 1]
    zeros, ones = closed_keys(done)
    assert zeros == [key for key in range(40) if not key & 16]
    assert ones == [key for key in range(40) if key & 16]


def closed_keys(done: PieceResult) -> list[list[int]]:
    """Return the keys in each closed block."""
    return [decode_block(block.data, "a block").keys.tolist() for block in done.result.closed]


def sent(pieces: Iterable[tuple[int, Runs]]) -> dict[int, list[tuple[int, int]]]:
    """Return keys and codes by the number of the piece that they are for."""
    found: dict[int, list[tuple[int, int]]] = {}
    for number, runs in pieces:
        rows = zip(runs.keys.tolist(), runs.codes.tolist(), strict=True)
        found.setdefault(number, []).extend(rows)
    return found


def test_candidates_for_other_pieces_are_brought_together() -> None:
    """None is left out, whichever expansion of the piece found it."""
    piece = Piece(0, 0, 0, [])
    tree = Tree(SHAPE, piece)
    tree.split(piece, 3)
    tree.split(tree.pieces[1], 0)
    routes = tree.routes()
    done = PieceResult.to(tree.pieces[0], routes, 16)
    for keys in (range(20), range(40, 47)):
        runs = some(keys).load()
        done.for_others.append(routes.sort(runs.keys.copy(), runs.codes.copy()))
    expected: dict[int, list[tuple[int, int]]] = {}
    for key in (*range(20), *range(40, 47)):
        (number,) = (n for n, p in enumerate(tree.pieces) if key & p.mask == p.value)
        expected.setdefault(number, []).append((key, key % 7))
    assert sorted(expected) == [0, 1, 2]
    parts = [
        (number, SHAPE.candidates(*part).load())
        for number in range(routes.pieces)
        for one in done.for_others
        if (part := one.part(number, SHAPE.key_words)) is not None
    ]
    assert sent(parts) == expected
    done.divide(SHAPE)
    assert done.for_others == []
    assert sent((number, one.load()) for number, one in done.routed) == expected
