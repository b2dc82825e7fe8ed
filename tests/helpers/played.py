"""The page to play on in a real browser, and the hands of a player."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from dbmsolver.game.moves import Place
from dbmsolver.notation.steps import Step
from dbmsolver.play.codes import code_of
from helpers.pages import Pages, Watched

KEYS = {"stock": "s", "waste": "w", "reserve": "v", "pile": "h", "foundation": "h"}
CELLS = "abcdefgijklmnopq"
ANALYSED = 300_000
"""Milliseconds to wait for an analysis: without kernels it compiles for a minute or longer."""

PLACE = """(place) => {
  const all = (query) => [...document.querySelectorAll(query)];
  const columns = all("#columns > .column");
  const held = columns.filter((one) => one.getAttribute("aria-label").startsWith("Reserve"));
  const upper = all("#cells > .slot");
  const found = { column: columns[held.length + place.index], reserve: held[0],
    freecell: upper[place.index], foundation: all("#homes > .slot")[place.home], stock: upper[0],
    waste: upper.at(-1), pile: upper.at(-1) }[place.kind];
  const cards = [...found.querySelectorAll(":scope > .card")];
  const made = place.count ? cards[cards.length - place.count] || found : cards.at(-1) || found;
  made.scrollIntoView({ block: "nearest", inline: "nearest" });
  const box = made.getBoundingClientRect();
  return [box.left + Math.min(box.width / 2, 14), box.top + 7];
}"""
"""The point at which the card is that is the first of so many in a place, or its last one."""


class Table(Watched):
    """One page; it asks for nothing but what its server has."""

    def __init__(self, pages: Pages, address: str, size: tuple[int, int], **options: Any) -> None:
        super().__init__(pages, size, **options)
        self.address = address

    def may_ask(self, url: str) -> bool:
        """Return True for what the server has, and for what the page has made itself."""
        return url.startswith((self.address, "blob:"))

    def at(self, made: int) -> None:
        """Wait until so many moves are made."""
        self.wait(f'body[data-move="{made}"]')

    def wait(self, query: str, text: str = "", milliseconds: float | None = None) -> None:
        """Wait until there is an element that has some text.

        Functions that wait are not let in by the page's policy.
        """
        found = self.page.locator(query, has_text=text).first
        found.wait_for(state="attached", timeout=milliseconds)

    def where(self, place: Place, count: int = 0) -> tuple[float, float]:
        """Return the point at which a card of a place is, or the place itself."""
        given = {"kind": place.kind, "index": place.index, "count": count}
        given["home"] = [0, 3, 2, 1][place.index % 4]  # hearts, clubs, diamonds, spades
        x, y = self.ask(PLACE, given)
        return x, y

    def drag(self, step: Step) -> None:
        """Make a move with the mouse held down."""
        if step.source.kind == "stock" or step.destination.kind == "stock":
            self.page.mouse.click(*self.where(Place("stock", 0)))
            return
        start, end = self.where(step.source, step.count), self.where(step.destination)
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        self.page.mouse.move(*end)
        self.page.mouse.up()

    def click(self, step: Step) -> None:
        """Make a move with a click here and one there."""
        if step.source.kind == "stock" or step.destination.kind == "stock":
            self.page.mouse.click(*self.where(Place("stock", 0)))
            return
        self.page.mouse.click(*self.where(step.source, step.count))
        if step.destination.kind != "pile":
            self.page.mouse.click(*self.where(step.destination))

    def tap(self, step: Step) -> None:
        """Make a move with a finger here and one there."""
        self.page.touchscreen.tap(*self.where(step.source, step.count))
        self.page.touchscreen.tap(*self.where(step.destination))

    def type(self, step: Step) -> None:
        """Make a move by the names of its places."""
        for place in (step.source, step.destination):
            if place.kind == "column":
                self.page.keyboard.press(str((place.index + 1) % 10))
            elif place.kind == "freecell":
                self.page.keyboard.press(CELLS[place.index])
            else:
                self.page.keyboard.press(KEYS[place.kind])

    def address_at(self) -> str:
        """Return the place in the page's address."""
        return str(self.ask("location.hash"))

    def listed(self) -> list[str]:
        """Return the entries of the list of moves."""
        return [str(text) for text in self.page.locator("#list > li").all_inner_texts()]

    def verdict(self, text: str) -> str:
        """Wait until the verdict says something; all that it says."""
        self.wait("#verdict", text, ANALYSED)
        return str(self.page.inner_text("#verdict"))

    def known(self) -> None:
        """Wait until nothing is left to find out."""
        self.wait("#verdict:not(:empty) ~ #state:empty", milliseconds=ANALYSED)


class Player:
    """Opens pages of a server."""

    def __init__(self, pages: Pages, address: str) -> None:
        self.pages = pages
        self.address = address
        self.tables: list[Table] = []

    def __call__(
        self,
        size: tuple[int, int] = (1280, 800),
        moves: list[Step] | None = None,
        at: int | None = None,
        deal: dict[str, Any] | None = None,
        is_analysed: bool = True,
        **options: Any,
    ) -> Table:
        """Open a page with a game; options are those of a browser's context.

        What is not analysed leaves both processors to the page.
        """
        options = {"reduced_motion": "reduce"} | options
        table = Table(self.pages, self.address, size, **options)
        self.tables.append(table)
        asked = {"game": "freecell"} | (deal or {"deal": 3})
        if moves:
            asked |= {"moves": "".join(map(code_of, moves)), "at": len(moves) if at is None else at}
        table.page.goto(f"{self.address}#{urlencode(asked)}")
        if not is_analysed:
            table.page.get_by_label("Analyse").uncheck()
        table.at(asked.get("at", 0))
        return table

    def close(self) -> None:
        """Close all, and complain about what went wrong in them."""
        for table in self.tables:
            table.close()
        errors = [error for table in self.tables for error in table.errors]
        assert not errors, errors
