"""Solutions as other programs write them: boards alone, logs, Klondike, several in a file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from helpers.command import answer, run
from helpers.solutions import solved

from dbmsolver.errors import InputError
from dbmsolver.game.automoves import automoves
from dbmsolver.game.boards import format_board
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import WASTE, Move
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, Source
from dbmsolver.notation.formats.between import composite, steps_between
from dbmsolver.notation.formats.several import parts
from dbmsolver.notation.formats.source import MAX_LINE
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import play

COLLECTED = Path(__file__).parents[2] / "data" / "collected-max.txt"


def packed(solution: Solution) -> str:
    """Return the player's moves in one word, cells counted among those that are full."""
    full: list[int] = []
    words = []
    for step, _, after in solution.replay():
        source, destination = step.source, step.destination
        if step.automove == "none":
            start = "abcd"[full.index(source.index)] if source.kind == "freecell" else None
            end = {"freecell": "r", "foundation": "h"}.get(destination.kind)
            words.append((start or str(source.index + 1)) + (end or str(destination.index + 1)))
        if destination.kind == "freecell":
            full.append(destination.index)
        full = [cell for cell in full if after.freecells[cell] is not None]
    return "".join(words)


def collected() -> list[tuple[int, Solution]]:
    lines = [line for line in COLLECTED.read_text().splitlines() if not line.startswith("#")]
    found = []
    for line in lines[:12]:
        number, moves = line.split("\t")
        found.append((int(number), formats.read(Source(f"#{number}\n{moves}\n"))))
    return found


def test_cells_that_close_up_and_moves_with_nothing_between_them() -> None:
    for number, solution in collected():
        text = f"{number}:{packed(solution)}\n"
        found = formats.read(Source(text))
        found.check()
        assert found.number == number
        assert len(found.steps) == len(solution.steps)


def test_moves_after_the_win_are_surplus() -> None:
    solution = solved(3)
    for form in ("short", "moves"):
        text = formats.write(solution, form).replace("\nThis game is solveable.", "")
        more = "1a 1b\n" if form == "short" else "Move a card from stack 0 to freecell 1\n" * 2
        found = formats.read(Source(text + more))
        found.check()
        assert len(found.steps) == len(solution.steps)
        assert found.notes == ("<text>: 2 moves after the win left out as surplus",)


def boards_of(solution: Solution) -> list[Position]:
    return [solution.initial, *(after for _, _, after in solution.replay())]


def test_boards_without_moves() -> None:
    solution = solved(3)
    rule = "====================\n\n"
    boards = [format_board(position) or "\n" for position in boards_of(solution)]
    boards[-1] = "Foundations: H-K C-K D-K S-K\n"
    text = "-=-=-=-=-=-=-=-=-=-=-=-\n\n" + f"\n{rule}".join(boards) + "\n"
    found = formats.read(Source(text))
    found.check()
    assert len(found.steps) == len(solution.steps)
    wrong = "-=-=-=-=-=-=-=-=-=-=-=-\n\n" + f"\n{rule}".join([boards[0], boards[9]]) + "\n"
    with pytest.raises(InputError, match="no move of the game leads to this board from the one b"):
        formats.read(Source(wrong))


def test_logs_of_databases_reorder_columns_and_leave_safe_moves_out() -> None:
    """The positions of a game with automoves, each with its columns sorted anew."""
    from dbmsolver.notation.explicit import explicit

    player = explicit(solved(3), "horne")
    lines = ["instance_run_all_threads start", "Reached 7 ; States-in-collection: 9", "Success!"]
    position = player.initial
    positions = [position]
    for step, before, _ in player.replay():
        if step.automove == "none":
            moved = play(before, step, player.rules)
            positions.append(automoves(moved, player.rules, "horne")[1])
    for at, _ in pairwise([*positions, position]):
        ordered = Position(tuple(sorted(at.columns)), at.freecells[::-1], at.foundations)
        lines += [
            "--------",
            format_board(ordered) if ordered.left else "Foundations: H-K C-K D-K S-K\n",
        ]
        lines += ["==", "Column 3 -> Column 4"]
    lines[-1] = "END"
    lines.append("handle_and_destroy_instance_solution end")
    text = "\n".join(lines) + "\n"
    found = formats.read(Source(text.replace("Reached", ">>>Queue Stats: x\nReached")))
    found.check()
    assert sum(step.automove == "none" for step in found.steps) == len(positions) - 1
    with pytest.raises(InputError, match=r"no solution .'Could not solve successfully'"):
        formats.read(Source(">>>Queue Stats: x\nCould not solve successfully.\n"))


def test_pictures_say_what_to_add() -> None:
    text = "-=-=-=-=-=-=-=-\n\n                        H-0 C-0 D-0 S-0\n--- --- --- ---\n"
    with pytest.raises(InputError, match=r"boards as pictures, expected .* fc-solve with -p -t"):
        formats.read(Source(text))


SIMON = GAMES["simple_simon"]
PIECES = "6H\n7S\n" + ":\n:\n" + "9C 8H\n"


