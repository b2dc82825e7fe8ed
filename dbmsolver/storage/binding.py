"""Checksums that bind a record to its place: to its key, and to the store it belongs to.

A block is made, and its content hashed, before it is known what key it gets.  So the checksum in a store is the hash of
three things: the store's ``id``, the record's key, and the hash of everything after the checksum.  A record that stands
anywhere else, under another key or in another store, is as wrong as one whose bytes were changed.  A block in memory has
the hash of its content alone.
"""

from __future__ import annotations

import struct

import xxhash

CHECKSUM = struct.Struct("<Q")
SEAL = struct.Struct("<QQQ")


def content_hash(data: bytes | memoryview) -> int:
    """XXH3-64 of everything after the checksum."""
    return xxhash.xxh3_64_intdigest(memoryview(data)[CHECKSUM.size :])


def checksum_at(content: int, place: bytes) -> int:
    """The checksum of a record with this content hash at a place: the store's id and the record's key."""
    return xxhash.xxh3_64_intdigest(place + CHECKSUM.pack(content))


def bound(data: bytes, place: bytes) -> bytes:
    """A record, whose first eight bytes are its content hash, as it is stored at a place."""
    return CHECKSUM.pack(checksum_at(CHECKSUM.unpack_from(data)[0], place)) + data[CHECKSUM.size :]


def is_intact(data: bytes | memoryview, place: bytes | None) -> bool:
    """Whether a record is what was written, and at this place; ``place`` is None in memory."""
    if len(data) < CHECKSUM.size:
        return False
    content = content_hash(data)
    expected = content if place is None else checksum_at(content, place)
    return bool(CHECKSUM.unpack_from(data)[0] == expected)


def with_content_hash(rest: bytes) -> bytes:
    """What comes after the checksum, with its hash before it."""
    return CHECKSUM.pack(xxhash.xxh3_64_intdigest(rest)) + rest


def seal_of(manifest: bytes, records: int, total: int) -> bytes:
    """The seal of a manifest and of as many records, whose checksums add up to ``total`` modulo 2**64."""
    numbers = struct.pack("<QQ", records, total)
    return numbers + CHECKSUM.pack(xxhash.xxh3_64_intdigest(numbers + manifest))
