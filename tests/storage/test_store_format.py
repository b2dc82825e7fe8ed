"""docs/store-format.md has the grammar of the code, and is enough to read a store."""

from __future__ import annotations

import ast
import json
import struct
import textwrap
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import lmdb
import pytest
import xxhash
import zstandard
from helpers.searching import prove

from dbmsolver import api
from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.storage import records

DOCUMENT = Path(__file__).parents[2] / "docs" / "store-format.md"
DEAL = Deal.from_number(11982)


def test_the_grammar_is_that_of_the_code() -> None:
    told = DOCUMENT.read_text().split("```")[1]
    docstring = ast.get_docstring(ast.parse(Path(records.__file__).read_text()))
    assert docstring is not None
    own = textwrap.dedent(docstring[docstring.index("    record   =") :])
    assert told.strip() == own.strip()


def test_records_are_named_in_words() -> None:
    assert (records.describe(b"M"), records.describe(b"S")) == ("manifest", "seal")
    closed = records.closed_key(b"C", records.BlockKey(1, 2, 3, 4, 5))
    assert records.describe(closed) == "closed block 5 of layer 1, stratum 2"
    pending = records.pending_key(b"P", 1, 2, 5)
    assert records.describe(pending) == "pending block 5 of layer 1, stratum 2"
    assert records.describe(pending[:-1]) == f"with the key {pending[:-1].hex()}"


def test_a_header_that_is_cut_short() -> None:
    """A block's first 24 bytes tell its states."""
    header = bytes(16) + (1 << 40).to_bytes(8, "little")
    assert records.states_of(header, "here") == records.states_of(header + bytes(9), "here")
    assert records.states_of(header, "here") == 1 << 40
    for size in (0, 8, 23):
        with pytest.raises(StoreError, match=r"here is damaged \(cut short\)"):
            records.states_of(header[:size], "here")


class Reader:
    """A reader of stores that was written from the document, and imports nothing of the program."""

    def __init__(self, path: Path) -> None:
        with (
            lmdb.open(str(path), readonly=True, lock=False) as environment,
            environment.begin() as txn,
        ):
            self.records: dict[bytes, bytes] = dict(txn.cursor())
        self.manifest: dict[str, Any] = json.loads(self.records[b"M"])
        assert self.manifest["format"] == 6

    def check_seal(self) -> None:
        count, total, checksum = struct.unpack("<QQQ", self.records[b"S"])
        assert count == len(self.records)
        hashes = [
            xxhash.xxh3_64_intdigest(key + value[:8])
            for key, value in self.records.items()
            if key not in (b"M", b"S")
        ]
        assert total == sum(hashes) % 2**64
        assert checksum == xxhash.xxh3_64_intdigest(self.records[b"S"][:16] + self.records[b"M"])

    def check_record(self, key: bytes) -> bytes:
        """Check a record's checksum; return the bytes after it."""
        value = self.records[key]
        content = struct.pack("<Q", xxhash.xxh3_64_intdigest(value[8:]))
        place = bytes.fromhex(self.manifest["id"]) + key
        assert value[:8] == struct.pack("<Q", xxhash.xxh3_64_intdigest(place + content))
        return value[8:]

    def states(self, key: bytes) -> list[tuple[int, tuple[int, ...], int, int]]:
        """(signature, local key, code, extra) of each state in a block."""
        rest = self.check_record(key)
        version, code_bytes, words, extra_bytes, runs, states = struct.unpack_from("<BBBBIQ", rest)
        assert version == 6
        body = zstandard.ZstdDecompressor().decompress(rest[16:])
        assert len(body) == 16 * runs + states * (8 * words + code_bytes + extra_bytes) <= 2**29
        signatures = struct.unpack_from(f"<{runs}Q", body)
        counts = struct.unpack_from(f"<{runs}Q", body, 8 * runs)
        assert sum(counts) == states
        planes = body[16 * runs :]
        codes = planes[8 * words * states :]
        extras = codes[code_bytes * states :]
        found = []
        place = 0
        for signature, count in zip(signatures, counts, strict=True):
            local = [0] * words
            for at in range(place, place + count):
                before = list(local)
                for word in range(words):
                    taken = [planes[(8 * word + byte) * states + at] for byte in range(8)]
                    local[word] = (local[word] + int.from_bytes(taken, "little")) % 2**64
                ascends = local[::-1] > before[::-1]
                assert at == place or ascends or (local == before and key[:1] == b"B")
                code = int.from_bytes(codes[code_bytes * at : code_bytes * (at + 1)], "little")
                extra = int.from_bytes(extras[extra_bytes * at : extra_bytes * (at + 1)], "little")
                found.append((signature, tuple(local), code, extra))
            place += count
        if key[:1] in (b"C", b"A"):
            assert struct.unpack_from(">QQ", key, 5) == (min(signatures), max(signatures))
        return found

    def of_kind(self, kind: bytes) -> list[bytes]:
        return [key for key in self.records if key[:1] == kind]


