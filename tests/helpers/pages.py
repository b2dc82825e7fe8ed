"""Pages of the browser, used by one test after the other, and what they report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

SHARED = {"color_scheme", "reduced_motion"}
"""Options of pages that other tests may use: these change nothing but how a page is drawn."""


class Pages:
    """The pages of a browser, kept to be used again.

    To open a page takes longer than most tests do, so a test gets one that an earlier test has
    finished with, if there is one.
    """

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self._idle: dict[frozenset[tuple[str, Any]], list[Any]] = defaultdict(list)

    def take(self, size: tuple[int, int], **options: Any) -> Any:
        """Return an empty page with a window of this size, one that was put back if there is one.

        The options are those of a browser's context.
        """
        viewport = {"width": size[0], "height": size[1]}
        if idle := self._idle_with(options):
            page = idle.pop()
            page.set_viewport_size(viewport)
            return page
        context = self.browser.new_context(viewport=viewport, **options)
        context.set_default_timeout(30_000)
        return context.new_page()

    def put_back(self, page: Any, **options: Any) -> None:
        """Empty a page and keep it for another test, or close it if no other test can use it.

        The options are those that it was taken with.
        """
        idle = self._idle_with(options)
        if idle is None:
            page.context.close()
            return
        if page.url != "about:blank":
            page.evaluate("localStorage.clear()")
        page.goto("about:blank")
        page.emulate_media(media="null")
        page.mouse.move(0, 0)
        page.context.clear_cookies()
        idle.append(page)

    def _idle_with(self, options: dict[str, Any]) -> list[Any] | None:
        """Return the pages with these options that wait for a test; None if none is used again."""
        return self._idle[frozenset(options.items())] if options.keys() <= SHARED else None


class Watched:
    """A page that is watched: it keeps what errors there are, and requests that are not allowed."""

    def __init__(self, pages: Pages, size: tuple[int, int], **options: Any) -> None:
        self.pages = pages
        self.options = options
        self.has_own_clock = False
        self.page = pages.take(size, **options)
        self.errors: list[str] = []
        self._heard: dict[str, Callable[[Any], None]] = {
            "pageerror": lambda error: self.errors.append(str(error)),
            "console": self._told,
            "request": self._requested,
        }
        for event, listener in self._heard.items():
            self.page.on(event, listener)

    def may_ask(self, url: str) -> bool:
        """Return True if the page may request an address."""
        raise NotImplementedError

    def _told(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _requested(self, request: Any) -> None:
        if not self.may_ask(request.url):
            self.errors.append(f"asks for {request.url}")

    def ask(self, script: str, given: Any = None) -> Any:
        """Return the result of a script in the page."""
        return self.page.evaluate(script, given)

    def close(self) -> None:
        """Put the page back, or close it if its clock stands still."""
        if self.has_own_clock:
            self.page.context.close()
            return
        for event, listener in self._heard.items():
            self.page.remove_listener(event, listener)
        self.pages.put_back(self.page, **self.options)
