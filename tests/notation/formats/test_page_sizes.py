"""The page on screens from a phone to a wall: everything is on it, and nothing beside it."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from helpers.browser import LARGE, PHONE, SIZES, Opener
from helpers.selection import few_fast
from helpers.solutions import random_game, solved

from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.formats.stops import stops

NAMES = [f"{width}" for width, _ in SIZES]

LAYOUT = """() => {
  const boxes = (query) => [...document.querySelectorAll(query)]
    .filter((one) => one.checkVisibility()).map((one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      return { left, right, top, bottom, fits: one.scrollWidth <= one.clientWidth + 1,
        text: one.textContent.trim() };
    });
  return {
    width: document.documentElement.clientWidth, scroll: document.documentElement.scrollWidth,
    cards: boxes(".card"), buttons: boxes("button"),
    words: boxes("h1, #facts, #now, #coming, #list"),
    corners: boxes(".card > .corner:first-child"), table: boxes("#table")[0],
  };
}"""


def check(found: dict[str, Any]) -> None:
    """Nothing has to be scrolled sideways, and no card or word is cut off."""
    assert found["scroll"] <= found["width"]
    for box in [*found["cards"], *found["buttons"], *found["words"]]:
        assert box["left"] >= 0 and box["right"] <= found["width"] + 0.5, box
    table = found["table"]
    for card in found["cards"]:
        assert table["left"] <= card["left"] and card["right"] <= table["right"]
        assert table["top"] <= card["top"] and card["bottom"] <= table["bottom"]
    assert all(box["fits"] for box in [*found["cards"], *found["buttons"], *found["words"]])


@pytest.mark.parametrize(("game", "size"), few_fast(product(GAMES, SIZES), 2))
def test_fits(opened: Opener, game: str, size: tuple[int, int]) -> None:
    page = opened(random_game(7, GAMES[game], 1, 25), size=size)
    check(page.ask(LAYOUT))
    page.press("End")
    check(page.ask(LAYOUT))


@pytest.mark.parametrize("size", few_fast([(size,) for size in SIZES], 1), ids=NAMES)
def test_a_long_solution_fits(opened: Opener, size: tuple[int, int]) -> None:
    solution = solved(32)
    page = opened(solution, size=size, shortest=148)
    for stop in stops(solution)[::12]:
        page.ask(f"() => {{ location.hash = '#move={stop.end}'; }}")
        page.page.wait_for_function(f"document.body.dataset.move === '{stop.end}'")
        check(page.ask(LAYOUT))


@pytest.mark.parametrize("size", few_fast(((size,) for size in SIZES), 1), ids=NAMES)
@pytest.mark.parametrize("game", ["freecell", "bakers_dozen"])
def test_cards_show_their_corners(opened: Opener, game: str, size: tuple[int, int]) -> None:
    """Rank and suit of a card that lies under others are seen whole."""
    page = opened(random_game(7, GAMES[game], 1, 0), size=size)
    covered = page.ask("""() => [...document.querySelectorAll(".column")].flatMap((column) => {
      const cards = [...column.querySelectorAll(".card")];
      return cards.slice(0, -1).map((card, index) => {
        const corner = card.querySelector(".corner").getBoundingClientRect();
        const box = card.getBoundingClientRect(), above = cards[index + 1].getBoundingClientRect();
        return [corner.right - box.right, corner.bottom - above.top, corner.height];
      });
    })""")
    assert len(covered) == 52 - GAMES[game].columns
    for right, below, height in covered:
        assert right <= 0
        # The line of text is a little higher than its letters.
        assert below <= 0.15 * height


@pytest.mark.parametrize("size", few_fast(((size,) for size in SIZES), 1), ids=NAMES)
def test_the_current_move_is_centred(opened: Opener, size: tuple[int, int]) -> None:
    page = opened(solved(5), "#move=40", size)
    middle, height, entry = page.ask("""() => {
      const list = document.getElementById("list").getBoundingClientRect();
      const chosen = document.querySelector('[aria-selected="true"]').getBoundingClientRect();
      return [(chosen.top + chosen.bottom) / 2 - (list.top + list.bottom) / 2, list.height,
        chosen.height];
    }""")
    assert abs(middle) <= entry
    assert height > 5 * entry


def test_what_comes_next_is_said(opened: Opener) -> None:
    page = opened(solved(18))
    coming = page.page.locator("#coming")
    assert coming.inner_text().startswith("Next:")
    said = coming.locator(".chip").first.get_attribute("aria-label")
    page.press("ArrowRight")
    assert page.page.locator("#now .chip").first.get_attribute("aria-label") == said
    page.press("End")
    assert coming.inner_text() == "Solved: all cards are home."
    # In the middle of a group, what comes next is the rest of it.
    page.at(f"#move={len(solved(18).steps) - 1}")
    assert coming.inner_text().startswith("Next:")


def test_a_large_screen_is_used(opened: Opener) -> None:
    """Cards and letters grow with the screen, and all is seen at once."""
    small, large = (opened(solved(5), size=size) for size in (PHONE, LARGE))
    width = "document.querySelector('.card').getBoundingClientRect().width"
    assert large.ask(width) > 5 * small.ask(width)
    letters = "parseFloat(getComputedStyle(document.body).fontSize)"
    assert large.ask(letters) > 1.5 * small.ask(letters)
    assert large.ask("document.documentElement.scrollHeight <= innerHeight")


@pytest.mark.parametrize("scale", few_fast([2, 1.5], 1))
def test_larger_letters_fit(opened: Opener, scale: float) -> None:
    """A reader who has the browser show larger letters gets them, on a phone, too."""
    page = opened(solved(5), "#move=30", PHONE)
    page.ask(f"() => {{ document.documentElement.style.fontSize = '{100 * scale}%'; }}")
    check(page.ask(LAYOUT))
