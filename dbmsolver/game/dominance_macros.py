"""The successors of a record of dominating positions.

A macro is one move that parking cannot make (a card x onto a card p, home, or a king to an empty
column), with the fewest lifts that make room for it. `docs/dominance.md` proves that the successors
cover whatever the covered positions can do. The order is fixed: cards x from the lowest on; for
each the foundation first, then parents p from the lowest on, in place before moved; hosts by their
bottom card; sets J by their size, then by the bottom cards. Equal successors may come twice.

Empty columns that take any card
================================

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

All need lifts <= free. What comes of it:

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

Empty columns that take kings or nothing
========================================

Parking is lifting to freecells, every column is stuck, and there is neither `fix` nor J.

| macro | lifts | needs |
|---|---|---|
| home | A | |
| onto p | A + B; B if x is above p in one column | p in a column; x not on p, nor below it |
| king to an empty column, E >= 1 | A | the king is not a bottom card |
| king to an empty column, E = 0 | host g: all of it; A; all of column i if i is g | the same |
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal, NamedTuple

from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.dominance import (
    Column,
    Heights,
    Record,
    columns_are_slots,
    empty_columns,
    free_slots,
    in_play,
    make_record,
    normalise,
)
from dbmsolver.game.rules import Policy, Rules

Kind = Literal["home", "onto", "onto moved", "to column"]


class Macro(NamedTuple):
    """One successor of a record, and what is needed to unfold it."""

    kind: Kind
    card: int
    """x, the card that is moved."""
    onto: int | None
    """p, the card it is put on."""
    host: Column | None
    """The stuck column that is stripped to make room for p (or the king)."""
    stripped: tuple[Column, ...]
    """J: the columns that are stripped besides, as they are when x has moved."""
    lifts: int
    """Cards parked on purpose, without those of J."""
    raw: Record
    """What the macro leads to."""
    record: Record
    """The same, normalised: the successor."""


class _Attempt(NamedTuple):
    """A move x -> p under consideration. Columns are numbered as in the record."""

    kind: Kind
    card: int
    onto: int | None
    host: int | None
    kept: dict[int, int]
    """How many cards the columns that are lifted from keep while x moves."""


class _Game(NamedTuple):
    """A record, with what is looked up in it again and again."""

    record: Record
    rules: Rules
    places: dict[int, tuple[int, int]]
    """Column and depth of every card in a stuck column."""
    free: int
    empty: int


def macros(record: Record, rules: Rules, policy: Policy) -> Iterator[Macro]:
    """All successors of a normalised record; some may be equal."""
    places = {
        card: (index, depth)
        for index, column in enumerate(record.columns)
        for depth, card in enumerate(column)
    }
    free, empty = free_slots(record, rules), empty_columns(record, rules)
    game = _Game(record, rules, places, free, empty)
    make = _slot_macros if columns_are_slots(rules) else _cell_macros
    for macro in make(game):
        yield macro._replace(record=normalise(macro.raw, rules, policy))


def _within_reach(card: int, game: _Game) -> bool:
    """Whether all cards above it can be lifted; if not, no macro moves it or moves onto it."""
    if card not in game.places:
        return True
    index, depth = game.places[card]
    return len(game.record.columns[index]) - depth - 1 <= game.free


def _parents(card: int, game: _Game) -> list[int]:
    """The legal parents that are in play and within reach, lowest first."""
    row = range(4 * rank(card), min(4 * rank(card) + 4, CARDS))
    return [
        parent
        for parent in row
        if game.rules.can_stack(card, parent)
        and parent >> 2 >= game.record.foundations[parent & 3]
        and _within_reach(parent, game)
    ]


def _kept(record: Record, *limits: tuple[int, int]) -> dict[int, int]:
    """The least of the limits for each column, where that is less than the column has."""
    kept: dict[int, int] = {}
    for index, count in limits:
        if count < kept.get(index, len(record.columns[index])):
            kept[index] = count
    return kept


def _lifts(record: Record, kept: dict[int, int]) -> int:
    return sum(len(record.columns[index]) - count for index, count in kept.items())


def _height_added(heights: Heights, card: int) -> Heights:
    hearts, spades, diamonds, clubs = (
        height + (index == suit(card)) for index, height in enumerate(heights)
    )
    return hearts, spades, diamonds, clubs


# Empty columns that take any card.


def _slot_macros(game: _Game) -> Iterator[Macro]:
    for attempt in _slot_attempts(game):
        yield from _outcomes(game, attempt)


def _slot_attempts(game: _Game) -> Iterator[_Attempt]:
    record, _, places, _, _ = game
    for x in in_play(record.foundations):
        if not _within_reach(x, game):
            continue
        on_top = [(places[x][0], places[x][1] + 1)] if x in places else []
        if record.foundations[suit(x)] == rank(x) - 1:
            yield _Attempt("home", x, None, None, _kept(record, *on_top))
        for p in _parents(x, game):
            if p in places:
                j, depth = places[p]
                below = x in places and places[x][0] == j and places[x][1] < depth
                if not below and places.get(x) != (j, depth + 1):
                    kept = _kept(record, *on_top, (j, depth + 1))
                    yield _Attempt("onto", x, p, None, kept)
            yield from _attempts_moved(game, x, p)


def _attempts_moved(game: _Game, x: int, p: int) -> Iterator[_Attempt]:
    """The ways to put x on p after p has gone to an empty column."""
    record, _, places, free, empty = game
    limits = [(places[x][0], places[x][1] + 1)] if x in places else []
    if p in places:
        if places[p][1] == 0:
            return
        limits.append(places[p])
    if empty:
        certain = free > 0 or p in record.fix
        if certain or empty > len(record.fix):
            yield _Attempt("onto moved", x, p, None, _kept(record, *limits))
        return
    bottom = x in places and places[x][1] == 0
    for host in [places[x][0]] if bottom else range(len(record.columns)):
        yield _Attempt("onto moved", x, p, host, _kept(record, *limits, (host, 1)))


def _outcomes(game: _Game, attempt: _Attempt) -> Iterator[Macro]:
    """The successors that a move of x gives, if there is room for its lifts."""
    record, rules, places, free, _ = game
    kind, x, p, host, kept = attempt
    lifts = _lifts(record, kept)
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
    """The lone rest of p's column, where only that column can give the last lift."""
    if moved_from is None or late != {moved_from} or len(columns[moved_from]) != 1:
        return set()
    return set(columns[moved_from])


