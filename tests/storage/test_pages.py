"""The pages of a data file by themselves: damage to the pages of a tree is told as what it is."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import lmdb
import pytest

from dbmsolver.errors import StoreError
from dbmsolver.storage.datafile import DataFile
from dbmsolver.storage.environment import Environment

PAGE = 4096
HEADER = struct.Struct("<QHHHH")
MAP_SIZE, FREE_ROOT, DEPTH, ENTRIES, ROOT, LAST_PAGE = 32, 80, 94, 120, 128, 136
"""The bytes at which a meta page has these numbers."""
OVERFLOW = 4
LARGE = b"P00000500"
"""The key of the one value that has pages of its own, three of them."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a data file of a branch, its leaves, a large value, and a list of free pages."""
    path = tmp_path_factory.mktemp("whole")
    with lmdb.open(str(path), map_size=1 << 24) as environment:
        with environment.begin(write=True) as txn:
            for number in range(1000):
                txn.put(b"P%08d" % number, bytes(50))
            txn.put(LARGE, b"v" * 9000)
        for _ in range(2):
            with environment.begin(write=True) as txn:
                txn.put(b"P00000001", bytes(50))
    return (path / "data.mdb").read_bytes()


def newest(data: bytes, at: int) -> int:
    """Return a number of the newest meta page: three commits were made, so the second counts."""
    assert struct.unpack_from("<Q", data, PAGE + 144)[0] == 3
    return int(struct.unpack_from("<Q", data, PAGE + at)[0])


def nodes_of(data: bytes, at: int) -> list[int]:
    """Return where the nodes of a page begin, in the order of their keys."""
    count = (HEADER.unpack_from(data, at)[3] - HEADER.size) // 2
    return [at + start for start in struct.unpack_from(f"<{count}H", data, at + HEADER.size)]


def refused(path: Path, data: bytes | bytearray, message: str) -> None:
    """Check that a file with these bytes is not opened, and for what."""
    (path / "data.mdb").write_bytes(data)
    with pytest.raises(StoreError) as caught:
        DataFile(path / "data.mdb", "store")
    assert str(caught.value) == f"store: not a readable store (data.mdb is damaged: {message})"


