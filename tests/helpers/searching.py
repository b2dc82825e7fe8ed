"""Searches in tests: over every position, to their end, without dives, in small pieces."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from functools import partial
from typing import Any, TypeVar

import pytest

from dbmsolver import api
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move
from dbmsolver.search.astar import look_ahead
from dbmsolver.search.improve import beams_ahead, beside_proof, leaving_dives
from dbmsolver.search.proof import (
    dives,
    late_dives,
    piece_away,
    piece_tables,
    piece_worker,
    pieces,
    worker,
)

Answer = TypeVar("Answer")

prove = partial(api.prove, method="every-position")
"""`api.prove` over every position: published counts are about those."""


def end_of(steps: Generator[Any, Any, Answer]) -> Answer:
    """Return the value that a generator returns at its end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: Answer = end.value
            return answer


def without_dives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the search on disk do everything."""
    monkeypatch.setattr(late_dives, "SHARE", 0.0)
    monkeypatch.setattr(beside_proof, "SHARE", 0.0)
    monkeypatch.setattr(beams_ahead, "OF_RUNS", ())
    monkeypatch.setattr(beams_ahead, "FIRST_OF_PATIENCE", ())
    monkeypatch.setattr(look_ahead, "STATES", 1)
    monkeypatch.setattr(dives, "SCHEDULE", ())
    monkeypatch.setattr(dives, "CLASS_SCHEDULE", ())
    monkeypatch.setattr(dives, "ANY_PASSES_SCHEDULE", ())
    monkeypatch.setattr(leaving_dives, "SCHEDULE", ())


def small_pieces(monkeypatch: pytest.MonkeyPatch, states: int) -> None:
    """Close signatures of more states in pieces, in many turns.

    All are, if these are no more than a buffer has (`kernels.workspace.BUFFER`). Few states are
    looked at to find how to divide pieces: a part of a small signature, as of a large one.
    """
    monkeypatch.setattr(worker, "SMALL", states)
    monkeypatch.setattr(piece_tables, "SMALLEST_BITS", 12)
    monkeypatch.setattr(pieces, "FLIP_SAMPLE", 50)
    monkeypatch.setattr(piece_worker, "EXPAND_SECONDS", 0.02)
    monkeypatch.setattr(piece_away, "WHOLE_SECONDS", 0.02)


def check_win(deal: Deal, moves: Sequence[Move], policy: Policy) -> None:
    """Check that the moves are legal and win, and make each safe move where it becomes possible."""
    position = deal.position
    for move in moves:
        forced = position.forced(deal.rules, policy)
        assert forced is None or forced.card == move.card
        assert move in position.moves(deal.rules)
        position = position.apply(move)
    assert position.is_goal()
