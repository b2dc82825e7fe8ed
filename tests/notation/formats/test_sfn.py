"""Standard FreeCell Notation, point by point, and as it is found in the wild."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from helpers.naive_search import some_cards
from helpers.solutions import mid_game, plain, rows, solved

from dbmsolver import api
from dbmsolver.errors import IllegalMoveError, InputError, UsageError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.boards import parse_board
from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.moves import Place
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats import Given, InvalidError, Source, sfn
from dbmsolver.notation.formats.given import Lengths, Parting
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Step

FREECELL = GAMES["freecell"]
EXPLICIT = {
    policy: explicit(solved(3), policy)  # type: ignore[arg-type]
    for policy in ("none", "horne", "wkr")
}


BOARD = (
    "Foundations: H-8 C-8 D-8 S-8\n: KD QS JH TC\n: 9C 9D 9H 9S\n: KS KH KC\n"
    ": QD QC QH\n: JD JS JC\n: TD TS TH\n"
)


def read(
    text: str,
    deal: Deal | None = None,
    policy: Automove | None = None,
    lengths: Lengths | None = None,
    ask: Callable[[Parting], int] | None = None,
) -> Solution:
    given = Given(deal=deal, policy=policy, lengths=lengths, ask=ask)
    return sfn.read(Source(text, "f.sfn"), given)


def parts(text: str) -> tuple[str, str, list[str], list[str]]:
    """Game line, line of freecells, rows, and lines of moves."""
    lines = text.splitlines()
    rows_ = [line for line in lines[2:] if re.match(r"(..) ?", line) and line[0] not in " .#"]
    return lines[0], lines[1], rows_, [line for line in lines if line[0] in " ." and line[1] != " "]


def moves_of(text: str) -> str:
    return "\n".join(parts(text)[3]) + "\n"


# Writing


@pytest.mark.parametrize("policy, between", [("horne", "-"), ("wkr", "=")])
def test_written_lines(policy: Policy, between: str) -> None:
    game, cells, columns, moves = parts(sfn.write(solved(3), policy))
    assert game == "Game #3"
    assert len(cells) == 23
    assert cells == f"  {between}  {between}  {between}  +" + " " * 11
    assert len(columns) == 7
    assert columns[0] == "KC 2D QC 7H 6S 8H TH 4D"
    assert all(len(line) <= 30 for line in moves)
    assert [len(line) for line in moves[:-1]] == [30] * (len(moves) - 1)


def test_blocked_cells_are_written_and_read() -> None:
    text = sfn.write(solved(3, 2), "wkr")
    assert parts(text)[1] == "  =  =BB=BB+           "
    assert read(text).rules.freecells == 2


def test_blocked_cells_anywhere() -> None:
    text = sfn.write(solved(3, 2), "horne").replace("  -  -BB-BB+", "XX-  -BB-  +")
    moves = moves_of(text)
    moved = re.sub("[ab]", lambda found: {"a": "b", "b": "d"}[found.group()], moves)
    found = read(text.replace(moves, moved))
    found.check()
    assert found.steps == read(sfn.write(solved(3, 2), "horne")).steps
    with pytest.raises(IllegalMoveError, match="freecell c is blocked"):
        read(text.replace(moves, moved.replace("b", "c", 1)))


def test_middle_of_a_game_is_written_with_cells_and_home() -> None:
    rest = mid_game(solved(5), 60)
    text = sfn.write(rest)
    cells = text.splitlines()[0]
    assert len(cells) == 23
    names = [cells[i : i + 2] for i in (0, 3, 6, 9)]
    wanted = ["  " if c is None else c for c in rest.initial.freecells]
    assert [name if name == "  " else parse_card(name) for name in names] == wanted
    home = [cells[i : i + 2].strip() for i in (12, 15, 18, 21)]
    assert [name[-1:] for name in home if name] == [s for s in "CDHS" if f"{s}" in "".join(home)]
    found = read(text)
    found.check()
    assert found.initial == rest.initial


@pytest.mark.parametrize("count, word", [(4, " 16"), (1, ".16")])
def test_prefix_says_the_length_of_a_move_to_an_empty_column(count: int, word: str) -> None:
    """A space is as many as possible, a period one card."""
    board = "Foundations: H-9 C-9 D-9 S-9\n: KD QS JH TC\n: KS KH KC\n: QD QC QH\n: JD JS JC\n"
    start = parse_board(board + ": TD TS TH\n", FREECELL)
    found = read(f"  -  -  -  +9C 9D 9H 9S\n{_layout(start)}{word}\n")
    assert found.steps[0].count == count


def _layout(position: Position) -> str:
    columns = position.columns
    deepest = max(len(column) for column in columns)
    lines = [
        " ".join(card_name(c[row]) if row < len(c) else "  " for c in columns).rstrip()
        for row in range(deepest)
    ]
    return "".join(f"{line}\n" for line in lines)


def test_lengths_that_the_notation_cannot_say_are_broken_up() -> None:
    """Two of four cards to an empty column become atomic moves."""
    steps = (Step(Place("column", 0), Place("column", 6), 2),)
    start = Deal.from_text(BOARD, FREECELL)
    game = Solution(FREECELL, start.position, steps, start.position).ended()
    found = read(sfn.write(game, "horne"), policy="horne")
    assert found.final == explicit(game, "horne", as_short=True).final
    assert {step.count for step in found.steps} == {1}


@pytest.mark.slow
def test_every_line_of_a_solution_begins_with_space_or_period() -> None:
    for number, cells in rows():
        lines = moves_of(sfn.write(solved(number, cells), "wkr")).splitlines()
        assert all(re.fullmatch(r"(?:[ .][1-8a-d][1-8a-dh]){1,10}", line) for line in lines)


@pytest.mark.parametrize(
    "solution, policy, message",
    [
        (solved(3), "none", "automove none: .* states Horne's automoves or WKR's"),
        (replace(solved(3), rules=replace(FREECELL, name="mine")), "wkr", "no name for 'mine'"),
        (
            replace(solved(3), rules=replace(GAMES["somerset"], columns=8, layout="")),
            "wkr",
            "no name for 'somerset'",  # it would be read as the game, which has ten columns
        ),
    ],
)
def test_what_cannot_be_written(solution: Solution, policy: Policy, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sfn.write(solution, policy)


def test_a_game_with_fewer_freecells_than_it_usually_has() -> None:
    """The text says how many there are, even of a game that usually has more than four."""
    rules = rules_for("eight_off", freecells=4)
    start = Deal.from_number(2, rules).position
    found = read(sfn.write(Solution(rules, start, (), start, 2), "wkr"))
    assert (found.rules, found.initial) == (rules, start)


def test_games_with_more_columns_cannot_be_written() -> None:
    deal = Deal.from_number(1, GAMES["bakers_dozen"])
    with pytest.raises(UsageError, match="13 columns"):
        sfn.write(Solution.from_moves(deal, []))


# Reading: points 1 to 12


def number_of(line: str) -> int | None:
    return read(f"{line}\n{moves_of(sfn.write(solved(3)))}", policy="horne").number


@pytest.mark.parametrize(
    "line",
    ["3", "#3", "Game #3", "FreeCell game 3 (hard, 10 of 10)", "MS FreeCell 2000, deal #3", "3 !"],
)
def test_game_line_with_text_around_the_number(line: str) -> None:
    assert number_of(line) == 3


@pytest.mark.parametrize("line", ["Game #-1", "-1", "cookie -1", "#-1 (a cookie)"])
def test_negative_numbers(line: str) -> None:
    found = read(f"{line}\n 1a\n")
    assert found.number == -1
    assert found.initial == deal_number(-1, FREECELL)


def test_number_out_of_range_is_refused() -> None:
    with pytest.raises(InvalidError, match="line 2, column 1"):
        read("\nGame #99999999999\n 1a\n")


def test_layout_alone_is_enough() -> None:
    text = sfn.write(solved(3), "horne")
    rest = "\n".join(text.splitlines()[2:]) + "\n"
    assert read(rest).number is None
    read(rest).check()
    without = "\n".join([text.splitlines()[0], *text.splitlines()[2:]])
    assert read(without).number == 3


def test_layout_must_be_that_of_the_number() -> None:
    text = sfn.write(solved(3)).replace("Game #3", "Game #4")
    with pytest.raises(InvalidError, match="line 2, column 1: the layout is not that of deal 4"):
        read(text)


def test_tag_in_place_of_a_number() -> None:
    text = sfn.write(replace(solved(3), number=None, tag="my file.txt"))
    assert text.startswith('Game "my file.txt"\n')
    assert read(text).tag == "my file.txt"
    moves = moves_of(text)
    assert read(f"deals/mine.txt\n{text[text.index(chr(10)) + 1 :]}").tag == "deals/mine.txt"
    with pytest.raises(InvalidError, match="expected one that does"):
        read(f"deals/mine.txt\n{moves}")
    found = read(f"deals/mine.txt\n{moves}", solved(3).deal)
    found.check()
    assert found.number == 3


def test_other_games_are_named_in_the_game_line() -> None:
    deal = Deal.from_number(7, GAMES["bakers_game"])
    move = next(m for m in deal.position.moves(deal.rules) if m.destination.kind == "freecell")
    text = sfn.write(Solution.from_moves(deal, [move]))
    assert text.startswith("bakers_game game #7\n")
    assert read(text).rules == GAMES["bakers_game"]


@pytest.mark.parametrize("policy", ["horne", "wkr"])
def test_policy_is_stated_by_the_line_of_freecells(policy: Policy) -> None:
    found = read(sfn.write(solved(3), policy))
    assert {step.automove for step in found.steps} == {"none", policy}


def test_policy_is_found_by_trying() -> None:
    for policy in ("horne", "wkr"):
        text = f"Game #3\n{moves_of(sfn.write(solved(3), policy))}"
        read(text).check()
    with pytest.raises(InputError):
        read(f"Game #3\n{moves_of(sfn.write(solved(18), 'horne'))}", policy="none").check()


def test_comments() -> None:
    steps = list(EXPLICIT["horne"].steps)
    steps[0] = replace(steps[0], comment=Comment("7h looks like a move"))
    text = sfn.write(replace(EXPLICIT["horne"], steps=tuple(steps), remarks=("a", "2 b")))
    assert "# a\n# 2 b\n" in text
    found = read(text)
    assert found.remarks == ("a", "2 b")
    assert found.steps[0].comment == Comment("7h looks like a move")
    found = read(text.replace("# a\n", "A comment in a line, 5 words\n\n"))
    assert found.remarks[0] == "A comment in a line, 5 words"


def test_rest_of_a_line_is_a_comment_where_the_cycle_breaks() -> None:
    text = sfn.write(solved(3), "horne")
    first = parts(text)[3][0]
    found = read(text.replace(first, f"{first[:6]}; and {first[7:]}\n{first[6:]}"))
    found.check()
    said = [step.comment.text for step in found.steps if step.comment]
    assert said == [f"; and {first[7:].strip()}"]


def test_more_or_fewer_than_ten_on_a_line() -> None:
    text = sfn.write(solved(3), "wkr")
    moves = moves_of(text)
    one_line = moves.replace("\n", "")
    read(text.replace(moves, one_line)).check()
    read(text.replace(moves, re.sub(r"(...)", r"\1\n", one_line))).check()


@pytest.mark.parametrize("number", [3, 44, 99])
@pytest.mark.parametrize("mark", [0, 1, 17, 30])
def test_partly_played(mark: int, number: int) -> None:
    text = sfn.write(solved(number), "horne", mark)
    assert text.count("[") == text.count("]") == 1
    found = read(text)
    found.check()
    assert found.steps == explicit(solved(number), "horne", as_short=True).steps


def test_partly_played_to_the_end() -> None:
    text = sfn.write(solved(3), "wkr", 1000)
    assert text.endswith(" [??]\n")
    assert "\n  =  =  =  +KC KD KH KS\n" in text
    read(text).check()
    # The most compact form: the number, all kings home, the moves.
    read(text.replace(" [??]", "")).check()


def test_bracket_that_takes_the_place_of_the_prefix() -> None:
    text = sfn.write(solved(3), "horne", 17)
    read(re.sub(r" \[(..)\]", r"[\1]", text)).check()


def test_marked_position_is_checked() -> None:
    text = sfn.write(solved(3), "horne", 17).replace("[", "").replace("]", "")
    first = parts(text)[3][0]
    with pytest.raises(InputError, match="layout is not the position after 0 moves"):
        read(text.replace(first, f" [{first[1:3]}]{first[3:]}"))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (" 4a 49 5b 1h 1h", "'49' in line 2, column 5 is no move, so from it on the line is a"),
        (" 4a zz", "'zz' in line 2, column 5 is no move, so from it on"),
        ("4a 48 4z 5b", "'4z' in line 2, column 7 is no move, so the line is a comment"),
        (" 4a and one that follows it", None),
        ("# 4a 48 4z 5b", None),
    ],
)
def test_a_mistyped_move_is_told_where_moves_fail(wrong: str, told: str | None) -> None:
    """By the notation the rest is a comment, so the fault shows in a later line only."""
    with pytest.raises(InputError, match=r"illegal move .*; position: ") as raised:
        read(f"#3\n{wrong}\n 1h 1h\n")
    text = str(raised.value)
    assert "is no move" not in text if told is None else told in text
    unsolved = read(f"#3\n{wrong}\n 4a\n" if wrong[0] != " " else f"#3\n{wrong}\n")
    assert any(told in note for note in unsolved.notes) if told else not unsolved.notes


@pytest.mark.parametrize(
    ("row", "card", "wrong", "told"),
    [
        (3, "QC", "QX", "all 52; line 3 is read as a comment: 'QX' in column 7 is no card$"),
        (4, "QD", "Q", "one block; line 4 is read as a comment: 'Q' in column 22 is no card$"),
        (9, "5S", "", "all 52; line 9 is read as a comment: its cards are not below those of "),
        (9, "8C 4S 5S 5C", "8C 4S 5S and 5C", "'and' in column 10 is no card$"),
        (9, "8C 4S 5S 5C", "The last row is 5C", "missing cards 4S 5S 5C 8C, expected all 52$"),
    ],
)
def test_a_mistyped_card_is_told_where_cards_are_missing(
    row: int, card: str, wrong: str, told: str
) -> None:
    lines = sfn.write(solved(3)).splitlines()
    assert card in lines[row - 1]
    lines[row - 1] = lines[row - 1].replace(card, wrong)
    with pytest.raises(InputError, match=told):
        read("\n".join(lines))


def test_marked_layout_needs_its_beginning() -> None:
    text = sfn.write(solved(3), "horne", 17).replace("Game #3\n", "")
    with pytest.raises(InvalidError, match="expected a text that tells the first one"):
        read(text)
    read(text, solved(3).deal).check()


# Reading: in the wild


def test_all_moves_home_explicit() -> None:
    words = [f" {word}" for word in rows()[3, 4].split()]
    found = read("#3\n" + "".join(words) + "\n", policy="none")
    assert plain(found) == plain(solved(3))
    read("#3\n" + "".join(words) + "\n").check()


@pytest.mark.parametrize("number, cells", list(rows()))
def test_single_cards_are_not_ambiguous(number: int, cells: int) -> None:
    """Short notation, read as this one: nothing is left open, so nothing is ambiguous."""
    found = read(rows()[number, cells] + "\n", solved(number, cells).deal)
    assert plain(found) == plain(solved(number, cells))


@pytest.mark.parametrize("number", [3, 86])
@pytest.mark.parametrize("policy", ["horne", "wkr"])
def test_automoves_repeated_as_moves_home(policy: Policy, number: int) -> None:
    """All moves home are written, the game's own too, right after what caused them."""
    letters = formats.short.place_letter
    steps = explicit(solved(number), policy).steps
    words = [f" {letters(step.source)}{letters(step.destination)}" for step in steps]
    read(f"#{number}\n" + "".join(words) + "\n").check()


