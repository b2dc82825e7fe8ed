"""What a search larger than the memory knows of the records of its states in the store."""

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
        """One with these states."""
        return cls(record, cover_of(rows_of(keys, words)), weigh_states(words))

    @property
    def states(self) -> int:
        """How many there are."""
        return self.tally.states

    def read(self, store: Store) -> tuple[Words, Codes]:
        """Its states and their codes; it was read or written, and so checked, by this run."""
        runs = read_checked_block(store, self.record.key)
        return words_of(runs), runs.codes


@dataclass(eq=False, slots=True)
class ClosedBlock:
    """A block of closed states; ``cover`` is None until its states were seen in this run."""

    ref: BlockRef
    cover: Cover | None = None

    @classmethod
    def of(cls, keys: PatienceKeys, ref: BlockRef, words: Words) -> ClosedBlock:
        """One with these states."""
        return cls(ref, cover_of(rows_of(keys, words)))

    @property
    def states(self) -> int:
        """How many there are."""
        return self.ref.block.states

    def cover_in(self, store: Store, keys: PatienceKeys) -> Cover:
        """What its states have in common; it is read if that is not known."""
        if self.cover is None:
            self.read(store, keys)
        assert self.cover is not None
        return self.cover

    def read(self, store: Store, keys: PatienceKeys) -> tuple[Words, Codes]:
        """Its states and their codes."""
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
        """How many states are closed."""
        return sum(block.states for block in self.blocks)

    @property
    def waiting(self) -> int:
        """How many are pending in the store, those included that are closed or there twice."""
        return sum(one.states for one in self.records)

    @property
    def tally(self) -> Tally:
        """Of what is pending in the store."""
        return tally_of(self.records)


@dataclass(eq=False, slots=True)
class Shelf:
    """What is pending in a place: in the store, and what has no record yet."""

    records: list[Pending] = field(default_factory=list)
    fresh: Waiting = field(default_factory=lambda: Waiting(make_set(1)))


def tally_of(records: Iterable[Pending]) -> Tally:
    """The tally of what some records hold."""
    return total(one.tally for one in records)


def in_groups(sizes: Iterable[int], most: int) -> Iterator[slice]:
    """Consecutive things of these sizes in groups that have so much, or one thing each."""
    first, size = 0, 0
    number = 0
    for number, one in enumerate(sizes):
        if size and size + one > most:
            yield slice(first, number)
            first, size = number, 0
        size += one
    if size:
        yield slice(first, number + 1)
