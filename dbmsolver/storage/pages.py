"""The pages of an LMDB file, read without LMDB, and with every offset checked.

:mod:`dbmsolver.storage.nodes` takes a single page apart; here a tree's pages are followed from its
root, and the uses of pages are compared.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from dbmsolver.storage.nodes import (
    BRANCH,
    HEADER,
    KINDS,
    LEAF,
    MAGIC,
    META,
    META_BYTES,
    META_FLAG,
    OVERFLOW,
    TREE,
    VERSION,
    Bounds,
    BTree,
    Damage,
    Location,
    Meta,
    Page,
    SortKey,
)

_NO_PAGE = (1 << 64) - 1
_PAGE_SIZES = frozenset(1 << bits for bits in range(9, 17))
_MOST_DEEP = 32

Span = tuple[int, int]
"""The first of some pages, and how many they are."""


class Pages:
    """The pages of an open file, by its handle.  Every method raises Damage for a damaged file."""

    def __init__(self, file: int) -> None:
        self._file = file

    def _read(self, offset: int, size: int) -> bytes:
        try:
            data = os.pread(self._file, size, offset)
            while len(data) < size:
                more = os.pread(self._file, size - len(data), offset + len(data))
                if not more:
                    raise Damage(f"it ends at byte {offset + len(data)}, in the middle of a page")
                data += more
        except OSError as error:
            raise Damage(f"it cannot be read: {error.strerror}") from None
        return data

    def newest(self) -> Meta:
        """Return the meta page of the last commit."""
        if not os.fstat(self._file).st_size:
            raise Damage("it is empty")
        first = self._meta_at(0)
        second = self._meta_at(first.page_size)
        if second.page_size != first.page_size:
            raise Damage("its meta pages do not agree")
        return max(first, second)

    def is_first_of_two(self, size: int) -> bool:
        """Return True if ``size`` bytes hold nothing but the first meta page of a new file."""
        first = self._meta_at(0)
        return first.transaction == 0 and size <= first.page_size

    def _meta_at(self, offset: int) -> Meta:
        data = self._read(offset, META_BYTES)
        flags = HEADER.unpack_from(data)[2]
        magic, version, _, map_size = META.unpack_from(data, HEADER.size)
        if magic != MAGIC or not flags & META_FLAG:
            raise Damage(f"no meta page of LMDB at byte {offset}")
        if version != VERSION:
            raise Damage(f"LMDB's format {version}, expected {VERSION}")
        trees = HEADER.size + META.size
        free = BTree._make(TREE.unpack_from(data, trees))
        main = BTree._make(TREE.unpack_from(data, trees + TREE.size))
        last, transaction = struct.unpack_from("<QQ", data, trees + 2 * TREE.size)
        if free.pad not in _PAGE_SIZES or last >= 1 << 48 or map_size < (last + 1) * free.pad:
            raise Damage(f"the meta page at byte {offset} cannot be")
        return Meta(transaction, free.pad, last, map_size, free, main)

    def index(self, meta: Meta, tree: BTree) -> tuple[dict[bytes, Location], list[Span]]:
        """Return the locations of a tree's records by key, in order, and the pages that it uses."""
        locations: dict[bytes, Location] = {}
        used: list[Span] = []
        size = os.fstat(self._file).st_size
        for leaf in self._leaves(meta, tree, used):
            nodes = leaf.nodes(meta, tree)
            if not _ascend([node.order for node in nodes]):
                raise Damage(f"the keys of page {leaf.number} are not in order")
            # Bounds do not overlap: the keys of different leaves are in order, too.
            if not leaf.bounds.hold(nodes[0].order, nodes[-1].order):
                raise Damage(f"the keys of page {leaf.number} belong elsewhere")
            for node in nodes:
                if not node.big:
                    locations[node.key] = Location(node.offset, node.size, -1)
                    continue
                first = int.from_bytes(node.data, "little")
                pages = _pages_of(node.size, meta)
                if not 2 <= first <= first + pages - 1 <= meta.last_page:
                    raise Damage(f"a record of page {leaf.number} has pages that do not exist")
                if (first + pages) * meta.page_size > size:
                    raise Damage(f"it ends at byte {size}, before a record of page {leaf.number}")
                used.append((first, pages))
                start = first * meta.page_size + HEADER.size
                locations[node.key] = Location(start, node.size, first)
        if len(locations) != tree.entries:
            raise Damage(f"it has {len(locations)} records, not {tree.entries}")
        return locations, used

    def _leaves(self, meta: Meta, tree: BTree, used: list[Span]) -> Iterator[Page]:
        """Yield the leaf pages of a tree in order; add every page visited to ``used``."""
        if tree.root == _NO_PAGE:
            return
        if not 0 < tree.depth <= _MOST_DEEP:
            raise Damage(f"a tree of depth {tree.depth}")
        seen = set[int]()
        stack = [(tree.root, 1, Bounds(None, None))]
        while stack:
            number, depth, bounds = stack.pop()
            if not 2 <= number <= meta.last_page:
                raise Damage(f"page {number} does not exist")
            if number in seen:
                raise Damage(f"page {number} is used twice")
            seen.add(number)
            used.append((number, 1))
            kind = LEAF if depth == tree.depth else BRANCH
            data = self._read(number * meta.page_size, meta.page_size)
            page = Page(number, kind, data, bounds)
            if kind == LEAF:
                yield page
                continue
            nodes = page.nodes(meta, tree)
            # The first child's key is not stored: it has all keys before the second's.
            keys = [bounds.low, *(node.order for node in nodes[1:]), bounds.high]
            children = zip(nodes, pairwise(keys), strict=True)
            stack += [
                (node.child, depth + 1, Bounds(*keys)) for node, keys in reversed([*children])
            ]

    def value(self, meta: Meta, location: Location, most: int | None = None) -> bytes:
        """Return the value of a record, or its first ``most`` bytes."""
        self._check_first_page(meta, location)
        return self._read(
            location.offset, location.size if most is None else min(most, location.size)
        )

    def _check_first_page(self, meta: Meta, location: Location) -> None:
        """Raise Damage if a value has pages of its own, and the header of the first is wrong."""
        if location.page < 0:
            return
        header = self._read(location.offset - HEADER.size, HEADER.size)
        number, _, flags, low, high = HEADER.unpack(header)
        pages = low | high << 16
        if (number, flags & KINDS) != (location.page, OVERFLOW) or pages != _pages_of(
            location.size, meta
        ):
            raise Damage(f"page {location.page} is overwritten")

    def check_uses(self, meta: Meta, locations: dict[bytes, Location], spans: list[Span]) -> None:
        """Raise Damage if a page has two uses, is free and used, or begins a value unmarked."""
        lists, used = self.index(meta, meta.free)
        free = [np.empty(0, np.uint64)]
        for location in sorted(lists.values()):
            data = self.value(meta, location)
            count = int.from_bytes(data[:8], "little")
            if len(data) % 8 or not 8 <= 8 * (count + 1) <= len(data):
                raise Damage("a list of free pages is cut short")
            free.append(np.frombuffer(data, np.uint64, count, 8))
        for location in sorted(locations.values()):
            self._check_first_page(meta, location)
        pages = np.sort(np.concatenate(free))
        uses = np.array(sorted(used + spans), np.uint64).reshape(-1, 2)
        ends = uses[:, 0] + uses[:, 1]
        if (uses[1:, 0] < ends[:-1]).any() or (pages[1:] == pages[:-1]).any():
            raise Damage("a page has two uses")
        if pages.size and not 2 <= pages[0] <= pages[-1] <= meta.last_page:
            raise Damage("a free page does not exist")
        inside = np.searchsorted(uses[:, 0], pages, side="right")
        known = inside > 0
        if (pages[known] < ends[inside[known] - 1]).any():
            raise Damage("a page is free and used")


def _ascend(keys: list[SortKey]) -> bool:
    return all(lower < upper for lower, upper in pairwise(keys))  # type: ignore[operator]


def _pages_of(size: int, meta: Meta) -> int:
    """Return the number of pages of its own that a value of that size takes."""
    return (HEADER.size - 1 + size) // meta.page_size + 1
