"""Checksums that bind a record to its address: its store's id, and its key.

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


def checksum_for(content: int, address: bytes) -> int:
    """Return the checksum of a record with this content hash at an address.

    ``address`` is the store's id (8 bytes) followed by the record's key.
    """
    return xxhash.xxh3_64_intdigest(address + CHECKSUM.pack(content))


def bound(data: bytes, address: bytes) -> bytes:
    """Return a record as it is stored at an address.

    The first eight bytes of ``data`` are its content hash.
    """
    return CHECKSUM.pack(checksum_for(checksum_of(data), address)) + data[CHECKSUM.size :]


def checksum_of(data: bytes | memoryview) -> int:
    """Return the first eight bytes of a record as a number."""
    return int(CHECKSUM.unpack_from(data)[0])


def is_intact(data: bytes | memoryview, address: bytes | None) -> bool:
    """Return True if a record is unchanged, and at its address; that is None in memory."""
    if len(data) < CHECKSUM.size:
        return False
    content = content_hash(data)
    expected = content if address is None else checksum_for(content, address)
    return checksum_of(data) == expected


def with_content_hash(rest: bytes) -> bytes:
    """Return a record of this content, with the content hash in the place of the checksum."""
    return CHECKSUM.pack(xxhash.xxh3_64_intdigest(rest)) + rest


def share_of(key: bytes, data: bytes | memoryview) -> int:
    """Return the number that a record adds to the sum in the seal.

    It is the hash of two things together: the record's key, and its checksum, which is the first
    eight bytes of ``data``.
    """
    return xxhash.xxh3_64_intdigest(key + data[: CHECKSUM.size])


def seal_of(manifest: bytes, records: int, total: int) -> bytes:
    """Return the seal of a manifest and of this many records.

    ``total`` is the sum of their shares modulo 2**64.
    """
    numbers = struct.pack("<QQ", records, total)
    return numbers + CHECKSUM.pack(xxhash.xxh3_64_intdigest(numbers + manifest))
