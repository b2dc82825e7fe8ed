"""Proofs on a Ray cluster of two machines, both of them this one: everything there may die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from helpers.clusters import two_machines, workers_of
from helpers.searching import end_of

from dbmsolver import clusters
from dbmsolver.cli.app import cli
from dbmsolver.clusters import LOCAL, Connection, WorkerLostError
from dbmsolver.errors import EXIT_UNSOLVABLE, SystemRefusedError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits, Method, Options, Question
from dbmsolver.search import session
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

LARGE = Deal.from_number(12064, rules_for("freecell", 2))
FOUND = (11_629_132, 452_948, "51c4028b9de1bbfb")
"""States, forced states and digest of its proof over every position."""


def test_a_cluster_that_is_started_here() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    options = Options(method=Method.EVERY_POSITION, cluster=LOCAL, threads=1)
    result = end_of(session.run(Question.PROVE, Deal.from_number(11982), options))
    assert (result.states, result.forced, result.digest) == (61_643, 196, "adbc10b95742a1ee")


def test_a_proof_goes_on_with_a_cluster(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    options = Options(method=Method.EVERY_POSITION, store=tmp_path / "store")
    deal = Deal.from_number(11982)
    begun = end_of(session.run(Question.PROVE, deal, options, Limits(max_states=20_000)))
    assert begun.limit is not None
    result = CliRunner().invoke(cli, ["resume", str(options.store), "--json", "--quiet", "--ray"])
    answer = json.loads(result.stdout)
    found = (answer["states"], answer["forced"], answer["digest"])
    assert found == (61_643, 196, "adbc10b95742a1ee")


@pytest.mark.parametrize("game", ["freecell", "klondike"])
def test_what_is_not_spread_is_not_continued_so(game: str, tmp_path: Path) -> None:
    """A search for a shortest solution: refused before a cluster is joined."""
    path = tmp_path / "store"
    deal = Deal.from_number(1, rules_for(game))
    options = Options(store=path, method=Method.EVERY_POSITION)
    Store.create(path, new_manifest(Question.SOLVE, deal, options)).close()
    with pytest.raises(UsageError, match="not spread over a cluster, expected"):
        end_of(session.resume(path, cluster=LOCAL))


def test_a_deal_is_no_address() -> None:
    result = CliRunner().invoke(cli, ["prove", "--ray", "11982", "11982"])
    assert result.exit_code == 2
    assert "--ray 11982: no address; expected DEAL before --ray" in result.output


def test_no_cluster_at_the_address() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    options = Options(cluster="127.0.0.1:1")
    with pytest.raises(SystemRefusedError, match="no cluster"):
        end_of(session.run(Question.PROVE, Deal.from_number(11982), options))


@pytest.fixture(scope="module", name="two_machines")
def a_cluster() -> Iterator[Any]:
    """Yield a cluster of two machines with a processor each."""
    with two_machines() as cluster:
        yield cluster


COMMITTING = """
from dbmsolver.search import recorder

recorder.COMMIT_SECONDS = 0.2

from dbmsolver.__main__ import main

main()
"""
"""The program, with many commits."""


def run_until(address: str | None, store: Path, states: int | None) -> dict[str, Any] | None:
    """Run the proof in a process that is killed when a commit has so many states; what it says."""
    command = [sys.executable, "-c", COMMITTING, "prove", "12064", "--freecells", "2"]
    command += ["--every-position", "--store", str(store), "--log-json", "--json"]
    command += [] if address is None else ["--ray", address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if states is not None and json.loads(line)["states"] >= states:
            process.kill()
            break
    output, _ = process.communicate()
    if process.returncode == -signal.SIGKILL:
        return None
    assert process.returncode == EXIT_UNSOLVABLE
    answer: dict[str, Any] = json.loads(output)
    return answer


@pytest.mark.slow
def test_the_driver_is_killed(two_machines: Any, tmp_path: Path) -> None:
    """It goes on with the cluster, is killed again, and goes on without."""
    store = tmp_path / "store"
    assert run_until(two_machines.address, store, 1) is None
    assert run_until(two_machines.address, store, 4_000_000) is None
    answer = run_until(None, store, None)
    assert answer is not None
    assert (answer["states"], answer["forced"], answer["digest"]) == FOUND


class Disturbed(Connection):
    """A connection to a cluster whose processes are killed, and at last a machine."""

    cluster: Any = None
    lost = 0
    killed = 0
    results = 0

    def result(self, reference: Any) -> Any:
        """Kill somebody now and then, whatever he does."""
        cls = type(self)
        cls.results += 1
        if cls.killed < 4 and Random(cls.results).random() < 0.1:
            for worker in workers_of(self.cluster)[:1]:
                os.kill(worker, signal.SIGKILL)
                cls.killed += 1
        elif cls.killed == 4:
            cls.killed += 1
            node = next(iter(self.cluster.worker_nodes))
            self.cluster.remove_node(node, allow_graceful=False)
        try:
            return super().result(reference)
        except WorkerLostError:
            cls.lost += 1
            raise


@pytest.mark.slow
def test_workers_and_a_machine_die(two_machines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Disturbed, "cluster", two_machines)
    monkeypatch.setattr(clusters, "Connection", Disturbed)
    options = Options(method=Method.EVERY_POSITION, cluster=two_machines.address)
    result = end_of(session.run(Question.PROVE, LARGE, options, Limits(memory=1 << 30)))
    assert Disturbed.killed == 5
    assert Disturbed.lost
    assert (result.states, result.forced, result.digest) == FOUND