def simon(*columns: str) -> Position:
    """Return a position of Simple Simon; what is not in it does not matter here."""
    from dbmsolver.game.cards import parse_card

    cards = [tuple(map(parse_card, column.split())) for column in columns]
    return Position(tuple(cards + [()] * (10 - len(cards))), (), (0, 0, 0, 0))


def test_cards_of_several_runs_move_as_several_moves() -> None:
    position = simon("KS 7S 6H 5D 4D AC", "8C", "2H")
    steps = composite(position, SIMON, 0, 1, 4)
    assert steps is None, "AC does not lie on 4D as a run of any suit does"
    position = simon("KS 7S 6H 5D 4D 3C", "8C", "4S")
    steps = composite(position, SIMON, 0, 1, 5)
    assert steps is not None and len(steps) > 1
    at = position
    for step in steps:
        at = play(at, step, SIMON)
    assert [card_name(card) for card in at.columns[1]] == ["8C", "7S", "6H", "5D", "4D", "3C"]
    assert at.columns[2] == position.columns[2]
    assert steps_between(position, at, SIMON) is not None


def test_there_must_be_room_for_the_runs() -> None:
    full = ["KS 7S 6H", "8C", *(["KH"] * 8)]
    assert composite(simon(*full), SIMON, 0, 1, 2) is None
    assert composite(simon("KS 7S 6H", "8C"), SIMON, 0, 1, 9) is None
    assert composite(simon("KS 7S 6H", "8C"), SIMON, 0, 0, 2) is None


def test_runs_in_parts_are_read_from_a_file() -> None:
    board = "Foundations: H-K C-K D-Q S-2\nKD 7S\n8S 4S 3S\n:\n:\n6S 5S\nKS QS JS TS 9S\n"
    deal = Deal.from_text(board, SIMON)
    text = board.replace("KD", ": KD", 1) + "\nMove 1 cards from stack 0 to stack 2\n"
    found = formats.read(Source(text), "moves", Given(game="simple_simon"))
    assert found.initial == deal.position


# Klondike


KLONDIKE, THREES = GAMES["klondike"], GAMES["klondike_by_threes"]


def won_klondike() -> tuple[Deal, list[Move]]:
    """Return a deal of Klondike near its end, and moves that win it."""
    board = ("Foundations: H-J C-J D-J S-J\nWaste: QH\nStock: QC KC\nKH\n<QD> KD\nKS QS\n").replace(
        "<QD> KD\nKS QS", "KD QD\nKS QS"
    )
    deal = Deal.from_text(board, KLONDIKE)
    return deal, []


def test_moves_of_klondike_solver() -> None:
    deal, _ = won_klondike()
    board = format_board(deal.position)
    moves = "WH 1H 2D DR1 WC DR1 WC 2D 3S 3S"
    text = f"Foundations: H-0\n{moves} \n"
    path = Given(deal=deal)
    found = formats.read(Source(f"Minimal solution in 10 moves.\n{moves} \n"), None, path)
    found.check()
    assert len(found.steps) == 10
    assert formats.detect(Source(text)) == "klondike-solver"
    assert formats.read(Source(f"{board}\n{moves}\n")).final.is_goal()
    again = "DR1 W3 H1"
    with pytest.raises(InputError, match="illegal move 2 'W3'"):
        formats.read(Source(again), "klondike-solver", path)


def test_turning_over_flips_and_counts() -> None:
    board = "Foundations: H-J C-T D-Q S-K\nStock: KC KH\nKD QH JC\nQC\n"
    deal = Deal.from_text(board, KLONDIKE)
    text = "DR2 NEW DR1 1C F1 2C WC 1H 1D DR1 WH"
    found = formats.read(Source(text), None, Given(deal=deal))
    found.check()
    assert (found.steps[2].source, found.steps[2].count) == (WASTE, 2)


def test_moves_of_minimal_klondike() -> None:
    deal, _ = won_klondike()
    text = "Moves: AE FE GC @AB @AB GC HD HD \n"
    assert formats.detect(Source(text)) == "minimal-klondike"
    found = formats.read(Source(text), None, Given(deal=deal))
    found.check()
    assert [step.source.kind for step in found.steps].count("stock") == 2
    start = Deal.from_text(
        format_board(deal.position)
        .replace("Waste: QH\n", "")
        .replace("Stock: QC KC", "Stock: QC KC QH"),
        KLONDIKE,
    )
    text = "@@@AE FE @AB @AB GC GC HD HD"
    found = formats.read(Source(text), None, Given(deal=start))
    found.check()
    assert any(step.destination.kind == "stock" for step in found.steps)


def test_runs_of_minimal_klondike_have_the_length_that_fits() -> None:
    board = "Foundations: H-9 C-9 D-9 S-9\n"
    board += "TD KS QH JS\nKH QS JD TS\n:\nKC QD JC TH\nKD QC JH TC\n"
    deal = Deal.from_text(board, KLONDIKE)
    found = formats.read(Source("Moves: FH"), "minimal-klondike", Given(deal=deal))
    assert [step.count for step in found.steps] == [3]
    assert isinstance(found.final, Patience)


