"""The pages of an LMDB file, read without LMDB, and with every offset checked.

All numbers are little-endian; LMDB's own names are those of ``mdb.c``, format 1::

    page      = number:u64 pad:u16 flags:u16 (lower:u16 upper:u16 | pages:u32) body
    meta      = magic:u32 version:u32 address:u64 map_size:u64 free:tree main:tree last_page:u64 transaction:u64
    tree      = pad:u32 flags:u16 depth:u16 branch:u64 leaf:u64 overflow:u64 entries:u64 root:u64
    node      = low:u16 high:u16 flags:u16 key_size:u16 key data

Pages 0 and 1 are metas; the one with the higher transaction counts.  The ``pad`` of its first tree is the size of pages.
Branch and leaf pages hold, from byte 16 to ``lower``, the offsets of their nodes (u16, in the order of keys).  A branch
node's child is ``low | high << 16 | flags << 32``; a leaf node has ``low | high << 16`` bytes of data, in the node or,
with flag 1, from byte 16 of the page whose number the node holds, and on through the pages after it.  The tree ``free``
maps transactions to lists of pages that they have left: count:u64 page:u64[count].
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

_MAGIC = 0xBEEFC0DE
_VERSION = 1
_HEADER = struct.Struct("<QHHHH")
_META = struct.Struct("<IIQQ")
_TREE = struct.Struct("<IHHQQQQQ")
_NODE = struct.Struct("<HHHH")
_META_BYTES = _HEADER.size + _META.size + 2 * _TREE.size + 16
_BRANCH, _LEAF, _OVERFLOW, _META_FLAG = 1, 2, 4, 8
_KINDS = _BRANCH | _LEAF | _OVERFLOW | _META_FLAG
_BIG_DATA = 1
_INTEGER_KEYS = 8
_NO_PAGE = (1 << 64) - 1
_PAGE_SIZES = frozenset(1 << bits for bits in range(9, 17))
_MOST_DEEP = 32


Span = tuple[int, int]
"""The first of some pages, and how many they are."""

Order = bytes | int
"""A key as its tree orders it: the free tree's keys are numbers."""


class Damage(Exception):
    """What is wrong with the file."""


class Tree(NamedTuple):
    """A tree of records, as a meta page tells it."""

    pad: int
    flags: int
    depth: int
    branch_pages: int
    leaf_pages: int
    overflow_pages: int
    entries: int
    root: int


class Meta(NamedTuple):
    """What a meta page says."""

    transaction: int
    page_size: int
    last_page: int
    map_size: int
    free: Tree
    main: Tree


class Place(NamedTuple):
    """Where a record's value is in the file; ``page`` is its first page of its own, -1 if it is in a leaf."""

    offset: int
    size: int
    page: int


class Bounds(NamedTuple):
    """What the keys below a branch lie between: not below ``low``, below ``high``; None where there is no such bound."""

    low: Order | None
    high: Order | None

    def hold(self, first: Order, last: Order) -> bool:
        """Whether keys from ``first`` to ``last`` lie between them."""
        low, high = self
        return (low is None or low <= first) and (high is None or last < high)  # type: ignore[operator]


class _Node(NamedTuple):
    """A node of a page: ``offset`` of its data in the file; ``size`` of its value; ``data`` of a big one."""

    key: bytes
    order: Order
    offset: int
    size: int
    big: bool
    data: bytes
    child: int


class _Page(NamedTuple):
    """A page of a tree, where its keys have to be."""

    number: int
    kind: int
    data: bytes
    bounds: Bounds

    def nodes(self, meta: Meta, tree: Tree) -> list[_Node]:
        """Take the page apart."""
        number, _, flags, lower, upper = _HEADER.unpack_from(self.data)
        count, rest = divmod(lower - _HEADER.size, 2)
        if number != self.number or flags & _KINDS != self.kind or rest:
            raise Damage(f"page {self.number} is overwritten")
        if count <= 0 or not lower <= upper <= len(self.data):
            raise Damage(f"page {self.number} is overwritten")
        starts = struct.unpack_from(f"<{count}H", self.data, _HEADER.size)
        if min(starts) < upper or max(starts) > len(self.data) - _NODE.size:
            raise Damage(f"a node of page {self.number} leaves the page")
        nodes = [self._node(start, meta, tree) for start in starts]
        # Nodes follow each other without a gap, each at an even byte.
        ends = sorted(
            (start, size + (size & 1)) for (_, size), start in zip(nodes, starts, strict=True)
        )
        place = upper
        for start, size in ends:
            if start != place:
                raise Damage(f"the nodes of page {self.number} overlap")
            place += size
        if place != len(self.data):
            raise Damage(f"the nodes of page {self.number} overlap")
        return [node for node, _ in nodes]

    def _node(self, start: int, meta: Meta, tree: Tree) -> tuple[_Node, int]:
        """The node at an offset, and its size."""
        low, high, flags, key_size = _NODE.unpack_from(self.data, start)
        size, place, inside = low | high << 16, start + _NODE.size + key_size, 0
        key = self.data[start + _NODE.size : place]
        if self.kind == _LEAF:
            inside = 8 if flags else size
            if flags & ~_BIG_DATA or not key_size:
                raise Damage(f"page {self.number} holds what no store does")
        if place + inside > len(self.data):
            raise Damage(f"a node of page {self.number} leaves the page")
        node = _Node(
            key=key,
            order=int.from_bytes(key, "little") if tree.flags & _INTEGER_KEYS else key,
            offset=self.number * meta.page_size + place,
            size=size,
            big=bool(flags),
            data=self.data[place : place + inside],
            child=low | high << 16 | flags << 32,
        )
        return node, place + inside - start


