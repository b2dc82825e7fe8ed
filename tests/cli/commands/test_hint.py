"""`hint` and `solve --every-first-move` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from helpers import command
from helpers.fake_search import result

from dbmsolver.api import advice
from dbmsolver.game.deals import Deal
from dbmsolver.results import FirstMoves, Limit, Limits, Options
from dbmsolver.search.advice import worth

TWO = "Foundations: H-K C-K D-K S-J\nQS KS\n"
LITERAL = "# game: freecell\n1a\n"
"""A first move of that deal, in a notation that leaves no moves out."""
BEGUN = "5h 6h 4a 48 5b 5h 35"
"""The first moves of a shortest solution of deal 3."""


def run(*args: str, typed: str | None = None) -> Result:
    return command.run(*args, "--quiet", stdin=typed)


def answer(*args: str, code: int = 0) -> dict[str, Any]:
    return command.answer(*args, "--quiet", code=code)


@pytest.fixture
def board(tmp_path: Path) -> str:
    path = tmp_path / "board"
    path.write_text(TWO)
    return str(path)


def test_hint(board: str) -> None:
    lines = run("hint", board).stdout.splitlines()
    assert lines[0].endswith("can be won, 3 card moves are left")
    assert any(line.startswith("Best move: KS  column 1 -> ") for line in lines)
    assert "Proven:    it wins, and no other way is shorter" in lines
    data = answer("hint", board, "1a", "--from", "short")
    assert (data["made"], data["length"], data["move"]["card"]) == (1, 2, "QS")
    assert data["board"][1] == "Freecells: KS - - -"
    data = answer("hint", board, "1a", "1h", "ah", "--from", "short")
    assert (data["length"], data["move"], data["verdict"]) == (0, None, "solved")
    assert (
        run("hint", board, "1a 1h ah", "--from", "short")
        .stdout.splitlines()[0]
        .endswith("after 3 moves: won")
    )


@pytest.mark.parametrize(
    ("waste", "stock", "metric", "move"),
    [
        ("JS QS", "", "turns", "QS  waste -> stock  (2 cards)"),
        ("", "JS QS", "turns", "JS  stock -> waste"),
        ("", "JS QS", "plays", "JS  stock -> waste"),
    ],
)
def test_a_move_that_costs_nothing_comes_first(
    waste: str, stock: str, metric: str, move: str, tmp_path: Path
) -> None:
    """The hint is a move that can be made now, though the metric counts only what follows."""
    path = tmp_path / "board"
    path.write_text(f"Foundations: H-K C-K D-K S-T\nWaste: {waste}\nStock: {stock}\nKS\n")
    args = (str(path), "--game", "klondike", "--metric", metric)
    assert f"Best move: {move}" in run("hint", *args).stdout.splitlines()
    told = answer("hint", *args)
    assert told["move"] == told["moves"][0]


def test_a_move_that_costs_nothing_is_listed_by_what_it_saves(tmp_path: Path) -> None:
    """After two other moves five are left, too, but to turn the waste over costs nothing."""
    path = tmp_path / "board"
    path.write_text("Foundations: H-K C-K D-K S-T\nWaste: JS QS\nStock:\nKS\n")
    lines = run("solve", str(path), "--game", "klondike", "--every-first-move").stdout.splitlines()
    start = lines.index("left after  move") + 1
    assert lines[start : start + 4] == [
        "         5  QS  waste -> stock  (2 cards)  (free)",
        "         5  KH  home -> column 2",
        "         5  KD  home -> column 2",
        "         6  KC  home -> column 2",
    ]


def test_every_notation_and_place(tmp_path: Path) -> None:
    """Typed, from a file, and from standard input, the moves are the same."""
    file = tmp_path / "played"
    file.write_text(BEGUN + "\n")
    expected = answer("hint", "3", *BEGUN.split())
    assert (expected["made"], expected["length"]) == (7, 66)
    assert answer("hint", "3", str(file))["board"] == expected["board"]
    assert answer("hint", "3", BEGUN, "--from", "short")["board"] == expected["board"]
    outcome = run("hint", "3", "-", "--json", typed=BEGUN)
    assert json.loads(outcome.stdout)["board"] == expected["board"]


def test_automoves_that_a_text_leaves_out_are_not_counted(board: str) -> None:
    """Once the KS is in a freecell, the QS goes home by itself, and the KS after it."""
    line = run("hint", board, "1a").stdout.splitlines()[0]
    assert line.endswith(", after 1 move: won")
    assert answer("hint", board, "1a")["made"] == 1


def test_automoves_that_a_text_leaves_out_are_told(board: str) -> None:
    lines = run("hint", "3", "5h").stdout.splitlines()
    told = [line for line in lines if line.startswith("Added:")]
    assert told == ["Added:     2H  column 6 -> home  (automove, --automove none adds none)"]
    assert [move["card"] for move in answer("hint", "3", "5h")["added"]] == ["2H"]
    assert "Added:" not in run("hint", "3", "5h", "--automove", "none").stdout
    assert answer("hint", "3", "5h", "--automove", "none")["added"] == []
    data = answer("hint", board, "1a", "--every-first-move")
    assert [move["card"] for move in data["added"]] == ["QS", "KS"]
    assert "Added:     QS" in run("hint", board, "1a", "--every-first-move").stdout


def test_a_bad_move_has_the_number_that_was_typed() -> None:
    """Two moves are typed; an automove comes between them."""
    outcome = run("hint", "3", "3h", "4h", "--game", "klondike_by_threes")
    assert "illegal move 2 '4h'" in outcome.stderr


def test_a_negative_deal() -> None:
    """Such a number is not taken for an option, nor are the moves taken for the deal."""
    expected = "<moves>, line 1, column 4: illegal move 2 '1h'"
    for args in (["-2", "1a", "1h"], ["--threads", "1", "-2", "--memory", "1G", "1a", "1h"]):
        outcome = run("hint", *args)
        assert outcome.exit_code == 3
        assert expected in outcome.stderr


def test_lost() -> None:
    tiny = ("1", "--game", "seahaven_towers", "--freecells", "2")
    outcome = run("hint", *tiny)
    assert outcome.exit_code == 10
    assert outcome.stdout.splitlines()[0].endswith("cannot be won")
    data = answer("hint", *tiny, code=10)
    assert (data["verdict"], data["move"], data["length"]) == ("unsolvable", None, None)
    data = answer("solve", *tiny, "--every-first-move", code=10)
    assert {move["verdict"] for move in data["first_moves"]} == {"unsolvable"}


def test_limits() -> None:
    data = answer("hint", "1", "--max-states", "20000")
    assert (data["length"], data["limit"]) == (None, "max-states")
    assert data["move"] is not None
    assert 0 < data["at_least"] < data["at_most"] == len(data["moves"])
    outcome = run("hint", "1", "--max-states", "20000")
    assert "can be won, at most " in outcome.stdout
    assert "Good move: " in outcome.stdout


@pytest.mark.parametrize(
    "args",
    [
        ("1", "--max-states", "20000"),
        ("24", "--game", "klondike", "--max-states", "20000"),
        ("1", "--game", "canfield", "--max-states", "5000"),
    ],
)
def test_what_is_known_when_a_limit_comes(args: tuple[str, ...]) -> None:
    """The move wins, which is said, and what is known of the shortest solution.

    By one thread: two may close other states before the limit.
    """
    args = (*args, "--threads", "1")
    data = answer("hint", *args)
    assert (data["verdict"], data["limit"]) == ("solved", "max-states")
    assert (data["shortest"], data["length"]) == (False, None)
    assert 0 < data["at_least"] < data["at_most"]
    assert data["move"] == data["moves"][0]
    told = run("hint", *args).stdout
    assert f"can be won, at most {data['at_most']}, at least {data['at_least']} " in told
    assert "Proven:    it wins; whether another way is shorter is not known\n" in told


def test_nothing_is_known_when_a_limit_comes() -> None:
    args = ("1", "--game", "golf", "--max-states", "100")
    data = answer("hint", *args, code=20)
    assert (data["verdict"], data["limit"], data["shortest"]) == ("undecided", "max-states", False)
    assert (data["move"], data["moves"], data["at_most"]) == (None, [], None)
    told = run("hint", *args).stdout
    assert "not known whether it can be won (the limit --max-states was reached)" in told
    assert "Good move: none is known\n" in told


class Asked:
    """Stands in for the search of a hint: it notes the limit of time, and passes no time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, ends_by: tuple[str | None, ...]) -> None:
        self.times: list[float | None] = []
        self._ends_by = iter(ends_by)
        self._worth = worth.worth
        monkeypatch.setattr(worth, "worth", self.search)

    def search(self, deal: Deal, options: Options, clock: worth.Clock) -> worth.Results:
        self.times.append(clock.limits.max_time)
        found = yield from self._worth(deal, options, worth.Clock(Limits()))
        limit = next(self._ends_by)
        return found if limit is None else replace(found, limit=Limit(limit), shortest=False)


