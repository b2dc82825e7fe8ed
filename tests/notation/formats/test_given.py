"""Facts given beside a file count; where the file says something else, both are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from helpers.solutions import mid_game, random_game, solved

from dbmsolver.cli.app import cli
from dbmsolver.cli.commands.check import check_command
from dbmsolver.cli.commands.convert import convert_command
from dbmsolver.errors import InputError, UsageError, WrongValueError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.formats import FORMATS, Given, InvalidError, Source
from dbmsolver.notation.solution import Solution

OWN_GAME = [name for name in FORMATS if name != "sfn"]


def game(name: str) -> Solution:
    """Return a few moves of a player in a game."""
    return replace(random_game(7, GAMES[name], 5, 12), number=None)


def foreign(solution: Solution) -> str:
    """Freecell Solver's text, which does not name the game."""
    text = formats.write(replace(solution, number=None), "moves")
    return "\n".join(line for line in text.splitlines() if not line.startswith("#")) + "\n"


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, rules in GAMES.items()
        if not (rules.is_patience or rules.has_pairs or rules.is_wide)
    ],
)
def test_the_game_counts_for_a_file_with_a_board(name: str) -> None:
    solution = game(name)
    found = formats.read(foreign(solution), given=Given(game=name))
    assert found.rules.name == name
    assert found.initial == solution.initial
    assert found.final == solution.final
    assert [move[:3] for move in found.moves()] == [move[:3] for move in solution.moves()]


def test_without_the_game_it_is_freecell() -> None:
    for name in ("seahaven_towers", "eight_off"):
        with pytest.raises(InputError):
            formats.read(foreign(game(name)))


@pytest.mark.parametrize("form", FORMATS)
def test_another_game_than_the_file_says(form: str) -> None:
    text = formats.write(solved(3), form)
    if form == "sfn":
        text = "freecell " + text
    with pytest.raises(InvalidError) as error:
        formats.read(text, given=Given(game="forecell"))
    assert "the text says freecell for game, --game says forecell" in str(error.value)
    assert ", line " in str(error.value)


@pytest.mark.parametrize("form", ["universal-json", "universal-xml", "html", "sfn"])
def test_other_freecells_than_the_file_says(form: str) -> None:
    with pytest.raises(InvalidError, match="the text says 2 for freecells, --freecells says 3"):
        formats.read(formats.write(solved(3, 2), form), given=Given(freecells=3))


def test_other_numbers_in_comment_lines() -> None:
    for form in ("short", "moves"):
        text = formats.write(solved(3, 2), form)
        with pytest.raises(InvalidError, match="text says 2 for freecells, --freecells says 3"):
            formats.read(text, given=Given(freecells=3))
        text = "# columns: 9\n" + text
        with pytest.raises(InvalidError, match=r"line 1, .* text says 9 for columns, --columns s"):
            formats.read(text, given=Given(columns=8))


def test_numbers_that_the_file_does_not_say() -> None:
    text = formats.write(solved(3, 2), "short").replace("# freecells: 2\n", "")
    found = formats.read(text, given=Given(freecells=2))
    found.check()
    assert found.rules == rules_for("freecell", freecells=2)


def test_a_board_that_the_options_do_not_fit() -> None:
    text = formats.write(mid_game(solved(5), 60), "moves")
    with pytest.raises(InvalidError, match=r"one freecell too many, .* \(--freecells 1\)"):
        formats.read(text, given=Given(freecells=1))
    with pytest.raises(InvalidError, match=r"one column too many, .* \(--columns 5\)"):
        formats.read(text, given=Given(columns=5))


@pytest.mark.parametrize("form", FORMATS)
def test_another_deal_than_the_file_says(form: str) -> None:
    text = formats.write(solved(18), form)
    given: tuple[tuple[Deal | str, str], ...] = (
        ("3", "the deal given is deal 3"),
        (Deal.from_number(3), "the deal given is deal 3"),
    )
    for deal, said in given:
        with pytest.raises(InvalidError) as error:
            formats.read(text, given=Given(deal=deal))
        assert f"the text starts from deal 18, {said}, expected the same" in str(error.value)
    formats.read(text, given=Given(deal="18")).check()


@pytest.mark.parametrize("form", FORMATS)
def test_another_deal_than_the_board(form: str) -> None:
    rest = mid_game(solved(5), 30)
    with pytest.raises(
        InvalidError, match=r"starts from board-[0-9a-f]{8}, the deal given is deal 5"
    ):
        formats.read(formats.write(rest, form), given=Given(deal="5"))


@pytest.mark.parametrize("form", FORMATS)
def test_the_number_of_a_deal_is_taken_over(form: str) -> None:
    text = formats.write(replace(solved(18), number=None), form)
    assert formats.read(text).number is None
    found = formats.read(text, given=Given(deal="18"))
    found.check()
    assert found.number == 18