class Pages:
    """The pages of an open file, by its handle.  Every method raises Damage for what cannot be."""

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
        """The meta page of the last commit."""
        if not os.fstat(self._file).st_size:
            raise Damage("it is empty")
        first = self._meta_at(0)
        second = self._meta_at(first.page_size)
        if second.page_size != first.page_size:
            raise Damage("its meta pages do not agree")
        return max(first, second)

    def _meta_at(self, offset: int) -> Meta:
        data = self._read(offset, _META_BYTES)
        flags = _HEADER.unpack_from(data)[2]
        magic, version, _, map_size = _META.unpack_from(data, _HEADER.size)
        if magic != _MAGIC or not flags & _META_FLAG:
            raise Damage(f"no meta page of LMDB at byte {offset}")
        if version != _VERSION:
            raise Damage(f"LMDB's format {version}, expected {_VERSION}")
        trees = _HEADER.size + _META.size
        free = Tree._make(_TREE.unpack_from(data, trees))
        main = Tree._make(_TREE.unpack_from(data, trees + _TREE.size))
        last, transaction = struct.unpack_from("<QQ", data, trees + 2 * _TREE.size)
        if free.pad not in _PAGE_SIZES or last >= 1 << 48 or map_size < (last + 1) * free.pad:
            raise Damage(f"the meta page at byte {offset} cannot be")
        return Meta(transaction, free.pad, last, map_size, free, main)

    def index(self, meta: Meta, tree: Tree) -> tuple[dict[bytes, Place], list[Span]]:
        """The places of a tree's records by key, in order, and the pages that the tree uses."""
        places: dict[bytes, Place] = {}
        used: list[Span] = []
        size = os.fstat(self._file).st_size
        before: Order | None = None
        for leaf in self._leaves(meta, tree, used):
            nodes = leaf.nodes(meta, tree)
            keys = [before, *(node.order for node in nodes)]
            if any(one is not None and not one < two for one, two in pairwise(keys)):  # type: ignore[operator]
                raise Damage(f"the keys of page {leaf.number} are not in order")
            if not leaf.bounds.hold(nodes[0].order, nodes[-1].order):
                raise Damage(f"the keys of page {leaf.number} belong elsewhere")
            before = nodes[-1].order
            for node in nodes:
                if not node.big:
                    places[node.key] = Place(node.offset, node.size, -1)
                    continue
                first = int.from_bytes(node.data, "little")
                pages = _pages_of(node.size, meta)
                if not 2 <= first <= first + pages - 1 <= meta.last_page:
                    raise Damage(f"a record of page {leaf.number} has pages that do not exist")
                if (first + pages) * meta.page_size > size:
                    raise Damage(f"it ends at byte {size}, before a record of page {leaf.number}")
                used.append((first, pages))
                start = first * meta.page_size + _HEADER.size
                places[node.key] = Place(start, node.size, first)
        if len(places) != tree.entries:
            raise Damage(f"it has {len(places)} records, not {tree.entries}")
        return places, used

    def _leaves(self, meta: Meta, tree: Tree, used: list[Span]) -> Iterator[_Page]:
        """The leaf pages of a tree in order; every page visited is added to ``used``."""
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
            kind = _LEAF if depth == tree.depth else _BRANCH
            data = self._read(number * meta.page_size, meta.page_size)
            page = _Page(number, kind, data, bounds)
            if kind == _LEAF:
                yield page
                continue
            nodes = page.nodes(meta, tree)
            # The first child's key is not said: whatever comes before the second's is there.
            keys = [bounds.low, *(node.order for node in nodes[1:]), bounds.high]
            children = zip(nodes, pairwise(keys), strict=True)
            stack += [(one.child, depth + 1, Bounds(*keys)) for one, keys in reversed([*children])]

    def value(self, meta: Meta, place: Place, most: int | None = None) -> bytes:
        """The value of a record, or at ``most`` its first bytes."""
        self._check_first_page(meta, place)
        return self._read(place.offset, place.size if most is None else min(most, place.size))

    def _check_first_page(self, meta: Meta, place: Place) -> None:
        """Damage if a value has pages of its own, and the first of them does not say so."""
        if place.page < 0:
            return
        header = self._read(place.offset - _HEADER.size, _HEADER.size)
        number, _, flags, low, high = _HEADER.unpack(header)
        pages = low | high << 16
        if (number, flags & _KINDS) != (place.page, _OVERFLOW) or pages != _pages_of(
            place.size, meta
        ):
            raise Damage(f"page {place.page} is overwritten")

    def check_uses(self, meta: Meta, places: dict[bytes, Place], spans: list[Span]) -> None:
        """Damage if a page has two uses, is free and used, or begins a value and does not say so."""
        lists, used = self.index(meta, meta.free)
        free = [np.empty(0, np.uint64)]
        for place in sorted(lists.values()):
            data = self.value(meta, place)
            count = int.from_bytes(data[:8], "little")
            if len(data) % 8 or not 8 <= 8 * (count + 1) <= len(data):
                raise Damage("a list of free pages is cut short")
            free.append(np.frombuffer(data, np.uint64, count, 8))
        for place in sorted(places.values()):
            self._check_first_page(meta, place)
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


def _pages_of(size: int, meta: Meta) -> int:
    """How many pages of its own a value of that size takes."""
    return (_HEADER.size - 1 + size) // meta.page_size + 1
