"""Records of states that a search larger than the memory keeps in the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dbmsolver.core.patience_closing import make_set
from dbmsolver.core.patience_tables import Words
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.search.commits import BlockRef, NewRecord
from dbmsolver.search.patience.pieces import Cover, cover_of, everything, rows_of
from dbmsolver.search.patience.sets import Waiting, weigh_states
from dbmsolver.search.tallies import Tally, total
from dbmsolver.storage.blocks import read_block, read_checked_block
from dbmsolver.storage.patience_blocks import Codes, words_of
from dbmsolver.storage.store import Store


@dataclass(eq=False, slots=True)
class Pending:
    """A record of candidates; ``tally`` is that of its states, as the books have it."""

    record: NewRecord
    cover: Cover
    tally: Tally

    @classmethod
    def of(cls, keys: PatienceKeys, record: NewRecord, words: Words) -> Pending:
        """Return a record of candidates with these states."""
        return cls(record, cover_of(rows_of(keys, words)), weigh_states(words))

    @property
    def states(self) -> int:
        """The number of states."""
        return self.tally.states

    def read(self, store: Store) -> tuple[Words, Codes]:
        """Return the record's states and their codes.

        This run has read or written the record before, and checked it then.
        """
        runs = read_checked_block(store, self.record.key)
        return words_of(runs), runs.codes


@dataclass(eq=False, slots=True)
class ClosedBlock:
    """A block of closed states; ``cover`` is None until its states were seen in this run."""

    ref: BlockRef
    cover: Cover | None = None

    @classmethod
    def of(cls, keys: PatienceKeys, ref: BlockRef, words: Words) -> ClosedBlock:
        """Return a block with these closed states."""
        return cls(ref, cover_of(rows_of(keys, words)))

    @property
    def states(self) -> int:
        """The number of states."""
        return self.ref.block.states

    def cover_in(self, store: Store, keys: PatienceKeys) -> Cover:
        """Return the bits that the block's states have in common; read it if they are not known."""
        if self.cover is None:
            self.read(store, keys)
        assert self.cover is not None
        return self.cover

    def read(self, store: Store, keys: PatienceKeys) -> tuple[Words, Codes]:
        """Return the block's states and their codes."""
        if self.cover is None:
            assert self.ref.key is not None
            runs = read_block(store, self.ref.key)
            self.cover = cover_of(rows_of(keys, words_of(runs)))
        else:
            runs = self.ref.fetch(store)._replace(check=None).runs()
        return words_of(runs), runs.codes


@dataclass(eq=False, slots=True)
class Leaf:
    """A piece of the place that is being closed, with its closed and its pending states."""

    cover: Cover = field(default_factory=everything)
    records: list[Pending] = field(default_factory=list)
    blocks: list[ClosedBlock] = field(default_factory=list)

    @property
    def closed(self) -> int:
        """The number of closed states."""
        return sum(block.states for block in self.blocks)

    @property
    def waiting(self) -> int:
        """The number of states pending in the store, with any that are closed or there twice."""
        return sum(one.states for one in self.records)

    @property
    def tally(self) -> Tally:
        """The tally of the states pending in the store."""
        return tally_of(self.records)


@dataclass(eq=False, slots=True)
class Shelf:
    """The pending states of a place: records in the store, and states that have no record yet."""

    records: list[Pending] = field(default_factory=list)
    fresh: Waiting = field(default_factory=lambda: Waiting(make_set(1)))


def tally_of(records: Iterable[Pending]) -> Tally:
    """Return the tally of the states of some records."""
    return total(one.tally for one in records)


def in_groups(sizes: Iterable[int], most: int) -> Iterator[slice]:
    """Yield slices of things that follow each other, each slice of a size of at most ``most``.

    ``sizes`` are those of the things. One that is larger has a slice of its own.
    """
    first, size = 0, 0
    number = 0
    for number, one in enumerate(sizes):
        if size and size + one > most:
            yield slice(first, number)
            first, size = number, 0
        size += one
    if size:
        yield slice(first, number + 1)
