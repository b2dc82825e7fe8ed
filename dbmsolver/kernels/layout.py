"""Local keys: the plane bits of a signature's loose cards, packed into one word, or left in three.

Most signatures have at most 64 bits to tell their states apart. Their local key is one word: the
varying bits of the plane *off*, above them those of *low*, above them those of *high*, each in card
order. The few signatures that need more bits are *wide*: their keys have three words, one for each
plane, not packed. A search may hold both kinds side by side.

Keys of classes and of games of one pile are the plane *off* as it is: nothing is packed. Keys of
Klondike and its relatives are all three planes as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kernels.bits import NETWORK_WORDS, make_network, pack_bits, popcount, unpack_bits
from dbmsolver.kernels.states import U64

PLANES = 3
WIDE_WORDS = 3
NETS = (PLANES, NETWORK_WORDS)
"""Shape of the array that holds a layout's packing networks."""
LAYOUT_WORDS = 4
LOOSE, LOW_SHIFT, HIGH_SHIFT, WIDE = range(LAYOUT_WORDS)
"""Columns of an array of layouts."""


class KeyLayout(NamedTuple):
    """The packing of the states of one signature. Its networks lie in a scratch array, ``nets``."""

    loose: np.uint64  # set of cards
    bits: int  # of the key; 0 to 156
    low_shift: np.uint64  # where the bits of low start in the key
    high_shift: np.uint64  # where the bits of high start
    wide: bool


@inlined
def packing_layout(t, loose, nets):
    """Return the layout of a signature with these loose cards; write ``nets`` (uint64[3, 7]).

    ``loose`` is a set of cards (uint64).
    """
    make_network(loose & t.varying[0], nets[0])
    make_network(loose & t.varying[1], nets[1])
    low = popcount(nets[0, 6])
    high = low + popcount(nets[1, 6])
    bits = high
    if t.planes == 3:
        make_network(loose & t.varying[2], nets[2])
        bits += popcount(nets[2, 6])
    return KeyLayout(loose, bits, U64(low & 63), U64(high & 63), bits > 64)


@inlined
def _plain(t, loose, nets):
    return KeyLayout(loose, popcount(loose), U64(0), U64(0), False)


@inlined
def _three_words(t, loose, nets):
    bits = popcount(t.varying[0]) + popcount(t.varying[1]) + popcount(t.varying[2])
    return KeyLayout(loose, bits, U64(0), U64(0), True)


@inlined
def width_of(layout):
    """Return the number of words of each key, 1 or 3."""
    return WIDE_WORDS if layout.wide else 1


@inlined
def put_layout(layouts, row, layout):
    """Write a layout, without ``bits``, to a row of ``layouts`` (uint64[*, 4])."""
    layouts[row, LOOSE] = layout.loose
    layouts[row, LOW_SHIFT] = layout.low_shift
    layouts[row, HIGH_SHIFT] = layout.high_shift
    layouts[row, WIDE] = U64(layout.wide)


@inlined
def get_layout(layouts, row):
    """Return the layout in a row of ``layouts`` (uint64[*, 4]); its ``bits`` are 0."""
    return KeyLayout(
        layouts[row, LOOSE],
        0,
        layouts[row, LOW_SHIFT],
        layouts[row, HIGH_SHIFT],
        layouts[row, WIDE] != U64(0),
    )


@inlined
def _pack(t, layout, nets, off, low, high):
    if layout.wide:
        return off & nets[0, 6], low & nets[1, 6], high & layout.loose & t.varying[2]
    key = pack_bits(off, nets[0]) | (pack_bits(low, nets[1]) << layout.low_shift)
    if t.planes == 3:
        key |= pack_bits(high, nets[2]) << layout.high_shift
    return key, U64(0), U64(0)


@inlined
def _off(t, layout, nets, off, low, high):
    return off, U64(0), U64(0)


@inlined
def _planes(t, layout, nets, off, low, high):
    return off, low, high


@inlined
def _unpack(t, layout, nets, first, second, third):
    off = t.fixed[0] & layout.loose
    low = t.fixed[1] & layout.loose
    if layout.wide:
        return off | first, low | second, third
    off |= unpack_bits(first, nets[0])
    low |= unpack_bits(first >> layout.low_shift, nets[1])
    high = U64(0)
    if t.planes == 3:
        high = unpack_bits(first >> layout.high_shift, nets[2])
    return off, low, high


PACKED = {hooks.make_layout: packing_layout, hooks.pack_key: _pack, hooks.unpack_key: _unpack}
"""The hooks of keys whose planes are packed into one word where they fit."""
PLAIN = {hooks.make_layout: _plain, hooks.pack_key: _off, hooks.unpack_key: _off}
"""The hooks of keys that are the plane *off* as it is."""
THREE_WORDS = {
    hooks.make_layout: _three_words,
    hooks.pack_key: _planes,
    hooks.unpack_key: _planes,
}
"""The hooks of keys that are all three planes as they are."""


@inlined
def key_at(keys, index, wide):
    """Return the three words of key number ``index`` in an array, the last two 0 unless wide."""
    if wide:
        base = WIDE_WORDS * index
        return keys[base], keys[base + 1], keys[base + 2]
    return keys[index], U64(0), U64(0)


@inlined
def put_key(keys, base, wide, key):
    """Write a key of three words from word ``base`` of ``keys`` on: all, or the first one.

    All three are written if the signature's keys are wide.
    """
    keys[base] = key[0]
    if wide:
        keys[base + 1] = key[1]
        keys[base + 2] = key[2]
