"""Rows that a shard lends to another one are expanded once, and counted where they belong."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from helpers.cost_searches import layers_of
from helpers.layered import deck
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kernels.layers import IN_HURRY_STOP
from dbmsolver.kernels.meta import IS_CLOSED, IS_FORCED, META
from dbmsolver.kernels.shards import (
    COUNT,
    FIRST_LENT,
    GOAL_ROW,
    NO_CEILING,
    TODO,
    shards_of,
    take_outgoing,
)
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Question, Verdict
from dbmsolver.search.astar import partitions, rounds
from dbmsolver.search.astar.partitions import Partition, ShardQueue
from dbmsolver.search.astar.rounds import Round

MEMORY = 1 << 22
CODECS = {
    "single cards": StateCodec(Deal.from_number(1, rules_for("freecell", freecells=2)), "wkr"),
    "runs": StateCodec(Deal.from_number(30, rules_for("simple_simon")), "wkr"),
    "Klondike": PatienceKeys(deck(Verdict.UNSOLVABLE), "wkr", "turns", Question.SOLVE),
}
CODEC = CODECS["single cards"]


class Closing:
    """A search whose shards take turns, and lend rows whenever ``random`` says so."""

    def __init__(self, codec: StateCodec, shards: int, random: Random | None = None) -> None:
        self.codec, self.random = codec, random
        self.partition = Partition(0, NO_CEILING, codec.tables)
        self.queues = self.partition.open(shards, MEMORY)
        self.partition.distribute(np.array([[*codec.root, codec.root_code]], np.uint64))
        self.lent = self.settled = 0

    def round(self, layer: int) -> Round:
        """Return a round of a layer."""
        codec, shards = self.codec, len(self.queues)
        return Round(
            *(codec.tables, codec.bounds, codec.locked, 1),
            *(layer, NO_CEILING, NO_CEILING - 1, shards),
        )

    def work_on(self, queue: ShardQueue, layer: int) -> None:
        """Do a round of a shard, and distribute what leaves it."""
        self.round(layer).work_on(queue)
        self.partition.distribute(take_outgoing(queue.shard), sender=queue)

    def close(self, layer: int) -> list[tuple[int, ...]]:
        """Return the states that are closed in a layer: their words, g, f, and flag, in order."""
        this = self.round(layer)
        while any(this.is_wanted(queue) for queue in self.queues) and not self.goal():
            for queue in self.queues:
                if self.random is not None and self.random.random() < 0.5:
                    self.lent += queue.lend_to(self.random.choice(self._others(queue)))
                self.work_on(queue, layer)
            if self.random is not None and self.random.random() < 0.2:
                self.settle()
        self.settle()
        found = []
        for queue in self.queues:
            queue.sort_later(NO_CEILING)
            rows = queue.states(queue.take_uncounted())
            assert (shards_of(self.codec.tables, rows, len(self.queues)) == queue.number).all()
            meta = rows[:, META]
            assert (meta & IS_CLOSED).all()
            made, whole = layers_of(meta, 0).tolist(), layers_of(meta, 1).tolist()
            for row, g, f in zip(rows.tolist(), made, whole, strict=True):
                found.append((*row[:META], g, f, row[META] & int(IS_FORCED)))
        return sorted(found)

    def _others(self, queue: ShardQueue) -> list[ShardQueue]:
        return [other for other in self.queues if other is not queue]

    def settle(self) -> None:
        """Give back all that is lent."""
        self.settled += any(queue.loans for queue in self.queues)
        for queue in self.queues:
            queue.settle()
        assert all(
            queue.shard.state[FIRST_LENT] == len(queue.shard.rows) and not queue.loans
            for queue in self.queues
        )

    def goal(self) -> bool:
        """Return True if the goal is met."""
        return any(queue.shard.state[GOAL_ROW] >= 0 for queue in self.queues)

    def next_layer(self) -> int | None:
        """Return the lowest layer that rows wait for."""
        return min((layer for queue in self.queues for layer in queue.waiting), default=None)


def closed_states(closing: Closing, most: int) -> list[list[tuple[int, ...]]]:
    """Return the closed states of each layer, until there are ``most``, or all are closed."""
    found: list[list[tuple[int, ...]]] = []
    layer: int | None = 0
    while layer is not None and sum(map(len, found)) < most:
        found.append(closing.close(layer))
        assert not closing.goal()
        layer = closing.next_layer()
    return found


@pytest.mark.parametrize("name", CODECS)
@pytest.mark.parametrize("shards", [2, 4])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 1 << 16))
def test_rows_that_are_lent_change_nothing(name: str, shards: int, seed: int) -> None:
    """Each state is closed once, by its own shard, with its g, f, and whether it is forced."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partitions, "_LEAST_LENT", 2)
        for stop in ("_LEAST_STOP", "_STOP"):
            patch.setattr(rounds, stop, 8)
        closing = Closing(CODECS[name], shards, Random(seed))
        with_loans = closed_states(closing, 1500)
    assert closing.lent and closing.settled
    assert with_loans == closed_states(Closing(CODECS[name], 1), 1500)


