"""Tables of counts, with a bar beside each row."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence

Row = tuple[int, int, int]
"""A number that names the row, and its states and forced states."""

_EIGHTHS = " ▏▎▍▌▋▊▉█"


def count_table(
    name: str, rows: Sequence[Row], width: int | None = None, *, forced: bool = True
) -> str:
    """Return a table of states and forced ones by `name`; without the latter if `forced` is False.

    The largest row has a bar to the right end of `width`.
    """
    width = width or shutil.get_terminal_size((80, 24)).columns
    cells = [(name, "states", "forced")]
    cells += [(str(number), f"{states:,}", f"{made:,}") for number, states, made in rows]
    shown = [row if forced else row[:2] for row in cells]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in shown]
    width = max(width - len(lines[0]) - 3, 8)
    most = max((states + made for _, states, made in rows), default=0)
    for index, (_, states, made) in enumerate(rows, start=1):
        lines[index] = f"{lines[index]}  {count_bar(states + made, most, width)}".rstrip()
    return "".join(line + "\n" for line in lines)


def count_bar(value: int, most: int, width: int) -> str:
    """Return a bar of `width` characters for `most`; it is never empty for a value above 0."""
    if not value:
        return ""
    eighths = max(round(8 * width * value / most), 1)
    return _EIGHTHS[8] * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def sums(rows: Sequence[tuple[int, int, int, int]], column: int) -> Iterator[Row]:
    """Add up rows of (layer, stratum, states, forced) that agree in one of the first two."""
    for number in sorted({row[column] for row in rows}):
        chosen = [row for row in rows if row[column] == number]
        yield number, sum(row[2] for row in chosen), sum(row[3] for row in chosen)
