"""The page of a survey in a browser: on a telephone, for those who do not see it, in the dark."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from helpers.rows import row
from helpers.selection import few_fast

from dbmsolver.game.shipped import rules_for
from dbmsolver.survey.report import render
from dbmsolver.survey.rows import Inquiry, Row

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")


def rows(question: Inquiry) -> Iterator[Row]:
    games = [rules_for("freecell", cells) for cells in range(5)]
    for cells, rules in enumerate([*games, rules_for("klondike_by_threes")]):
        for number in range(1, 40):
            yield row(
                number * 10**7,
                question,
                rules,
                verdict="solved" if number % 7 else "undecided" if number % 2 else "unreadable",
                shortest=True,
                fewest=cells,
                limit=None if number % 7 else "max-states",
                length=80 + number,
                at_least=80,
                evaluated=number**4,
                seconds=number * 1000.0,
            )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "scheme"), few_fast(zip(Inquiry, cycle(["light", "dark"]), strict=False), 1)
)
def test_on_a_telephone(chromium: Any, tmp_path: Path, question: Inquiry, scheme: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(render(list(rows(question)), "table.csv"), encoding="utf-8")
    page = chromium.take((390, 844), color_scheme=scheme)
    asked: list[str] = []

    def ask(request: Any) -> None:
        asked.append(request.url)

    page.on("request", ask)
    page.goto(path.as_uri())
    page.remove_listener("request", ask)
    assert asked == [path.as_uri()]
    # Nothing is wider than the page, and what is written in pictures can be read.
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    wide = """[...document.querySelectorAll(".wide")]
      .filter((frame) => frame.scrollWidth > frame.clientWidth).map((frame) => frame.ariaLabel)"""
    assert page.evaluate(wide) == []
    sizes = page.evaluate(
        """() => [...document.querySelectorAll("svg text")].map((text) =>
          parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().d)"""
    )
    assert sizes
    assert min(size for size in sizes if size) > 7
    assert sorted(sizes)[len(sizes) // 2] > 10
    found = axe.Axe().run(page).response["violations"]
    assert [problem["id"] for problem in found] == []
    chromium.put_back(page, color_scheme=scheme)
