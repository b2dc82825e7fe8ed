"""The states in the body of a block: from byte planes to local keys, and from these to states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels.closed_set import Ints, Words
from dbmsolver.verify.kernels.opening import open_key
from dbmsolver.verify.kernels.words import U64, ZERO

RUN, PLACE, NUMBER = range(3)
"""Where the next state is: its run, its number in the run, and its number in the block."""


class Block(NamedTuple):
    """A block's states, decompressed.

    ``planes`` uint8[8 * words * states] are the differences of local keys, byte by byte; ``codes``
    uint16[states].
    """

    signatures: Words
    counts: Ints
    words: int
    planes: NDArray[np.uint8]
    codes: NDArray[np.uint16]


class Cursor(NamedTuple):
    """The next state of a block that is being read, and the local key that was read last."""

    at: Ints  # [3]
    key: Words  # [3]


def make_cursor() -> Cursor:
    """Return the beginning of a block."""
    return Cursor(np.zeros(3, np.int64), np.zeros(3, np.uint64))


@inlined
def difference(block, word, number):
    """Return a word of a state's local key, minus that of the state before it."""
    result = ZERO
    place = 8 * word * block.codes.size + number
    for byte in range(8):
        result |= U64(block.planes[place]) << U64(8 * byte)
        place += block.codes.size
    return result


@inner
def read_keys(block, cursor, states, first, last):
    """Write signature, local key and code of the next states of a run to rows of ``states``."""
    signature, number = block.signatures[cursor.at[RUN]], cursor.at[NUMBER]
    for row in range(first, last):
        states.rows[row, 0] = signature
        for word in range(block.words):
            cursor.key[word] += difference(block, word, number)
            states.rows[row, 1 + word] = cursor.key[word]
        for word in range(block.words, 3):
            states.rows[row, 1 + word] = ZERO
        states.codes[row] = block.codes[number]
        number += 1
    cursor.at[NUMBER] = number
    cursor.at[PLACE] += last - first


@kernel
def read_states(keys, block, layer, cursor, states):
    """Read the next states of a block, as many as there is room for: (error, their number).

    ``keys`` is the form of local keys. In the event of an error the number is that of the state
    which is wrong.
    """
    count, room = 0, states.rows.shape[0]
    while count < room and cursor.at[RUN] < block.signatures.size:
        if cursor.at[PLACE] == block.counts[cursor.at[RUN]]:
            cursor.at[RUN] += 1
            cursor.at[PLACE] = 0
            cursor.key[:] = ZERO
            continue
        first = count
        count += min(block.counts[cursor.at[RUN]] - cursor.at[PLACE], room - count)
        read_keys(block, cursor, states, first, count)
        for number in range(first, count):
            error = open_key(keys, block.words, layer, states.rows[number])
            if error:
                return error, number
    return 0, count
