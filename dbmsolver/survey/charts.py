"""Histograms of a table, drawn by matplotlib as SVG that fits into a page."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from dbmsolver.errors import UsageError

COLOURS = ("#2a7d5f", "#c77700", "#4a6fb5", "#a0478a", "#7a7a2a", "#b0453a")
"""The colours of the series; each has a contrast of three to one with a light page and a dark
one."""

OTHERS = "others"
_TEXT = "#010203"
"""Stands for the colour of the page's text, which only the page knows."""

_LOOK = {
    "svg.fonttype": "none",  # text stays text
    "font.family": "sans-serif",
    "font.size": 11,
    "text.color": _TEXT,
    "axes.labelcolor": _TEXT,
    "axes.edgecolor": _TEXT,
    "xtick.color": _TEXT,
    "ytick.color": _TEXT,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_SIZE = (4.6, 2.9)
"""Width and height in inches; so text of that size can be read on a telephone."""
_MOST_BINS = 40
_TENTHS = 4
"""Bars for each power of ten."""

Series = Mapping[str, Sequence[int]]
"""Values by the name of the group that they belong to."""


def load_library() -> Any:
    """Return matplotlib; UsageError where it is not installed."""
    try:
        import matplotlib
        import matplotlib.figure
    except ImportError:
        raise UsageError("a report needs matplotlib (pip install 'dbmsolver[report]')") from None
    return matplotlib


def histogram(name: str, series: Series, label: str, *, powers: bool) -> str:
    """Return a histogram as SVG, with a colour for each of the series, stacked.

    `name` is part of the names inside the picture, `label` says what is counted. With `powers` the
    axis goes by powers of ten.
    """
    shown = _few(series)
    values = [value for _, some, _ in shown for value in some]
    edges = _powers(values) if powers else _steps(values)
    library = load_library()
    with library.rc_context({**_LOOK, "svg.hashsalt": name}):
        figure = library.figure.Figure(figsize=_SIZE, layout="constrained")
        axes = figure.add_subplot()
        names, counted, colours = zip(*shown, strict=True)
        axes.hist(counted, edges, stacked=True, color=colours, label=names)
        if powers:
            axes.set_xscale("log")
        axes.set_xlabel(label)
        axes.set_ylabel("deals")
        axes.yaxis.get_major_locator().set_params(integer=True)
        if len(shown) > 1:
            figure.legend(loc="outside upper left", ncols=2, frameon=False, fontsize=10)
        text = io.StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    return _inside_page(text.getvalue(), name)


def _few(series: Series) -> list[tuple[str, Sequence[int], str]]:
    """Return the series that are not empty, each with its colour.

    There are at most as many as there are colours: the last one holds all that are beyond that
    number.
    """
    items = list(series.items())
    if len(items) > len(COLOURS):
        rest = [value for _, values in items[len(COLOURS) - 1 :] for value in values]
        items = [*items[: len(COLOURS) - 1], (OTHERS, rest)]
    coloured = zip(items, COLOURS, strict=False)
    return [(name, values, colour) for (name, values), colour in coloured if values]


def _steps(values: Sequence[int]) -> list[float]:
    """Return the edges of bars of equal width around whole numbers."""
    low, high = min(values), max(values)
    width = math.ceil((high - low + 1) / _MOST_BINS)
    bars = (high - low) // width + 1
    return [low - 0.5 + width * number for number in range(bars + 1)]


def _powers(values: Sequence[int]) -> list[float]:
    """Return the edges of bars, some for each power of ten."""
    low = math.floor(math.log10(max(min(values), 1)))
    high = max(math.ceil(math.log10(max(*values, 1, 2))), low + 1)
    return [10 ** (low + part / _TENTHS) for part in range((high - low) * _TENTHS + 1)]


def _inside_page(svg: str, name: str) -> str:
    """Return a picture as part of a page.

    Parts that only a file needs are left out. The names in the picture begin with ``name``, so that
    no two pictures of the page share one.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", svg, count=1)
    svg = svg.replace("<svg", '<svg aria-hidden="true" focusable="false"', 1)
    return svg.replace(_TEXT, "currentColor")
