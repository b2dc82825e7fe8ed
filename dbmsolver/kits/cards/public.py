"""Public keys of states made of cards, and their hashes.

A public key is a mixed-radix number (:mod:`dbmsolver.kits.public_digits`). What each rank's four
cards contribute to it is looked up by their plane bits.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.closed_rows import CACHE, CACHED_BASE, CACHED_PROGRESS
from dbmsolver.kernels.digest import hash_words
from dbmsolver.kernels.hashes import mix
from dbmsolver.kernels.states import CARDS, HIGH, LOW, OFF, SIGNATURE, U64
from dbmsolver.kits.cards.expand import height, progress, signature_sets


@inlined
def base_words(t, sets, words):
    """Write to ``words`` (uint64[3]) what all states of a signature share of their public key.

    ``sets`` is its :class:`~dbmsolver.kits.cards.expand.Sets`. ``t.rank_words`` counts cards that
    are not loose as lying on their first parent, for their plane bits are 0; that is taken back
    here.
    """
    for word in range(t.digit_words.shape[1]):
        total = U64(0)
        for suit in range(4):
            total += t.height_words[suit, height(sets.signature, suit), word]
        for card in range(CARDS):
            if not (sets.loose >> U64(card)) & U64(1):
                total -= t.digit_words[8 * card, word]
        words[word] = total


@inlined
def plane_index(t, rank, off, low, high):
    """Return the row (int64) of ``t.rank_words`` for a rank's four cards with these planes."""
    shift = U64(4 * rank)
    nibble = U64(15)
    index = ((off >> shift) & nibble) | (((low >> shift) & nibble) << U64(4))
    if t.planes == 3:
        index |= ((high >> shift) & nibble) << U64(8)
    return np.int64(index)


@inlined
def hash_state(t, word0, word1, word2, off, low, high):
    """Hash a state's public key (uint64); the words are those of :func:`base_words`."""
    length = t.rank_words.shape[2]
    for rank in range(13):
        index = plane_index(t, rank, off, low, high)
        word0 += t.rank_words[rank, index, 0]
        word1 += t.rank_words[rank, index, 1]
        if length > 2:
            word2 += t.rank_words[rank, index, 2]
    return hash_words(word0, word1, word2, length)


@inlined
def count_row(t, rows, index, locked_in_deal, cache):
    """Return the progress (int64) of a row's state, and the hash (uint64) of its public key."""
    row = rows[index]
    signature = row[SIGNATURE]
    known = cache[np.int64(mix(signature) & U64(CACHE - 1))]
    if known[0] != signature:
        known[0] = signature
        known[CACHED_PROGRESS] = U64(progress(t, signature, locked_in_deal))
        base_words(t, signature_sets(t, signature), known[CACHED_BASE:])
    base0, base1, base2 = known[CACHED_BASE], known[CACHED_BASE + 1], known[CACHED_BASE + 2]
    hashed = hash_state(t, base0, base1, base2, row[OFF], row[LOW], row[HIGH])
    return np.int64(known[CACHED_PROGRESS]), hashed