def test_lines_without_layout_take_the_deal_given() -> None:
    moves = moves_of(sfn.write(solved(6), "wkr"))
    with pytest.raises(InvalidError, match="expected one that does"):
        read(moves)
    found = read(moves, solved(6).deal)
    found.check()
    assert found.number == 6


@pytest.mark.parametrize("number", [18, 44])
@pytest.mark.parametrize("join", [" ", "  ", "\n", "\t"])
def test_foreign_lines(join: str, number: int) -> None:
    words = moves_of(sfn.write(solved(number), "horne")).split()
    words = [word for line in words for word in re.findall(r"\.?..", line)]
    found = read(f"#{number}\n" + join.join(words) + "\n")
    found.check()


def test_freecells_assigned_left_to_right() -> None:
    text = "#3\n" + moves_of(sfn.write(solved(3), "horne"))
    generic = re.sub(r"(?<=[1-8])[abcd]", "f", text)
    read(generic).check()
    # A game that takes the leftmost freecell whatever the text says: all named the same.
    read(re.sub(r"(?<=[1-8])[abcd]", "d", text)).check()


def test_open_length_is_found_by_replaying() -> None:
    """Only one length lets the moves after it be made: TS goes on JH."""
    start = Deal.from_text(
        "Foundations: H-9 C-9 D-9 S-9\n: KC KD QS JH TC\n: KS\n: KH TH\n: TD\n: QD JS QC\n"
        ": QH JD TS\n: JC\n",
        FREECELL,
    )
    text = "18 61\n8h 1h 3h 4h 1h 6h 7h 6h 5h 5h 1h 5h 1h 1h 2h 3h\n"
    found = read(text, start, "none")
    found.check()
    assert found.steps[0].count == 1
    # So it is where a space should have meant as many as possible, but did not.
    again = read(" " + text.replace("\n", "\n "), start, "none")
    assert again.steps == found.steps