def with_work(least: int) -> tuple[Closing, int]:
    """Return a search whose first shard has at least so many rows to expand, and the layer."""
    closing = Closing(CODEC, 2)
    layer: int | None = 0
    while layer is not None:
        for queue in closing.queues:
            closing.round(layer)._requeue(queue)
        if closing.queues[0].work >= least:
            return closing, layer
        closing.close(layer)
        layer = closing.next_layer()
    raise AssertionError("there is no such layer")


def test_rows_that_are_not_expanded_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round that ends early leaves some of the rows that were lent."""
    monkeypatch.setattr(rounds, "_LEAST_STOP", 1)
    monkeypatch.setattr(rounds, "_STOP", 1)
    closing, layer = with_work(600)
    lender, other = closing.queues
    to_expand = sorted(lender.shard.todo[: lender.work].tolist())
    own = other.work
    other.shard.state[TODO] = 0  # it has nothing to do
    assert lender.lend_to(other)
    assert other.work == len(to_expand) // 2 == len(to_expand) - lender.work
    first = int(other.shard.state[FIRST_LENT])
    assert first == len(other.shard.rows) - other.work
    assert not lender.lend_to(other)  # it has enough
    assert not other.lend_to(lender)  # rows that were lent are not lent on
    closing.work_on(other, layer)
    left = other.shard.todo[: int(other.shard.state[TODO])]
    expanded = (len(to_expand) // 2) - int((left >= first).sum())
    assert 0 < expanded <= 16 and own
    closing.settle()
    done = lender.take_uncounted().tolist()
    assert len(done) == expanded
    assert sorted(lender.shard.todo[: int(lender.shard.state[TODO])].tolist() + done) == to_expand
    states = lender.states(np.array(to_expand))
    closed = (states[:, META] & IS_CLOSED) != 0
    assert [number in done for number in to_expand] == closed.tolist()


def test_few_rows_are_not_lent() -> None:
    closing, _ = with_work(600)
    lender, other = closing.queues
    other.shard.state[TODO] = 0
    lender.shard.state[TODO] = partitions._LEAST_LENT - 1
    assert not lender.lend_to(other)
    lender.shard.state[TODO] = partitions._LEAST_LENT
    assert lender.lend_to(other)


def test_rows_are_lent_only_where_there_is_room() -> None:
    closing, _ = with_work(600)
    lender, other = closing.queues
    other.shard.state[TODO] = 0
    count, room = int(other.shard.state[COUNT]), len(other.shard.rows)
    other.shard.state[COUNT] = room - 1
    assert not lender.lend_to(other)
    other.shard.state[COUNT] = count
    assert lender.lend_to(other)


@pytest.mark.parametrize("others_wait", [False, True])
def test_rounds_are_short_while_others_wait(
    others_wait: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "_LEAST_STOP", 1000)
    closing, layer = with_work(1200)
    queue: Any = closing.queues[0]
    queue.hurry(others_wait)
    closing.work_on(queue, layer)
    most = IN_HURRY_STOP + 16 if others_wait else 1 << 20
    least = IN_HURRY_STOP if others_wait else 1000
    assert least <= queue.uncounted <= most


def test_rows_to_expand_that_are_there_twice_make_room() -> None:
    """Rows that are given back have room: each row of a shard is to be expanded once."""
    (queue,) = Partition(0, NO_CEILING, CODEC.tables).open(1, MEMORY)
    todo = queue.shard.todo
    todo[:] = np.arange(todo.size) // 2
    queue.shard.state[TODO] = todo.size
    queue.add_todo(np.array([7_000_000, 8_000_000], np.uint32))
    half = (todo.size + 1) // 2
    assert queue.work == half + 2
    assert todo[: queue.work].tolist() == [*range(half), 7_000_000, 8_000_000]
