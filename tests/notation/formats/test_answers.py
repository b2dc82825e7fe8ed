"""Answers of `solve` read back: pairs, forced moves of each policy, and counts."""

from __future__ import annotations

import json
import re
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

SHORTEST = api.solve(Deal.from_number(3))


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


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("length", 50, "length is 50, but the moves count 73"),
        ("length", True, "length is True"),
        ("at_most", 74, "at_most is 74, but the moves count 73"),
        ("at_least", 72, "at_least is 72, but the moves count 73"),
        ("at_least", "73", "at_least is '73'"),
        ("metric", "plays", "metric plays: freecell has no stock"),
        ("metric", "steps", "metric 'steps', expected cards, runs, moves"),
        ("metric", ["cards"], "metric"),
    ],
)
def test_an_answer_that_contradicts_its_moves(name: str, value: object, problem: str) -> None:
    data = json.loads(render_json(SHORTEST))
    assert data["length"] == data["at_least"] == data["at_most"] == 73 and data["shortest"]
    assert len(formats.read(Source(json.dumps(data))).steps) == 73
    text = json.dumps({**data, name: value}, indent=1)
    with pytest.raises(InvalidError, match=re.escape(problem)) as error:
        formats.read(Source(text), "json")
    if "at_" in name or (name, value) == ("length", 50):
        line = 1 + text[: text.index(f'"{name}"')].count("\n")
        assert f"line {line}," in str(error.value)


def test_a_bound_above_a_solution_that_is_not_shortest() -> None:
    data = {**json.loads(render_json(SHORTEST)), "shortest": False}
    for at_least, fits in ((None, True), (60, True), (73, True), (74, False)):
        text = json.dumps({**data, "at_least": at_least})
        if fits:
            assert formats.read(Source(text))
        else:
            with pytest.raises(InvalidError, match="at_least is 74, but the moves count 73"):
                formats.read(Source(text))


@pytest.mark.parametrize("number", [4, 0, "3", -3])
def test_a_number_of_another_deal(number: object) -> None:
    data = json.loads(render_json(SHORTEST))
    assert (data["deal"]["number"], data["deal"]["name"]) == (3, "3")
    data["deal"]["number"] = number
    with pytest.raises(InvalidError, match="expected the number of the deal with this board"):
        formats.read(Source(json.dumps(data)))


@pytest.mark.parametrize("number", ["4", "0", "-3", "999999999999"])
def test_a_text_with_the_number_of_another_deal(number: str) -> None:
    text = render_text(SHORTEST).replace("Deal 3:", f"Deal {number}:")
    expected = f"line 1, column 1: deal '{number}', expected the number of the deal with this board"
    with pytest.raises(InvalidError, match=expected):
        formats.read(Source(text))
    assert formats.read(Source(text.replace(f"Deal {number}:", "Deal mine:"))).deal.number is None


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("73 card moves; the shortest has at most 10, at least 5 (x)", "at most is 10, but the"),
        ("73 card moves; the shortest has at most 74, at least 5 (x)", "at most is 74, but the"),
        ("73 card moves; the shortest has at least 74 (x)", "at least is 74, but the moves count"),
        ("73 plays, shortest", "metric (plays|turns): freecell has no stock"),
    ],
)
def test_a_title_that_contradicts_its_moves(said: str, problem: str) -> None:
    text = render_text(SHORTEST).replace("73 card moves, shortest", said, 1)
    with pytest.raises(InvalidError, match=f"line 1, column 1: {problem}"):
        formats.read(Source(text))


def test_the_title_of_a_search_that_was_interrupted() -> None:
    for said in ("at most 73, at least 60", "at least 73", "73"):
        title = f"73 card moves; the shortest has {said} (it was interrupted)"
        text = render_text(SHORTEST).replace("73 card moves, shortest", title, 1)
        assert len(formats.read(Source(text)).steps) == 73


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"layout": "x"}, "layout 'x'"),
        ({"stock": 24, "draw": 1}, "freecells in a game of Klondike's kind: expected none"),
        ({"columns": 99}, "99"),
    ],
)
def test_rules_that_cannot_be(changes: dict[str, object], problem: str) -> None:
    """They are bad input, told with their place, and no wrong usage."""
    data = json.loads(render_json(SHORTEST))
    text = json.dumps({**data, "rules": {**data["rules"], **changes}}, indent=1)
    line = 1 + text[: text.index('"rules"')].count("\n")
    with pytest.raises(InvalidError, match=f"f, line {line}, column [0-9]+: .*{problem}"):
        formats.read(Source(text, "f"), "json")


def test_the_suit_of_a_foundation_is_that_of_the_card() -> None:
    data = json.loads(render_json(SHORTEST))
    homes = [move for move in data["moves"] if move["destination"]["kind"] == "foundation"]
    suit = homes[0]["destination"]["suit"]
    assert suit == homes[0]["card"][1]
    homes[0]["destination"]["suit"] = "S" if suit != "S" else "D"
    with pytest.raises(InvalidError, match=rf"suit '[SD]', expected that of {homes[0]['card']}"):
        formats.read(Source(json.dumps(data)), "json")


def test_the_board_of_an_answer_has_lines_of_its_own() -> None:
    """They are not those of the file."""
    data = json.loads(render_json(SHORTEST))
    row = data["deal"]["board"][3]
    data["deal"]["board"][3] = row.replace(row.split()[0], data["deal"]["board"][0].split()[0])
    with pytest.raises(InvalidError, match=r"^f, the board, line 4, column 1: "):
        formats.read(Source(json.dumps(data, indent=1), "f"), "json")


def test_a_text_with_the_length_of_another_solution() -> None:
    text = render_text(SHORTEST)
    assert text.startswith("Deal 3: solved in 73 card moves, shortest\n")
    assert len(formats.read(Source(text)).steps) == 73
    for wrong in ("72 card moves", "1,073 card moves", "74 moves of cards or runs"):
        expected = r"the length is .*, but the moves count (\d+), expected \1$"
        with pytest.raises(InvalidError, match=expected):
            formats.read(Source(text.replace("73 card moves", wrong)))


def test_the_length_of_a_game_with_a_stock() -> None:
    """Turning the waste over does not count, as the answer says it."""
    board = "Foundations: H-K C-K D-K S-T\nWaste: JS QS\nStock:\nKS\n"
    deal = Deal.from_text(board, GAMES["klondike"])
    for metric, length in (("turns", 5), ("runs", 6), ("plays", 3)):
        answer = api.solve(deal, metric=metric)
        assert answer.length == length
        for text in (render_text(answer), render_json(answer)):
            assert len(formats.read(Source(text)).steps) == 6
            with pytest.raises(InvalidError, match="but the moves count"):
                formats.read(Source(text.replace(str(length), str(length + 1), 1)))