def _after(record: Record, attempt: _Attempt) -> tuple[Heights, dict[int, Column]]:
    """Heights and columns once x has moved: by number, a new column last, cards alone kept."""
    _, x, p, _, kept = attempt
    columns = {
        index: tuple(card for card in column[: kept.get(index, len(column))] if card != x)
        for index, column in enumerate(record.columns)
    }
    if attempt.kind == "home":
        return _height_added(record.foundations, x), columns
    assert p is not None
    if attempt.kind == "onto":
        onto = next(index for index, column in columns.items() if column and column[-1] == p)
        columns[onto] = (*columns[onto], x)
    else:
        columns[len(columns)] = (p, x)
    return record.foundations, columns


# Empty columns that take kings or nothing.


def _cell_macros(game: _Game) -> Iterator[Macro]:
    record, rules, places, free, _ = game
    for attempt in _cell_attempts(game):
        kind, x, p, host, kept = attempt
        lifts = _lifts(record, kept)
        if lifts > free:
            continue
        heights, columns = _after_cells(record, attempt)
        raw = make_record(heights, columns, (), rules)
        assert free_slots(raw, rules) == free - lifts + _from_cell(x, places, kept)
        yield Macro(
            kind, x, p, record.columns[host] if host is not None else None, (), lifts, raw, raw
        )


def _from_cell(x: int, places: dict[int, tuple[int, int]], kept: dict[int, int]) -> bool:
    """Whether x moves from a freecell, not from its column."""
    return x not in places or kept.get(places[x][0], CARDS) <= places[x][1]


def _cell_attempts(game: _Game) -> Iterator[_Attempt]:
    record, rules, places, _, empty = game
    for x in in_play(record.foundations):
        if not _within_reach(x, game):
            continue
        on_top = [(places[x][0], places[x][1] + 1)] if x in places else []
        if record.foundations[suit(x)] == rank(x) - 1:
            yield _Attempt("home", x, None, None, _kept(record, *on_top))
        for p in _parents(x, game):
            if p not in places:
                continue
            j, depth = places[p]
            below = x in places and places[x][0] == j and places[x][1] < depth
            if not below and places.get(x) != (j, depth + 1):
                yield _Attempt("onto", x, p, None, _kept(record, *on_top, (j, depth + 1)))
        if rules.can_fill(x) and not (x in places and places[x][1] == 0):
            if empty:
                yield _Attempt("to column", x, None, None, _kept(record, *on_top))
                continue
            for host in range(len(record.columns)):
                kept = _kept(record, *on_top, (host, 0))
                yield _Attempt("to column", x, None, host, kept)


def _after_cells(record: Record, attempt: _Attempt) -> tuple[Heights, list[Column]]:
    """Heights and columns once x has moved."""
    kind, x, p, _, kept = attempt
    columns = [
        tuple(card for card in column[: kept.get(index, len(column))] if card != x)
        for index, column in enumerate(record.columns)
    ]
    if kind == "home":
        return _height_added(record.foundations, x), columns
    if kind == "to column":
        return record.foundations, [*columns, (x,)]
    return record.foundations, [(*c, x) if c and c[-1] == p else c for c in columns]
