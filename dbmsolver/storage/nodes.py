"""One page of an LMDB file taken apart, with every offset checked.

All numbers are little-endian; LMDB's own names are those of ``mdb.c``, format 1::

    page      = number:u64 pad:u16 flags:u16 (lower:u16 upper:u16 | pages:u32) body
    meta      = magic:u32 version:u32 address:u64 map_size:u64 free:tree main:tree last_page:u64
                transaction:u64
    tree      = pad:u32 flags:u16 depth:u16 branch:u64 leaf:u64 overflow:u64 entries:u64 root:u64
    node      = low:u16 high:u16 flags:u16 key_size:u16 key data

Pages 0 and 1 are metas; the one with the higher transaction counts.  The ``pad`` of its first tree
is the size of pages.  Branch and leaf pages hold, from byte 16 to ``lower``, the offsets of their
nodes (u16, in the order of keys).  A branch node's child is ``low | high << 16 | flags << 32``; a
leaf node has ``low | high << 16`` bytes of data, in the node or, with flag 1, from byte 16 of the
page whose number the node holds, and on through the pages after it.  The tree ``free`` maps
transactions to lists of pages that they have left: count:u64 page:u64[count].
"""

from __future__ import annotations

import struct
from typing import NamedTuple

MAGIC = 0xBEEFC0DE
VERSION = 1
HEADER = struct.Struct("<QHHHH")
META = struct.Struct("<IIQQ")
TREE = struct.Struct("<IHHQQQQQ")
_NODE = struct.Struct("<HHHH")
META_BYTES = HEADER.size + META.size + 2 * TREE.size + 16
BRANCH, LEAF, OVERFLOW, META_FLAG = 1, 2, 4, 8
KINDS = BRANCH | LEAF | OVERFLOW | META_FLAG
_BIG_DATA = 1
_INTEGER_KEYS = 8


SortKey = bytes | int
"""A key as its tree orders it: the free tree's keys are numbers."""


class Damage(Exception):
    """The file is damaged."""


class BTree(NamedTuple):
    """A tree of records, as a meta page describes it."""

    pad: int
    flags: int
    depth: int
    branch_pages: int
    leaf_pages: int
    overflow_pages: int
    entries: int
    root: int


class Meta(NamedTuple):
    """The fields of a meta page."""

    transaction: int
    page_size: int
    last_page: int
    map_size: int
    free: BTree
    main: BTree


class Location(NamedTuple):
    """The location of a record's value in the file.

    ``page`` is the first page of a large value, which has pages of its own; -1 if it is in a leaf.
    """

    offset: int
    size: int
    page: int


class Bounds(NamedTuple):
    """The bounds of the keys below a branch: not below ``low``, and below ``high``.

    None where there is no such bound.
    """

    low: SortKey | None
    high: SortKey | None

    def hold(self, first: SortKey, last: SortKey) -> bool:
        """Return True if keys from ``first`` to ``last`` lie between them."""
        low, high = self
        above = low is None or low <= first  # type: ignore[operator]
        return above and (high is None or last < high)  # type: ignore[operator]


class Node(NamedTuple):
    """A node of a page: ``offset`` of its data in the file, ``size`` of its value."""

    key: bytes
    order: SortKey
    offset: int
    size: int
    big: bool
    data: bytes
    child: int


class Page(NamedTuple):
    """A page of a tree, and the bounds of its keys."""

    number: int
    kind: int
    data: bytes
    bounds: Bounds

    def nodes(self, meta: Meta, tree: BTree) -> list[Node]:
        """Return the nodes of the page, in the order of their keys; Damage if they cannot be."""
        number, _, flags, lower, upper = HEADER.unpack_from(self.data)
        count, rest = divmod(lower - HEADER.size, 2)
        if number != self.number or flags & KINDS != self.kind or rest:
            raise Damage(f"page {self.number} is overwritten")
        if count <= 0 or not lower <= upper <= len(self.data):
            raise Damage(f"page {self.number} is overwritten")
        starts = struct.unpack_from(f"<{count}H", self.data, HEADER.size)
        if min(starts) < upper or max(starts) > len(self.data) - _NODE.size:
            raise Damage(f"a node of page {self.number} leaves the page")
        nodes = [self._node(start, meta, tree) for start in starts]
        # Nodes follow each other without a gap, each at an even byte.
        ends = sorted(
            (start, size + (size & 1)) for (_, size), start in zip(nodes, starts, strict=True)
        )
        offset = upper
        for start, size in ends:
            if start != offset:
                raise Damage(f"the nodes of page {self.number} overlap")
            offset += size
        if offset != len(self.data):
            raise Damage(f"the nodes of page {self.number} overlap")
        return [node for node, _ in nodes]

    def _node(self, start: int, meta: Meta, tree: BTree) -> tuple[Node, int]:
        """Return the node at an offset, and its size."""
        low, high, flags, key_size = _NODE.unpack_from(self.data, start)
        size, offset, inside = low | high << 16, start + _NODE.size + key_size, 0
        key = self.data[start + _NODE.size : offset]
        if self.kind == LEAF:
            inside = 8 if flags else size
            if flags & ~_BIG_DATA or not key_size:
                raise Damage(f"page {self.number} holds what no store does")
        if offset + inside > len(self.data):
            raise Damage(f"a node of page {self.number} leaves the page")
        node = Node(
            key=key,
            order=int.from_bytes(key, "little") if tree.flags & _INTEGER_KEYS else key,
            offset=self.number * meta.page_size + offset,
            size=size,
            big=bool(flags),
            data=self.data[offset : offset + inside],
            child=low | high << 16 | flags << 32,
        )
        return node, offset + inside - start
