"""A real browser for tests of pages: headless Chromium, driven by Playwright, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dbmsolver.game.boards import parse_board
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.notation import formats
from dbmsolver.notation.solution import Solution
from helpers.pages import Pages, Watched

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("no chromium on the path (Debian package chromium)", allow_module_level=True)
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

PHONE, TABLET, LARGE = (320, 640), (768, 1024), (3840, 2160)
SIZES = (PHONE, TABLET, LARGE)

BOARD = """() => {
  const cards = (place) => [...place.querySelectorAll(".card")].map((card) => card.dataset.card);
  const faces = (place) => [...place.querySelectorAll(".card")].map((card) =>
    card.classList.contains("down") ? `<${card.dataset.card}>` : card.dataset.card);
  const all = (query) => [...document.querySelectorAll(query)];
  const homes = all("#homes > .slot").flatMap((place) => cards(place).slice(-1));
  const upper = all("#cells > .slot");
  const named = document.getElementById("cells").getAttribute("aria-label");
  const piled = !["Freecells", "Reserve"].includes(named);
  const above = named === "Stock" ? [`Stock: ${upper.flatMap(cards).reverse().join(" ")}`]
    : piled ? [
    `Pile: ${cards(upper.at(-1)).join(" ") || "-"}`,
    ...upper.slice(0, -1).map((place) => `Stock: ${cards(place).reverse().join(" ")}`),
  ] : [`${named}: ${upper.map((place) => cards(place)[0] || "-").join(" ")}`];
  const columns = all("#columns > .column");
  const held = columns.filter((place) => place.getAttribute("aria-label").startsWith("Reserve"));
  const first = JSON.parse(document.getElementById("solution").textContent)
    .solution.initial_position;
  if (first.removed) {
    const held = [`Removed: ${cards(upper.at(-1)).join(" ")}`];
    if (upper.length > 1) {
      held.push(`Stock: ${cards(upper[0]).reverse().join(" ")}`);
      held.push(`Waste: ${cards(upper[1]).join(" ")}`);
    }
    const rows = columns.map((_, row) => columns.slice(0, row + 1)
      .map((place, index) => cards(place)[row - index] || "--").join(" "));
    return [...held, ...rows.filter((row) => /\\w/.test(row))].join("\\n");
  }
  const ranks = [first.base, first.lowest].map((rank) => "0A23456789TJQK"[rank]);
  return [
    ...(first.base ? [`Base: ${ranks.join(" ")}`] : []),
    ...held.map((place) => `Reserve: ${cards(place).join(" ")}`),
    `Foundations: ${homes.map((card) => `${card[1]}-${card[0]}`).join(" ") || "-"}`,
    ...above,
    ...columns.slice(held.length).map((place) => `: ${faces(place).join(" ")}`),
  ].join("\\n");
}"""
"""The board that is seen, read from its cards."""

WALK = """([key, count]) => {
  const board = %s, found = [];
  for (let i = 0; i < count; i++) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    found.push([document.body.dataset.move, board()]);
  }
  return found;
}"""
"""The moves and boards after each time that a key is pressed."""


@contextmanager
def chromium() -> Iterator[Pages]:
    """Yield the pages of a browser."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-extensions",
                # One process draws all pages: starting one for each takes a third of a test.
                "--renderer-process-limit=1",
                "--disable-site-isolation-trials",
            ],
        )
        yield Pages(browser)
        browser.close()


class Shown(Watched):
    """A page of a solution; it asks for nothing but itself."""

    def __init__(
        self, pages: Pages, path: Path, rules: Rules, size: tuple[int, int], **options: Any
    ) -> None:
        super().__init__(pages, size, **options)
        self.path = path
        self.rules = rules

    def may_ask(self, url: str) -> bool:
        """Return True for the page's own address."""
        return url.partition("#")[0] == self.path.as_uri()

    def at(self, place: str = "") -> Shown:
        """Open the page at a place in it."""
        self.page.goto("about:blank")
        self.page.goto(self.path.as_uri() + place)
        return self

    def board(self) -> Position:
        """Return the position that is seen."""
        return parse_board(self.page.evaluate(BOARD), self.rules)

    def move(self) -> int:
        """Return the number of moves made, as the page says it."""
        return int(self.page.evaluate("document.body.dataset.move"))

    def address(self) -> str:
        """Return the place in the page's address.

        It is asked in the page, as the driver learns of it later.
        """
        return str(self.page.evaluate("location.hash"))

    def press(self, *keys: str) -> None:
        """Press keys."""
        for key in keys:
            self.page.keyboard.press(key)

    def walk(self, key: str, count: int) -> list[tuple[int, Position]]:
        """Press a key, and return the number of moves and the position after each time."""
        found = self.page.evaluate(WALK % BOARD, [key, count])
        return [(int(move), parse_board(board, self.rules)) for move, board in found]

    def click(self, name: str) -> None:
        """Click on the button of that name."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def stop_time(self) -> Any:
        """Open the page again with a clock that stands still; returns the clock."""
        self.has_own_clock = True
        clock = self.page.clock
        clock.install(time=0)
        self.at()
        clock.pause_at(3_600)
        return clock


class Opener:
    """Opens pages of solutions."""

    def __init__(self, pages: Pages, folder: Path) -> None:
        self.pages = pages
        self.folder = folder
        self.shown: list[Shown] = []

    def __call__(
        self,
        solution: Solution,
        place: str = "",
        size: tuple[int, int] = (1100, 760),
        shortest: int | None = None,
        **options: Any,
    ) -> Shown:
        """Open the page of a solution; options are those of a browser's context."""
        path = self.folder / f"page {len(self.shown)}.html"
        path.write_text(formats.write(solution, "html", shortest=shortest), encoding="utf-8")
        shown = Shown(self.pages, path, solution.rules, size, **options)
        self.shown.append(shown)
        return shown.at(place)

    def close(self) -> None:
        """Close all, and complain about what went wrong in them."""
        for shown in self.shown:
            shown.close()
        assert [error for shown in self.shown for error in shown.errors] == []


def positions_of(solution: Solution) -> list[Position]:
    """Return the positions of a solution, from its start to its end."""
    return [*(before for _, before, _ in solution.replay()), solution.final]