def check_history(manifest: dict[str, Any]) -> None:
    """Its times ascend, its counts grow, and its last row is that of the newest commit."""
    rows = manifest["history"]
    assert 1 < len(rows) <= 256
    for before, row in pairwise(rows):
        assert before[0] < row[0] and before[3] <= row[3] and before[4] <= row[4]
    milliseconds, layer, stratum, states, forced = rows[-1]
    assert (states, forced) == (manifest["states"], manifest["forced"])
    assert milliseconds == pytest.approx(1000 * manifest["seconds"], abs=50)
    place = (layer, stratum)[manifest["question"] == "prove"]
    column = manifest["question"] == "prove"
    assert (place in {row[column] for row in manifest["strata"]}) and 0 in (layer, stratum)


@pytest.mark.parametrize("ask", [prove, api.prove, api.solve], ids=["every", "dominating", "solve"])
def test_a_finished_store(tmp_path: Path, ask: Any) -> None:
    result = ask(DEAL, store=tmp_path)
    reader = Reader(tmp_path)
    reader.check_seal()
    found: Counter[tuple[int, int]] = Counter()
    states = set()
    for key in reader.of_kind(b"C"):
        layer, stratum = struct.unpack_from(">HH", key, 1)
        block = reader.states(key)
        found[layer, stratum] += len(block)
        states |= {(signature, local) for signature, local, _, _ in block}
    assert len(states) == result.states + result.forced == sum(found.values())
    rows = {(row[0], row[1]): row[2] + row[3] for row in reader.manifest["strata"]}
    assert found == rows
    assert reader.manifest["digest"] == result.digest
    check_history(reader.manifest)
    assert len(reader.records) == 2 + len(reader.of_kind(b"C"))


def digest_of(words: Iterable[tuple[int, ...]]) -> str:
    """Return the digest of public keys."""
    hashes = (xxhash.xxh3_64_intdigest(struct.pack(f"<{len(key)}Q", *key)) for key in words)
    return f"{sum(hashes) % 2**64:016x}"


def test_a_store_of_classes(tmp_path: Path) -> None:
    """Its local keys are one word, beside signatures, whatever the keys of Klondike's positions."""
    result = api.prove(Deal.from_number(7, GAMES["klondike_by_threes"]), store=tmp_path)
    reader = Reader(tmp_path)
    assert reader.manifest["method"] == "classes"
    states = [state for key in reader.of_kind(b"C") for state in reader.states(key)]
    assert len(states) == result.states > 1
    assert digest_of((signature, *local) for signature, local, _, _ in states) == result.digest
    assert all(len(local) == 1 for _, local, _, _ in states)
    assert states[0][2] == 0 and max(code for _, _, code, _ in states) < 256


@pytest.mark.parametrize("game", ["freecell", "klondike_by_threes"])
def test_a_store_of_a_proof_that_dives_won_has_no_states(tmp_path: Path, game: str) -> None:
    result = api.prove(Deal.from_number(3, GAMES[game]), store=tmp_path)
    reader = Reader(tmp_path)
    assert sorted(reader.records) == [b"M", b"S"]
    assert reader.manifest["states"] == result.evaluated > result.states == 0
    assert reader.manifest["strata"] == [] and reader.manifest["digest"] == digest_of([])


@pytest.mark.parametrize("ask", [prove, api.solve], ids=["every", "solve"])
def test_a_store_that_is_not_finished(tmp_path: Path, ask: Any) -> None:
    ask(DEAL, store=tmp_path, max_states=30_000)
    reader = Reader(tmp_path)
    reader.check_seal()
    pending = [
        state
        for kind in (b"P", b"B")
        for key in reader.of_kind(kind)
        for state in reader.states(key)
    ]
    assert pending
    for key in reader.of_kind(b"D"):
        assert len(reader.check_record(key)) % 8 == 0
    members = reader.manifest
    numbers = [int.from_bytes(key[-8:], "big") for key in reader.records if len(key) > 1]
    assert (members["phase"], members["verdict"]) == ("search", "undecided")
    check_history(members)
    assert max(numbers) < members["next"] and len(set(numbers)) == len(numbers)
    if members["question"] == "prove":
        assert members["waiting"][0] == len(pending)
    else:
        made = [extra & 0x7FFF for _, _, _, extra in pending]
        assert made.count(0) <= 1  # the deal itself
