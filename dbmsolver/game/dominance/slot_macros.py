"""Macros of games whose empty columns take any card.

x lies in column i with A cards above it, or in a slot; p in column j with B cards above, or in a
slot. `kept` says how many cards each column keeps while x moves; lifts = all the others. A column
that keeps one card is stripped: its bottom card is a slot card then.

x stays in place until it moves if column i keeps x and a card below it, so kept[i] = depth of x + 1
>= 2. Otherwise x comes from a slot: it was a slot card, or is its column's bottom, or is lifted.

| macro | kept | needs |
|---|---|---|
| home | i: x on top | |
| onto p in place | i: x on top; j: p on top | p in a column; not where x lies on p already |
| onto p moved, E >= 1 | i: x on top; j: less than p | p a slot card, or no bottom card; E |
| onto p moved, E = 0 | the same; host g: its bottom card | as before; L |

E: at free = 0, p has to be in `fix`, or E greater than the size of `fix`.
L: lifts < free, or a column other than g is lifted from.

x above p in one column is lifted with the rest. Where p is moved and x lies below it in one
column, p is one of the cards above x. Hosts are all stuck columns, but only column i if x is its
bottom. If the host is column i and x is not its bottom, x is lifted.

All need lifts <= free. The results:

- x came from a slot: a slot is free afterwards. One record, `fix` empty.
- x was in place. y = the card left alone under x, if x had one card below it. free' = free - lifts.
  *Late* columns are those lifted from, without the host: each can give the last lift.
  z = the card of column j left alone when p is moved away, if j is the only late column.
  - free' >= 1: one record, `fix` empty. Then one more for each nonempty set J of other stuck
    columns (not what is left of i, not the one with x on p; at most as many as freecells) whose
    lengths minus one add up to free', if a late column is not in J: all of J stripped, `fix` = {y,
    z}, where z counts if j is the only late column outside J.
  - free' = 0 and lifts >= 1: one record, `fix` = {y, z}.
  - lifts = 0 and free = 0: one record, `fix` = old fix - p + y.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

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
    parents_of,
    within_reach,
)
from dbmsolver.game.dominance.records import Column, Heights, Record, in_play, make_record


def slot_macros(facts: RecordFacts) -> Iterator[Macro]:
    """Yield all macros of a record; the records they lead to are not normalised."""
    for attempt in _slot_attempts(facts):
        yield from _outcomes(facts, attempt)


def _slot_attempts(facts: RecordFacts) -> Iterator[Attempt]:
    for x in in_play(facts.record.foundations):
        if not within_reach(x, facts):
            continue
        yield from home_or_onto(x, facts)
        for p in parents_of(x, facts):
            yield from _attempts_moved(facts, x, p)


def _attempts_moved(facts: RecordFacts, x: int, p: int) -> Iterator[Attempt]:
    """Yield the ways to put x on p after p has gone to an empty column."""
    record, _, places, free, empty = facts
    limits = on_top(x, facts)
    if p in places:
        if places[p][1] == 0:
            return
        limits.append(places[p])
    if empty:
        certain = free > 0 or p in record.fix
        if certain or empty > len(record.fix):
            yield Attempt("onto moved", x, p, None, least_kept(record, *limits))
        return
    bottom = x in places and places[x][1] == 0
    for host in [places[x][0]] if bottom else range(len(record.columns)):
        yield Attempt("onto moved", x, p, host, least_kept(record, *limits, (host, 1)))


def _outcomes(facts: RecordFacts, attempt: Attempt) -> Iterator[Macro]:
    """Yield the successors that a move of x gives, if there is room for its lifts."""
    record, rules, places, free, _ = facts
    kind, x, p, host, kept = attempt
    lifts = lifts_of(record, kept)
    late = set(kept) - {host}
    if lifts > free or (host is not None and lifts == free and not late):
        return
    heights, columns = _after(record, attempt)
    i, depth = places.get(x, (None, 0))
    in_place = i is not None and depth >= 1 and kept.get(i, CARDS) > depth
    target = None if host is None else record.columns[host]

    def macro(raw: Record, stripped: tuple[Column, ...] = ()) -> Macro:
        return Macro(kind, x, p, target, stripped, lifts, raw, raw)

    rests = list(columns.values())
    if not in_place:
        yield macro(make_record(heights, rests, (), rules))
        return
    assert i is not None
    y = set(columns[i]) if depth == 1 else set()
    if free == 0:
        yield macro(make_record(heights, rests, (record.fix - {p}) | y, rules))
        return
    left = free - lifts
    moved_from = places[p][0] if kind == "onto moved" and p in places else None
    yield macro(make_record(heights, rests, y | _z(columns, late, moved_from), rules))
    if left == 0:
        return
    others = [
        index
        for index, column in sorted(columns.items())
        if len(column) >= 2 and index != i and column[-1] != x
    ]
    for size in range(1, min(len(others), rules.freecells) + 1):
        for chosen in combinations(others, size):
            spent = sum(len(columns[index]) - 1 for index in chosen)
            still_late = late - set(chosen)
            if spent == left and still_late:
                after = [column for index, column in columns.items() if index not in chosen]
                fix = y | _z(columns, still_late, moved_from)
                raw = make_record(heights, after, fix, rules)
                yield macro(raw, tuple(columns[index] for index in chosen))


def _z(columns: dict[int, Column], late: set[int], moved_from: int | None) -> set[int]:
    """Return the lone rest of p's column, where only that column can give the last lift."""
    if moved_from is None or late != {moved_from} or len(columns[moved_from]) != 1:
        return set()
    return set(columns[moved_from])


def _after(record: Record, attempt: Attempt) -> tuple[Heights, dict[int, Column]]:
    """Return heights and columns once x has moved.

    Columns are by number, a new one last; cards alone are kept.
    """
    _, x, p, _, kept = attempt
    columns = {
        index: tuple(card for card in column[: kept.get(index, len(column))] if card != x)
        for index, column in enumerate(record.columns)
    }
    if attempt.kind == "home":
        return height_added(record.foundations, x), columns
    assert p is not None
    if attempt.kind == "onto":
        onto = next(index for index, column in columns.items() if column and column[-1] == p)
        columns[onto] = (*columns[onto], x)
    else:
        columns[len(columns)] = (p, x)
    return record.foundations, columns
