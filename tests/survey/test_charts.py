"""Histograms of a table: every value lies in a bar, and every deal in a series."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dbmsolver.survey.charts import _MOST_BINS, _TENTHS, COLOURS, OTHERS, _few, _powers, _steps


@given(st.lists(st.integers(-5, 200), min_size=1, max_size=50))
def test_bars_of_equal_width(values: list[int]) -> None:
    """Begin at the least number, end at the greatest, and divide no whole number."""
    edges = _steps(values)
    counts, _ = np.histogram(values, edges)
    assert counts.sum() == len(values)
    assert counts[0] and counts[-1]
    assert len(counts) <= _MOST_BINS
    assert edges[0] == min(values) - 0.5
    (width,) = set(np.diff(edges))
    assert width == int(width) >= 1
    if max(values) - min(values) < _MOST_BINS:
        assert width == 1


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=50))
def test_bars_of_powers_of_ten(values: list[int]) -> None:
    """Go by whole powers, from the one at or below the least value to that at the greatest."""
    edges = _powers(values)
    assert np.histogram(values, edges)[0].sum() == len(values)
    first, last = edges[0], edges[-1]
    assert first <= min(values) < 10 * first
    assert last / 10 < max(max(values), 2) <= last or last == 10 * first
    powers = round(np.log10(last / first))
    assert len(edges) == powers * _TENTHS + 1
    assert np.allclose(np.diff(np.log10(edges)), 1 / _TENTHS)


def test_bars_of_values_below_one() -> None:
    """Give edges also where no value has a logarithm."""
    for values in ([0], [0, 0, 1], [0, 5]):
        assert _powers(values)[0] == 1
        assert _powers(values)[-1] == 10


def test_as_many_series_as_there_are_colours() -> None:
    """Give the last one all that are beyond that number; leave out empty ones."""
    many = {f"game {number}": [number, number] for number in range(len(COLOURS) + 2)}
    shown = _few(many)
    assert [colour for _, _, colour in shown] == list(COLOURS)
    assert [name for name, _, _ in shown] == [*list(many)[: len(COLOURS) - 1], OTHERS]
    assert sorted(value for _, values, _ in shown for value in values) == sorted(
        value for values in many.values() for value in values
    )
    whole = dict(list(many.items())[: len(COLOURS)])
    assert [name for name, _, _ in _few(whole)] == list(whole)
    assert _few({"none": [], "some": [1], "no more": []}) == [("some", [1], COLOURS[1])]