def test_strict_lines_are_not_ambiguous() -> None:
    deal = Deal.from_text(BOARD, FREECELL)
    found = read(" 17 2h\n", deal, "horne")
    assert found.steps[0].count == 4
    found = read(".17 2h\n", deal, "horne")
    assert found.steps[0].count == 1


def test_too_many_open_lengths_end() -> None:
    text = "17 71 " * 200 + "\n"
    deal = Deal.from_text(BOARD, FREECELL)
    with pytest.raises(InputError):
        sfn.read(Source(text), Given(deal=deal, policy="none"))
    # With every possible move home it is won at once, and the rest is surplus.
    assert "399 moves after the win left out as surplus" in read(text, deal).notes[-1]


# Layouts that are none


LAYOUT = sfn.write(solved(3), "horne")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("KC 2D", "2D 2D", "2D twice"),
        ("KC 2D", "KC   ", "a card above a gap"),
        ("  -  -  -  +", "  -  =  -  +", "both - and ="),
        ("  -  -  -  +" + " " * 11, "  -  -  -  +AX         ", "'AX' home"),
        ("  -  -  -  +" + " " * 11, "  -  -  -  +AC 2C      ", "a second time"),
        ("  -  -  -  +" + " " * 11, "  -  -  -  +" + " " * 11 + "x", "after the 23 characters"),
        ("KC 2D QC 7H 6S 8H TH 4D", "KC 2D QC 7H 6S 8H TH 4D 5D", "9 columns"),
    ],
)
def test_bad_layouts(old: str, new: str, message: str) -> None:
    assert old in LAYOUT
    with pytest.raises(InvalidError, match=message) as error:
        read(LAYOUT.replace(old, new, 1))
    assert re.search(r"f\.sfn, line \d+, column \d+: ", str(error.value))


