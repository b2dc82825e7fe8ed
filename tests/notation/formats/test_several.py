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


def test_titles_that_end_as_sentences() -> None:
    text = "Game 3.\n 1a 1b\nGame 1,000,003.\n 1a 1b\nGame 7.5\n 1a\n"
    assert [part.first for part in parts(Source(text), Given())] == [1, 3]


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


# Output of Klondike's solvers

PILES = [" 0: ", " 1: KD KH", " 2: QS", " 3: KS", " 4: QC", " 5: KC", " 6: ", " 7: ", " 8: QD "]
BOARD = "Foundations: H-Q C-J D-J S-J\nTalon: ==> QD <==\n: KH KD\n: QS\n: KS\n: QC\n: KC\n:\n:"
TOPS = "Foundations: H-Q C-J D-J S-J"
LETTERED = "2S 3S 4C 5C DR1 WD 1D 1H"
PILED = "GD HD IB JB @AC FC FE"
WORDS = "Minimum Moves Needed: 10\n\nSolved in 8 moves. Took 3 ms."
RESULT = "(Deal State: Solved Foundation: 52 Moves: 8 Rounds: 1 Took: 00:00:00)"
UNKNOWN = "Unknown. Max cards in foundation 16 at 93 moves. Took 3 ms."


def verdicts(*texts: str) -> list[str]:
    """Return of each solution in a text whether it wins, or why it is refused."""
    found = []
    for part in parts(Source("\n\n".join(texts) + "\n", "f"), Given(game="klondike")):
        try:
            formats.read(part, given=Given(game="klondike")).check()
        except InputError as error:
            found.append(str(error).partition("; ")[0])
        else:
            found.append("wins")
    return found


@pytest.mark.parametrize("board", ["\n".join([TOPS, *PILES]), BOARD])
def test_solutions_of_klondike_begin_with_their_deals(board: str) -> None:
    """Each output is checked by itself, and no move of the second is surplus of the first."""
    good, bad = f"{board}\n{WORDS}\n{LETTERED}", f"{board}\n{WORDS}\n5C {LETTERED}"
    assert verdicts(good, good) == ["wins", "wins"]
    line = good.count("\n") + 3 + bad.count("\n")
    illegal = f"f, line {line}, column 1: illegal move 1 '5C'"
    assert verdicts(good, bad, good)[::2] == ["wins", "wins"]
    assert verdicts(good, bad)[1].startswith(illegal)
    piled = f"{board}\nMoves: {PILED}\n\n{RESULT}"
    assert verdicts(piled, piled) == ["wins", "wins"]
    assert verdicts(good, piled, board) == ["wins", "wins"]
    mistyped = good.replace("DR1", "DR1 W9")
    assert "unknown move 'W9'" in verdicts(mistyped, good)[0]
    assert verdicts(mistyped, good)[1] == "wins"


@pytest.mark.parametrize("name", ["Game: 6", "Ran: 1", "156"])
def test_solutions_of_klondike_begin_with_decks_and_their_numbers(name: str) -> None:
    deck = "".join(f"{card // 4 + 1:02d}{card % 4 + 1}" for card in range(52))
    text = f"{name.replace('156', deck)}\nDR1\nDR2\n"
    found = parts(Source(2 * text), Given())
    assert [(part.first, part.text.strip()) for part in found] == [
        (1, text.strip()),
        (4, text.strip()),
    ]
    with pytest.raises(InputError, match="line 4, column 1: a second solution, expected one"):
        formats.read(2 * text)


@pytest.mark.parametrize(
    "words",
    [
        UNKNOWN,
        UNKNOWN.replace("Unknown", "Impossible"),
        "Unsolvable.\nTook 1.5 sec., 0.1 million moves in the move tree.",
        "Too big.\nTook 1.5 sec., 0.1 million moves in the move tree.",
    ],
)
def test_a_deal_of_klondike_without_a_solution_is_told(words: str) -> None:
    """The moves of the next deal are not played on its board."""
    board = "\n".join([TOPS, *PILES])
    none = f"no solution ({words.split('.')[0]!r}), expected one"
    unsolved, good = f"{board}\n\n{words}", f"{board}\n\n{WORDS}\n{LETTERED}"
    assert verdicts(unsolved) == [f"f, line 12, column 1: {none}"]
    assert verdicts(unsolved, good) == [f"f, line 12, column 1: {none}", "wins"]
    assert verdicts(good, unsolved, unsolved)[0] == "wins"
    assert [none in verdict for verdict in verdicts(good, unsolved, words)] == [False, True, True]


def test_moves_of_klondike_without_their_deals() -> None:
    text = f"Solved in 8 moves. Took 3 ms.\n{LETTERED}\n\n"
    found = parts(Source(2 * text), Given(deal="3"))
    assert [part.first for part in found] == [1, 4]


def test_a_replay_before_moves_of_klondike_is_one_solution() -> None:
    """Boards between its lines are not others, and their numbered piles are no deals."""
    board = "\n".join([TOPS, *PILES])
    later = board.replace("S-J", "S-Q").replace("2: QS", "2: ")
    line = "-" * 40
    replay = f"{board}\n{WORDS}\n{line}\nMove QS from tableau 2 on to foundation\n\n{later}\n{line}"
    assert verdicts(f"{replay}\n{LETTERED}") == ["wins"]
    assert verdicts(f"{replay}\n{LETTERED}", f"{replay}\n{LETTERED}") == ["wins", "wins"]
