"""Dominating positions: one record for all positions that differ by parked cards only.

This is the slow truth that the compiled search over records is compared with; it uses the rules of
the game and nothing else. `docs/dominance.md` has the proofs; its words are used here.

A *slot* is where a card can be parked. Which places are slots depends on the fill rule:

`any`            A freecell or an empty column. A card alone in its column lies in a slot. Columns
                 of two cards or more are *stuck*. A record holds the stuck columns; all other cards
                 in play are *slot cards*.
`kings`, `none`  A freecell. Every column that is not empty is stuck, and slot cards are those in
                 freecells.

*Parking* moves the top card of a column to a free slot, or a slot card to another slot. A record
*covers* a position if parking leads to it from a position that the record stands for. What the
covered position can do, the record can do, so the covered position need not be stored.

A record stands for every arrangement of its slot cards among the slots. Only where no slot is free
may some be out of reach; then it stands for those with all cards of `fix` in columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from dbmsolver.game.cards import CARDS, suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home

Column = tuple[int, ...]
"""Deepest card first."""

Heights = tuple[int, int, int, int]
"""Heights of the foundations, in the order of `cards.SUITS`."""


class Record(NamedTuple):
    """A record as it is stored: see the module. Equal records are equal values."""

    foundations: Heights
    columns: tuple[Column, ...]
    """Stuck columns, by their bottom card, lowest first."""
    fix: frozenset[int] = frozenset()
    """Slot cards known to lie in columns; empty if a slot is free, or nothing can be told apart."""

    def is_goal(self) -> bool:
        """Return True if all cards are home."""
        return self.foundations == (13, 13, 13, 13)


def columns_are_slots(rules: Rules) -> bool:
    """Return True if an empty column is a slot: only if it takes any card."""
    return rules.fill == "any"


MAX_SLOTS = 16
"""The largest sum of freecells and columns with which records are used, if empty columns are slots.

