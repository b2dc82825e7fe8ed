"""Boards of other programs before single-card moves, for games of all sizes."""

from __future__ import annotations

import pytest
from helpers.solutions import mid_game, solved

from dbmsolver import api
from dbmsolver.errors import InputError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, Source
from dbmsolver.notation.solution import Solution


def moves_of(solution: Solution) -> str:
    lines = formats.write(solution, "short").splitlines()
    return "\n".join(line for line in lines if not line.startswith("#"))


@pytest.mark.parametrize("game", ["bakers_game", "eight_off", "seahaven_towers", "bakers_dozen"])
@pytest.mark.parametrize("style", ["{}\n", "# their remark\n{}\n\n", "{}"])
def test_a_game_that_is_given(game: str, style: str) -> None:
    deal = Deal.from_number(5, GAMES[game])
    found = api.prove(deal)
    whole = Solution.from_moves(deal, found.moves, "wkr")
    board = style.format(format_board(deal.position))
    source = Source(board + moves_of(whole) + "\n")
    given = Given(game=game)
    expected = "sfn" if game == "bakers_game" else "short"
    assert formats.detect(source, given) == expected
    read = formats.read(source, "short", given)
    read.check()
    assert (read.initial, read.rules, len(read.steps)) == (
        deal.position,
        deal.rules,
        len(found.moves),
    )
    if expected == "short":
        formats.read(source, None, given).check()


@pytest.mark.parametrize("played", [1, 9, 33, 60])
@pytest.mark.parametrize("lower", [False, True])
def test_a_game_that_has_begun(played: int, lower: bool) -> None:
    """A column may look like moves, and moves like a column: the board ends where it is whole."""
    rest = mid_game(solved(3), played)
    board = format_board(rest.initial)
    text = (board.lower() if lower else board) + "2d 2d # no remark\n" + moves_of(rest)
    with pytest.raises(InputError, match="illegal move"):
        formats.read(Source(text), "short").check()
    read = formats.read(Source(text.replace("2d 2d #", "#")), "short")
    read.check()
    assert read.initial == rest.initial


def test_a_board_that_is_none() -> None:
    board = format_board(solved(3).initial)
    with pytest.raises(InputError, match="missing card 4S"):
        formats.read(Source(board.replace("4S", "") + moves_of(solved(3))), "short")
    with pytest.raises(InputError, match="already at line 1"):
        formats.read(Source(board.replace("4S", "KC") + moves_of(solved(3))), "short")


def test_moves_that_look_like_cards_are_no_board() -> None:
    with pytest.raises(InputError, match="expected one that does"):
        formats.read(Source("2d 3c\n4h 5h\n"), "short")
    with pytest.raises(InputError, match="illegal move"):
        formats.read(Source("2d 2h\n"), "short", Given(deal="3")).check()


def test_a_board_in_comments_is_no_game_line() -> None:
    """The word Freecells of a board does not say that the game is FreeCell."""
    deal = Deal.from_number(5, GAMES["eight_off"])
    rows = "".join(f"# | {line}\n" for line in format_board(deal.position).splitlines())
    source = Source(rows + "1b\n")
    assert formats.detect(source) == "short"
    assert formats.read(source, None, Given(game="eight_off")).initial == deal.position


@pytest.mark.parametrize("form", ["sfn", "moves", "short"])
def test_another_game_deals_otherwise(form: str) -> None:
    text = formats.write(solved(3), form).replace("# game: freecell\n", "")
    if form == "short":
        text = (
            "".join(f"# | {row}\n" for row in format_board(solved(3).initial).splitlines()) + text
        )
    with pytest.raises(InputError, match=r"is not that of deal 3 under --game forecell|too many"):
        formats.read(Source(text), form, Given(game="forecell"))


def test_the_board_ends_at_the_first_move() -> None:
    """Words that look like a row of a board, after a move, are moves that cannot be."""
    board = format_board(solved(3).initial)
    with pytest.raises(InputError, match=r"line 10, column 1: illegal move 2 'KC'"):
        formats.read(Source(board + "1a\nKC QD\n"), "short")


def test_as_many_moves_as_there_can_be() -> None:
    board = format_board(solved(3).initial)
    with pytest.raises(InputError, match="illegal move 2"):
        formats.read(Source(board + "1a " * 10_000), "short")
    with pytest.raises(InputError, match=r"line 9, column 30001: more than 10000 moves"):
        formats.read(Source(board + "1a " * 10_001), "short")
