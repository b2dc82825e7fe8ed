"""Tables of counts with bars."""

from __future__ import annotations

from dbmsolver.cli.tables import count_bar, count_table, sums


def test_table() -> None:
    assert count_table("stratum", [(3, 1_000, 0), (12, 400, 100), (13, 0, 1)], 40) == (
        "stratum  states  forced\n"
        "      3   1,000       0  ██████████████\n"
        "     12     400     100  ███████\n"
        "     13       0       1  ▏\n"
    )


def test_empty_table() -> None:
    assert count_table("layer", [], 40) == "layer  states  forced\n"
    assert count_table("layer", [(3, 10, 0), (12, 5, 0)], 25, forced=False) == (
        "layer  states\n    3      10  █████████\n   12       5  ████▌\n"
    )


def test_bar() -> None:
    assert [count_bar(value, 16, 2) for value in (0, 1, 8, 9, 16)] == ["", "▏", "█", "█▏", "██"]
    assert count_bar(1, 10**9, 10) == "▏"


def test_sums() -> None:
    rows = [(1, 5, 10, 1), (1, 6, 20, 2), (2, 5, 40, 4)]
    assert list(sums(rows, 0)) == [(1, 30, 3), (2, 40, 4)]
    assert list(sums(rows, 1)) == [(5, 50, 5), (6, 20, 2)]
