"""Deals, results and solutions as a person or a notebook sees them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from helpers.fake_search import NEARLY_DONE
from helpers.solutions import solved

from dbmsolver.game.deals import Deal, format_board
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limit, Verdict


def test_deals_print_their_name_and_board() -> None:
    deal = Deal.from_number(1, GAMES["klondike"])
    name, _, board = str(deal).partition("\n")
    assert name == "Deal 1 (klondike)"
    assert board + "\n" == format_board(deal.position)
    assert "Deal board-" in str(Deal.from_text(NEARLY_DONE))


def test_results_print_their_verdict() -> None:
    from dbmsolver import solve

    result = solve(Deal.from_text(NEARLY_DONE), max_time="10m")
    assert str(result).endswith(": solved in 2 card moves, shortest")
    early = replace(result, shortest=False, limit=Limit.MAX_TIME)
    assert str(early).endswith("solved in 2 card moves, not shown to be shortest (max-time)")
    open_ = replace(early, verdict=Verdict.UNDECIDED)
    assert str(open_).endswith(": undecided (max-time)")
    lost = replace(result, verdict=Verdict.UNSOLVABLE, moves=())
    assert str(lost).endswith(": unsolvable")
    spoiled = replace(lost, metric="moves", policy="max")
    assert str(spoiled).endswith(": unsolvable with the automoves max")


def test_advice_and_counts_print_what_is_known() -> None:
    from dbmsolver import count_solutions, first_moves

    deal = Deal.from_text(NEARLY_DONE)
    found = first_moves(deal)
    first, *lines = str(found).splitlines()
    assert first == str(found.result)
    assert len(lines) == len(found.values) > 0
    assert lines[0] == f"{found.values[0].move}: solved, 1 left"
    value = replace(found.values[0], at_least=3, at_most=9)
    assert str(value).endswith(": solved, 9 left or less, at least 3")
    lost = replace(value, verdict=Verdict.UNSOLVABLE, at_least=None, at_most=None)
    assert str(lost).endswith(": unsolvable")
    count = count_solutions(deal)
    solutions = "1 shortest solution" if count.count == 1 else f"{count.count} shortest solutions"
    assert str(count) == f"Deal {deal.name}: {solutions} of 2 card moves"
    early = replace(count, count=None, limit=Limit.MAX_TIME)
    assert str(early).endswith("card moves, shortest; solutions not counted (max-time)")


def test_solutions_print_their_length() -> None:
    solution = solved(3)
    assert str(solution) == f"Deal 3: {len(solution.steps)} moves"
    short = replace(solution, steps=solution.steps[:1]).ended()
    assert str(short) == "Deal 3: 1 move, not to the end"


def test_notebooks_show_pictures() -> None:
    solution = solved(3)
    deal = Deal.from_number(3)
    for shown, name in ((deal, "Deal 3"), (solution, str(solution)), (deal.position, "")):
        picture = shown._repr_svg_()
        assert picture.startswith("<svg") and name in picture
    assert "Deal 1 (golf)" in Deal.from_number(1, GAMES["golf"])._repr_svg_()
    assert "<svg" in Deal.from_number(1, GAMES["klondike"]).position._repr_svg_()


def test_notebooks_show_text_where_nothing_draws() -> None:
    """Deals are without pictures as long as nothing has imported what draws them."""
    shown = "from dbmsolver.game.deals import Deal; print(Deal.from_number(3)._repr_svg_())"
    found = subprocess.run([sys.executable, "-c", shown], capture_output=True, check=True)
    assert found.stdout == b"None\n"
