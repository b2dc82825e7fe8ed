"""Single-card moves in two characters: the letters of places, lines, and boards before them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.solutions import solved

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, Source, short
from dbmsolver.notation.formats.short import check_columns, letter_place, place_letter
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment


def read(text: str, given: Given | None = None) -> Solution:
    return formats.read(Source(text, "f"), "short", given or Given())


def test_letters_of_places() -> None:
    columns, cells = "1234567890xyz", "abcdefgijklmnopq"
    for kind, letters in (("column", columns), ("freecell", cells)):
        for index, letter in enumerate(letters):
            place = Place(kind, index)  # type: ignore[arg-type]
            assert place_letter(place) == letter
            assert letter_place(letter) == place
    assert {place_letter(Place("foundation", suit)) for suit in range(4)} == {"h"}
    assert letter_place("h") == Place("foundation", -1)
    for letter in "rstuvw-#H":
        assert letter_place(letter) is None


def test_games_with_more_columns_than_letters() -> None:
    rules = GAMES["freecell"]
    check_columns(replace(rules, columns=13), "it")
    with pytest.raises(UsageError, match=r"^freecell: it has letters for 13 columns, not for 14!$"):
        check_columns(replace(rules, columns=14), "it", "!")


def test_ten_moves_stand_on_a_line() -> None:
    steps = list(solved(18).steps)
    steps[12] = replace(steps[12], comment=Comment(" so  it\nis "))
    lines = short.write(replace(solved(18), steps=tuple(steps))).splitlines()
    assert lines[:2] == ["# game: freecell", "# deal: 18"]
    counts = [len(line.partition("#")[0].split()) for line in lines[2:]]
    whole, rest = divmod(len(steps) - 13, 10)
    assert counts == [10, 3, *[10] * whole, *[rest] * bool(rest)]
    assert lines[3].endswith("  # so it is")
    assert read("\n".join(lines)).steps[12].comment == Comment("so it is")


def test_places_of_wrong_moves() -> None:
    for text, message in (
        ("# deal: 3\n\n1a  9a", "f, line 3, column 5: illegal move 2 '9a'"),
        ("# deal: 3\n5h6h", "f, line 2, column 1: unknown move '5h6h', expected two of "),
        (
            "# deal: 3\n5h\n6h 7h8h9h",
            "f, line 3, column 4: unknown move '7h8h9h', expected two of ",
        ),
        ("# deal: 3\n5h6h 7s", "f: missing cards"),
        ("# deal: 3\n1a 1aa", "f, line 2, column 4: unknown move '1aa', expected two of "),
        ("# deal: 3\n1a\th1", "f, line 2, column 4: unknown move 'h1', expected two of "),
    ):
        with pytest.raises(InputError) as error:
            read(text)
        assert str(error.value).startswith(message)


def test_comments_beside_and_after_a_board_are_read() -> None:
    """They say the game, as those before it do, up to the first move."""
    deal = Deal.from_number(5, GAMES["bakers_game"])
    rows = format_board(deal.position).splitlines()
    said = "# game: bakers_game"
    for place in (0, 3, 7):
        lines = list(rows)
        lines[place] += f"  {said}"
        found = read("\n".join([*lines, "1a # one", "# two"]))
        assert (found.rules, found.initial) == (deal.rules, deal.position)
        assert found.remarks == ()
        assert [step.comment for step in found.steps] == [Comment("two")]
    found = read("\n".join(["# a", *rows[:2], "# b", *rows[2:], "# c", "1a"]))
    assert (found.rules, found.remarks) == (GAMES["freecell"], ("a", "b", "c"))


def test_boards_whose_last_columns_look_like_moves() -> None:
    """The longest board that is whole is it, and the rest are moves."""
    board = "Freecells: - - - -\nFoundations: H-3 C-3 D-2 S-K\n"
    suits = {"H": "KQJT987654", "C": "KQJT987654", "D": "KQJT98765"}
    rest = [" ".join(rank + suit for rank in ranks) for suit, ranks in suits.items()]
    rows = [*rest, ":", ":", ":", "3D", "4D"]
    found = read("\n".join([board.strip(), *rows, "7h"]) + "\n")
    assert [len(column) for column in found.initial.columns] == [10, 10, 9, 0, 0, 0, 1, 1]
    assert len(found.steps) == 1
    assert found.steps[0].destination == Place("foundation", 2)
    rows[-2:] = ["3D # one", "# two", "4D # three"]
    assert read("\n".join([board.strip(), *rows, "7h"])).remarks == ("one", "two", "three")


def test_games_of_cards_that_are_alike() -> None:
    with pytest.raises(UsageError, match=r"^spider: the format short has no letters for cards"):
        read("1h\n", Given(deal="3", game="spider"))
