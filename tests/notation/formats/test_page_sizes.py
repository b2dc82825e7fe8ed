"""The page on screens from a phone to a wall: everything is on it, and nothing beside it."""

from __future__ import annotations

from itertools import cycle
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
  // What a table that scrolls holds, as if it were seen at once.
  const whole = (table) => {
    const { left, right, top, bottom } = table.getBoundingClientRect();
    return { left, top, right: right + table.scrollWidth - table.clientWidth,
      bottom: bottom + table.scrollHeight - table.clientHeight };
  };
  return {
    width: document.documentElement.clientWidth, scroll: document.documentElement.scrollWidth,
    cards: boxes(".card"), buttons: boxes("button"),
    words: boxes("h1, #facts, #now, #coming, #list"),
    corners: boxes(".card > .corner:first-child"), table: whole(document.getElementById("table")),
  };
}"""


def check(found: dict[str, Any]) -> None:
    """Check that the page need not be scrolled sideways, and that nothing is cut off."""
    assert found["scroll"] <= found["width"]
    for box in [*found["buttons"], *found["words"]]:
        assert box["left"] >= 0 and box["right"] <= found["width"] + 0.5, box
    table = found["table"]
    for card in found["cards"]:
        assert table["left"] <= card["left"] and card["right"] <= table["right"]
        assert table["top"] <= card["top"] and card["bottom"] <= table["bottom"]
    assert all(box["fits"] for box in [*found["cards"], *found["buttons"], *found["words"]])


@pytest.mark.parametrize(("game", "size"), few_fast(zip(GAMES, cycle(SIZES), strict=False), 2))
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


SHOWN = """() => {
  const box = (id) => {
    const { left, right, top, bottom } = document.getElementById(id).getBoundingClientRect();
    return { left, right, top, bottom };
  };
  const cards = [...document.querySelectorAll("#board .card")]
    .map((card) => card.getBoundingClientRect());
  return { play: box("play"), bar: box("bar"), table: box("table"), height: innerHeight,
    width: innerWidth, least: Math.min(...cards.map((card) => card.width)),
    lowest: Math.max(...cards.map((card) => card.bottom)),
    scrolls: document.getElementById("table").scrollWidth
      > document.getElementById("table").clientWidth };
}"""


@pytest.mark.parametrize("size", [(844, 390), (667, 375), (390, 844), (320, 568), (1280, 800)])
def test_the_controls_are_seen_and_cover_no_card(opened: Opener, size: tuple[int, int]) -> None:
    """Also on a phone that lies on its side: what plays the film is in sight, beside the cards."""
    page = opened(random_game(7, GAMES["freecell"], 1, 40), size=size, shortest=40)
    for key in ("Home", "End"):
        page.press(key)
        found = page.ask(SHOWN)
        play, bar, table = found["play"], found["bar"], found["table"]
        assert play["top"] >= 0 and play["bottom"] <= found["height"]
        assert play["left"] >= 0 and play["right"] <= found["width"]
        beside = bar["left"] >= table["right"] - 1
        assert beside or bar["top"] >= table["bottom"] - 1
        assert page.ask("scrollY") == 0


@pytest.mark.parametrize(
    "game", ["black_hole", pytest.param("all_in_a_row", marks=pytest.mark.slow)]
)
def test_cards_are_not_too_small_to_be_read(opened: Opener, game: str) -> None:
    """Seventeen columns do not fit a phone: its table scrolls, the page does not."""
    page = opened(random_game(7, GAMES[game], 1, 5), size=(390, 844))
    found = page.ask(SHOWN)
    assert found["least"] >= 24
    assert found["scrolls"] == (game == "black_hole")
    assert page.ask("document.documentElement.scrollWidth") == 390
    width = "document.getElementById('table').scrollLeft"
    page.ask("() => { document.getElementById('table').scrollLeft = 1000; }")
    assert (page.ask(width) > 0) == found["scrolls"]


@pytest.mark.parametrize("game", ["klondike", "yukon", "russian_solitaire"])
def test_long_columns_fit_a_laptop(opened: Opener, game: str) -> None:
    """All cards of a whole game are seen without scrolling at 1280x800."""
    page = opened(random_game(4, GAMES[game], 2, 60), size=(1280, 800))
    for _ in range(12):
        found = page.ask(SHOWN)
        assert found["lowest"] <= found["table"]["bottom"] <= found["bar"]["top"] + 1
        assert found["bar"]["bottom"] <= 800
        for _ in range(5):
            page.press("ArrowRight")
    assert page.ask("document.documentElement.scrollHeight") <= 800


def test_rules_are_folded(opened: Opener) -> None:
    page = opened(solved(5)).page
    assert not page.locator("#facts").is_visible()
    page.get_by_text("Rules").click()
    assert "8 columns" in page.locator("#facts").inner_text()


def test_the_whole_list_is_printed(opened: Opener) -> None:
    page = opened(solved(32))
    page.page.emulate_media(media="print")
    cut = (
        "(() => { const l = document.getElementById('list');"
        " return [l.scrollHeight - l.clientHeight, l.clientHeight]; })()"
    )
    hidden, height = page.ask(cut)
    assert hidden <= 0
    assert height > 2000
    assert not page.page.locator("#play").is_visible()
