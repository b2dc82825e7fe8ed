"""The page to play on in a real browser: what it says of positions, and what can be taken along."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.played import ANALYSED, Player
from helpers.playing import PLAYED
from helpers.solutions import solved

from dbmsolver import prove
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats import FORMATS
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step
from dbmsolver.play.codes import codes_of, read_line
from dbmsolver.play.table import options_of

LATE = 52
"""The moves of deal 3 after which the rest is soon known."""


def steps(number: int = 3) -> list[Step]:
    return list(solved(number).steps)


def test_nothing_can_be_asked_before_a_game_is_there(player: Player) -> None:
    """The server may take a moment to open it; what goes wrong in a page is told at its end."""
    table = player(is_analysed=False)
    held: list[Any] = []
    table.page.route("**/open", lambda route: held.append(route))
    table.page.reload()
    table.page.wait_for_function("document.readyState === 'complete'")
    controls = ("#undo", "#redo", "#advice", "#play", "#longer", "#save button")
    for control in (*controls, "#copy-moves", "#copy-board", "#copy-link", "#analyse"):
        table.ask(f"document.querySelector('{control}').click()")
    for key in ("z", "y", "?", "x", "1", "Enter", "ArrowDown"):
        table.page.keyboard.press(key)
    assert table.page.inner_text("#copied") == table.page.inner_text("#now") == ""
    (opening,) = held
    opening.continue_()
    table.at(0)
    table.page.unroute("**/open")  # the page may be another test's, too


@pytest.mark.slow
def test_hint_and_solution(player: Player) -> None:
    made = steps()[:LATE]
    left = len(steps()) - LATE
    table = player(moves=made)
    said = table.verdict("proven shortest")
    assert said == f"Can be won (solution in hand): {left} card moves, proven shortest"
    table.known()
    first = table.page.locator("#choices button").first
    assert f"wins in {left}" in first.inner_text()
    table.page.get_by_role("button", name="Hint").click()
    assert table.page.inner_text("#now").startswith("Hint: ")
    assert f"wins in {left}" in table.page.inner_text("#now")
    assert table.page.locator('#board [data-worth="best"]').count() >= 1
    first.click()
    table.at(LATE + 1)
    table.verdict("proven shortest")
    table.page.get_by_role("button", name="Show solution").click()
    table.verdict("Solved.")
    moves = read_line(table.address_at().partition("moves=")[2])
    assert Solution(GAMES["freecell"], solved(3).initial, tuple(moves), solved(3).initial).reached()
    assert sum(step.count for step in moves) >= len(moves)


@pytest.mark.slow
def test_the_film_can_be_paused(player: Player) -> None:
    table = player(moves=steps()[:LATE])
    table.verdict("proven shortest")
    table.page.get_by_role("button", name="Show solution").click()
    table.page.get_by_role("button", name="Pause").click()
    made = int(table.ask("document.body.dataset.move"))
    assert made < len(steps())
    assert table.page.get_by_role("button", name="Show solution").is_visible()


@pytest.mark.slow
def test_the_mistake_is_marked(player: Player) -> None:
    rules = GAMES["golf"]
    deal = Deal.from_number(4, rules)
    positions, made = [deal.position], []
    while options := options_of(positions[-1], rules):
        made.append(Step.of(options[-1].move))
        positions.append(options[-1].after)
    verdicts = [prove(Deal(position, rules)).verdict for position in positions]
    lost = verdicts.index("unsolvable")
    table = player(moves=made[:-1], deal={"game": "golf", "deal": 4})
    table.verdict(f"Lost (proven). It was lost by move {lost}.")  # a range of moves before
    marked = table.page.locator("#list > .mistake")
    assert marked.count() == 1
    assert "loses the game" in (marked.get_attribute("aria-label") or "")
    assert marked.inner_text().startswith(f"{lost}\n")
    table.page.get_by_role("button", name="Hint").click()
    assert "No move wins" in table.page.inner_text("#now")


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_a_solution_is_saved_in_every_format(player: Player, name: str, tmp_path: Path) -> None:
    table = player(moves=steps()[:LATE], accept_downloads=True)
    table.verdict("proven shortest")
    with table.page.expect_download() as download:
        table.page.locator(f'#save [data-format="{name}"]').click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.name == f"freecell-3{FORMATS[name]}"
    read = formats.read(path)
    read.check()
    assert (read.initial, read.final) == (solved(3).initial, solved(3).final)


@pytest.mark.slow
def test_what_is_copied(player: Player) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    table = player(moves=steps()[:10], permissions=permissions)
    table.page.locator("#with-solution").uncheck()
    for name in ("Moves", "Board", "Link"):
        table.page.get_by_role("button", name=name, exact=True).click()
        table.page.get_by_text(f"{name} copied.").wait_for()
        text = table.ask("navigator.clipboard.readText()")
        if name == "Moves":
            assert len(formats.read(formats.Source(text)).single().steps) == 10
        elif name == "Board":
            after = Solution(
                GAMES["freecell"], solved(3).initial, tuple(steps()[:10]), solved(3).initial
            ).reached()
            assert parse_board(text, GAMES["freecell"]) == after
        else:
            assert text == table.page.url
    table.page.goto("about:blank")
    table.page.goto(text)
    table.at(10)


@pytest.mark.slow
def test_new_deals(player: Player) -> None:
    table = player()
    dialog = table.page.get_by_role("dialog")

    def begin() -> None:
        table.page.get_by_role("button", name="New deal").click()
        dialog.wait_for()

    begin()
    table.page.get_by_label("Number").fill("11982")
    table.page.keyboard.press("Enter")
    dialog.wait_for(state="hidden")
    assert table.page.inner_text("h1") == "Deal 11982"
    assert "The deal itself cannot be won." in table.verdict("Lost")
    begin()
    table.page.get_by_label("Number").fill("99999999999999")
    dialog.get_by_role("button", name="Deal", exact=True).click()
    dialog.get_by_text("no such number").wait_for()
    table.errors.clear()  # the browser reports what the server has refused
    board = format_board(Deal.from_number(9, GAMES["yukon"]).position)
    table.page.get_by_label("Game").select_option("yukon")
    table.page.get_by_label("A board or a solution").fill(board)
    dialog.get_by_role("button", name="Use this text").click()
    dialog.wait_for(state="hidden")
    assert "yukon" in table.page.inner_text("h1")
    assert table.page.locator(".card.down").count() == 21
    begin()
    table.page.get_by_label("Game").select_option("freecell")
    table.page.get_by_label("A board or a solution").fill(formats.write(solved(18), "sfn"))
    dialog.get_by_role("button", name="Use this text").click()
    dialog.wait_for(state="hidden")
    assert table.page.inner_text("h1") == "Deal 18"
    assert len(table.listed()) > 30
    for kind in ("Random", "Can be won", "Hard"):
        begin()
        title = table.page.inner_text("h1")
        dialog.get_by_role("button", name=kind).click()
        dialog.wait_for(state="hidden")
        assert table.page.inner_text("h1") != title
    begin()
    table.page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")


@pytest.mark.slow
def test_a_hard_deal_is_left(player: Player) -> None:
    """Its search is ended: another deal is analysed at once."""
    rules = {"name": "freecell", "columns": 8, "freecells": 2, "build": "alternate", "fill": "any"}
    fields = rules | {"dealt_to_freecells": 0, "kings_sunk": False, "layout": ""}
    table = player(deal={"game": json.dumps(fields), "deal": 384243})
    table.wait("#state", "searching", milliseconds=ANALYSED)
    for number in (3, 18, 5):
        moves = codes_of(steps(number)[:-8])
        table.ask(
            "(hash) => { location.hash = hash; }",
            f"game=freecell&deal={number}&at={len(steps(number)) - 8}&moves={moves}",
        )
        table.verdict("8 card moves, proven shortest")


def test_a_button_that_is_pressed_stays_until_it_is_let_go(player: Player) -> None:
    """The list is drawn anew after the click, not before, if more is learnt of the moves."""
    table = player(moves=steps()[:LATE])
    table.known()
    button = table.page.locator("#choices button").first
    button.scroll_into_view_if_needed()
    box = button.bounding_box()
    assert box is not None
    table.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    table.page.mouse.down()
    table.ask("document.querySelector('#analyse').click()")
    table.page.mouse.up()
    table.at(LATE + 1)


@pytest.mark.slow
def test_every_game(player: Player) -> None:
    """Each is shown as it is dealt, and its first legal move can be played."""
    table = player(is_analysed=False)
    for game, rules in PLAYED.items():
        deal = Deal.from_number(5, rules)
        table.ask("(hash) => { location.hash = hash; }", f"game={game}&deal=5")
        table.wait(f'body[data-move="0"][data-game="{game}"]')
        shown = table.ask("document.querySelectorAll('#board .card').length")
        assert shown == 52, game
        table.page.locator("#choices button").first.click()
        table.at(1)
        assert options_of(deal.position, rules)


@pytest.mark.slow
def test_an_address_of_no_game_says_so(player: Player) -> None:
    table = player()
    table.ask("() => { location.hash = 'game=nothing&deal=3'; }")
    table.page.get_by_text("The address is of no game").wait_for()
    assert table.page.inner_text("h1") == "Deal 3"
    table.errors.clear()  # the browser reports what the server has refused


@pytest.mark.slow
def test_the_way_from_a_replay(player: Player, tmp_path: Path) -> None:
    """The link of a replay page leads to the same move of the same game."""
    table = player()
    page = table.page
    path = tmp_path / "replay.html"
    path.write_text(formats.write(solved(3), "html"), encoding="utf-8")
    table.errors.clear()
    page.goto(f"{path.as_uri()}#move=20")
    link = page.get_by_role("link", name="Play on from here").get_attribute("href")
    assert link.startswith("http://127.0.0.1:5252/#game=freecell&deal=3&at=20&moves=")
    origin = table.address[: table.address.index("/", 8)]
    page.goto(link.replace("http://127.0.0.1:5252", origin))
    page.wait_for_url(f"{table.address}#*")
    table.at(20)
    assert len(table.listed()) == 74
    table.errors.clear()  # requests for the replay and for the door were counted


@pytest.mark.slow
def test_without_analysis(player: Player) -> None:
    table = player(moves=steps()[:LATE])
    table.verdict("proven shortest")
    table.page.get_by_label("Analyse").uncheck()
    assert table.page.inner_text("#state") == "Not analysed."
    assert table.page.locator("#board [data-worth]").count() == 0
    table.page.keyboard.press("z")
    table.at(LATE - 1)
    assert table.page.inner_text("#verdict") == ""
    table.page.get_by_label("Analyse").check()
    table.verdict("proven shortest")
