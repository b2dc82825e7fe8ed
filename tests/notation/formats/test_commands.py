"""`convert` and `check` as commands: files in, files out, what is printed, how it ends."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from helpers.pile_games import golf
from helpers.selection import few_fast
from helpers.solutions import answer_of, plain, rows, solved
from helpers.wide_games import last_suit

from dbmsolver import api
from dbmsolver.cli.commands.check import check_command
from dbmsolver.cli.commands.convert import convert_command
from dbmsolver.cli.render import render_json, render_text
from dbmsolver.errors import DbmError, InputError, UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.kinds import Metric
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats import FORMATS
from dbmsolver.notation.lengths import lengths
from dbmsolver.results import Limit, Verdict


def run(command: object, *args: str, data: bytes | None = None) -> Result:
    return CliRunner().invoke(command, list(args), input=data)  # type: ignore[arg-type]


def error(result: Result) -> DbmError:
    assert isinstance(result.exception, DbmError), result.output
    return result.exception


@pytest.mark.parametrize(("before", "after"), few_fast(product(FORMATS, FORMATS), 10))
def test_convert_by_ending(tmp_path: Path, before: str, after: str) -> None:
    source = tmp_path / f"in{FORMATS[before]}"
    target = tmp_path / f"out{FORMATS[after]}"
    source.write_text(formats.write(solved(18), before))
    result = run(convert_command, str(source), str(target))
    assert result.exit_code == 0, result.output
    assert result.output == ""
    assert formats.detect(formats.Source(target.read_text())) == after
    formats.read(target).check()
    if "sfn" not in (before, after):
        assert plain(formats.read(target)) == plain(solved(18))


BEFORE = [*FORMATS, "text", "json"]
"""All formats that `solve` writes."""


@pytest.mark.parametrize(("before", "after"), few_fast(product(BEFORE, FORMATS), 16))
def test_convert_keeps_that_it_is_not_proven_shortest(
    tmp_path: Path, before: str, after: str
) -> None:
    said = "not proven shortest: at least 14 moves are needed"
    source = tmp_path / f"in{FORMATS.get(before, '')}"
    if before in FORMATS:
        source.write_text(formats.write(replace(solved(18), remarks=(said,)), before))
    else:
        result = answer_of(solved(18), "wkr")
        result = replace(result, shortest=False, at_least=14, limit=Limit.MAX_TIME)
        source.write_text(render_text(result) if before == "text" else render_json(result))
    result = run(convert_command, str(source), "-", "--to", after)
    assert result.exit_code == 0, result.output
    assert said in result.output
    assert formats.read(formats.Source(result.output), after).remarks == (said,)


@pytest.mark.parametrize("metric", ["cards", "moves", "runs"])
@pytest.mark.parametrize("least", [None, 1])
def test_the_bound_is_told_in_the_metric_of_the_answer(metric: Metric, least: int | None) -> None:
    result = answer_of(solved(18), "wkr")
    result = replace(
        result,
        metric=metric,
        shortest=False,
        at_least=least,
        limit=Limit.MAX_TIME,
    )
    unit = {"cards": "move", "moves": "move of the player", "runs": "move of a card or a run"}
    bound = "" if least is None else f": at least 1 {unit[metric]} are needed"
    for text in (render_text(result), render_json(result)):
        assert formats.read(text).remarks == (f"not proven shortest{bound}",)


def test_convert_through_pipes() -> None:
    text = formats.write(solved(18), "sfn")
    result = run(convert_command, "-", "-", "--to", "short", data=text.encode())
    assert result.exit_code == 0
    assert formats.read(result.stdout).number == 18


def test_convert_with_names_and_policy(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b"
    source.write_text(rows()[3, 4])
    args = (str(source), str(target), "--from", "short", "--to", "sfn", "--deal", "3")
    assert run(convert_command, *args, "--automove", "wkr").exit_code == 0
    assert target.read_text() == formats.write(solved(3), "sfn", "wkr")
    assert run(convert_command, *args).exit_code == 0
    assert target.read_text() == formats.write(solved(3), "sfn", "horne")


def test_convert_with_other_rules(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "b.json"
    source.write_text(rows()[3, 2])
    args = (str(source), str(target), "--from", "short", "--deal", "3", "--freecells", "2")
    assert run(convert_command, *args).exit_code == 0
    assert formats.read(target).rules.freecells == 2


def test_convert_refuses(tmp_path: Path) -> None:
    source = tmp_path / "a.sfn"
    source.write_text(formats.write(solved(3), "sfn"))
    found = error(run(convert_command, str(source), str(tmp_path / "b")))
    assert isinstance(found, UsageError)
    assert "expected --to" in str(found)
    found = error(run(convert_command, str(source), "-", "--to", "pdf"))
    assert isinstance(found, UsageError)
    found = error(run(convert_command, str(tmp_path / "none"), "-", "--to", "sfn"))
    assert isinstance(found, InputError)
    found = error(run(convert_command, str(source), str(tmp_path / "no" / "b.sfn")))
    assert "no is no directory, expected a file that can be written" in str(found)
    wrong = replace(solved(3), steps=(solved(3).steps[0], *solved(3).steps[:9]))
    source.write_text(formats.write(wrong, "universal-json"))
    found = error(run(convert_command, str(source), "-", "--to", "html"))
    assert "illegal move 2" in str(found)
    assert found.exit_code == 3


def test_convert_says_that_a_game_is_not_over(tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.moves"
    part = replace(solved(3), steps=solved(3).steps[:20]).ended()
    source.write_text(formats.write(part, "universal-json"))
    found = error(run(convert_command, str(source), str(target)))
    assert f"written, but not solved: {part.final.left} cards are not home" in str(found)
    assert plain(formats.read(target)) == plain(part)


def test_convert_counts_what_is_left_as_the_game_does(tmp_path: Path) -> None:
    source, target = tmp_path / "a.json", tmp_path / "b.xml"
    for whole, left in (
        (last_suit(), "13 cards are not home"),
        (api.solution_of(api.solve(golf(Verdict.SOLVED))), "1 card is left in the columns"),
    ):
        part = replace(whole, steps=whole.steps[:-1]).ended()
        source.write_text(formats.write(part, "universal-json"))
        found = error(run(convert_command, str(source), str(target)))
        assert str(found).endswith(f"written, but not solved: {left}")
        assert formats.read(target).final == part.final


@pytest.mark.parametrize("name", FORMATS)
def test_check(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_text(formats.write(solved(3, 2), name))
    result = run(check_command, str(path))
    assert result.exit_code == 0
    assert result.stdout.startswith("Deal 3 (2 freecells): legal and winning, ")
    assert result.stdout.endswith(f"({name})\n")


def test_check_with_the_deal_given() -> None:
    moves = rows()[18, 4].encode()
    result = run(check_command, "-", "--deal", "18", "--from", "short", data=moves)
    assert result.stdout == "Deal 18: legal and winning, 76 moves (short)\n"
    found = error(run(check_command, "-", "--deal", "17", "--from", "short", data=moves))
    assert "illegal move" in str(found)
    assert "<stdin>, line 1, column " in str(found)


def test_check_lengths(tmp_path: Path) -> None:
    path = tmp_path / "file.sfn"
    path.write_text(formats.write(solved(18), "sfn", "wkr"))
    result = run(check_command, str(path), "--metric")
    found = dict(line.split(":") for line in result.stdout.splitlines()[1:])
    wanted = lengths(explicit(solved(18), "wkr").single())
    assert wanted["moves-max"] is None  # a card that is needed goes home
    spoiled = "none, these automoves spoil it"
    assert {name: value.strip() for name, value in found.items()} == {
        name: spoiled if length is None else str(length) for name, length in wanted.items()
    }


def test_check_in_json(tmp_path: Path) -> None:
    path = tmp_path / "file.sfn"
    path.write_text(formats.write(solved(18), "sfn", "wkr"))
    found = json.loads(run(check_command, str(path), "--metric", "--json").stdout)
    assert found["valid"] is True
    assert found["deal"]["number"] == 18
    assert found["lengths"]["cards"] >= found["lengths"]["explicit-none"]
    path.write_text(path.read_text()[:300])
    result = run(check_command, str(path), "--json")
    found = json.loads(result.stdout)
    assert found["valid"] is False
    assert found["where"] in str(error(result))


def test_check_names_the_first_bad_move_and_shows_the_position(tmp_path: Path) -> None:
    path = tmp_path / "file.short"
    words = rows()[18, 4].split()
    path.write_text("# deal: 18\n" + " ".join([*words[:5], "88", *words[5:]]) + "\n")
    result = run(check_command, str(path))
    assert f"{path}, line 2, column 16: illegal move 6 '88'" in str(error(result))
    assert "The position at that point:\n" in result.stderr
    position = solved(18).initial
    for move in solved(18).moves()[:5]:
        position = position.apply(move)
    assert format_board(position) in result.stderr


def test_check_that_it_ends_solved(tmp_path: Path) -> None:
    path = tmp_path / "file.short"
    path.write_text("# deal: 18\n" + " ".join(rows()[18, 4].split()[:-1]) + "\n")
    found = error(run(check_command, str(path)))
    assert "not solved after 75 moves: 1 card is not home" in str(found)
    assert found.exit_code == 3


@pytest.mark.parametrize("number, cells", [(18, 4), (3, 2)])
def test_answers_of_solve_can_be_read(tmp_path: Path, number: int, cells: int) -> None:
    solution = solved(number, cells)
    answer = answer_of(solution, "wkr")
    path = tmp_path / "answer"
    for name, text in (("text", render_text(answer)), ("json", render_json(answer))):
        path.write_text(text)
        assert formats.detect(formats.Source(text)) == name
        found = formats.read(path)
        found.check()
        assert plain(found) == plain(solution)
        assert found.number == number
        assert found.rules == solution.rules
        assert run(check_command, str(path)).stdout.endswith(f"({name})\n")
    assert plain(formats.read(render_text(answer, boards=True))) == plain(solution)