def test_a_number_is_dealt_by_the_rules_of_the_file() -> None:
    text = formats.write(solved(3, 2), "short").replace("# deal: 3\n", "")
    found = formats.read(text, given=Given(deal="3"))
    found.check()
    assert (found.number, found.rules.freecells) == (3, 2)


def test_unknown_variant_with_the_rules_of_the_game() -> None:
    text = formats.write(solved(3), "universal-json").replace('"freecell"', '"MS FreeCell"', 1)
    assert formats.read(text).rules.name == "MS FreeCell"
    assert formats.read(text, given=Given(game="freecell")).rules == GAMES["freecell"]
    with pytest.raises(InvalidError, match="says MS FreeCell for game, --game says bakers_game"):
        formats.read(text, given=Given(game="bakers_game"))


def test_a_game_is_not_taken_for_another_that_is_alike() -> None:
    """Only a name that is no game's gives way, and only the name does."""
    text = formats.write(solved(3), "universal-json")
    with pytest.raises(InvalidError, match="freecell for game, --game says challenge_freecell"):
        formats.read(text, given=Given(game="challenge_freecell"))
    other = text.replace('"freecell"', '"MS FreeCell"', 1)
    with pytest.raises(InvalidError, match="says 4 for freecells, --freecells says 3"):
        formats.read(other, given=Given(game="freecell", freecells=3))


# On the command line


def test_check_and_convert(tmp_path: Path) -> None:
    source, target = tmp_path / "a.txt", tmp_path / "b.json"
    source.write_text(foreign(game("seahaven_towers")))
    command = ["--game", "seahaven_towers", str(source)]
    found = CliRunner().invoke(convert_command, [*command, str(target)])
    assert "written, but not solved" in str(found.exception)
    assert formats.read(target).rules == GAMES["seahaven_towers"]
    found = CliRunner().invoke(check_command, command)
    assert "not solved after" in str(found.exception)
    found = CliRunner().invoke(check_command, ["--game", "forecell", str(target)])
    assert "says seahaven_towers for game, --game says forecell" in str(found.exception)


def test_deal_as_a_board(tmp_path: Path) -> None:
    source, board = tmp_path / "a.short", tmp_path / "board"
    source.write_text(formats.write(solved(18), "short"))
    board.write_text(format_board(solved(18).initial))
    command = [str(source), "--deal", str(board)]
    assert "Deal 18: legal" in CliRunner().invoke(check_command, command).stdout
    board.write_text(format_board(solved(3).initial))
    found = CliRunner().invoke(check_command, command)
    assert "starts from deal 18, the deal given is board-" in str(found.exception)


def test_answers_of_solve(tmp_path: Path) -> None:
    text = f"Deal 3 (2 freecells): solved in 0 card moves\n\n{format_board(solved(3, 2).initial)}"
    assert formats.read(Source(text)).rules.freecells == 2
    with pytest.raises(InvalidError, match="the text says 2 for freecells, --freecells says 4"):
        formats.read(Source(text), given=Given(freecells=4))
    with pytest.raises(InvalidError, match="the text starts from deal 3, the deal given is deal 4"):
        formats.read(Source(text), given=Given(deal="4"))


def test_the_document_shows_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (Path(__file__).parents[3] / "docs" / "solutions.md").read_text()
    *_, command, line = text.split("```console\n")[1].split("```")[0].splitlines()
    command = command.removeprefix("$ dbmsolver ")
    monkeypatch.chdir(tmp_path)
    Path("3.short").write_text(formats.write(solved(3), "short"))
    result = CliRunner().invoke(cli, command.split())
    assert result.exit_code == 3
    assert result.stderr == f"{line}\n"


@pytest.mark.parametrize("words", [("--rows",), ("--numbers", "solvitaire")])
@pytest.mark.parametrize("command", [check_command, convert_command])
def test_whose_number_and_which_lines_need_a_deal(
    command: click.Command, words: tuple[str, ...], tmp_path: Path
) -> None:
    """They are about the deal that is given; a file says by itself how its board is read."""
    (tmp_path / "in.sfn").write_text("1h")
    names = [str(tmp_path / name) for name in ("in.sfn", "out.json")]
    files = names if command is convert_command else names[:1]
    outcome = CliRunner().invoke(command, [*files, *words])
    assert isinstance(outcome.exception, UsageError)
    said = " ".join(words).removeprefix("--")
    expected = f"{said} says nothing without a text that names the deal"
    assert str(outcome.exception) == expected


def test_a_deal_says_its_own_number_and_rows() -> None:
    with pytest.raises(WrongValueError, match=r"^rows says nothing without a text that names"):
        Given(deal=Deal.from_number(3), rows=True)
