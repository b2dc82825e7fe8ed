"""Runs that are too long for one block are written as several."""

from __future__ import annotations

import struct
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import zstandard
from helpers.faults import check
from helpers.searching import prove
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver import api
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Result
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.proof.piece_tables import KeyShape
from dbmsolver.search.proof.pieces import Piece, Tree
from dbmsolver.storage import blocks
from dbmsolver.storage.binding import CHECKSUM, with_content_hash
from dbmsolver.storage.blocks import Runs, decode_block, encode_block, split
from dbmsolver.storage.records import BLOCK_HEADER, FORMAT
from dbmsolver.storage.store import Store

DEAL = Deal.from_number(11982)
CAP = 1 << 12


def some_runs(counts: list[int], words: int, has_extra: bool) -> Runs:
    states = sum(counts)
    return Runs(
        np.arange(len(counts), dtype=np.uint64) + np.uint64(7),
        np.array(counts, np.int64),
        np.arange(words * states, dtype=np.uint64),
        (np.arange(states) % 251).astype(np.uint16),
        words,
        np.arange(states, dtype=np.uint16) if has_extra else None,
    )


@given(
    counts=st.lists(st.integers(1, 40), min_size=1, max_size=40),
    words=st.sampled_from([1, 3]),
    has_extra=st.booleans(),
    cap=st.integers(60, 2000),
)
@settings(max_examples=100, deadline=None)
def test_parts_make_the_whole(counts: list[int], words: int, has_extra: bool, cap: int) -> None:
    runs = some_runs(counts, words, has_extra)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "MOST_BYTES", cap)
        parts = split(runs)
        decoded = [decode_block(encode_block(part), "here") for part in parts]
        if runs.body_bytes > cap:
            with pytest.raises(InternalError, match="more than"):
                encode_block(runs)
    assert (len(parts) == 1) == (runs.body_bytes <= cap)
    signatures = [np.repeat(part.signatures, part.counts) for part in decoded]
    assert np.concatenate(signatures).tolist() == np.repeat(runs.signatures, counts).tolist()
    assert np.concatenate([part.keys for part in decoded]).tolist() == runs.keys.tolist()
    assert np.concatenate([part.codes for part in decoded]).tolist() == runs.codes.tolist()
    if runs.extra is not None:
        extra = [part.extra for part in decoded if part.extra is not None]
        assert np.concatenate(extra).tolist() == runs.extra.tolist()


@pytest.mark.parametrize(
    "counts",
    [
        (0, 1, 4),
        (-1, 2, 4),
        (1, 1, 4),
        (1, 1, 2),
        (6, 1, -2),
        (2**63 - 1, 2**63 - 1, 7),  # as many as there are, modulo 2**64
        (2**63 - 1, -(2**63), 6),
    ],
)
def test_counts_that_are_not_those_of_the_states(counts: tuple[int, ...]) -> None:
    """They are told from a sum that is right by chance: kernels would follow them anywhere."""
    block = encode_block(some_runs([1, 1, 3], 1, False))
    start = CHECKSUM.size + BLOCK_HEADER.size
    body = bytearray(zstandard.ZstdDecompressor().decompress(block[start:]))
    assert struct.unpack_from("<3q", body, 24) == (1, 1, 3)
    struct.pack_into("<3q", body, 24, *counts)
    header = block[CHECKSUM.size : start]
    forged = with_content_hash(header + zstandard.ZstdCompressor().compress(bytes(body)))
    with pytest.raises(StoreError, match="here: the block's runs do not fit its header"):
        decode_block(forged, "here")


def block_of(code_bytes: int, words: int, extra_bytes: int, counts: list[int]) -> bytes:
    """Return a block with the widths that are given, of zeros but for the counts."""
    states, count = sum(counts), len(counts)
    body = bytes(8 * count) + struct.pack(f"<{count}q", *counts)
    body += bytes(states * (8 * words + code_bytes + extra_bytes))
    widths = (FORMAT, code_bytes, words, extra_bytes, count, states)
    packed = zstandard.ZstdCompressor().compress(body)
    return with_content_hash(BLOCK_HEADER.pack(*widths) + packed)


