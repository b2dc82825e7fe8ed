"""Macros of games whose empty columns take kings or nothing.

x lies in column i with A cards above it, p in column j with B above. Parking is lifting to
freecells, every column is stuck, and there is neither `fix` nor J.

| macro | lifts | needs |
|---|---|---|
| home | A | |
| onto p | A + B; B if x is above p in one column | p in a column; x not on p, nor below it |
| king to an empty column, E >= 1 | A | the king is not a bottom card |
| king to an empty column, E = 0 | host g: all of it; A; all of column i if i is g | the same |
"""

from __future__ import annotations

from collections.abc import Iterator

from dbmsolver.game.cards import CARDS
from dbmsolver.game.dominance.attempts import (
    Attempt,
    Macro,
    RecordFacts,
    height_added,
    home_or_onto,
    least_kept,
    lifts_of,
    on_top,
    within_reach,
)
from dbmsolver.game.dominance.records import (
    Column,
    Heights,
    Record,
    free_slots,
    in_play,
    make_record,
)


def cell_macros(facts: RecordFacts) -> Iterator[Macro]:
    """Yield all macros of a record; the records they lead to are not normalised."""
    record, rules, places, free, _ = facts
    for attempt in _cell_attempts(facts):
        kind, x, p, host, kept = attempt
        lifts = lifts_of(record, kept)
        if lifts > free:
            continue
        heights, columns = _after_cells(record, attempt)
        raw = make_record(heights, columns, (), rules)
        assert free_slots(raw, rules) == free - lifts + _from_cell(x, places, kept)
        yield Macro(
            kind, x, p, record.columns[host] if host is not None else None, (), lifts, raw, raw
        )


def _from_cell(x: int, places: dict[int, tuple[int, int]], kept: dict[int, int]) -> bool:
    """Return True if x moves from a freecell, not from its column."""
    return x not in places or kept.get(places[x][0], CARDS) <= places[x][1]


def _cell_attempts(facts: RecordFacts) -> Iterator[Attempt]:
    record, rules, places, _, empty = facts
    for x in in_play(record.foundations):
        if not within_reach(x, facts):
            continue
        yield from home_or_onto(x, facts)
        if rules.can_fill(x) and not (x in places and places[x][1] == 0):
            if empty:
                yield Attempt("to column", x, None, None, least_kept(record, *on_top(x, facts)))
                continue
            for host in range(len(record.columns)):
                kept = least_kept(record, *on_top(x, facts), (host, 0))
                yield Attempt("to column", x, None, host, kept)


def _after_cells(record: Record, attempt: Attempt) -> tuple[Heights, list[Column]]:
    """Return heights and columns once x has moved."""
    kind, x, p, _, kept = attempt
    columns = [
        tuple(card for card in column[: kept.get(index, len(column))] if card != x)
        for index, column in enumerate(record.columns)
    ]
    if kind == "home":
        return height_added(record.foundations, x), columns
    if kind == "to column":
        return record.foundations, [*columns, (x,)]
    return record.foundations, [(*c, x) if c and c[-1] == p else c for c in columns]
