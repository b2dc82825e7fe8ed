"""The page for people who do not see it, do not see colours, or do not use a mouse."""

from __future__ import annotations

import re
from itertools import cycle
from typing import Any

import pytest
from helpers.browser import SIZES, Opener
from helpers.selection import few_fast
from helpers.solutions import random_game, solved

from dbmsolver.game.shipped import GAMES

SCHEMES = ("light", "dark")

CONTRAST = """() => {
  const numbers = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const luminance = (rgb) => rgb.slice(0, 3).map((value) => value / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
      if (colour[3] !== 0) throw new Error("half transparent");
    }
    return [255, 255, 255];
  };
  const over = (front, share, back) =>
    front.map((value, i) => share * value + (1 - share) * back[i]);
  const found = [];
  for (const one of document.querySelectorAll("body *")) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const shape = one.matches("svg.pip");
    if (!(own || shape) || !one.checkVisibility() || one.closest("script, .unseen")) continue;
    let share = 1;
    for (let at = one; at; at = at.parentElement) share *= getComputedStyle(at).opacity;
    const back = behind(one), colour = numbers(getComputedStyle(one).color).slice(0, 3);
    const [a, b] = [luminance(over(colour, share, back)), luminance(back)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    found.push([ratio, one.outerHTML.slice(0, 80)]);
  }
  return found;
}"""
"""The contrast of every text and of every suit with what it stands on."""


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    "move", [0, pytest.param(60, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.slow)]
)
def test_contrast(opened: Opener, scheme: str, move: int) -> None:
    found = opened(solved(32), f"#move={move}", shortest=148, color_scheme=scheme).ask(CONTRAST)
    assert len(found) > 200
    assert [row for row in found if row[0] < 4.5] == []


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "size"), few_fast(zip(cycle(SCHEMES), SIZES, strict=False), 1))
def test_axe_finds_nothing(opened: Opener, scheme: str, size: tuple[int, int]) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    for solution in (solved(32), random_game(7, GAMES["bakers_dozen"], 1, 15)):
        page = opened(solution, "#move=9", size, color_scheme=scheme)
        found = axe.Axe().run(page.page).response
        assert [(rule["id"], rule["help"]) for rule in found["violations"]] == []
        assert len(found["passes"]) > 20


def test_names(opened: Opener) -> None:
    page = opened(solved(3), "#move=40").page
    tree = page.locator("body").aria_snapshot()
    for line in (
        'heading "Deal 3" [level=1]',
        'region "Board"',
        'group "Freecell c, empty"',
        'group "Foundation of clubs"',
        'group "Column 2, 1 card"',
        'img "10 of diamonds"',
        'slider "Move"',
        'slider "Speed"',
        'listbox "Moves"',
        'option "41: 10 of clubs from column 1 home"',
        'button "Play"',
    ):
        assert line in tree, tree
    # Of a foundation only the card on top is there to be read.
    clubs = page.get_by_role("group", name="Foundation of clubs")
    assert len(re.findall(r"- img", clubs.aria_snapshot())) == 1


def test_what_happens_is_said_unless_it_is_a_film(opened: Opener) -> None:
    page = opened(solved(18)).page
    now = page.get_by_role("status").first
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "from column" in now.inner_text()
    assert now.get_attribute("aria-live") == "polite"
    page.get_by_role("button", name="Play").click()
    assert now.get_attribute("aria-live") == "off"
    page.get_by_role("button", name="Pause").click()
    assert now.get_attribute("aria-live") == "polite"


def test_order_of_the_tab_key(opened: Opener) -> None:
    """The list of moves is one stop; what is switched off can still be reached, and found so."""
    page = opened(solved(5), "#move=90").page
    seen: list[Any] = []
    while True:
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.id")
        if not name or name in seen:
            break
        seen.append(name)
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid", name
    controls = ["first", "back", "play", "next", "last", "slider"]
    copies = ["copy-sfn", "copy-json", "copy-board", "copy-link"]
    first = ["about", "table"]
    assert seen == [*first, *controls, "list", "speed", *copies, "play-on"]
    assert page.get_by_role("button", name="Next").get_attribute("aria-disabled") == "true"


def test_the_list_says_what_is_chosen(opened: Opener) -> None:
    page = opened(solved(18)).page
    page.get_by_role("listbox").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    chosen = page.evaluate("document.getElementById('list').getAttribute('aria-activedescendant')")
    assert page.locator('[aria-selected="true"]').get_attribute("id") == chosen == "stop-3"
    assert page.evaluate("document.activeElement.id") == "list"


def test_red_and_black_differ_in_more_than_colour(opened: Opener) -> None:
    """Suits of the one kind are outlines, those of the other are filled; all shapes differ."""
    found = opened(solved(5)).ask("""() => Object.fromEntries(["H", "D", "C", "S"].map((suit) => {
      const pip = document.querySelector(`.card[data-card="2${suit}"] .centre`);
      const style = getComputedStyle(pip);
      return [suit, [style.fill, style.stroke, pip.querySelector("path").getAttribute("d")]];
    }))""")
    for suit, (inside, line, _) in found.items():
        assert (inside == "none") == (suit in "HD")
        assert (line == "none") == (suit in "CS")
    assert len({shape for _, _, shape in found.values()}) == 4


def test_says_so_without_scripts(opened: Opener) -> None:
    page = opened(solved(5), java_script_enabled=False)
    assert "needs JavaScript" in page.page.locator("noscript").inner_text()


def test_names_of_a_reserve(opened: Opener) -> None:
    page = opened(random_game(7, GAMES["king_albert"], 1, 15)).page
    tree = page.locator("body").aria_snapshot()
    assert 'group "Reserve"' in tree and 'group "Reserve a' in tree, tree
    assert "reecell" not in tree, tree
