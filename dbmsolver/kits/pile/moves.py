"""Games of one pile: their states as words, and the successors of a state.

A state is what the columns have left, what the stock has left, and the card on top of the pile.
Which cards the pile holds besides follows from it, and their order makes no difference. So a state
is one word, the *public key*:

=========== ====================================================================================
bits        content
=========== ====================================================================================
0 to 5      the card on top, 52 for an empty pile
from 6      how many cards the stock has left, in as many bits as that number needs in the deal
above       the same for each column
=========== ====================================================================================

It has at most 58 bits: 52 cards in 17 columns need 41 bits at most. Every move puts one card on
the pile, so no state is reached twice by ways of different lengths, and there are no cycles.

*Signature.* The bits of the stock and of the first columns, shifted down by 6. How many columns
these are, the tables say: as many as leave a signature of a good size. The highest bit is set if
the state is won: all columns are empty.

*Key*, the plane *off* of a state: the card on top, and above it the bits of the other columns. The
planes *low* and *high* are 0.

*Stratum*: the cards that have left the stock and the first columns. Other moves keep the signature.
Where a shortest solution is wanted, turning the stock counts as a move, and a state also has a
*layer*: the cards in the columns of the deal, each of which makes a move, plus the cards turned.
Its progress is a number with the layer in the upper bits. Won states come after all others.

The *code* of a state (uint8) is the card that lay on top before the last move, or 52 where the pile
was empty; 53 for the deal itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.jit.structs import struct
from dbmsolver.kernels.states import CARDS, LOW, OFF, ONE, SIGNATURE, U64, ZERO, Words

NOTHING = CARDS
"""The card on top of an empty pile."""
NO_PARENT = CARDS + 1
"""The code of the deal itself."""
LAYER_SHIFT = 16
"""Where the layer starts in the progress of a state: above the bits that a store has for strata."""
TOP_BITS = 6
TOP = (1 << TOP_BITS) - 1
WON = np.uint64(1 << 63)
"""The bit of signatures of won states."""
MOST_LENGTHS = {True: 1 << 17, False: 1 << 21}
"""The most ways in which the columns that are not in the signature can have lost cards, with a
stock and without. With one many more of them are reached: a turned card lets any column go on."""


@struct
class PileTables(NamedTuple):
    """Constants of one deal.

    ``left`` is one more than the most cards that a column or the stock has.
    """

    columns: int
    varying: Words  # [3]: bits that each plane may have: those of the key, none, none
    shifts: Words  # [columns + 1]: where a column's number starts in a public key, then the stock's
    masks: Words  # [columns + 1]: that number's mask after shifting
    dealt: NDArray[np.int64]  # [columns + 1]: that number in the deal
    cards: NDArray[np.int64]  # [columns + 1, left]: the card that may leave, by cards left
    follows: Words  # [53]: the cards of columns that may be put on a card
    release: Words  # [52]: what a card takes from the public key; 0 in the pile of the deal
    first: int  # columns in the signature
    cut: np.uint64  # where the bits of the signature end in a public key
    layered: bool  # whether states have layers
    in_columns: int  # cards in the columns of the deal
    last: int  # the progress of won states


def make_tables(
    columns: Sequence[Sequence[int]],
    stock: Sequence[int],
    follows: Sequence[int],
    layered: bool = False,
    most: int | None = None,
) -> PileTables:
    """Return the tables of a deal.

    ``columns`` hold cards, deepest first, ``stock`` the card first that is turned next; ``follows``
    are, for each of the 52 cards and for an empty pile, the set of cards that may be put on it.
    ``most`` bounds how many states a signature can have, but for their cards on top; None stands
    for what :data:`MOST_LENGTHS` says.
    """
    places = [*map(list, columns), list(stock)[::-1]]
    cards = np.full((len(places), 1 + max(map(len, places))), -1, np.int64)
    shifts = np.zeros(len(places), np.uint64)
    masks = np.zeros(len(places), np.uint64)
    release = np.zeros(CARDS, np.uint64)
    shift = TOP_BITS
    for place in (len(places) - 1, *range(len(columns))):  # the stock has the lowest bits
        held = places[place]
        shifts[place] = shift
        masks[place] = (1 << len(held).bit_length()) - 1
        for number, card in enumerate(held, start=1):
            cards[place, number] = card
            release[card] = 1 << shift
        shift += len(held).bit_length()
    most = MOST_LENGTHS[bool(stock)] if most is None else most
    first = 0
    while prod(len(column) + 1 for column in columns[first:]) > most:
        first += 1
    cut = int(shifts[first]) if first < len(columns) else shift
    in_columns = sum(map(len, columns))
    strata = len(stock) + sum(map(len, columns[:first])) + 1
    return PileTables(
        columns=len(columns),
        varying=np.array([(1 << shift - cut + TOP_BITS) - 1, 0, 0], np.uint64),
        shifts=shifts,
        masks=masks,
        dealt=np.array([*map(len, places)], np.int64),
        cards=cards,
        follows=np.array(follows, np.uint64),
        release=release,
        first=first,
        cut=np.uint64(cut),
        layered=layered,
        in_columns=in_columns,
        last=(in_columns + len(stock) << LAYER_SHIFT) + strata if layered else strata,
    )


def key_of(t: PileTables, lengths: Sequence[int], stock: int, top: int) -> int:
    """Return the public key of a state: the lengths of columns and stock, and the top card."""
    numbers = zip(t.shifts.tolist(), (*lengths, stock), strict=True)
    return sum(number << shift for shift, number in numbers) + top


def take_key(t: PileTables, key: int) -> tuple[list[int], int, int]:
    """Return (lengths, stock, top) of a public key: the inverse of :func:`key_of`."""
    numbers = [
        key >> shift & mask for shift, mask in zip(t.shifts.tolist(), t.masks.tolist(), strict=True)
    ]
    return numbers[:-1], numbers[-1], key & TOP


@inlined
def left_in(t, public, place):
    """Count the cards (int64) left in a column or, as the last place, in the stock."""
    return np.int64((public >> t.shifts[place]) & t.masks[place])


@inlined
def after(t, public, card):
    """Return the public key of the state after a card was put on the pile."""
    return (public & ~U64(TOP)) - t.release[card] + U64(card)


@inlined
def public_key(t, signature, key):
    """Return the public key (uint64) of a state."""
    shared = (signature & ~WON) << U64(TOP_BITS)
    return (key & U64(TOP)) | shared | ((key >> U64(TOP_BITS)) << t.cut)


@inlined
def signature_of(t, public):
    """Return the signature of a public key."""
    signature = (public & ((ONE << t.cut) - ONE)) >> U64(TOP_BITS)
    if not public >> t.shifts[0]:
        signature |= WON
    return signature


@inlined
def local_part(t, public):
    """Return the key, within its signature, of a public key."""
    return (public & U64(TOP)) | ((public >> t.cut) << U64(TOP_BITS))


@inlined
def pile_progress(t, signature, locked_in_deal):
    """Return the progress (int64) of a signature, the layer in the upper bits if it has one."""
    if signature & WON:
        return np.int64(t.last)
    public = signature << U64(TOP_BITS)
    turned = t.dealt[t.columns] - left_in(t, public, t.columns)
    total = turned
    for column in range(t.first):
        total += t.dealt[column] - left_in(t, public, column)
    if t.layered:
        total += (t.in_columns + turned) << LAYER_SHIFT
    return np.int64(total)


@inlined
def put_state(t, found, count, public):
    """Write a state to a row of ``found``."""
    found[count, SIGNATURE] = signature_of(t, public)
    found[count, OFF] = local_part(t, public)
    found[count, LOW] = ZERO


@inlined
def expand_pile(t, sets, off, low, high, scratch):
    """List the successors of a state into ``scratch.found``; return how many (int64).

    ``sets`` are those of its signature; ``off`` (uint64) is its key, other planes are 0.
    """
    found, public = scratch.found, public_key(t, sets.signature, off)
    fits = t.follows[public & U64(TOP)]
    count = np.int64(0)
    for column in range(t.columns):
        left = left_in(t, public, column)
        if left and (fits >> U64(t.cards[column, left])) & ONE:
            put_state(t, found, count, after(t, public, t.cards[column, left]))
            count += 1
    left = left_in(t, public, t.columns)
    if left:
        put_state(t, found, count, after(t, public, t.cards[t.columns, left]))
        count += 1
    return count


@kernel
def undo_code(t, signature, off, low, high, code):
    """Return the state before the last move (signature and three planes), by its code.

    That is no state of any game where the code cannot be that of such a state.
    """
    top = off & U64(TOP)
    if top >= NOTHING or t.release[top] == ZERO:
        return WON, ZERO, ZERO, ZERO
    public = (public_key(t, signature, off) & ~U64(TOP)) + t.release[top] + U64(code)
    return signature_of(t, public), local_part(t, public), ZERO, ZERO
