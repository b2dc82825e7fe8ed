"""Columns, read from a signature and planes: for the kernels of all games with locked cards.

A column with a locked card has two parts. The *prefix* is all cards from the bottom up to the
topmost locked one, that one included; they lie as dealt. The *chain* is the loose cards above, each
on a legal parent. A column without a locked card is a chain that starts at the bottom.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.states import ONE, U64, Words


@inlined
def locked_in(t, signature, column):
    """Return the number (int64) of cards that are locked in a column."""
    return np.int64((signature >> t.column_shift[column]) & t.column_mask[column])


@inlined
def number_of_parent(t, low, high, shift):
    """Return the number (int64) of the parent that a loose card lies on; ``shift`` is the card."""
    number = np.int64((low >> shift) & ONE)
    if t.planes == 3:
        number += 2 * np.int64((high >> shift) & ONE)
    return number


@inlined
def prefixes_of(t, tops, signature, over):
    """Return the set of all cards that are in a prefix (uint64).

    For each column with a locked card, ``over[card]`` (uint64[52]) becomes the column's word of
    ``tops``; the card is the topmost locked one. :func:`table_of_tops` makes ``tops``.
    """
    prefixes = U64(0)
    for column in range(t.columns):
        count = locked_in(t, signature, column)
        if count:
            prefixes |= t.prefix[column, count]
            over[t.lock_top[column, count]] = tops[column, count]
    return prefixes


def table_of_tops(t: Any, words: Mapping[int, int]) -> Words:
    """Return uint64[columns, counts]: the word of the topmost locked card, 0 where none is locked.

    ``words`` has one for each card in the columns.
    """
    table = np.zeros(t.lock_top.shape, np.uint64)
    for place in np.ndindex(*t.lock_top.shape):
        top = int(t.lock_top[place])
        if top >= 0:
            table[place] = words[top]
    return table
