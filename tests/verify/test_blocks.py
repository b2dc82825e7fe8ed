"""Blocks that somebody made, checksum and all: each that does not fit is refused in one line."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import zstandard

from dbmsolver.errors import StoreError
from dbmsolver.storage.binding import bound, with_content_hash
from dbmsolver.storage.records import BlockKey, closed_key
from dbmsolver.verify import blocks
from dbmsolver.verify.blocks import claimed_by, read_block

IDENTITY = bytes(range(8))
HUGE = (1 << 63) - 1


class Block(NamedTuple):
    """A block of two signatures, three states, and codes of one byte."""

    signatures: tuple[int, ...] = (5, 9)
    counts: tuple[int, ...] = (1, 2)
    version: int = 6
    code_bytes: int = 1
    words: int = 1
    runs: int = 2
    states: int = 3
    stratum: int = 7
    first: int = 5
    last: int = 9
    beyond: int = 0
    """Bytes of the body that no field of the header stands for."""

    @property
    def key(self) -> bytes:
        """The key in the store."""
        return closed_key(b"C", BlockKey(0, self.stratum, self.first, self.last, 1))

    def content(self, body: bytes) -> bytes:
        """Return the bytes of the block with this compressed body."""
        header = (self.version, self.code_bytes, self.words, 0, self.runs, self.states)
        rest = struct.pack("<BBBBIQ", *header) + body
        return bound(with_content_hash(rest), IDENTITY + self.key)

    def body(self) -> bytes:
        """Return the body that fits the header: keys 1, 2 and 5, codes 10, 11 and 12."""
        wide = (0,) * (self.words - 1)
        differences = np.array([[1, *wide], [2, *wide], [3, *wide]], np.uint64)
        planes = differences.view(np.uint8).reshape(3, 8 * self.words).T
        codes = np.array([10, 11, 12], f"<u{self.code_bytes}")
        directory = np.array([*self.signatures], np.uint64), np.array([*self.counts], np.int64)
        return b"".join(part.tobytes() for part in (*directory, planes, codes)) + bytes(self.beyond)


def stored(block: Block, data: bytes | None = None) -> Any:
    """Return what the reader sees of a store with this block."""
    packed = zstandard.ZstdCompressor().compress(block.body())
    content = block.content(packed) if data is None else data
    return SimpleNamespace(
        path="store",
        manifest=SimpleNamespace(id=IDENTITY.hex()),
        read=lambda key: {block.key: content}[key],
    )


def test_a_sound_block() -> None:
    block = Block()
    found = read_block(stored(block), 1, block.key)
    assert found.signatures.tolist() == [5, 9]
    assert found.counts.tolist() == [1, 2]
    assert (found.words, found.codes.tolist()) == (1, [10, 11, 12])
    assert found.keys.tolist() == [[1], [2], [5]]
    assert claimed_by(stored(block), 1, block.key) == (3, 2 * 16 + 3 * 9)


def test_codes_of_two_bytes() -> None:
    block = Block(code_bytes=2, words=3)
    found = read_block(stored(block), 2, block.key)
    assert (found.words, found.codes.tolist()) == (3, [10, 11, 12])
    assert found.keys.tolist() == [[1, 0, 0], [2, 0, 0], [5, 0, 0]]


WRONG = {
    "version": (Block(version=5), "block version 5, expected 6"),
    "later version": (Block(version=7), "block version 7, expected 6"),
    "two words": (Block(words=2), "a width that cannot be"),
    "width of codes": (Block(code_bytes=2), "a width that cannot be"),
    "more states": (Block(states=4), "not what its header says"),
    "fewer states": (Block(states=2), "not what its header says"),
    "more runs": (Block(runs=3), "not what its header says"),
    "a longer body": (Block(beyond=1), "not what its header says"),
    "no runs": (
        Block(signatures=(), counts=(), runs=0),
        "runs do not fit its header and key",
    ),
    "an empty run": (Block(counts=(0, 3)), "runs do not fit"),
    "a negative run": (Block(counts=(-1, 4)), "runs do not fit"),
    "a count too many": (Block(counts=(1, 3)), "runs do not fit"),
    "a count too few": (Block(counts=(1, 1)), "runs do not fit"),
    "counts that wrap round": (
        Block(signatures=(5, 6, 7, 9), counts=(HUGE, HUGE, 2, 3), runs=4),
        "runs do not fit",
    ),
    "first": (Block(first=4), "runs do not fit"),
    "last": (Block(last=10), "runs do not fit"),
}


@pytest.mark.parametrize(("block", "reason"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit(block: Block, reason: str) -> None:
    """Each is refused for one reason alone."""
    with pytest.raises(StoreError, match=reason) as error:
        read_block(stored(block), 1, block.key)
    assert "\n" not in str(error.value)


def test_a_body_that_is_larger_than_any(monkeypatch: pytest.MonkeyPatch) -> None:
    block = Block()
    size = len(block.body())
    monkeypatch.setattr(blocks, "_MOST_BYTES", size)
    assert claimed_by(stored(block), 1, block.key)[1] == size
    monkeypatch.setattr(blocks, "_MOST_BYTES", size - 1)
    with pytest.raises(StoreError, match="not what its header says"):
        claimed_by(stored(block), 1, block.key)


def test_a_checksum_of_another_place() -> None:
    """The checksum binds a block to its key and its store; claims are read without it."""
    block, other = Block(), Block(stratum=8)
    content = other.content(zstandard.ZstdCompressor().compress(other.body()))
    store = stored(block, content)
    assert claimed_by(store, 1, block.key)[0] == 3
    with pytest.raises(StoreError, match="checksum does not match"):
        read_block(store, 1, block.key)
    with pytest.raises(StoreError, match="checksum does not match"):
        foreign = stored(block)
        foreign.manifest.id = bytes(8).hex()
        read_block(foreign, 1, block.key)


def test_bytes_after_the_frame() -> None:
    block = Block()
    packed = zstandard.ZstdCompressor().compress(block.body())
    with pytest.raises(StoreError, match="cannot be decompressed"):
        read_block(stored(block, block.content(packed + b"more")), 1, block.key)


@pytest.mark.parametrize("kept", [0, 8, 23])
def test_a_header_cut_short(kept: int) -> None:
    block = Block()
    data = block.content(zstandard.ZstdCompressor().compress(block.body()))[:kept]
    with pytest.raises(StoreError, match="cut short"):
        claimed_by(stored(block, data), 1, block.key)


def test_a_frame_that_ends_early() -> None:
    """The header of the frame promises all bytes: some do not come."""
    block = Block()
    packed = zstandard.ZstdCompressor().compress(block.body())
    short = stored(block, block.content(packed[:14]))
    with pytest.raises(StoreError, match="cannot be decompressed"):
        read_block(short, 1, block.key)
    none = stored(block, block.content(b"no frame at all"))
    with pytest.raises(StoreError, match="cannot be decompressed"):
        claimed_by(none, 1, block.key)
