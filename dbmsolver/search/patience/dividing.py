"""The division of a piece of states that outgrows the memory into smaller ones, in the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TypeVar

import numpy as np

from dbmsolver.core.patience_closing import make_set
from dbmsolver.results import Commit
from dbmsolver.search.patience import sets
from dbmsolver.search.patience.pieces import Cover, divided, rows_of, the_only
from dbmsolver.search.patience.sets import Waiting, closed_block
from dbmsolver.search.patience.shelving import Shelving
from dbmsolver.search.patience.stored import ClosedBlock, Leaf, Pending, in_groups

_SAMPLE = 1 << 12
"""States that are looked at of a record, to choose the bits by which to divide."""
_SAMPLES = 8
"""Records, and blocks, that are looked at."""
_MOST_PARTS = 32
Held = TypeVar("Held", Pending, ClosedBlock)


class Dividing(Shelving):
    """A search whose pieces can be divided."""

    def _divide(self, leaf: Leaf) -> Iterator[Commit]:
        """Replace a piece by as many smaller ones as it seems to need."""
        if self.queue:
            yield self._commit()
        children = [Leaf(cover) for cover in self._covers(leaf)]
        place = self.leaves.index(leaf)
        self.leaves[place:place] = children
        yield from self._distribute(leaf, children)

    def _distribute(self, leaf: Leaf, children: list[Leaf]) -> Iterator[Commit]:
        """Give a piece that is in the store to those that make it up, and remove it.

        What belongs to one of them as a whole stays where it is, all else is written anew, and is
        in the store at the end. Whatever is committed meanwhile is in the piece, or in one of them.
        """
        covers = [one.cover for one in leaf.records]
        mixed = _settled(leaf.records, covers, children, lambda child: child.records)
        leaf.records = list(mixed)
        for some in list(in_groups([one.states for one in mixed], self.shares.states // 2)):
            self._divide_records(leaf, mixed[some], children)
            if self._unwritten_bytes() > self.shares.blocks:
                yield self._commit()
        covers = [block.cover_in(self.recorder.store, self.keys) for block in leaf.blocks]
        blocks = _settled(leaf.blocks, covers, children, lambda child: child.blocks)
        leaf.blocks = list(blocks)
        for _, same in groupby(sorted(blocks, key=_layer), key=_layer):
            layer = list(same)
            for some in in_groups([one.states for one in layer], sets.BLOCK):
                self._divide_blocks(leaf, layer[some], children)
                if self._unwritten_bytes() > self.shares.blocks:
                    yield self._commit()
        self.leaves.remove(leaf)
        if self.queue:
            yield self._commit()

    def _covers(self, leaf: Leaf) -> list[Cover]:
        """Return the covers of the smaller pieces, chosen by some states of the piece."""
        need = leaf.closed + leaf.waiting * self.growth
        parts = int(2 * need / self.shares.states)
        parts = min(_MOST_PARTS, 1 << max(1, parts.bit_length()))
        store = self.recorder.store
        seen = [one.read(store) for one in leaf.records[:: 1 + len(leaf.records) // _SAMPLES]]
        seen += [
            block.read(store, self.keys)
            for block in leaf.blocks[:: 1 + len(leaf.blocks) // _SAMPLES]
        ]
        words = np.concatenate([states[:: 1 + len(states) // _SAMPLE] for states, _ in seen])
        codes = np.concatenate([own[:: 1 + len(own) // _SAMPLE] for _, own in seen])
        return divided(leaf.cover, rows_of(self.keys, words), codes, parts)

    def _divide_records(self, leaf: Leaf, some: list[Pending], children: list[Leaf]) -> None:
        """Write some candidates anew, each state once."""
        both = Waiting(make_set(sum(one.states for one in some)))
        for one in some:
            words, codes = one.read(self.recorder.store)
            self.books.take(one.tally.minus(both.add(words, codes)))
        rows = rows_of(self.keys, both.words())
        for child in children:
            own = child.cover.holds(rows)
            child.records += self._shelve(both.words()[own], both.codes()[own])
        self._drop([one.record for one in some])
        leaf.records = [one for one in leaf.records if one not in some]

    def _divide_blocks(self, leaf: Leaf, some: list[ClosedBlock], children: list[Leaf]) -> None:
        """Write some closed states of one layer anew."""
        keys, recorder = self.keys, self.recorder
        layer, stratum = some[0].ref.block[:2]
        read = [block.read(recorder.store, keys) for block in some]
        words = np.concatenate([states for states, _ in read])
        codes = np.concatenate([own for _, own in read])
        rows = rows_of(keys, words)
        for child in children:
            own = np.flatnonzero(child.cover.holds(rows))
            for first in range(0, own.size, sets.BLOCK):
                part = own[first : first + sets.BLOCK]
                block = closed_block(keys, layer, stratum, words[part], codes[part])
                for ref in recorder.add_closed([block], always=True):
                    child.blocks.append(ClosedBlock.of(keys, ref, words[part]))
        for old in some:
            self._drop_block(old)
        leaf.blocks = [block for block in leaf.blocks if block not in some]


def _settled(
    held: list[Held], covers: list[Cover], pieces: list[Leaf], place: Callable[[Leaf], list[Held]]
) -> list[Held]:
    """Give each thing that one piece holds as a whole to that piece, and return the others.

    ``covers`` are those of the things. ``place`` says which list of a piece takes them.
    """
    owners = the_only([piece.cover for piece in pieces], covers)
    mixed: list[Held] = []
    for one, owner in zip(held, owners, strict=True):
        (mixed if owner is None else place(pieces[owner])).append(one)
    return mixed


def _layer(block: ClosedBlock) -> int:
    return block.ref.block.layer
