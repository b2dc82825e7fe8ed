"""The records of a store: the grammar of keys and values.

This grammar is the source of all widths; ``docs/store-format.md`` tells the meaning of every field
to authors of other readers.  Numbers in keys are big-endian, so that the order of
bytes is that of the numbers; numbers in values are little-endian.  ``uN`` is N bits wide, ``[n]``
means n of them::

    record   = "M"                                                     -> manifest
             | "S"                                                     -> seal
             | "C" layer:u16 stratum:u16 first:u64 last:u64 number:u64 -> block  closed states
             | "A" layer:u16 stratum:u16 first:u64 last:u64 number:u64 -> block  of the look ahead
             | "P" layer:u16 stratum:u16 number:u64                    -> block  pending candidates
             | "B" layer:u16 stratum:u16 number:u64                    -> block  not looked at
             | "D" layer:u16 stratum:u16 number:u64                    -> done   finished signatures
    manifest = JSON, UTF-8, an object
    seal     = records:u64 sum:u64 checksum:u64
    done     = checksum:u64 u64[*]
    block    = checksum:u64 version:u8 code_bytes:u8 words:u8 extra_bytes:u8 runs:u32 states:u64
               zstd(body)
    body     = signatures:u64[runs] counts:u64[runs] planes:u8[8 * words][states]
               codes:(8 * code_bytes)[states] extra:(8 * extra_bytes)[states]
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from dbmsolver.errors import StoreError
from dbmsolver.storage.binding import CHECKSUM

FORMAT = 6
"""The version of stores and of their blocks."""
LARGEST = (1 << 62) - 1
"""The largest number that a manifest or a key may hold."""
MANIFEST = b"M"
SEAL_KEY = b"S"
BLOCK_HEADER = struct.Struct("<BBBBIQ")
"""The header after a block's checksum: version, code_bytes, words, extra_bytes, runs, states."""
_CLOSED_KEY = struct.Struct(">cHHQQQ")
_PENDING_KEY = struct.Struct(">cHHQ")
_STRATA = 1 << 16
"""Strata that a layer may have."""
_NAMES = {b"C": "closed", b"A": "look-ahead", b"P": "pending", b"B": "pending", b"D": "done"}
_SIZES = {kind: (_CLOSED_KEY if kind in (b"C", b"A") else _PENDING_KEY).size for kind in _NAMES}


class Closed(NamedTuple):
    """An encoded block of closed states that is to be stored.

    ``first`` and ``last`` are the lowest and highest of its signatures, ``states`` counts its
    states, ``data`` is what :func:`dbmsolver.storage.blocks.encode_block` returns.
    """

    layer: int
    stratum: int
    first: int
    last: int
    states: int
    data: bytes


class BlockKey(NamedTuple):
    """The fields of a closed block's key."""

    layer: int
    stratum: int
    first: int
    last: int
    number: int

    @property
    def place(self) -> int:
        """The layer and the stratum as one number, the place."""
        return place_number(self.layer, self.stratum)


def place_number(layer: int, stratum: int) -> int:
    """Return layer and stratum as one number, the place: the inverse of `layer_and_stratum`.

    Places are in the order in which a search closes them. Without layers a place is a stratum.
    """
    return layer * _STRATA + stratum


def layer_and_stratum(place: int) -> tuple[int, int]:
    """Return the layer and the stratum of a place."""
    return divmod(place, _STRATA)


def closed_key(kind: bytes, place: BlockKey) -> bytes:
    """Return a key of kind ``C`` or ``A``."""
    return _CLOSED_KEY.pack(kind, *place)


def pending_key(kind: bytes, layer: int, stratum: int, number: int) -> bytes:
    """Return a key of kind ``P``, ``B`` or ``D``."""
    return _PENDING_KEY.pack(kind, layer, stratum, number)


def parse_closed_key(key: bytes) -> BlockKey:
    """Return the fields of a key of kind ``C`` or ``A``."""
    return BlockKey(*_CLOSED_KEY.unpack(key)[1:])


def parse_pending_key(key: bytes) -> tuple[int, int, int]:
    """Return (layer, stratum, number) of a key of kind ``P``, ``B`` or ``D``."""
    layer, stratum, number = _PENDING_KEY.unpack(key)[1:]
    return layer, stratum, number


def stratum_prefix(kind: bytes, layer: int, stratum: int) -> bytes:
    """Return the bytes that all keys of a kind begin with in one stratum."""
    return kind + struct.pack(">HH", layer, stratum)


def number_of(key: bytes) -> int:
    """Return the number at the end of a key; 0 for the keys of manifest and seal."""
    return int.from_bytes(key[-8:], "big") if len(key) > 8 else 0


def is_sound(key: bytes) -> bool:
    """Return True if a key other than those of manifest and seal fits the grammar."""
    return len(key) == _SIZES.get(key[:1], 0) and number_of(key) <= LARGEST


def describe(key: bytes) -> str:
    """Return a key in words, for messages."""
    if key[:1] in (MANIFEST, SEAL_KEY):
        return "manifest" if key[:1] == MANIFEST else "seal"
    if len(key) < _PENDING_KEY.size:
        return f"with the key {key.hex()}"
    layer, stratum = struct.unpack_from(">HH", key, 1)
    name = _NAMES.get(key[:1], key[:1].decode("latin-1"))
    return f"{name} block {number_of(key)} of layer {layer}, stratum {stratum}"


def states_of(data: bytes, where: str) -> int:
    """Return the number of states in a block's header; the block is not decoded.

    ``data`` is the block, or its first bytes; StoreError, naming ``where``, if the header is cut
    short.
    """
    if len(data) < CHECKSUM.size + BLOCK_HEADER.size:
        raise StoreError(f"{where} is damaged (cut short)")
    return int(BLOCK_HEADER.unpack_from(data, CHECKSUM.size)[-1])
