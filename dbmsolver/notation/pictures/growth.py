"""A chart of how a store grew: closed states over time, and which stratum or layer they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from dbmsolver.game.measures import counted
from dbmsolver.notation.pictures.axes import HEIGHT, LINES, WIDTH, below, frame, nice_step
from dbmsolver.notation.pictures.svg import Number, element, number, text

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
"""The units of time in milliseconds."""

STEPS = (
    *((size, SECOND, "s") for size in (1, 2, 5, 10, 20, 50, 100, 200, 500)),
    *((size * SECOND, SECOND, "s") for size in (1, 2, 5, 10, 20)),
    *((size * MINUTE, MINUTE, "min") for size in (1, 2, 5, 10, 20)),
    *((size * HOUR, HOUR, "h") for size in (1, 2, 4, 8)),
)
"""Distances of the times below the chart, each with the unit to write them in."""

ROOM = 30
"""Room for the number of a stratum or layer."""


class Point(NamedTuple):
    """The states closed by a time, and the number of the layer or stratum closed last."""

    milliseconds: int
    number: int
    states: int
    forced: int


class Growth(NamedTuple):
    """The points of a chart over time, in order.

    States closed between two of them belong to the number of the later one.
    """

    name: str
    """The meaning of a point's number: `layer` or `stratum`."""
    points: Sequence[Point]
    forced: bool = True
    """False if the search counts no forced states apart."""

    def describe(self) -> str:
        """Return a description of the chart, in words."""
        if not self.points:
            return "Nothing is known of states over time."
        last = self.points[-1]
        apart = f" and {counted(last.forced, 'forced one', 'forced ones')}" if self.forced else ""
        return (
            f"States over time: {counted(last.states, 'state', 'states')}{apart} after "
            f"{last.milliseconds / SECOND:,.1f} s."
        )

    def draw(self) -> list[str]:
        """Return the chart in a box from (0, 0) to (WIDTH, HEIGHT)."""
        most = max((point.states + point.forced for point in self.points), default=0)
        heading = f"States over time, and the {self.name} they are of"
        top, drawn = frame(heading, "time", most, forced=self.forced)
        end = max((point.milliseconds for point in self.points), default=0)
        if not end:
            return drawn
        scale = _Scale(WIDTH / end, HEIGHT / top)
        bands = list(_bands(self.points))
        for index, band in enumerate(bands):
            drawn.append(_drawn_band(self, band, scale, shaded=index % 2 == 1))
        drawn += _numbers(bands, scale)
        step, unit, sign = _step(end)
        for at in range(0, end + 1, step):
            drawn.append(below(f"{at / unit:g} {sign}", scale.x(at)))
        return drawn


class _Scale(NamedTuple):
    """The scale of a chart: the width of a millisecond, and the height of a state."""

    width: float
    height: float

    def x(self, milliseconds: int) -> float:
        """Return the distance of a time from the left."""
        return milliseconds * self.width

    def y(self, states: int) -> float:
        """Return the distance of a number of states from the top."""
        return HEIGHT - states * self.height


def _bands(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Yield the points of each number, after the last one before them."""
    band: list[Point] = []
    for before, point in pairwise([Point(0, points[0].number, 0, 0), *points]):
        if band and point.number != band[-1].number:
            yield band
            band = []
        band = band or [before]
        band.append(point)
    yield band


def _drawn_band(growth: Growth, band: Sequence[Point], scale: _Scale, *, shaded: bool) -> str:
    """Return one band: states from the base on, forced ones above them.

    Every other band is paler.
    """
    base = [(scale.x(point.milliseconds), scale.y(0)) for point in band]
    states = [(scale.x(point.milliseconds), scale.y(point.states)) for point in band]
    closed = [(scale.x(point.milliseconds), scale.y(point.states + point.forced)) for point in band]
    first, last = band[0], band[-1]
    words = (
        f"{growth.name} {last.number}, until {last.milliseconds / SECOND:,.1f} s: "
        f"{counted(last.states - first.states, 'state', 'states')}"
    )
    words += f", {last.forced - first.forced:,} forced" if growth.forced else ""
    look: dict[str, Number] = {"fill_opacity": 0.7} if shaded else {}
    return element(
        "g",
        element("title", words),
        element("polygon", points=_corners(base, states), class_="states", **look),
        element("polygon", points=_corners(states, closed), class_="forced", **look),
    )


def _corners(low: list[tuple[float, float]], high: list[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in [*low, *reversed(high)])


def _numbers(bands: Sequence[Sequence[Point]], scale: _Scale) -> Iterator[str]:
    """Yield the number of each band above its curve, as far as there is room for them."""
    free = 0.0
    for band in bands:
        left, last = scale.x(band[0].milliseconds), band[-1]
        middle = (left + scale.x(last.milliseconds)) / 2
        if middle - ROOM / 2 < free or not last.number:
            continue
        free = middle + ROOM / 2
        y = scale.y(last.states + last.forced) - 7
        look: dict[str, str | Number] = {"font_size": 13, "text_anchor": "middle"}
        yield text(str(last.number), middle, y, class_="dim", **look)


def _step(end: int) -> tuple[int, int, str]:
    """Return the distance of times up to `end`, and their unit, for about `LINES` times."""
    for step, unit, sign in STEPS:
        if end <= 2 * LINES * step:
            return step, unit, sign
    return nice_step(-(-end // (2 * DAY))) * DAY, DAY, "d"