def test_too_many_rows() -> None:
    with pytest.raises(InvalidError, match="line 19, column 1: one row too many"):
        read("KC\n" * 18 + "KC\n")


def test_too_deep_a_column_cannot_be_written() -> None:
    deal = Deal.from_text(
        ": KC QC JC TC 9C 8C 7C 6C 5C 4C 3C 2C AC KD QD JD TD 9D 8D 7D 6D 5D 4D 3D 2D AD\n"
        ": KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H AH KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S AS\n",
        FREECELL,
    )
    with pytest.raises(UsageError, match="26 cards"):
        sfn.write(Solution.from_moves(deal, []))


def test_illegal_move_says_line_and_column() -> None:
    moves = parts(LAYOUT)[3]
    wrong = LAYOUT.replace(moves[1], moves[1][:3] + " d4" + moves[1][6:])
    with pytest.raises(IllegalMoveError) as error:
        read(wrong)
    line = wrong.splitlines().index(moves[1][:3] + " d4" + moves[1][6:]) + 1
    assert f"f.sfn, line {line}, column 5: illegal move" in str(error.value)


FEWER_WORDS = "Foundations: H-Q C-J D-J S-J\nKC KS QC\nKH QD KD QS\n:\n"
"""A king that waits in a column brings more cards home by itself than one that goes home."""
ON_THE_WAY = (
    "Foundations: H-8 C-8 D-6 S-6\nFreecells: JS KH KD -\n9S 7S 8S\nQC JD TD\nQD KC TH\n"
    "JC 7D JH\n9D 8D 9C\n9H QS QH\nTS KS TC\n"
)


