"""Answers of `solve` read back: pairs, forced moves of each policy, and counts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from helpers.pair_games import pyramid
from helpers.solutions import answer_of, solved

from dbmsolver import api
from dbmsolver.cli.render import render_json, render_text
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import InvalidError, Source
from dbmsolver.results import Limit, Verdict


def test_pairs() -> None:
    answer = api.prove(pyramid(Verdict.SOLVED))
    assert any(move.other is not None for move in answer.moves)
    for text in (render_text(answer), render_json(answer)):
        read = formats.read(Source(text))
        assert [(move.card, move.other) for move in read.moves()] == [
            (move.card, move.other) for move in answer.moves
        ]


@pytest.mark.parametrize("policy", ["horne", "wkr", "max"])
def test_forced_moves_are_of_the_answers_policy(policy: Policy) -> None:
    data = json.loads(render_json(answer_of(solved(3, 4), policy)))
    for move in data["moves"]:
        move.pop("forced", None)
    data["moves"][-1]["forced"] = True
    read = formats.read(Source(json.dumps(data)))
    assert [step.automove for step in read.steps[-2:]] == ["none", policy]


@pytest.mark.parametrize("count", ["2", 1.0, None, True])
def test_a_count_that_is_no_number(count: object) -> None:
    data = json.loads(render_json(answer_of(solved(3, 4), "wkr")))
    data["moves"][0]["count"] = count
    text = json.dumps(data)
    with pytest.raises(InvalidError, match="expected a number of cards") as error:
        formats.read(Source(text), "json")
    # The place of the value, not that of the move or of the text.
    place = text.index('"count"') + len('"count": ') + 1
    assert f"column {place}:" in str(error.value)


@pytest.mark.parametrize(
    ("verdict", "policy"),
    [
        (Verdict.UNSOLVABLE, "wkr"),
        (Verdict.UNSOLVABLE, "max"),
        (Verdict.UNDECIDED, "wkr"),
        (Verdict.SOLVED, "wkr"),
    ],
)
@pytest.mark.parametrize("game", ["freecell", "klondike", "bakers_dozen", "spider"])
def test_a_text_without_a_solution(game: str, verdict: Verdict, policy: Policy) -> None:
    """It is read as the answer that it is, not as moves of another notation."""
    answer = replace(
        answer_of(solved(3, 4), policy),
        deal=Deal.from_number(3, GAMES[game]),
        metric="moves",
        verdict=verdict,
        limit=None if verdict != Verdict.UNDECIDED else Limit.MAX_TIME,
        moves=(),
    )
    with pytest.raises(InvalidError, match="line 1, column 1: no solution, expected `Deal"):
        formats.read(Source(render_text(answer)))


def test_another_verdict() -> None:
    data = json.loads(render_json(answer_of(solved(3, 4), "wkr")))
    for verdict in ("unsolvable", None):
        with pytest.raises(InvalidError, match="no solution, expected the verdict `solved`"):
            formats.read(Source(json.dumps({**data, "verdict": verdict})), "json")
    del data["verdict"]
    with pytest.raises(InvalidError, match="line 1, column 1: no solution"):
        formats.read(Source(json.dumps(data)), "json")