def test_widths_that_no_block_has() -> None:
    """Refuse other widths of keys, codes or extras, though the body is as long as they say."""
    for code_bytes, words, extra_bytes in product(range(5), repeat=3):
        block = block_of(code_bytes, words, extra_bytes, [2, 1])
        if code_bytes in (1, 2) and words in (1, 3) and extra_bytes in (0, 2):
            runs = decode_block(block, "here")
            assert (runs.codes.itemsize, runs.key_words) == (code_bytes, words)
            assert (runs.extra_bytes, runs.counts.tolist()) == (extra_bytes, [2, 1])
            assert runs.nbytes == 3 * (8 * words + code_bytes) + 16 * 2
        else:
            with pytest.raises(StoreError, match="keys or codes have a width that cannot be"):
                decode_block(block, "here")


def test_bytes_behind_a_block() -> None:
    """They are under the checksum, and belong to nothing."""
    whole = encode_block(some_runs([2, 1], 1, False))
    decode_block(whole, "here")
    for more in (b"x", whole[CHECKSUM.size + BLOCK_HEADER.size :]):
        with pytest.raises(StoreError, match="here: the block is damaged"):
            decode_block(with_content_hash(whole[CHECKSUM.size :] + more), "here")


def test_a_body_that_is_larger_than_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not unpacked, however well it fits its header."""
    whole = encode_block(some_runs([2, 1], 1, False))
    size = some_runs([2, 1], 1, False).body_bytes
    for most in (size, size - 1):
        monkeypatch.setattr(blocks, "MOST_BYTES", most)
        if most == size:
            decode_block(whole, "here")
        else:
            with pytest.raises(StoreError, match=f"here: the block has {size} bytes, not what"):
                decode_block(whole, "here")


def test_a_block_without_a_run() -> None:
    with pytest.raises(StoreError, match="here: the block's runs do not fit its header"):
        decode_block(block_of(1, 1, 0, []), "here")


def test_candidates_of_a_piece_are_delivered_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MOST_BYTES", CAP)
    codec = StateCodec(Deal.from_number(1), "wkr")
    shape = KeyShape(codec, 0, codec.root.signature, 3, False)
    tree = Tree(shape, Piece(0, 0, 0, []))
    keys = np.arange(3 * 1000, dtype=np.uint64)
    codes = np.arange(1000).astype(np.uint16)
    signature = np.array([codec.root.signature], np.uint64)
    tree.deliver([Candidates.of(0, Runs(signature, np.array([1000]), keys, codes, 3))])
    found = [candidates.load() for piece in tree.pieces for candidates in piece.queue]
    assert max(runs.keys.nbytes + runs.codes.nbytes for runs in found) <= CAP // 4
    assert np.concatenate([runs.codes for runs in found]).tolist() == list(range(1000))
    assert np.concatenate([runs.keys for runs in found]).tolist() == keys.tolist()


def lengths(path: Path) -> list[int]:
    """Return the bodies' sizes of all blocks in a store, by their headers."""
    with Store.open(path, readonly=True) as store:
        headers = [
            store.read(key, 24) for kind in (b"C", b"A", b"P", b"B") for key in store.keys(kind)
        ]
    sizes = []
    for header in headers:
        _, _, code, words, extra, runs, states = struct.unpack("<QBBBBIQ", header)
        sizes.append(16 * runs + states * (8 * words + code + extra))
    return sizes


def facts(result: Result) -> tuple[object, ...]:
    return result.verdict, result.states, result.forced, result.digest, result.strata


@pytest.mark.parametrize("ask", [prove, api.solve], ids=["prove", "solve"])
def test_searches_write_several_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ask: object
) -> None:
    """Interrupted, continued and verified; the answer is that of a search with large blocks."""
    assert callable(ask)
    expected = ask(DEAL)
    monkeypatch.setattr(blocks, "MOST_BYTES", CAP)
    path = tmp_path / "store"
    assert ask(DEAL, store=path, max_states=30_000).limit == "max-states"
    found = lengths(path)
    assert max(found) <= CAP and len(found) > 100
    assert facts(ask(DEAL, store=path)) == facts(expected)
    assert max(lengths(path)) <= CAP
    report = check(path)
    assert report.valid, report.reason