@pytest.mark.parametrize(
    ("game", "policy", "board", "moves"),
    [
        ("kingcell", "horne", FEWER_WORDS, "2h 1h 1h 1h 23 2h 2h 3h"),
        (
            "seven_by_four",
            "wkr",
            ON_THE_WAY,
            "5h 7h 1d 1h dh 7d 1h 7h 61 ah 6h 6h 3h 4h 4h 5h 5h 1h 2h 2h dh 4h bh 2h 3h 3h ch",
        ),
    ],
)
def test_no_solution_becomes_longer(game: str, policy: Policy, board: str, moves: str) -> None:
    deal = Deal.from_text(board, GAMES[game])
    solution = formats.read(Source(moves), "short", Given(deal=deal))
    solution.check()
    assert len(explicit(solution, policy).single().steps) > len(solution.steps)
    found = read(sfn.write(solution, policy))
    assert found.final.is_goal()
    assert len(found.single().steps) == len(solution.steps)


@pytest.mark.parametrize("metric", ["cards", "runs", "moves"])
def test_a_shortest_solution_stays_one_in_its_metric(metric: Metric) -> None:
    """Whatever was counted: cards, runs, or moves of the player."""
    for seed in range(6):
        rules = GAMES["stronghold" if seed % 2 else "freecell"]
        deal = Deal(some_cards(Random(seed), rules, "shuffled", 10), rules)
        result = api.solve(deal, metric=metric, policy="horne", threads=1)
        if result.verdict == "solved":
            text = formats.write(api.solution_of(result), "sfn", "horne")
            counts = lengths(formats.read(Source(text, "f.sfn")))
            assert counts["moves-horne" if metric == "moves" else metric] == result.length, seed


