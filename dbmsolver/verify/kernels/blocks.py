"""The states in the body of a block: byte planes to local keys, local keys to planes of cards."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.jit.families import ByType
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.kernels.planes import key_bits, key_words, take_signature
from dbmsolver.verify.kernels.words import ALL, U64, ZERO

BAD_WIDTH = 7  # of a local key
BAD_KEY = 8  # more bits than the loose cards have


class Body(NamedTuple):
    """A block's states, decompressed.

    ``planes`` uint8[8 * words * states] are the differences of local keys, byte by byte; ``codes``
    uint16[states].
    """

    words: int
    states: int
    planes: NDArray[np.uint8]
    codes: NDArray[np.uint16]


class BlockScratch(NamedTuple):
    """Tables that turn a local key into planes, four bits at a time."""

    bits: NDArray[np.uint64]  # [3, 160]: what each bit of the key stands for
    nibbles: NDArray[np.uint64]  # [3, 16, 16]


def make_scratch() -> BlockScratch:
    """Return scratch memory."""
    return BlockScratch(np.empty((3, 160), np.uint64), np.empty((3, 16, 16), np.uint64))


@inlined
def difference(body, word, number):
    """Return a word of a state's local key, minus that of the state before it."""
    result = ZERO
    place = 8 * word * body.states + number
    for byte in range(8):
        result |= U64(body.planes[place]) << U64(8 * byte)
        place += body.states
    return result


@inner
def fill_nibbles(planes, bits, scratch):
    """Fill the tables for keys of ``bits`` bits; return the number of groups of four bits."""
    groups = (bits + 3) // 4
    for plane in range(planes):
        for bit in range(bits, 4 * groups):
            scratch.bits[plane, bit] = ZERO
        for group in range(groups):
            table = scratch.nibbles[plane, group]
            table[0] = ZERO
            for bit in range(4):
                word = scratch.bits[plane, 4 * group + bit]
                for value in range(1 << bit):
                    table[value + (1 << bit)] = table[value] | word
    return groups


@inner
def unpack_digits(d, signature, body, start, count, planes, codes, at, scratch):
    """Write a run of digits: as :func:`unpack_run`."""
    if body.words != 3:
        return BAD_WIDTH
    first = second = third = ZERO
    for number in range(start, start + count):
        first += difference(body, 0, number)
        second += difference(body, 1, number)
        third += difference(body, 2, number)
        place = 3 * (at + number - start)
        planes[place], planes[place + 1], planes[place + 2] = first, second, third
        codes[at + number - start] = body.codes[number]
    return 0


@inner
def unpack_planes(f, signature, body, start, count, planes, codes, at, scratch):
    """Write a run of planes: as :func:`unpack_run`."""
    error, home, locked = take_signature(f, signature)
    if error:
        return error
    loose = ALL & ~(home | locked)
    if key_words(f, loose) != body.words:
        return BAD_WIDTH
    fixed_off, fixed_low = f.fixed[0] & loose, f.fixed[1] & loose
    width = f.planes
    place = width * at
    if body.words == 3:
        first = second = third = ZERO
        for number in range(start, start + count):
            first += difference(body, 0, number)
            second += difference(body, 1, number)
            third += difference(body, 2, number)
            strange = (first & ~f.varying[0]) | (second & ~f.varying[1]) | (third & ~f.varying[2])
            if strange or (first | second | third) & ~loose:
                return BAD_KEY
            planes[place] = fixed_off | first
            planes[place + 1] = fixed_low | second
            if width == 3:
                planes[place + 2] = third
            place += width
    else:
        bits = key_bits(f, loose, scratch.bits)
        groups = fill_nibbles(f.planes, bits, scratch)
        key = ZERO
        for number in range(start, start + count):
            key += difference(body, 0, number)
            if bits < 64 and key >> U64(bits):
                return BAD_KEY
            off, low, high = fixed_off, fixed_low, ZERO
            rest = key
            for group in range(groups):
                value = np.int64(rest & U64(15))
                rest >>= U64(4)
                off |= scratch.nibbles[0, group, value]
                low |= scratch.nibbles[1, group, value]
                if width == 3:
                    high |= scratch.nibbles[2, group, value]
            planes[place] = off
            planes[place + 1] = low
            if width == 3:
                planes[place + 2] = high
            place += width
    for number in range(count):
        codes[at + number] = body.codes[start + number]
    return 0


_unpack = ByType({Format: unpack_planes, DigitFormat: unpack_digits})


@kernel
def unpack_run(f, signature, body, start, count, planes, codes, at, scratch):
    """Write a run of a block to ``planes`` and ``codes``; return an error, 0 if there is none.

    It has ``count`` states from number ``start`` on; they are written from number ``at`` on.
    """
    return _unpack(f, signature, body, start, count, planes, codes, at, scratch)


@kernel
def unpack_block(f, signatures, body, records, planes, codes, scratch):
    """Unpack runs of a block: (error, record).

    ``records`` are int64[*, 4]: run, first state in the block, count, number to write it to.
    """
    for index in range(records.shape[0]):
        error = unpack_run(
            f, signatures[records[index, 0]], body, records[index, 1], records[index, 2],
            planes, codes, records[index, 3], scratch,
        )  # fmt: skip
        if error:
            return error, index
    return 0, 0
