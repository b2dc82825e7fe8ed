"""A picture of counts: a bar for each number, two kinds of states on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dbmsolver.notation.pictures.svg import Number, document, element, text

Row = tuple[int, int, int]
"""A number that names the bar, and its states and forced states."""

WIDTH, HEIGHT = 960, 320
"""Size of the bars of one chart, without what is written around them."""

LEFT, RIGHT, ABOVE, BELOW = 84, 24, 74, 62
WIDEST = 90
"""The widest bar."""

NUMBER = 44
"""Room for a number below the bars."""

LINES = 5
"""About how many lines there are to compare the bars with."""

STYLE = """
  .page { fill: #ffffff } .word { fill: #1b211e } .dim { fill: #545f59 }
  .line { stroke: #cdd4cf } .base { stroke: #545f59 }
  .states { fill: #24604a } .forced { fill: #c77700 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #141816 } .word { fill: #e8ece9 } .dim { fill: #a6b0aa }
    .line { stroke: #333c37 } .base { stroke: #a6b0aa }
    .states { fill: #6fc49b } .forced { fill: #ffb84d }
  }
"""


class Chart(NamedTuple):
    """What is counted, by what, and the rows in the order in which they are drawn."""

    name: str
    """What a row's number is: `layer` or `stratum`."""
    rows: Sequence[Row]


def draw_charts(title: str, charts: Sequence[Chart]) -> str:
    """The charts below each other as SVG, with a title and the numbers in words."""
    height = 44 + len(charts) * (HEIGHT + ABOVE + BELOW)
    width = LEFT + WIDTH + RIGHT
    drawn = [
        element("style", STYLE),
        element("rect", width=width, height=height, class_="page"),
        text(title, LEFT, 34, class_="word", font_size=22, font_weight=700),
    ]
    for index, chart in enumerate(charts):
        place = f"translate({LEFT} {44 + ABOVE + index * (HEIGHT + ABOVE + BELOW)})"
        drawn.append(element("g", *_chart(chart), transform=place))
    return document(width, height, title, " ".join(map(describe, charts)), *drawn)


def describe(chart: Chart) -> str:
    """What a chart shows, in words."""
    if not chart.rows:
        return f"No states by {chart.name}."
    states, forced = (sum(row[column] for row in chart.rows) for column in (1, 2))
    number, *counts = max(chart.rows, key=lambda row: row[1] + row[2])
    return (
        f"States by {chart.name}: {states:,} states and {forced:,} forced ones in "
        f"{len(chart.rows)} bars; the largest is {chart.name} {number} with {sum(counts):,}."
    )


def nice_step(most: int) -> int:
    """The distance of the lines: 1, 2 or 5 times a power of ten, for about `LINES` of them."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if most <= LINES * factor * step:
                return factor * step
        step *= 10


def short(value: int) -> str:
    """A round number in few letters: `20 k`, `1.5 M`."""
    for size, unit in ((10**12, " T"), (10**9, " G"), (10**6, " M"), (10**3, " k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return str(value)


def _chart(chart: Chart) -> list[str]:
    """One chart with its bars in a box from (0, 0) to (WIDTH, HEIGHT)."""
    most = max((states + forced for _, states, forced in chart.rows), default=0)
    step = nice_step(max(most, 1))
    top = step * max(-(-most // step), 1)
    drawn = [text(f"States by {chart.name}", 0, -46, class_="word", font_size=17, font_weight=600)]
    drawn += _legend()
    for value in range(0, top + 1, step):
        y = HEIGHT - HEIGHT * value / top
        kind = "line" if value else "base"
        drawn.append(element("line", x1=0, x2=WIDTH, y1=y, y2=y, class_=kind))
        label = text(short(value), -10, y + 5, class_="dim", font_size=14, text_anchor="end")
        drawn.append(label)
    drawn += _bars(chart, top)
    drawn.append(
        text(chart.name, WIDTH / 2, HEIGHT + 46, class_="dim", font_size=14, text_anchor="middle")
    )
    return drawn


def _legend() -> list[str]:
    drawn = []
    for x, kind in ((0, "states"), (90, "forced")):
        drawn.append(element("rect", x=x, y=-32, width=13, height=13, rx=2, class_=kind))
        drawn.append(text(kind, x + 20, -20, class_="word", font_size=14))
    return drawn


def _bars(chart: Chart, top: int) -> list[str]:
    """The bars, each at its number's place, and numbers below as far as there is room for them."""
    if not chart.rows:
        return []
    first, last = chart.rows[0][0], chart.rows[-1][0]
    room = WIDTH / (last - first + 1)
    width = min(max(0.8 * room, 0.5), WIDEST)
    drawn = []
    for number, states, forced in chart.rows:
        x = (number - first + 0.5) * room - width / 2
        drawn.append(
            element(
                "g",
                element("title", f"{chart.name} {number}: {states:,} states, {forced:,} forced"),
                *_bar(x, width, HEIGHT * states / top, HEIGHT * forced / top),
            )
        )
    every = nice_step(LINES * -(-(last - first + 1) * NUMBER // WIDTH))
    for number in range(first + -first % every, last + 1, every):
        x = (number - first + 0.5) * room
        look: dict[str, str | Number] = {"font_size": 14, "text_anchor": "middle"}
        drawn.append(text(str(number), x, HEIGHT + 21, class_="dim", **look))
    return drawn


def _bar(x: Number, width: Number, states: float, forced: float) -> list[str]:
    """States from the base on, forced ones above them."""
    parts = []
    if states:
        parts.append(
            element("rect", x=x, y=HEIGHT - states, width=width, height=states, class_="states")
        )
    if forced:
        parts.append(
            element(
                "rect",
                x=x,
                y=HEIGHT - states - forced,
                width=width,
                height=forced,
                class_="forced",
            )
        )
    return parts
