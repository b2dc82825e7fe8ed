"""The page to play on for people who do not see it, do not use a mouse, or have a small screen."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from helpers.played import Player
from helpers.selection import few_fast
from helpers.solutions import solved

from dbmsolver.game.shipped import GAMES

pytestmark = pytest.mark.slow

LATE = 52
SIZES = [(1280, 800), (390, 844), (844, 390), (320, 568), (1000, 640), (768, 1024)]

FITS = """() => {
  const box = (id) => document.getElementById(id).getBoundingClientRect().toJSON();
  const cut = [...document.querySelectorAll("button, #now, #worth, h1")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .map((one) => one.outerHTML.slice(0, 80));
  return { play: box("play"), hint: box("advice"), bar: box("bar"), table: box("table"), cut,
    wide: document.documentElement.scrollWidth, least: Math.min(
      ...[...document.querySelectorAll("#board .card")].map((card) => card.offsetWidth)) };
}"""


def violations(player: Player, **options: Any) -> list[tuple[str, str]]:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    table = player(moves=list(solved(3).steps)[:LATE], **options)
    table.known()
    found = []
    for opened in (False, True):
        if opened:
            table.page.get_by_role("button", name="New deal").click()
        else:
            table.page.locator("#keys summary").click()
            table.page.get_by_text("Rules").click()
        response = axe.Axe().run(table.page).response
        found += [(rule["id"], rule["help"]) for rule in response["violations"]]
        assert len(response["passes"]) > 15
    return found


@pytest.mark.parametrize(
    ("scheme", "size"), few_fast(zip(cycle(("light", "dark")), SIZES, strict=False), 3)
)
def test_axe_finds_nothing(player: Player, scheme: str, size: tuple[int, int]) -> None:
    assert violations(player, size=size, color_scheme=scheme, bypass_csp=True) == []


def test_names(player: Player) -> None:
    table = player(moves=list(solved(3).steps)[:LATE])
    table.known()
    tree = table.page.locator("body").aria_snapshot()
    for line in (
        'heading "Deal 3" [level=1]',
        'region "Board"',
        'group "Foundation of clubs"',
        'button "Undo"',
        'button "Redo" [disabled]',
        'button "Hint"',
        'button "Show solution"',
        'listbox "Moves"',
        'button "New deal"',
        'checkbox "Analyse" [checked]',
    ):
        assert line in tree, tree
    assert ": wins in 21" in tree


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", ["freecell", "klondike", "black_hole", "flower_garden"])
def test_fits(player: Player, game: str, size: tuple[int, int]) -> None:
    """All that is needed to play is in sight, and covers no card."""
    table = player(size, deal={"game": game, "deal": 3})
    found = table.ask(FITS)
    assert found["wide"] <= size[0]
    assert found["cut"] == []
    assert found["play"]["right"] <= found["bar"]["right"] <= size[0]
    for name in ("play", "hint"):
        assert found[name]["top"] >= 0 and found[name]["bottom"] <= size[1]
    bar, board = found["bar"], found["table"]
    assert bar["top"] >= board["bottom"] - 1 or bar["left"] >= board["right"] - 1
    assert found["least"] >= 24
    assert game in GAMES


def test_every_control_is_reached_by_the_tab_key(player: Player) -> None:
    table = player(moves=list(solved(3).steps)[:LATE])
    table.known()
    seen: list[str] = []
    for _ in range(60):
        table.page.keyboard.press("Tab")
        seen.append(table.ask("document.activeElement.id || document.activeElement.className"))
    for name in ("new", "about", "table", "undo", "redo", "advice", "play", "list", "choice"):
        assert name in seen, seen
    for name in ("analyse", "speed", "copy-moves", "copy-board", "copy-link"):
        assert name in seen, seen
