"""The work on a shard in a round: what there is no room for is left, whole, for the next one.

The kernels are made-up ones, which have room for so many rows, and note what they are given.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dbmsolver.kernels.shards import CEILING
from dbmsolver.search.astar import rounds
from dbmsolver.search.astar.rounds import Round

LAYER, WEIGHT, LOCKED, ANY_CEILING, HIGHEST = 40, 1, 3, 77, 9


class Shard:
    """Stands for a shard and its queue; the table is full after so many rows."""

    def __init__(self, *incoming: int, waiting: tuple[int, ...] = (), uncounted: int = 0) -> None:
        self.number = 1
        self.shard = self
        self.state = np.zeros(8, np.int64)
        self.incoming = [np.zeros((size, 4), np.uint64) for size in incoming]
        self.waiting = {50: [np.arange(2)]}
        if waiting:
            self.waiting[LAYER] = [np.arange(size) + 1000 * size for size in waiting]
        self.uncounted = uncounted
        self.work = sum(incoming)
        self.looked_at = 0
        self.done: list[object] = []
        self.full: list[bool] = []

    def enlarge_table(self) -> None:
        self.done.append("table")

    def table_is_full(self) -> bool:
        return self.full.pop(0)

    def order_todo(self) -> None:
        self.done.append("order")


class Kernels:
    """Kernels that have room for the given numbers of rows, call by call, and then for all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *room: int, stopped: int = 0) -> None:
        self.room = list(room)
        self.stopped = stopped
        self.most: list[int] = []
        for name in ("requeue", "insert_candidates", "expand_layer"):
            monkeypatch.setattr(rounds, name, getattr(self, name))

    def taken(self, kind: str, shard: Shard, fixed: tuple[int, ...], rows: Any, first: int) -> int:
        assert (fixed, first) == ((LAYER, WEIGHT, LOCKED), 0)
        shard.done.append((kind, len(rows)))
        return min(self.room.pop(0), len(rows)) if self.room else len(rows)

    def requeue(self, _t: Any, _bound: Any, shard: Any, *rest: Any) -> int:
        *fixed, rows, first = rest
        return self.taken("requeue", shard, tuple(fixed), rows, first)

    def insert_candidates(self, _t: Any, _bound: Any, shard: Any, *rest: Any) -> int:
        *fixed, rows, first = rest
        return self.taken("insert", shard, tuple(fixed), rows, first)

    def expand_layer(self, _t: Any, _bound: Any, shard: Any, *rest: Any) -> bool:
        *fixed, number, shards, highest, most = rest
        assert (tuple(fixed), number, highest) == ((LAYER, WEIGHT, LOCKED), 1, HIGHEST)
        shard.done.append(("expand", shards))
        self.most.append(most)
        self.stopped -= 1
        return self.stopped >= 0


def one_round(shard: Any, shards: int = 2) -> list[object]:
    """Do a round; return what was done, in order."""
    of = Round(None, None, LOCKED, WEIGHT, LAYER, ANY_CEILING, HIGHEST, shards)
    of.work_on(shard)
    assert shard.state[CEILING] == ANY_CEILING
    done: list[object] = shard.done
    return done


def test_a_round_brings_waiting_rows_then_candidates_then_expands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The table has room before each; rows of other layers stay."""
    Kernels(monkeypatch)
    shard = Shard(5, 6, waiting=(2, 3))
    shard.full = [False]
    assert one_round(shard) == [
        *("table", ("requeue", 3), "table", ("requeue", 2)),
        *("table", ("insert", 6), "table", ("insert", 5)),
        *("order", "table", ("expand", 2)),
    ]
    assert (shard.looked_at, shard.incoming, list(shard.waiting)) == (11, [], [50])


def test_waiting_rows_without_room_wait_on(monkeypatch: pytest.MonkeyPatch) -> None:
    Kernels(monkeypatch, 7, 4)
    shard = Shard(5, waiting=(3, 6, 7))
    assert one_round(shard) == ["table", ("requeue", 7), "table", ("requeue", 6)]
    assert [rows.tolist() for rows in shard.waiting[LAYER]] == [[3000, 3001, 3002], [6004, 6005]]
    assert (len(shard.incoming), shard.looked_at) == (1, 0)


def test_candidates_without_room_are_looked_at_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first ones are looked at once; nothing is expanded."""
    Kernels(monkeypatch, 6, 2)
    shard = Shard(4, 5, 6)
    shard.full = [False]
    assert one_round(shard) == ["table", ("insert", 6), "table", ("insert", 5)]
    assert [len(rows) for rows in shard.incoming] == [4, 3]
    assert shard.looked_at == 8


def test_a_table_that_fills_is_enlarged_in_the_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may fill while candidates are looked at, and while states are expanded."""
    kernels = Kernels(monkeypatch, 2, stopped=2)
    shard = Shard(5, uncounted=1)
    shard.full = [True] * 4
    assert one_round(shard) == [
        *("table", ("insert", 5), "table", ("insert", 3)),
        *("table", ("expand", 2), "table", ("expand", 2), "table", ("expand", 2)),
    ]
    assert (shard.looked_at, shard.incoming, shard.full) == (5, [], [])
    assert len(kernels.most) == 3


@pytest.mark.parametrize(
    ("shards", "uncounted", "most"),
    [(1, 0, 1 << 14), (1, 1 << 20, 1 << 14), (2, 0, 128), (2, 8 * 129, 129), (4, 1 << 20, 1 << 14)],
)
def test_rounds_begin_short_where_there_are_other_shards(
    monkeypatch: pytest.MonkeyPatch, shards: int, uncounted: int, most: int
) -> None:
    """Rows are put into order when the layer begins, and not again."""
    kernels = Kernels(monkeypatch)
    shard = Shard(uncounted=uncounted)
    shard.full = [False]
    expected: list[object] = ["order"] * (not uncounted) + ["table", ("expand", shards)]
    assert one_round(shard, shards) == expected
    assert kernels.most == [most]


def test_a_shard_is_wanted_that_has_work_or_rows_of_the_layer() -> None:
    of = Round(None, None, LOCKED, WEIGHT, LAYER, ANY_CEILING, HIGHEST, 2)
    shards: list[Any] = [Shard(), Shard(1), Shard(waiting=(3,))]
    assert [of.is_wanted(shard) for shard in shards] == [False, True, True]
