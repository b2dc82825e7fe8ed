"""The fields of a signature: four heights, and for each column how many of its cards are locked."""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.kits.cards.tables import Tables


class Field(NamedTuple):
    """The field of a number in a signature: ``(signature >> shift) & mask``."""

    shift: int
    mask: int


def heights() -> list[Field]:
    """Return the heights of the foundations. No move lowers one."""
    return [Field(4 * suit, 15) for suit in range(4)]


def locked_cards(tables: Tables) -> list[Field]:
    """Return the locked cards of each column. No move makes them more."""
    pairs = zip(tables.column_shift.tolist(), tables.column_mask.tolist(), strict=True)
    return [Field(shift, mask) for shift, mask in pairs]


def used_bits(tables: Tables) -> int:
    """Return the bits of a signature that belong to a field."""
    return sum(mask << shift for shift, mask in (*heights(), *locked_cards(tables)))
