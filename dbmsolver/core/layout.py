"""Local keys: the plane bits of a signature's loose cards, packed into one word, or left in three.

Most signatures have at most 64 bits to tell their states apart; their local key is one word: the varying bits of the
plane *off*, above them those of *low*, above them those of *high*, each in card order.  The few that need more are
*wide*: three words, one for each plane, not packed.  A search may hold both kinds side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.core.bits import NETWORK_WORDS, make_network, pack_bits, popcount, unpack_bits
from dbmsolver.jit.decorators import inlined, kernel

U64 = np.uint64
PLANES = 3
WIDE_WORDS = 3
NETS = (PLANES, NETWORK_WORDS)
"""Shape of the array that holds a layout's packing networks."""


class Layout(NamedTuple):
    """How the states of one signature are packed (values only; the networks live in a scratch array)."""

    loose: np.uint64
    bits: int  # of the key; 0 to 156
    low_shift: np.uint64
    high_shift: np.uint64
    wide: bool


@kernel
def make_layout(t, loose, nets):
    """The layout of a signature with these loose cards; writes its networks to ``nets`` (uint64[3, 7])."""
    make_network(loose & t.varying[0], nets[0])
    make_network(loose & t.varying[1], nets[1])
    low = popcount(nets[0, 6])
    high = low + popcount(nets[1, 6])
    bits = high
    if t.planes == 3:
        make_network(loose & t.varying[2], nets[2])
        bits += popcount(nets[2, 6])
    return Layout(loose, bits, U64(low & 63), U64(high & 63), bits > 64)


@inlined
def pack_key(t, layout, nets, off, low, high):
    """Local key of a state's planes: three words, the last two 0 unless wide."""
    if layout.wide:
        return off & nets[0, 6], low & nets[1, 6], high & layout.loose & t.varying[2]
    key = pack_bits(off, nets[0]) | (pack_bits(low, nets[1]) << layout.low_shift)
    if t.planes == 3:
        key |= pack_bits(high, nets[2]) << layout.high_shift
    return key, U64(0), U64(0)


@inlined
def unpack_key(t, layout, nets, first, second, third):
    """The planes (off, low, high) of a local key."""
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