def test_moves_are_of_klondike_or_of_klondike_by_threes() -> None:
    """The first that they win, else the first that they are legal in, or come furthest in."""
    given = Given(deal="24")
    for text in ("DR2\n", "dr1 DR1\n"):
        found = formats.read(Source(text), "klondike-solver", given)
        assert found.rules == KLONDIKE and [step.count for step in found.steps] == [1, 1]
    found = formats.read(Source("@@\n"), "minimal-klondike", Given(deal="24", game=THREES.name))
    assert found.rules == THREES and [step.count for step in found.steps] == [3, 3]
    found = formats.read(Source("DR8 NEW\n"), "klondike-solver", given)
    assert found.rules == THREES and found.final == found.initial
    with pytest.raises(InputError, match="illegal move 25 'DR25'"):
        formats.read(Source("DR25\n"), "klondike-solver", given)


def test_letters_of_either_case() -> None:
    deal, _ = won_klondike()
    for moves in ("WH 1H 2D DR1 WC DR1 WC 2D 3S 3S", "wh 1h 2d dr1 wc dr1 wc 2d 3s 3s"):
        formats.read(Source(moves), "klondike-solver", Given(deal=deal)).check()


def test_other_games_have_no_such_moves() -> None:
    for text in ("DR1 W3", "@@AL"):
        with pytest.raises(InputError, match="moves of Klondike, expected klondike or"):
            formats.read(Source(text), None, Given(deal=Deal.from_number(3)))
        with pytest.raises(InputError, match="which deal it solves"):
            formats.read(Source(text))


# Several


def listed(numbers: tuple[int, ...]) -> str:
    table = dict(line.split("\t") for line in COLLECTED.read_text().splitlines() if "\t" in line)
    return "".join(f"{number}. {table[str(number)]}\n" for number in numbers)


def test_several_are_checked_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(listed((1, 2, 3)))
    found = run("check", path)
    assert found.exit_code == 0
    assert [line.split(",")[0] for line in found.stdout.splitlines()] == [
        f"Deal {number}: legal and winning" for number in (1, 2, 3)
    ]
    wrong = listed((1, 2, 3)).replace("2. 1r", "2. 9r 8r", 1).replace("9r 8r", "8h", 1)
    path.write_text(wrong)
    found = run("check", path)
    assert found.exit_code == 3
    lines = found.stdout.splitlines()
    assert len(lines) == 3
    assert "legal" in lines[0] and "legal" in lines[2]
    assert "line 2, column 4: illegal move 1 '8h'" in lines[1]
    path.write_text(listed((1, 2)).replace("\n2.", " 1a 1b\n2."))
    found = run("check", path)
    assert found.exit_code == 0
    note = f"dbmsolver: Deal 1: {path}: 2 moves after the win left out as surplus\n"
    assert found.stderr.endswith(note)
    path.write_text(wrong)
    data = answer("check", path, code=3)
    assert [one["valid"] for one in data["checks"]] == [True, False, True]
    assert data["valid"] is False
    refused = run("convert", path, tmp_path / "out.json")
    assert "line 2, column 1: a second solution, expected one in a file" in refused.stderr


def test_what_begins_a_new_solution() -> None:
    def count(text: str, given: Given | None = None) -> int:
        return len(parts(Source(text), given or Given()))

    moves = "26 76 7a\n5h 6h\n"
    assert count(f"#1 Somebody\n{moves}\n#2 Another\n{moves}") == 2
    assert count(f"Game #1\n{moves}") == 1
    assert count(f"#1\n{moves}#2 is like it\n") == 1
    assert count(f"1:{'26' * 5}\n2:{'5h' * 4}\n") == 2
    assert count("1. 26 76\n2. 5h 6h\n") == 2
    assert count("#7 named\n1. 26 76\n2. 5h 6h\n") == 1
    assert count("1. 26 76\n2. 5h 6h\n", Given(deal="3")) == 1
    output = "-=-=-=-=-=-=-=-=-=-=-=-\n\nMove a card from stack 0 to freecell 1\n\n"
    assert count(output) == 1
    assert count(output * 3) == 3
    assert [part.first for part in parts(Source(output * 2), Given())] == [1, 5]
    assert count(output * 2 + f"#1 Somebody\n{moves}") == 2
    assert count(output * 2, Given(deal="3")) == 2
    assert count(output + "1. 26 76\n2. 5h 6h\n") == 2
    assert count(f"{moves}#1 Somebody\n{moves}#2 Another\n{moves}") == 2
    assert count(f"#1 Somebody\nknown as\n#2 Another\n{moves}#3 Third\n{moves}") == 2
    assert count(f"#1\n1:{'26' * 5}\n#2\n2:{'5h' * 4}\n#3 is like it\n") == 2
    assert count(f"{moves}1. 26 76\n2. 5h 6h\n") == 2
    assert [part.text for part in parts(Source(f"\n\n#1\n{moves}#2\n{moves}"), Given())] == [
        f"#1\n{moves[:-1]}",
        f"#2\n{moves}",
    ]
    for begin in "{<":
        assert count(f" {begin}\n1. 26 76\n2. 5h 6h\n") == 1
    assert count("1. 26 76\n2. 5h 6h\n" + "a" * (MAX_LINE + 1)) == 1
