"""Pieces of a stratum that does not fit into the memory, and the states that belong to each.

A state has four words here: its three, and a hash of its signature. A piece is the states that have
certain bits in these words. Moves within a stratum never change the signature. So pieces that
differ in the hash are closed one after the other, and none leads to another. A signature with too
many states is divided by bits of the cards' digits: those that seldom change from a state to the
next, so that few moves lead to another piece.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.core.patience_closing import Piece
from dbmsolver.core.patience_strata import signatures
from dbmsolver.core.patience_tables import PER_WORD, Words
from dbmsolver.core.tables import CARDS
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.storage.patience_blocks import Codes

WORDS = 4
HASH = 3
"""The word that is the hash of the signature."""
_HASH_BITS = range(63, 39, -1)
_EVEN = 0.2
"""The least share of the states on the smaller side of a bit that divides them well."""
_MIX = np.uint64(0x9E3779B97F4A7C15)
_MIX_AGAIN = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)
_ONE = np.uint64(1)


class Cover(NamedTuple):
    """The states with certain bits: ``rows & masks == values``, each uint64[4]."""

    masks: Words
    values: Words

    def holds(self, rows: Words) -> NDArray[np.bool_]:
        """Return for each row (uint64[*, 4]) whether its state belongs to the cover."""
        inside = np.ones(len(rows), np.bool_)
        for word in range(WORDS):
            if self.masks[word]:
                inside &= rows[:, word] & self.masks[word] == self.values[word]
        return inside

    def piece(self) -> Piece:
        """Return the cover as kernels need it: without the hash.

        All states that a kernel closes together have the same hash.
        """
        return Piece(self.masks[:HASH].copy(), self.values[:HASH].copy(), 1)

    def half(self, bit: int, value: int) -> Cover:
        """Return the cover of those states whose bit ``bit`` has this value.

        Bits are counted through all four words.
        """
        masks, values = self.masks.copy(), self.values.copy()
        masks[bit >> 6] |= _ONE << np.uint64(bit & 63)
        if value:
            values[bit >> 6] |= _ONE << np.uint64(bit & 63)
        return Cover(masks, values)


def everything() -> Cover:
    """Return the cover that all states belong to."""
    return Cover(np.zeros(WORDS, np.uint64), np.zeros(WORDS, np.uint64))


def rows_of(keys: PatienceKeys, words: Words) -> Words:
    """Return the four words (uint64[*, 4]) of states (uint64[*, 3])."""
    rows = np.empty((len(words), WORDS), np.uint64)
    rows[:, :HASH] = words
    found = np.empty(len(words), np.uint64)
    signatures(keys.tables, words, found)
    found *= _MIX
    found ^= found >> _SHIFT
    found *= _MIX_AGAIN
    rows[:, HASH] = found
    return rows


def cover_of(rows: Words) -> Cover:
    """Return the cover with all bits that some states (uint64[*, 4]) have in common."""
    ones = np.bitwise_and.reduce(rows, axis=0)
    return Cover(~(np.bitwise_or.reduce(rows, axis=0) ^ ones), ones)


def the_only(pieces: list[Cover], covers: list[Cover]) -> list[int | None]:
    """Return for each cover the number of the piece that all its states belong to.

    It is None if they belong to several pieces. Each state has to belong to one piece.
    """
    if len(pieces) == 1 or not covers:
        return [0] * len(covers)
    masks = np.array([one.masks for one in covers])
    values = np.array([one.values for one in covers])
    found, owner = np.zeros(len(covers), np.int64), np.zeros(len(covers), np.int64)
    for number, piece in enumerate(pieces):
        may_be = ~(((values ^ piece.values) & masks & piece.masks).any(axis=1))
        found += may_be
        owner[may_be] = number
    return [
        number if times == 1 else None
        for number, times in zip(owner.tolist(), found.tolist(), strict=True)
    ]


def by_hash(rows: Words, parts: int) -> list[NDArray[np.int64]]:
    """Return the numbers of states, divided by their hash into at most ``parts`` parts.

    ``parts`` is a power of two.
    """
    bits = parts.bit_length() - 1
    if not bits or not len(rows):
        return [np.arange(len(rows))]
    part = rows[:, HASH] >> np.uint64(64 - bits)
    order = np.argsort(part, kind="stable")
    ends = np.searchsorted(part[order], np.arange(1, parts, dtype=np.uint64))
    return [some for some in np.split(order, ends) if some.size]


def divided(cover: Cover, rows: Words, codes: Codes, parts: int) -> list[Cover]:
    """Return the pieces that make up another: at least two, and at most ``parts``.

    ``rows`` and ``codes`` are states of it, by which the bits are chosen.
    """
    covers = [cover]
    for bit in _best_bits(rows, codes, max(1, (parts - 1).bit_length())):
        covers = [half for one in covers for half in (one.half(bit, 0), one.half(bit, 1))]
    return covers


def _best_bits(rows: Words, codes: Codes, wanted: int) -> list[int]:
    """Return the bits to divide states by, counted through all words: those of the hash first."""
    shares = {bit: _share(rows, bit) for bit in (64 * HASH + bit for bit in _HASH_BITS)}
    bits = [bit for bit, share in shares.items() if share >= _EVEN]
    if bits:
        return bits[:wanted]
    digits = [bit for bit in range(64 * HASH) if _is_digit(bit)]
    shares |= {bit: _share(rows, bit) for bit in digits}
    changes = _changes(rows, codes)
    for least in (_EVEN, _EVEN / 8):
        bits = [bit for bit in digits if shares[bit] >= least]
        if bits:
            return [min(bits, key=lambda bit: changes[bit] / shares[bit])]
    return [max(shares, key=lambda bit: shares[bit])]


def _is_digit(bit: int) -> bool:
    word, place = divmod(bit, 64)
    return PER_WORD * word + place // 3 < min(CARDS, PER_WORD * (word + 1))


def _share(rows: Words, bit: int) -> float:
    """Return the share of states on the smaller side of a bit: at most a half."""
    ones = float(((rows[:, bit >> 6] >> np.uint64(bit & 63)) & _ONE).mean())
    return min(ones, 1 - ones)


def _changes(rows: Words, codes: Codes) -> dict[int, float]:
    """Return for each bit of the digits how often the move that led to a state changed it."""
    changes = dict.fromkeys(range(64 * HASH), 1 / len(rows))
    cards, before = (codes & 63).astype(np.int64), (codes >> 6 & 7).astype(np.uint64)
    for card in range(CARDS):
        own = cards == card
        word, shift = card // PER_WORD, 3 * (card % PER_WORD)
        digits = (rows[own, word] >> np.uint64(shift)) & np.uint64(7)
        for bit in range(3):
            changed = ((digits ^ before[own]) >> np.uint64(bit)) & _ONE
            changes[64 * word + shift + bit] += float(changed.sum()) / len(rows)
    return changes
