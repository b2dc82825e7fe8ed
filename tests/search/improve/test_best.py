"""The best solution so far: only a shorter one, which wins, takes its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.shards import NO_CEILING
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Better, Commit, Limits, Options, Question
from dbmsolver.search.improve.best import Best
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step, replay, steps_of
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.store import Store

BOARD = """\
Foundations: H-J C-J D-K S-K
Freecells: - - - -
QH QC KH KC
"""
"""Both kings have to wait somewhere: six moves, or more if they change places."""
DEAL = Deal.from_text(BOARD, GAMES["freecell"])
CODEC = StateCodec(DEAL, "wkr")


@dataclass
class Ended:
    """A beam that has ended."""

    steps: list[Step] | None
    gave_up: bool = False
    looked_at: int = 0

    def step(self) -> bool:
        return True


def random_win(seed: int, *, makes_safe_moves: bool = True) -> list[Move]:
    """Return the moves of a random game that wins."""
    random, position, moves = Random(seed), DEAL.position, []
    while not position.is_goal():
        forced = CODEC.measure.forced(position) if makes_safe_moves else None
        move = forced or random.choice(position.moves(DEAL.rules))
        position = position.apply(move)
        moves.append(move)
    return moves


WINS = {len(moves): moves for moves in map(random_win, range(200))}
"""Solutions by their lengths."""


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    manifest = new_manifest(Question.SOLVE, DEAL, Options())
    with Store.create(tmp_path / "store", manifest, durable=False) as store:
        yield Recorder(store, Question.SOLVE, Limits(), resumable=True, keep_closed=True)


def test_only_a_shorter_solution_is_taken(recorder: Recorder) -> None:
    best = Best(CODEC, recorder)
    beams = {"beams_won": 0, "beams_failed": 0}
    assert (best.ceiling, best.fields()) == (NO_CEILING, {"path": None, "length": None, **beams})
    for length, taken in ((8, True), (9, False), (8, False), (7, True), (6, True), (7, False)):
        steps = steps_of(CODEC, WINS[length])
        assert best.offer(steps) == taken
        if taken:
            assert best.moves == replay(CODEC, steps)
            path = [list(step) for step in steps]
            assert best.fields() == {"path": path, "length": length, **beams}
        assert best.ceiling == best.length
        assert recorder.batch.fields == best.fields()
    assert best.length == min(WINS) == 6


def test_beams_that_end_are_counted(recorder: Recorder) -> None:
    """One that finds nothing shorter has won, one that has no room has not failed."""
    best = Best(CODEC, recorder)
    ends = [(None, False), (WINS[7], True), (None, False), (WINS[8], False), (WINS[6], True)]
    for moves, taken in ends:
        beam = Ended(None if moves is None else steps_of(CODEC, moves))
        assert best.end_beam(beam) == taken
    assert not best.end_beam(Ended(None, gave_up=True))
    assert (best.beams_won, best.beams_failed, best.length) == (3, 2, 6)
    best.keep()
    again = Best(CODEC, recorder)
    assert (again.beams_won, again.beams_failed, again.length) == (3, 2, 6)


def test_what_does_not_win_is_refused(recorder: Recorder) -> None:
    best = Best(CODEC, recorder)
    with pytest.raises(InternalError, match="does not bring all cards home"):
        best.offer(steps_of(CODEC, WINS[7][:-1]))
    assert (best.moves, best.length, recorder.batch.fields) == (None, None, {})


def test_what_is_kept_is_told_and_known_to_the_next_run(recorder: Recorder) -> None:
    best = Best(CODEC, recorder)
    best.offer(steps_of(CODEC, WINS[7]))
    assert recorder.events == []
    best.keep()
    told, committed = recorder.events
    assert isinstance(told, Better) and isinstance(committed, Commit)
    assert (told.moves, told.length, told.metric) == (best.moves, 7, CODEC.measure.metric)
    assert told.rules == DEAL.rules
    again = Best(CODEC, recorder)
    assert (again.moves, again.length, again.path) == (best.moves, best.length, best.path)
    assert (best.beams_won, again.beams_won) == (0, 0)
    assert not again.offer(steps_of(CODEC, WINS[8]))


def test_safe_moves_that_a_solution_leaves_out_are_made(recorder: Recorder) -> None:
    """The search for a shortest solution looks at no other."""
    added = set()
    for seed in range(40):
        moves = random_win(seed, makes_safe_moves=seed % 2 == 1)
        best = Best(CODEC, recorder)
        assert best.take(moves) and best.moves is not None
        position = DEAL.position
        for move in best.moves:
            forced = position.forced(DEAL.rules, "wkr")
            assert forced is None or forced[:3] == move[:3]
            position = position.apply(move)
        assert position.is_goal() and len(best.moves) <= len(moves)
        assert seed % 2 == 0 or [move[:3] for move in best.moves] == [move[:3] for move in moves]
        added.add(len(moves) - len(best.moves))
        assert not best.take(moves)
        recorder.batch.fields.clear()
    assert len(added) > 2


def test_a_solution_that_waits_is_taken_if_no_other_is_known(recorder: Recorder) -> None:
    asked = []

    def longest() -> list[Move]:
        asked.append(True)
        return WINS[max(WINS)]

    best = Best(CODEC, recorder)
    best.take_later(longest)
    assert (best.length, asked) == (None, [])
    best.settle()
    assert (best.length, asked) == (max(WINS), [True])
    best = Best(CODEC, recorder)
    best.take_later(longest)
    best.offer(steps_of(CODEC, WINS[7]))
    best.settle()
    assert (best.length, asked) == (7, [True])