A record has a successor for each set of columns whose cards, put into slots, fill all slots. With
each further slot there can be twice as many. Of 240 deals with 16 slots, none had a record with
more than 1,024 successors; of 336 with 18, one had a record with more than 2,048. The kernel has
room for 4,096 (`kits/records/macros.py`, `MAX_SUCCESSORS`).
"""


def has_dominance(rules: Rules) -> bool:
    """Return True if searches use dominating positions: if they are possible, with few successors.

    Where empty columns are slots, there may be no more than `MAX_SLOTS`.
    """
    few = not columns_are_slots(rules) or rules.columns + rules.freecells <= MAX_SLOTS
    return few and can_dominate(rules)


def can_dominate(rules: Rules) -> bool:
    """Return True if a proof over dominating positions is possible.

    There must be slots to park cards in. Building by any suit is left out: a state of such a game
    has a third plane, which the kernel does not know. So are games for which there is no such
    argument: where a run is one move, where cards only leave the freecells, where nothing is put on
    cards, where columns are built up, where cards come back from the foundations, and games of
    Klondike's kind.
    """
    if not rules.features.has_records or rules.reserve or rules.build in ("any", "none"):
        return False
    return rules.freecells > 0 or columns_are_slots(rules)


def shortest_stuck(rules: Rules) -> int:
    """Return the least number of cards in a stuck column."""
    return 2 if columns_are_slots(rules) else 1


@cache
def in_play(foundations: Heights) -> tuple[int, ...]:
    """Return the cards that are not home, lowest first."""
    return tuple(card for card in range(CARDS) if card >> 2 >= foundations[card & 3])


def slot_cards(record: Record) -> list[int]:
    """Return the cards in slots, lowest first."""
    stuck = {card for column in record.columns for card in column}
    return [card for card in in_play(record.foundations) if card not in stuck]


def empty_columns(record: Record, rules: Rules) -> int:
    """Return E, the number of columns that are not stuck."""
    return rules.columns - len(record.columns)


def free_slots(record: Record, rules: Rules) -> int:
    """Return the number of slots without a card.

    Negative if the cards do not fit, which no real record does.
    """
    home = sum(record.foundations)
    stuck = sum(map(len, record.columns))
    slots = rules.freecells
    if columns_are_slots(rules):
        slots += empty_columns(record, rules)
    return slots - (CARDS - home - stuck)


def make_record(
    foundations: Heights, columns: Iterable[Column], fix: Iterable[int], rules: Rules
) -> Record:
    """Return a record in canonical order.

    Columns too short to be stuck are left out, and `fix` is where it tells nothing: if a slot is
    free, if there is no column to lie in or no freecell.
    """
    least = shortest_stuck(rules)
    stuck = tuple(sorted(column for column in columns if len(column) >= least))
    record = Record(foundations, stuck)
    if not columns_are_slots(rules) or not rules.freecells or not empty_columns(record, rules):
        return record
    return record._replace(fix=frozenset(fix)) if free_slots(record, rules) == 0 else record


def plain_record(position: Position, rules: Rules) -> Record:
    """Return the record of a position as it is, with no card moved.

    The position is one of those that it stands for; where no slot is free, the only one.
    """
    alone = [column[0] for column in position.columns if len(column) == 1]
    return make_record(position.foundations, position.columns, alone, rules)


def record_of(position: Position, rules: Rules, policy: Policy) -> Record:
    """Return the normalised record that covers a position once its safe moves are made."""
    return normalise(plain_record(position, rules), rules, policy)


def normalise(record: Record, rules: Rules, policy: Policy) -> Record:
    """Return the record after all reductions: the first that applies, then from the first again.

    1. A safe card goes home: lowest suit first.
    2. A slot card goes to a legal parent that is the top of a stuck column: lowest card first, and
       lowest parent.
    3. Empty columns that take any card: slot cards c and q, q a legal parent of c, become the
       column [q, c], if there is an empty column and q can be brought there, or is there for
       certain: a slot is free, or there are no freecells, or q is in `fix`. Lowest c, lowest q.
       Empty columns that take kings: a king from a freecell goes there. Lowest king.

    Each reduction can be made by legal moves from every position that the record stands for, if
    slot cards change places where a slot is free. The second and third are undone by parking, so
    the result covers all that the record covers.
    """
    for _, reduced in reductions(record, rules, policy):
        record = reduced
    return record


class Reduction(NamedTuple):
    """One step of normalising: a card goes home (None), onto a card, or to a column (-1)."""

    card: int
    onto: int | None


TO_EMPTY_COLUMN = -1


def reductions(record: Record, rules: Rules, policy: Policy) -> Iterator[tuple[Reduction, Record]]:
    """Yield the steps of normalising, each with the record after it."""
    while True:
        step = _reduce(record, rules, policy)
        if step is None:
            return
        yield step
        record = step[1]


def _reduce(record: Record, rules: Rules, policy: Policy) -> tuple[Reduction, Record] | None:
    slots = slot_cards(record)
    tops = {column[-1]: column for column in record.columns}
    for index, height in enumerate(record.foundations):
        card = 4 * height + index
        exposed = height < 13 and (card in tops or card in slots)
        if exposed and is_safe_home(rules, card, record.foundations, policy):
            return Reduction(card, None), _after_home(record, card, rules)
    for card in slots:
        for parent in sorted(tops):
            if rules.can_stack(card, parent):
                longer = (*tops[parent], card)
                columns = [
                    longer if column == tops[parent] else column for column in record.columns
                ]
                after = make_record(record.foundations, columns, record.fix, rules)
                return Reduction(card, parent), after
    if not empty_columns(record, rules):
        return None
    if columns_are_slots(rules):
        return _pair(record, slots, rules)
    for card in slots:
        if rules.can_fill(card):
            after = make_record(record.foundations, [*record.columns, (card,)], (), rules)
            return Reduction(card, TO_EMPTY_COLUMN), after
    return None


def _after_home(record: Record, card: int, rules: Rules) -> Record:
    """Return the record with the card, a top or a slot card, home.

    A card left alone lies in a column.
    """
    heights = list(record.foundations)
    heights[suit(card)] += 1
    hearts, spades, diamonds, clubs = heights
    columns = [c[:-1] if c[-1] == card else c for c in record.columns]
    fix = record.fix.union(column[0] for column in columns if len(column) == 1) - {card}
    return make_record((hearts, spades, diamonds, clubs), columns, fix, rules)


def _pair(record: Record, slots: list[int], rules: Rules) -> tuple[Reduction, Record] | None:
    """Make a column of two slot cards; return the step and the record, None if no two fit."""
    movable = free_slots(record, rules) > 0 or not rules.freecells
    for card in slots:
        for parent in slots:
            if rules.can_stack(card, parent) and (movable or parent in record.fix):
                columns = [*record.columns, (parent, card)]
                after = make_record(record.foundations, columns, (), rules)
                return Reduction(card, parent), after
    return None


def covers(record: Record, position: Position, rules: Rules) -> bool:
    """Return True if parking leads to the position from one that the record stands for.

    Each column of the position with cards under its top has to be the lower part of a stuck column;
    cards lifted from stuck columns are in slots. If a slot is free in the position, that is all. If
    none is, the last card lifted decides: before it one slot was free, and slot cards could change
    places. If its column keeps two cards, any arrangement is reached; if it keeps one, that one
    lies in a column. If nothing was lifted, `fix` decides.
    """
    if record.foundations != position.foundations:
        return False
    least = shortest_stuck(rules)
    left = {column[0]: column for column in position.columns if len(column) >= least}
    lifted: list[tuple[Column, int]] = []
    for column in record.columns:
        rest = left.pop(column[0], ())
        if column[: len(rest)] != rest:
            return False
        if len(rest) < len(column):
            lifted.append((column, len(rest)))
    if left:
        return False
    if not columns_are_slots(rules):
        return True
    if None in position.freecells or () in position.columns:
        return True
    alone = {column[0] for column in position.columns if len(column) == 1}
    if not lifted:
        return record.fix <= alone
    return any(rest >= 2 or column[0] in alone for column, rest in lifted)


def is_locked(card: int, under: int | None, rules: Rules) -> bool:
    """Return True if no legal move could put the card where it was dealt.

    It was dealt on `under`, or at a bottom if that is None.
    """
    if under is None:
        return not rules.can_fill(card)
    return not rules.can_stack(card, under)


def progress(record: Record, start: Position, rules: Rules) -> int:
    """Count cards home, and locked cards of the start that lie there no more.

    It never falls along a macro, nor when a record is normalised.
    """
    lying = {
        card: column[depth - 1] if depth else None
        for column in record.columns
        for depth, card in enumerate(column)
    }
    released = 0
    for column in start.columns:
        for depth, card in enumerate(column):
            under = column[depth - 1] if depth else None
            if is_locked(card, under, rules):
                released += card not in lying or lying[card] != under
    return sum(record.foundations) + released
