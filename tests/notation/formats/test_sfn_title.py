"""The line with the number of a deal, or with a tag, among the words before moves."""

from __future__ import annotations

import pytest

from dbmsolver.notation.formats.sfn_title import Title, find_title, has_number


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        (["game 5", "see #7"], (2, "7", "", None)),
        (["12 moves", "deal no. 5", "7"], (2, "5", "", None)),
        (["a 3", "4"], (1, "3", "", None)),
        (["a", "4"], (1, None, "a", None)),
        (["my file.txt"], (1, None, "my file.txt", None)),
        (['Game "my file"'], (1, None, "my file", None)),
        (['Game "" 3'], (1, "3", "", None)),
        (['"deal 5"', "b"], (1, None, "deal 5", None)),
        (['"#5" game 7'], (1, "7", "#5", None)),
        (['"5"'], (1, None, "5", None)),
        (['"5" 6'], (1, "6", "5", None)),
        (["# -1"], (1, "-1", "", None)),
        (["game-1.5 #x3 v2.0"], (1, None, "game-1.5 #x3 v2.0", None)),
        (["Game 3."], (1, "3", "", None)),
        (["see 5", "Deal #7. By hand"], (2, "7", "", None)),
        (["game 7.5", "a 3."], (1, None, "game 7.5", None)),
        (["Game 1,000,003"], (1, "1000003", "", None)),
        (["#11,982."], (1, "11982", "", None)),
        (["moves of 1,000,003"], (1, "1000003", "", None)),
        (["game 1,5"], (1, "1", "", None)),
        (["game 1,2345 12,3456"], (1, "1", "", None)),
        (["bakers_game #7"], (1, "7", "", "bakers_game")),
        (["Seahaven Towers, deal 3"], (1, "3", "", "seahaven_towers")),
        (["klondike by threes #3"], (1, "3", "", "klondike_by_threes")),
        (['"freecell" 3'], (1, "3", "freecell", None)),
        (["myfreecell freecells 3"], (1, "3", "", None)),
    ],
)
def test_titles(lines: list[str], title: tuple[int, str | None, str, str | None]) -> None:
    assert find_title(list(enumerate(lines, 1))) == Title(*title)


def test_no_lines_have_no_title() -> None:
    assert find_title([]) is None


def test_numbers_that_stand_alone() -> None:
    for line in ("3", "a 3.", "#3", "(-3)", "3:"):
        assert has_number(line) == (line != "3." and line != "a 3.")
    for line in ("a3", "3a", "v2.0", "", "three"):
        assert not has_number(line)
