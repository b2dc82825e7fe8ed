"""Several solutions in one text: each text of this program is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from helpers.solutions import random_game

from dbmsolver.cli.commands.check import check_command
from dbmsolver.errors import InputError
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, Source
from dbmsolver.notation.formats.several import parts


def texts(form: str) -> list[str]:
    """Return moves of two deals of a game that is not FreeCell, as this program writes them."""
    games = [random_game(number, GAMES["bakers_game"], 5, 12) for number in (1, 2)]
    return [formats.write(game, form) for game in games]


@pytest.mark.parametrize("form", ["short", "moves", "sfn", "html"])
def test_texts_of_this_program_one_after_the_other(form: str) -> None:
    several = texts(form)
    found = parts(Source("".join(several)), Given())
    assert [part.text.rstrip() for part in found] == [text.rstrip() for text in several]


def test_answers_one_after_the_other() -> None:
    answers = ["Deal 3: solved in 1 card move, shortest\n\nKC\n\n 1  KC  column 1 -> home\n"]
    answers.append("Deal 11982: unsolvable, after 11,162 positions\n")
    found = parts(Source("".join(answers)), Given())
    assert [part.text.strip() for part in found] == [text.strip() for text in answers]


def test_moves_before_the_first_text_are_one_too() -> None:
    found = parts(Source("1h 2h\n# game: freecell\n# deal: 3\n1a 2a\n"), Given(deal="5"))
    assert [part.text.strip() for part in found] == ["1h 2h", "# game: freecell\n# deal: 3\n1a 2a"]


def test_lines_about_one_deal_begin_no_second_text() -> None:
    text = (
        "# game: freecell\n# columns: 8\n# deal: 3\n# a remark\n1a 2a # game: set\n# deal: none\n"
    )
    assert len(parts(Source(text), Given())) == 1


@pytest.mark.parametrize(
    "opening",
    [
        "# game: king_albert\n# deal: 5",
        "# game: king_albert\n# a remark\n# | 2H",
        "# a remark\n\n#Deal: 5",
        "# game: freecell\n2H 3H\n:",
        "# game: freecell\n-=-=-=-=-=-=-=-=-=-=-=-",
    ],
)
def test_moves_that_look_like_the_number_of_a_deal(opening: str) -> None:
    """Column 10 is called 0, and a line may begin with any move."""
    text = f"{opening}\neh 07\n07 37 63\n95 1h\n# 3 1h\n79 7h\n# 4 cards\n1h\n# 5 cards\n1h\n"
    for given in (Given(), Given(deal="5")):
        assert [part.text for part in parts(Source(text), given)] == [text]


def test_a_collection_may_name_its_game() -> None:
    text = "# Game: FreeCell, by somebody\n1: 1a 2b\n2: 3a 4b\n"
    assert [part.first for part in parts(Source(text), Given())] == [2, 3]
    text = "# game: freecell\n# deal: 3\n1a 2b\n#5\n1a 1b\n#7\n1a 1b\n"
    assert [part.first for part in parts(Source(text), Given())] == [4, 6]


def test_a_game_of_many_columns_is_one_text_wherever_its_lines_end() -> None:
    game = random_game(5, GAMES["king_albert"], 1, 60)
    *opening, moves = formats.write(game, "short").split("\n", 2)
    words = moves.split()
    for size in range(1, 12):
        lines = [" ".join(words[at : at + size]) for at in range(0, len(words), size)]
        text = "\n".join([*opening, *lines, ""])
        assert len(parts(Source(text), Given())) == 1
        assert formats.read(text).final == game.final


def test_titles_count_beside_a_deal_that_is_given() -> None:
    text = "#3\n 1a 1b\n#5\n 1a 1b\n"
    assert len(parts(Source(text), Given(deal="3"))) == 2


def test_a_second_page_without_a_solution_is_told_with_its_place() -> None:
    page = texts("html")[0]
    found = parts(Source(f"{page}<!DOCTYPE html>\n<html></html>\n"), Given())
    with pytest.raises(InputError, match=f"line {page.count(chr(10)) + 1}, .* no solution"):
        formats.read(found[1])


@pytest.mark.parametrize("form", ["short", "moves", "html"])
def test_check_tells_each_and_its_game(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"two.{form}"
    path.write_text("".join(texts(form)))
    outcome = CliRunner().invoke(check_command, [str(path), "--json"])
    reasons = [check["reason"] for check in json.loads(outcome.stdout)["checks"]]
    assert [reason[:16] for reason in reasons] == ["not solved after"] * 2
