"""The page to play on in a real browser: whole games by mouse, keys and touch."""

from __future__ import annotations

import pytest
from helpers.played import Player, Table
from helpers.solutions import solved

from dbmsolver import prove
from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import STOCK, WASTE, Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step

COLUMN = Place("column", 0)


def steps(number: int = 3) -> list[Step]:
    return list(solved(number).steps)


def test_a_few_moves(player: Player) -> None:
    """A card is dragged, one is clicked, both are undone; and nothing goes wrong."""
    table = player()
    table.drag(steps()[0])
    table.at(1)
    table.click(steps()[1])
    table.at(2)
    assert len(table.listed()) == 3
    table.page.get_by_role("button", name="Undo").click()
    table.at(1)
    table.page.keyboard.press("y")
    table.at(2)
    table.drag(Step(Place("column", 0), Place("column", 2)))  # not legal: it goes back
    table.page.keyboard.press("z")
    table.at(1)


def finish(table: Table, made: int) -> None:
    assert "Won in" in table.page.inner_text("#now")
    assert table.page.inner_text("#verdict") == "Solved."
    assert len(table.listed()) == made + 1


@pytest.mark.slow
def test_a_whole_game_by_mouse(player: Player) -> None:
    table = player(is_analysed=False)
    for number, step in enumerate(steps(), start=1):
        (table.drag if number % 2 else table.click)(step)
        table.at(number)
    finish(table, len(steps()))


@pytest.mark.slow
def test_a_whole_game_by_keys(player: Player) -> None:
    """Each position is analysed meanwhile."""
    table = player()
    for number, step in enumerate(steps(), start=1):
        table.type(step)
        table.at(number)
    finish(table, len(steps()))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(390, 844), (844, 390)])
def test_a_whole_game_by_touch(player: Player, size: tuple[int, int]) -> None:
    table = player(size, is_analysed=False, has_touch=True)
    for number, step in enumerate(steps(), start=1):
        table.tap(step)
        table.at(number)
    finish(table, len(steps()))


@pytest.mark.slow
def test_a_finger_drags_a_card(player: Player) -> None:
    table = player((390, 844), has_touch=True)
    client = table.page.context.new_cdp_session(table.page)
    step = steps()[0]
    (x, y), (to_x, to_y) = table.where(step.source, 1), table.where(step.destination)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (x, y))
    for part in (0.2, 0.5, 0.8, 1):
        touch("touchMove", (x + part * (to_x - x), y + part * (to_y - y)))
    touch("touchEnd")
    table.at(1)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["klondike_by_threes", "golf", "canfield", "yukon"])
def test_other_games_by_mouse(player: Player, game: str) -> None:
    """Stock, waste, pile, reserve, groups of cards; the page shows what the model says."""
    deal = Deal.from_number(4, GAMES[game])
    made = [Step.of(move) for move in prove(deal, max_time=20).moves[:41]]
    assert len(made) > 40
    permissions = ["clipboard-read", "clipboard-write"]
    table = player(deal={"game": game, "deal": 4}, is_analysed=False, permissions=permissions)
    for number, step in enumerate(made, start=1):
        (table.drag if number % 3 else table.click)(step)
        table.at(number)
    final = Solution(deal.rules, deal.position, tuple(made), deal.position).reached()
    table.page.get_by_role("button", name="Board").click()
    table.page.get_by_text("Board copied.").wait_for()
    text = table.ask("navigator.clipboard.readText()")
    assert parse_board(text, deal.rules) == final


@pytest.mark.slow
def test_turning_the_waste_over_has_no_number(player: Player) -> None:
    """The moves that count are numbered, as they are in what is said of the position."""
    board = "Foundations: H-K C-K D-K S-T\nWaste: JS QS\nStock:\nKS\n"
    table = player((390, 844), deal={"game": "klondike", "board": board})
    assert "5 moves, proven shortest" in table.verdict("proven shortest")
    home = Place("foundation", 1)
    made = [Step(WASTE, STOCK, 2), Step(STOCK, WASTE), Step(WASTE, home), Step(STOCK, WASTE)]
    for number, step in enumerate([*made, Step(WASTE, home), Step(COLUMN, home)], start=1):
        table.click(step)
        table.at(number)
    assert "Won in 5 moves" in table.page.inner_text("#now")
    assert table.ask("document.documentElement.scrollWidth") == 390
    numbers = table.page.locator("#list .number").all_inner_texts()
    assert numbers == ["0", "", "1", "2", "3", "4", "5"]


@pytest.mark.slow
def test_a_double_click_sends_a_card_home(player: Player) -> None:
    table = player()
    ace = Step(Place("column", 4), Place("foundation", 0))
    table.page.mouse.dblclick(*table.where(ace.source, 1))
    table.at(1)
    assert "home" in table.page.inner_text("#now")


@pytest.mark.slow
def test_arrow_keys_take_and_put_down(player: Player) -> None:
    table = player()
    table.page.locator("#table").focus()
    press = table.page.keyboard.press
    press("ArrowRight")  # the first column
    assert "Column 1" in table.page.inner_text("#now")
    press("Enter")
    assert table.page.locator(".chosen").count() == 1
    for _ in range(8):
        press("ArrowLeft")
    assert "Freecell a" in table.page.inner_text("#now")
    press("Enter")
    table.at(1)
    press("Escape")
    assert table.page.locator(".chosen, .frame").count() == 0


@pytest.mark.slow
def test_runs_move_at_once(player: Player) -> None:
    """A run of several cards is taken by its deepest card, as far as there is room."""
    board = "Foundations: H-T C-T D-T S-9\nKS QH JS\nKD\n:KH QS JD TS\n: QD JC\nJH KC QC\n"
    table = player(deal={"board": board})
    table.drag(Step(Place("column", 2), Place("column", 1), 3))
    table.at(1)
    assert "3" in table.address_at().partition("moves=")[2]


@pytest.mark.slow
def test_branches_are_kept(player: Player) -> None:
    table = player(moves=steps()[:6])
    for made in (5, 4):
        table.page.keyboard.press("z")
        table.at(made)
    other = Step(Place("column", 0), Place("freecell", 3))
    table.click(other)
    table.at(5)
    assert len(table.listed()) == 8
    assert table.page.locator("#list > .branch").count() == 1
    table.page.locator("#list > li").nth(7).click()
    table.at(6)
    table.page.keyboard.press("z")
    table.page.keyboard.press("y")
    table.at(6)
    # All of it comes back after a reload, and by its address elsewhere.
    before, listed = table.address_at(), table.listed()
    assert "(" in before or "%28" in before
    table.page.reload()
    table.at(6)
    assert table.listed() == listed
    assert table.address_at() == before


@pytest.mark.slow
def test_the_list_is_walked_by_keys(player: Player) -> None:
    table = player(moves=steps()[:6])
    table.page.locator("#list").focus()
    table.page.keyboard.press("ArrowUp")
    table.at(5)
    table.page.keyboard.press("PageUp")
    table.at(0)
    chosen = table.ask("document.getElementById('list').getAttribute('aria-activedescendant')")
    assert table.page.locator('#list > [aria-selected="true"]').get_attribute("id") == chosen


def test_cells_that_cards_only_leave_are_a_reserve(player: Player) -> None:
    table = player(deal={"game": "king_albert", "deal": 24}, is_analysed=False)
    tree = table.page.locator("body").aria_snapshot()
    assert 'group "Reserve"' in tree and 'group "Reserve a"' in tree, tree
    assert "Freecell" not in tree, tree