def test_a_hint_has_a_limit_of_time(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, (None, None, "max-time"))
    assert answer("hint", board)["shortest"] is True
    assert answer("hint", board, "--max-time", "2m")["limit"] is None
    assert answer("hint", board)["limit"] == "max-time"
    assert asked.times == [10.0, 120.0, 10.0]


def test_the_time_of_compiling_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for the limit of a search, nor for the time that is left to the next one."""
    now, compiling = iter([100.0, 130.0, 130.0, 171.0]), iter([7.0, 32.0, 32.0, 32.0])
    monkeypatch.setattr("dbmsolver.search.limits.time.monotonic", lambda: next(now))
    monkeypatch.setattr("dbmsolver.search.limits.seconds_compiling", lambda: next(compiling))
    clock = worth.Clock(Limits(max_time=10))
    assert not clock.is_over
    assert clock.rest() == Limits(max_time=5)
    assert clock.is_over


USUAL = "the usual limit of 10s was reached, give more with --max-time"
GIVEN = "the limit --max-time was reached"


def test_a_limit_of_time_that_nobody_gave_is_called_the_usual_one(
    board: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Asked(monkeypatch, ("max-time",) * 2)
    assert f"({USUAL})\n" in run("hint", board).stdout
    assert f"({GIVEN})\n" in run("hint", board, "--max-time", "10s").stdout


def test_so_is_that_of_all_first_moves(board: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def values(*_: object) -> Generator[Any, Any, FirstMoves]:
        yield from ()
        return FirstMoves(result(), (), Limit.MAX_TIME, 1.0, 1 << 20)

    monkeypatch.setattr(advice, "value_moves", values)
    args = ("hint", board, "--every-first-move")
    assert f"Limit:     {USUAL}\n" in run(*args).stdout
    assert f"Limit:     {GIVEN}\n" in run(*args, "--max-time", "10s").stdout
    assert f"Limit:     {GIVEN}\n" in run("solve", *args[1:], "--max-time", "10s").stdout
    assert answer(*args, code=20)["limit"] == "max-time"


@pytest.mark.parametrize(
    ("args", "message", "code"),
    [
        (["6i"], "line 1, column 1: illegal move 1 '6i'", 3),
        (["1h"], "illegal move 1 '1h'", 3),
        (["no/such"], "no/such: there is no such file", 2),
        (["6?"], "line 1, column 1", 3),
        (["1a", "--from", "nothing"], "unknown format", 2),
    ],
)
def test_bad_moves(args: list[str], message: str, code: int) -> None:
    outcome = run("hint", "3", *args)
    assert outcome.exit_code == code
    assert message in outcome.stderr.splitlines()[-1]
    assert outcome.stdout == ""


@pytest.mark.parametrize("name", ["nofile", "moves.txt", "5h"])
def test_played_is_a_file(name: str) -> None:
    outcome = run("solve", "3", "--played", name)
    assert outcome.exit_code == 2
    said = f"dbmsolver: {name}: there is no such file, expected one with moves"
    assert outcome.stderr.splitlines()[-1] == said


@pytest.mark.parametrize(
    ("game", "move", "said"),
    [
        (
            "klondike",
            "s",
            "unknown move 's', expected two of 1 2 3 4 5 6 7 (columns) and h (home), as in 3h; or "
            "DR1 (turn the stock), NEW (the waste over), W4, WS (from it)",
        ),
        (
            "freecell",
            "s",
            "unknown move 's', expected two of 1 2 3 4 5 6 7 8 (columns), a b c d (freecells) and "
            "h (home), as in 1h",
        ),
        (
            "golf",
            "4h",
            "no letters for golf, expected a file with moves",
        ),
        ("pyramid", "4h", "no letters for pyramid, expected a file"),
    ],
)
def test_letters_of_moves_are_those_of_the_game(game: str, move: str, said: str) -> None:
    outcome = run("hint", "3", move, "--game", game)
    assert outcome.exit_code == 3
    assert said in outcome.stderr.splitlines()[-1]


def test_both_from_standard_input() -> None:
    assert "expected one of them" in run("hint", "-", "-", typed=TWO).stderr
    assert "expected one of them" in run("solve", "-", "--played", "-", typed=TWO).stderr


def test_every_first_move(board: str, tmp_path: Path) -> None:
    lines = run("solve", board, "--every-first-move").stdout.splitlines()
    assert lines[0].endswith("can be won, 3 card moves are left; 2 first moves")
    assert "         2  KS  column 1 -> column 2" in lines
    data = answer("solve", board, "--every-first-move")
    assert [move["length"] for move in data["first_moves"]] == [2, 2]
    assert data["only"] is None
    (tmp_path / "played").write_text(LITERAL)
    data = answer("solve", board, "--every-first-move", "--played", str(tmp_path / "played"))
    lengths = {move["destination"]["kind"]: move["length"] for move in data["first_moves"]}
    assert lengths == {"foundation": 1, "freecell": 2, "column": 2}
    assert data["made"] == 1


def test_solve_goes_on_from_moves(board: str, tmp_path: Path) -> None:
    (tmp_path / "played").write_text(LITERAL)
    data = answer("solve", board, "--played", str(tmp_path / "played"))
    assert (data["kind"], data["length"]) == ("answer", 2)
    data = answer("solve", board, "--count", "--played", str(tmp_path / "played"))
    assert data["count"] == "1"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--count"], "--every-first-move and --count"),
        (["--all"], "--every-first-move and --all"),
        (["--boards"], "--every-first-move and --boards"),
        (["--format", "sfn"], "says nothing about the format sfn"),
    ],
)
def test_what_cannot_be(board: str, args: list[str], message: str) -> None:
    outcome = run("solve", board, "--every-first-move", *args)
    assert outcome.exit_code == 2
    assert message in outcome.stderr
