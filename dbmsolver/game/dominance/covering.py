"""The records that can cover a position: the ways to put parked cards back.

A record covers a position whose columns are lower parts of its own, with all other cards in slots
(`docs/dominance.md`, lemma 2). So the records that cover it come from it by putting cards from
slots onto columns, or onto each other: onto a legal parent, or to where they were dealt.
"""

from __future__ import annotations

from collections.abc import Iterator

from dbmsolver.game.dominance.records import (
    TO_EMPTY_COLUMN,
    Column,
    Record,
    columns_are_slots,
    covers,
    free_slots,
    make_record,
    shortest_stuck,
)
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules

Places = dict[int, int]
"""The card that each card put back is put on, or TO_EMPTY_COLUMN."""


def covering_records(position: Position, start: Position, rules: Rules) -> Iterator[Record]:
    """Yield all records that cover a position in a game from `start`.

    Those with most cards put back come first. They need not be in normal form, nor reachable.
    """
    least = shortest_stuck(rules)
    columns = [column for column in position.columns if len(column) >= least]
    slots = [card for card in position.freecells if card is not None]
    alone = [column[0] for column in position.columns if 0 < len(column) < least]
    slots = sorted(slots + alone)
    options = [_options(card, columns, slots, start, rules) for card in slots]
    for places in _choices(slots, options):
        built = _built(columns, slots, places, rules)
        if built is None or len(built) > rules.columns:
            continue
        record = make_record(position.foundations, built, (), rules)
        if free_slots(record, rules) < 0:
            continue
        if not places and free_slots(record, rules) == 0:
            fixes = _subsets(alone)
            yield from {make_record(position.foundations, built, fix, rules) for fix in fixes}
        elif covers(record, position, rules):
            yield record


def _options(
    card: int, columns: list[Column], slots: list[int], start: Position, rules: Rules
) -> list[int]:
    """Return the cards that a card from a slot can have lain on, and TO_EMPTY_COLUMN."""
    exposed = [column[-1] for column in columns] + [other for other in slots if other != card]
    under = _dealt_on(card, start)
    options = [parent for parent in exposed if rules.can_stack(card, parent) or parent == under]
    if not columns_are_slots(rules) and (rules.can_fill(card) or under == TO_EMPTY_COLUMN):
        options.append(TO_EMPTY_COLUMN)
    return options


def _dealt_on(card: int, start: Position) -> int | None:
    """Return the card that a card was dealt on.

    TO_EMPTY_COLUMN at a bottom, None outside the columns.
    """
    for column in start.columns:
        if card in column:
            depth = column.index(card)
            return column[depth - 1] if depth else TO_EMPTY_COLUMN
    return None


def _choices(slots: list[int], options: list[list[int]]) -> Iterator[Places]:
    """Yield every way to put some cards back, no two on the same one."""
    if not slots:
        yield {}
        return
    for places in _choices(slots[1:], options[1:]):
        taken = set(places.values()) - {TO_EMPTY_COLUMN}
        for place in options[0]:
            if place not in taken:
                yield {slots[0]: place, **places}
    yield from _choices(slots[1:], options[1:])


def _built(
    columns: list[Column], slots: list[int], places: Places, rules: Rules
) -> list[Column] | None:
    """Return the stuck columns with the cards put back.

    None if some lie in a circle, or on a card in a freecell.
    """
    on_top = {under: card for card, under in places.items() if under != TO_EMPTY_COLUMN}
    bottoms: list[Column] = [(card,) for card, under in places.items() if under == TO_EMPTY_COLUMN]
    if columns_are_slots(rules):
        bottoms += [(card,) for card in slots if card in on_top and card not in places]
    built = []
    for column in [*columns, *bottoms]:
        while column[-1] in on_top:
            column = (*column, on_top.pop(column[-1]))
        built.append(column)
    return None if on_top else built


def _subsets(cards: list[int]) -> Iterator[list[int]]:
    """Yield all subsets."""
    if not cards:
        yield []
        return
    for rest in _subsets(cards[1:]):
        yield [cards[0], *rest]
        yield rest
