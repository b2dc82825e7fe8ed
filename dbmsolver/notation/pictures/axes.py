"""The common parts of the charts of a picture: sizes, lines to compare with, round numbers."""

from __future__ import annotations

from dbmsolver.notation.pictures.svg import element, text

WIDTH, HEIGHT = 960, 320
"""The size of the drawing of one chart, without the text around it."""

LINES = 5
"""The number of lines to compare with, about."""


def frame(heading: str, name: str, most: int, *, forced: bool = True) -> tuple[int, list[str]]:
    """Return the value at the top of a chart of values up to `most`, and the drawing around it.

    `name` says what goes from left to right. The chart itself lies between (0, 0) and (WIDTH,
    HEIGHT). The legend has forced states only with `forced`.
    """
    step = nice_step(max(most, 1))
    top = step * max(-(-most // step), 1)
    drawn = [text(heading, 0, -46, class_="word", font_size=17, font_weight=600), *_legend(forced)]
    for value in range(0, top + 1, step):
        y = HEIGHT - HEIGHT * value / top
        kind = "line" if value else "base"
        drawn.append(element("line", x1=0, x2=WIDTH, y1=y, y2=y, class_=kind))
        label = text(short(value), -10, y + 5, class_="dim", font_size=14, text_anchor="end")
        drawn.append(label)
    look: dict[str, str | float] = {"font_size": 14, "text_anchor": "middle"}
    drawn.append(text(name, WIDTH / 2, HEIGHT + 46, class_="dim", **look))
    return top, drawn


def below(label: str, x: float) -> str:
    """Return a label below the chart."""
    return text(label, x, HEIGHT + 21, class_="dim", font_size=14, text_anchor="middle")


def nice_step(most: int) -> int:
    """Return the distance of about `LINES` lines: 1, 2 or 5 times a power of ten."""
    step = 1
    while True:
        for factor in (1, 2, 5):
            if most <= LINES * factor * step:
                return factor * step
        step *= 10


def short(value: int) -> str:
    """Return a round number in few letters: `20 k`, `1.5 M`."""
    for size, unit in ((10**12, " T"), (10**9, " G"), (10**6, " M"), (10**3, " k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return str(value)


def _legend(forced: bool) -> list[str]:
    drawn = []
    for x, kind in ((0, "states"), (90, "forced"))[: 1 + forced]:
        drawn.append(element("rect", x=x, y=-32, width=13, height=13, rx=2, class_=kind))
        drawn.append(text(kind, x + 20, -20, class_="word", font_size=14))
    return drawn