# Output of Freecell Solver about games with more places

FRAME = "-=-=-=-=-=-=-=-=-=-=-=-\n\n"


def of_output(moves: str, board: str, game: str) -> list[str]:
    """Return the steps of moves in Freecell Solver's output about a board."""
    given = Given(game=game, deal=Deal.from_text(board, GAMES[game]))
    source = Source(f"{FRAME}{moves}\n\n\nThis game is solveable.\n", "f")
    assert formats.detect(source, given) == "sfn"
    found = formats.read(source, given=given)
    found.check()
    return [f"{step.count} {step}" for step in found.steps[:-3]]


def test_more_freecells_in_the_output_of_freecell_solver() -> None:
    """Its letters leave out h, i and j, and f is one of them; runs move at once."""
    board = "Foundations: H-T C-K D-K S-T\nFreecells: - - - - - QH - KS\nKH\nJH QS JS\n"
    assert of_output("k3 23v2 f1\n2h 1h 1h 3h 3h 3h", board, "eight_off") == [
        "1 KS from freecell 8 to column 3",
        "2 2 cards from column 2 to column 3",
        "1 QH from freecell 6 to column 1",
        "1 JH from column 2 to foundation of hearts",
        "1 QH from column 1 to foundation of hearts",
        "1 KH from column 1 to foundation of hearts",
    ]


def test_ten_columns_in_the_output_of_freecell_solver() -> None:
    board = "Foundations: H-K C-K D-K S-9\nFreecells: KS\nTS QS JS\n"
    assert of_output("a10 110 1h\n10h 10h 10h", board, "seahaven_towers") == [
        "1 KS from freecell 1 to column 10",
        "2 2 cards from column 1 to column 10",
        "1 TS from column 1 to foundation of spades",
    ]


def test_more_columns_than_the_letters_of_freecell_solver() -> None:
    source = Source(f"{FRAME}110 1h\n", "f")
    with pytest.raises(InvalidError, match=r"fan has 18 columns, .*, expected at most 10"):
        formats.read(source, given=Given(game="fan", deal="3"))


def test_f_is_any_freecell_where_it_names_none() -> None:
    found = formats.read(Source(f"{FRAME}1a 2f\n", "f"), given=Given(deal="3", policy="none"))
    assert [step.destination.index for step in found.steps] == [0, 1]