def test_a_system_that_reads_few_bytes_at_once(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ask for the rest as often as need be."""
    (tmp_path / "data.mdb").write_bytes(whole)
    read = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, at: read(file, min(size, 1000), at))
    file = DataFile(tmp_path / "data.mdb", "store")
    file.check_for_writing()
    assert file.keys() == sorted({b"P%08d" % number for number in range(1000)})
    assert (file.get(LARGE), file.get(b"P00000999")) == (b"v" * 9000, bytes(50))
    file.close()


def test_an_empty_file(tmp_path: Path) -> None:
    refused(tmp_path, b"", "it is empty")


def test_meta_pages_at_the_edge(whole: bytes, tmp_path: Path) -> None:
    """The map holds the last page, whose number has 48 bits at most."""
    last = newest(whole, LAST_PAGE)
    for pages, number, fits in (
        (last + 1, last, True),
        (last, last, False),
        (1 << 49, 1 << 48, False),
        (1 << 49, (1 << 48) - 1, True),
    ):
        data = bytearray(whole)
        for at in (0, PAGE):
            struct.pack_into("<Q", data, at + MAP_SIZE, pages * PAGE)
            struct.pack_into("<Q", data, at + LAST_PAGE, number)
        if fits:
            (tmp_path / "data.mdb").write_bytes(data)
            DataFile(tmp_path / "data.mdb", "store").close()
        else:
            refused(tmp_path, data, "the meta page at byte 0 cannot be")


def test_trees_that_are_not_as_they_are_said_to_be(whole: bytes, tmp_path: Path) -> None:
    """The number of records is that of the leaves, and the depth is one that a tree can have."""
    assert newest(whole, ENTRIES) == 1000
    for entries in (999, 1001):
        data = bytearray(whole)
        struct.pack_into("<Q", data, PAGE + ENTRIES, entries)
        refused(tmp_path, data, f"it has 1000 records, not {entries}")
    for depth in (0, 33, 0xFFFF):
        data = bytearray(whole)
        struct.pack_into("<H", data, PAGE + DEPTH, depth)
        refused(tmp_path, data, f"a tree of depth {depth}")


@pytest.mark.parametrize(
    ("leaf", "place", "key"), [(0, -1, b"P99999999"), (1, 0, b"P0000000/"), (1, -1, b"P99999999")]
)
def test_keys_of_another_leaf(
    whole: bytes, tmp_path: Path, leaf: int, place: int, key: bytes
) -> None:
    """The first and the last key of a leaf are between those that its branch tells."""
    child = nodes_of(whole, newest(whole, ROOT) * PAGE)[leaf]
    page = struct.unpack_from("<H", whole, child)[0]
    node = nodes_of(whole, page * PAGE)[place]
    data = bytearray(whole)
    data[node + 8 : node + 17] = key
    refused(tmp_path, data, f"the keys of page {page} belong elsewhere")


def test_keys_of_a_leaf_that_are_not_in_order(whole: bytes, tmp_path: Path) -> None:
    """Two are equal, or the second is lower."""
    child = nodes_of(whole, newest(whole, ROOT) * PAGE)[3]
    page = struct.unpack_from("<H", whole, child)[0]
    before, node = nodes_of(whole, page * PAGE)[4:6]
    key = whole[before + 8 : before + 17]
    for other in (key, b"P%08d" % (int(key[1:]) - 1)):
        data = bytearray(whole)
        data[node + 8 : node + 17] = other
        refused(tmp_path, data, f"the keys of page {page} are not in order")


def test_nodes_that_have_bytes_in_common(whole: bytes, tmp_path: Path) -> None:
    """A gap before the first is as long as the part that it shares with the second."""
    child = nodes_of(whole, newest(whole, ROOT) * PAGE)[0]
    page = struct.unpack_from("<H", whole, child)[0]
    nodes = nodes_of(whole, page * PAGE)
    first, second = sorted(nodes)[:2]
    data = bytearray(whole)
    data[first + 2 : second] = whole[first : second - 2]
    place = page * PAGE + HEADER.size + 2 * nodes.index(first)
    struct.pack_into("<H", data, place, first + 2 - page * PAGE)
    refused(tmp_path, data, f"the nodes of page {page} overlap")


def large_of(data: bytes) -> tuple[int, int]:
    """Return the leaf with the large value, and where the number of its first page stands."""
    children = nodes_of(data, newest(data, ROOT) * PAGE)
    for page in (struct.unpack_from("<H", data, child)[0] for child in children):
        for node in nodes_of(data, page * PAGE):
            if data[node + 8 : node + 17] == LARGE:
                return page, node + 17
    raise AssertionError


def test_pages_that_a_large_value_cannot_have(whole: bytes, tmp_path: Path) -> None:
    """They are beyond the meta pages, and none is after the last."""
    leaf, at = large_of(whole)
    last = newest(whole, LAST_PAGE)
    for first in (0, 1, last - 1, last, last + 1):
        data = bytearray(whole)
        struct.pack_into("<Q", data, at, first)
        refused(tmp_path, data, f"a record of page {leaf} has pages that do not exist")


def test_a_file_that_ends_in_a_large_value(whole: bytes, tmp_path: Path) -> None:
    """It is told when the file is opened, though the end of a value is not read then."""
    leaf, at = large_of(whole)
    end = len(whole) // PAGE
    for first, fits in ((end - 3, True), (end - 2, False)):
        data = bytearray(whole)
        struct.pack_into("<Q", data, at, first)
        struct.pack_into("<Q", data, PAGE + LAST_PAGE, end + 9)
        if fits:
            (tmp_path / "data.mdb").write_bytes(data)
            DataFile(tmp_path / "data.mdb", "store").close()
        else:
            refused(tmp_path, data, f"it ends at byte {len(data)}, before a record of page {leaf}")


def not_for_writing(path: Path, data: bytes | bytearray, message: str) -> None:
    """Check that a file with these bytes can be read, but not written, and why."""
    (path / "data.mdb").write_bytes(data)
    file = DataFile(path / "data.mdb", "store")
    with pytest.raises(StoreError) as caught:
        file.check_for_writing()
    file.close()
    assert str(caught.value) == f"store: not a readable store (data.mdb is damaged: {message})"
    with pytest.raises(StoreError) as caught:
        Environment(path, durable=False)
    assert str(caught.value) == f"{path}: not a readable store (data.mdb is damaged: {message})"


def test_pages_that_are_not_free(whole: bytes, tmp_path: Path) -> None:
    """None is free of those of a large value, and of those of the tree of free pages itself."""
    first, root = struct.unpack_from("<Q", whole, large_of(whole)[1])[0], newest(whole, FREE_ROOT)
    free = nodes_of(whole, root * PAGE)[0] + 24  # after its header, key, and number of pages
    for page in (first, first + 1, first + 2, root):
        data = bytearray(whole)
        struct.pack_into("<Q", data, free, page)
        not_for_writing(tmp_path, data, "a page is free and used")


def test_pages_with_two_uses(whole: bytes, tmp_path: Path) -> None:
    """A large value goes on to the end of the file, where the pages of the tree are."""
    at = large_of(whole)[1]
    first = struct.unpack_from("<Q", whole, at)[0]
    pages = newest(whole, LAST_PAGE) - first + 1
    size = pages * PAGE - HEADER.size
    data = bytearray(whole)
    struct.pack_into("<HH", data, at - 17, size & 0xFFFF, size >> 16)
    struct.pack_into("<HH", data, first * PAGE + 12, pages & 0xFFFF, pages >> 16)
    not_for_writing(tmp_path, data, "a page has two uses")


def test_a_list_of_free_pages_with_a_part_of_a_number(whole: bytes, tmp_path: Path) -> None:
    node = nodes_of(whole, newest(whole, FREE_ROOT) * PAGE)[0]
    size, count = (struct.unpack_from("<H", whole, node + at)[0] for at in (0, 16))
    assert size == 8 * (count + 1)
    data = bytearray(whole)
    struct.pack_into("<H", data, node, size - 1)
    struct.pack_into("<H", data, node + 16, count - 1)
    not_for_writing(tmp_path, data, "a list of free pages is cut short")


def test_children_of_a_branch_that_cannot_be(whole: bytes, tmp_path: Path) -> None:
    """Each is a page after the metas, and no other branch has it."""
    first, second = nodes_of(whole, newest(whole, ROOT) * PAGE)[:2]
    last, page = newest(whole, LAST_PAGE), struct.unpack_from("<H", whole, first)[0]
    for child, said in (
        (0, "page 0 does not exist"),
        (1, "page 1 does not exist"),
        (last + 1, f"page {last + 1} does not exist"),
        (page, f"page {page} is used twice"),
    ):
        data = bytearray(whole)
        struct.pack_into("<H", data, second, child)
        refused(tmp_path, data, said)


def test_nodes_that_no_store_has(whole: bytes, tmp_path: Path) -> None:
    """They have another mark, no key, or a byte more than their page has room for."""
    leaf, at = large_of(whole)
    data = bytearray(whole)
    struct.pack_into("<H", data, at - 13, 3)  # a tree of its own, besides having pages of its own
    refused(tmp_path, data, f"page {leaf} holds what no store does")
    child = nodes_of(whole, newest(whole, ROOT) * PAGE)[0]
    page = struct.unpack_from("<H", whole, child)[0]
    first = nodes_of(whole, page * PAGE)[0]
    data = bytearray(whole)
    struct.pack_into("<HHHH", data, first, 59, 0, 0, 0)  # the bytes of its key are the value's
    refused(tmp_path, data, f"page {page} holds what no store does")
    data = bytearray(whole)
    struct.pack_into("<H", data, max(nodes_of(whole, page * PAGE)), 52)
    refused(tmp_path, data, f"a node of page {page} leaves the page")


def test_another_format_of_lmdb(whole: bytes, tmp_path: Path) -> None:
    for version in (0, 2):
        data = bytearray(whole)
        struct.pack_into("<I", data, HEADER.size + 4, version)
        refused(tmp_path, data, f"LMDB's format {version}, expected 1")


def test_a_large_value_whose_pages_are_taken_meanwhile(whole: bytes, tmp_path: Path) -> None:
    """It is not read from pages that have become those of something else."""
    path = tmp_path / "data.mdb"
    path.write_bytes(whole)
    file = DataFile(path, "store")
    assert file.get(LARGE, 5) == b"v" * 5
    first = struct.unpack_from("<Q", whole, large_of(whole)[1])[0]
    for at, value in ((0, first + 1), (10, 2), (12, 2), (14, 1)):
        data = bytearray(whole)
        struct.pack_into("<H", data, first * PAGE + at, value)
        path.write_bytes(data)
        with pytest.raises(StoreError, match=rf"damaged: page {first} is overwritten\)"):
            file.get(LARGE, 5)
        not_for_writing(tmp_path, data, f"page {first} is overwritten")
    path.write_bytes(whole)
    assert file.get(LARGE) == b"v" * 9000
    file.close()


def test_a_value_of_more_than_65535_pages(whole: bytes, tmp_path: Path) -> None:
    """The numbers of its bytes and of its pages have two halves each."""
    path, size = tmp_path / "data.mdb", (1 << 16) * PAGE + 7
    at = large_of(whole)[1]
    first, last = len(whole) // PAGE, len(whole) // PAGE + (1 << 16)
    data = bytearray(whole)
    struct.pack_into("<HH", data, at - 17, size & 0xFFFF, size >> 16)
    struct.pack_into("<Q", data, at, first)
    struct.pack_into("<Q", data, PAGE + LAST_PAGE, last)
    struct.pack_into("<Q", data, PAGE + MAP_SIZE, (last + 1) * PAGE)
    path.write_bytes(data + HEADER.pack(first, 0, OVERFLOW, 1, 1) + b"value")
    os.truncate(path, (last + 1) * PAGE)
    file = DataFile(path, "store")
    assert file.get(LARGE, 6) == b"value\0"
    file.close()


def test_values_that_fill_their_pages(tmp_path: Path) -> None:
    """A value takes a page more if it has a byte more than fits beside the header of the first."""
    sizes = [pages * PAGE - HEADER.size + more for pages in (1, 2, 3) for more in (-1, 0, 1)]
    with (
        lmdb.open(str(tmp_path), map_size=1 << 24) as environment,
        environment.begin(write=True) as txn,
    ):
        for size in sizes:
            txn.put(b"P%d" % size, b"v" * size)
    file = DataFile(tmp_path / "data.mdb", "store")
    file.check_for_writing()
    assert [file.get(b"P%d" % size) for size in sizes] == [b"v" * size for size in sizes]
    file.close()
