"""Checksums that bind a record to its place: to its key, and to the store it belongs to.

A block is encoded, and its content hashed, before it is known what key it gets.  So the checksum
in a store is the hash of three things: the store's ``id``, the record's key, and the hash of
everything after the checksum.  A record that stands anywhere else, under another key or in another
store, is as wrong as one whose bytes were changed.  A block that has not been stored has the hash
of its content in the place of the checksum.
"""

from __future__ import annotations

import struct

import xxhash

CHECKSUM = struct.Struct("<Q")
SEAL = struct.Struct("<QQQ")


def content_hash(data: bytes | memoryview) -> int:
    """Return the XXH3-64 of everything after the checksum."""
    return xxhash.xxh3_64_intdigest(memoryview(data)[CHECKSUM.size :])


def checksum_at(content: int, place: bytes) -> int:
    """Return the checksum of a record with this content hash at a place.

    ``place`` is the store's id (8 bytes) followed by the record's key.
    """
    return xxhash.xxh3_64_intdigest(place + CHECKSUM.pack(content))


def bound(data: bytes, place: bytes) -> bytes:
    """Return a record as it is stored at a place.

    The first eight bytes of ``data`` are its content hash.
    """
    return CHECKSUM.pack(checksum_at(checksum_of(data), place)) + data[CHECKSUM.size :]


def checksum_of(data: bytes | memoryview) -> int:
    """Return the first eight bytes of a record as a number."""
    return int(CHECKSUM.unpack_from(data)[0])


def is_intact(data: bytes | memoryview, place: bytes | None) -> bool:
    """Return True if a record is unchanged, and at this place; ``place`` is None in memory."""
    if len(data) < CHECKSUM.size:
        return False
    content = content_hash(data)
    expected = content if place is None else checksum_at(content, place)
    return checksum_of(data) == expected


def with_content_hash(rest: bytes) -> bytes:
    """Return a record of this content, with the content hash in the place of the checksum."""
    return CHECKSUM.pack(xxhash.xxh3_64_intdigest(rest)) + rest


def seal_of(manifest: bytes, records: int, total: int) -> bytes:
    """Return the seal of a manifest and of this many records.

    ``total`` is the sum of the records' checksums modulo 2**64.
    """
    numbers = struct.pack("<QQ", records, total)
    return numbers + CHECKSUM.pack(xxhash.xxh3_64_intdigest(numbers + manifest))
