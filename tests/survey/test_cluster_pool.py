"""A cluster of two machines, both of them this one: workers die, and a machine does."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.clusters import two_machines, workers_of
from helpers.surveys import facts, rows_of, survey

from dbmsolver.cli.app import cli
from dbmsolver.clusters import load_library
from dbmsolver.errors import SystemRefusedError, UsageError
from dbmsolver.game.shipped import rules_for
from dbmsolver.survey.cluster_pool import ClusterPool
from dbmsolver.survey.pool import Answer, JobEnd
from dbmsolver.survey.rows import Inquiry

NONE = rules_for("freecell", 0)
FOUR = rules_for("freecell", 4)


def test_a_range_is_no_address(tmp_path: Path) -> None:
    args = ["survey", "--ray", "1-10", "-o", str(tmp_path / "table.csv")]
    result = CliRunner().invoke(cli, args)
    assert result.exit_code == 2
    result = CliRunner().invoke(cli, [*args, "1"])
    assert result.exit_code == 2
    assert "expected RANGES before --ray" in result.output


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install 'dbmsolver\[ray\]'"):
        load_library()


@pytest.fixture(scope="module", name="two_machines")
def a_cluster() -> Iterator[Any]:
    """Yield a cluster of two machines with a processor each."""
    with two_machines() as cluster:
        yield cluster


class Disturbed(ClusterPool):
    """A cluster whose workers are killed while they work, and at last a machine."""

    def __init__(self, cluster: Any) -> None:
        super().__init__(cluster.address, 1 << 30)
        self.cluster = cluster
        self.killed = 0
        self.lost = 0
        self.waits = 0

    def wait(self, seconds: float) -> list[Answer | JobEnd]:
        events = super().wait(seconds)
        self.lost += sum(isinstance(event, JobEnd) and event.lost for event in events)
        self.waits += bool(events)
        if self.killed < 3 and self.waits > 2 * self.killed:
            for worker in workers_of(self.cluster)[:1]:
                os.kill(worker, signal.SIGKILL)
                self.killed += 1
        elif self.killed == 3 and self.waits > 8:
            node = next(iter(self.cluster.worker_nodes))
            self.cluster.remove_node(node, allow_graceful=False)
            self.killed += 1
        return events


@pytest.mark.slow
def test_rows_are_those_of_this_machine_alone(two_machines: Any, tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.csv", tmp_path / "table.csv"
    survey(whole, "1-60", FOUR, Inquiry.FEWEST_FREECELLS)
    pool = ClusterPool(two_machines.address, 1 << 30)
    assert (pool.workers, pool.machines) == (2, 2)
    survey(path, "1-60", FOUR, Inquiry.FEWEST_FREECELLS, pool=pool, keep_searches=False)
    assert facts(path) == facts(whole)
    survey(
        path.with_suffix(".jsonl"),
        "3",
        question=Inquiry.SHORTEST,
        pool=ClusterPool(two_machines.address, 1 << 30),
        keep_searches=False,
    )
    (row,) = rows_of(path.with_suffix(".jsonl"))
    assert (row.length, row.shortest) == (73, True)


@pytest.mark.slow
def test_workers_and_a_machine_die(two_machines: Any, tmp_path: Path) -> None:
    whole, path = tmp_path / "whole.csv", tmp_path / "table.csv"
    survey(whole, "1-4000", NONE)
    pool = Disturbed(two_machines)
    survey(path, "1-4000", NONE, pool=pool, keep_searches=False)
    assert pool.killed == 4
    assert pool.lost
    assert facts(path) == facts(whole)


@pytest.mark.slow
def test_no_cluster_at_the_address() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with pytest.raises(SystemRefusedError, match="no cluster"):
        ClusterPool("127.0.0.1:1", None)
