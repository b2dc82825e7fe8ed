"""A picture of counts: a bar for each number, two kinds of states on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dbmsolver.game.measures import counted
from dbmsolver.notation.pictures.axes import HEIGHT, LINES, WIDTH, below, frame, nice_step
from dbmsolver.notation.pictures.growth import Growth
from dbmsolver.notation.pictures.svg import Number, document, element, text

Row = tuple[int, int, int]
"""A number that names the bar, and its states and forced states."""

LEFT, RIGHT, ABOVE, BELOW = 84, 24, 74, 62
WIDEST = 90
"""The widest bar."""

NUMBER = 44
"""Room for a number below the bars."""

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
    """A chart of numbers of states: its rows in the order in which they are drawn."""

    name: str
    """The meaning of a row's number: `layer` or `stratum`."""
    rows: Sequence[Row]
    forced: bool = True
    """False if the search counts no forced states apart."""

    def describe(self) -> str:
        """Return a description of the chart, in words."""
        if not self.rows:
            return f"No states by {self.name}."
        states, forced = (sum(row[column] for row in self.rows) for column in (1, 2))
        number, *counts = max(self.rows, key=lambda row: row[1] + row[2])
        apart = f" and {counted(forced, 'forced one', 'forced ones')}" if self.forced else ""
        return (
            f"States by {self.name}: {counted(states, 'state', 'states')}{apart} in "
            f"{counted(len(self.rows), 'bar', 'bars')}; "
            f"the largest is {self.name} {number} with {sum(counts):,}."
        )

    def draw(self) -> list[str]:
        """Return the chart with its bars in a box from (0, 0) to (WIDTH, HEIGHT)."""
        most = max((states + forced for _, states, forced in self.rows), default=0)
        top, drawn = frame(f"States by {self.name}", self.name, most, forced=self.forced)
        return drawn + _bars(self, top)


def draw_charts(title: str, charts: Sequence[Chart | Growth]) -> str:
    """Return the charts below each other as SVG, with a title and the numbers in words."""
    height = 44 + len(charts) * (HEIGHT + ABOVE + BELOW)
    width = LEFT + WIDTH + RIGHT
    drawn = [
        element("style", STYLE),
        element("rect", width=width, height=height, class_="page"),
        text(title, LEFT, 34, class_="word", font_size=22, font_weight=700),
    ]
    for index, chart in enumerate(charts):
        place = f"translate({LEFT} {44 + ABOVE + index * (HEIGHT + ABOVE + BELOW)})"
        drawn.append(element("g", *chart.draw(), transform=place))
    words = " ".join(chart.describe() for chart in charts)
    return document(width, height, title, words, *drawn)


def _bars(chart: Chart, top: int) -> list[str]:
    """Return the bars, each at its number's place, with numbers below as far as there is room."""
    if not chart.rows:
        return []
    first, last = chart.rows[0][0], chart.rows[-1][0]
    room = WIDTH / (last - first + 1)
    width = min(max(0.8 * room, 0.5), WIDEST)
    drawn = []
    for number, states, forced in chart.rows:
        x = (number - first + 0.5) * room - width / 2
        words = f"{chart.name} {number}: {counted(states, 'state', 'states')}"
        words += f", {forced:,} forced" if chart.forced else ""
        drawn.append(
            element(
                "g",
                element("title", words),
                *_bar(x, width, HEIGHT * states / top, HEIGHT * forced / top),
            )
        )
    every = nice_step(LINES * -(-(last - first + 1) * NUMBER // WIDTH))
    for number in range(first + -first % every, last + 1, every):
        drawn.append(below(str(number), (number - first + 0.5) * room))
    return drawn


def _bar(x: Number, width: Number, states: float, forced: float) -> list[str]:
    """Return the bar of one row: states from the base on, forced ones above them."""
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
