"""Sets of states of Klondike and its relatives that wait, and the blocks that they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from dbmsolver.core.patience_bound import make_weights
from dbmsolver.core.patience_closing import (
    OUT_FULL,
    Candidates,
    StateSet,
    bring_forward,
    digest_of,
    expand_layer,
    insert,
    insert_chosen,
    larger,
    make_candidates,
    make_set,
    room_of,
)
from dbmsolver.core.patience_tables import NO_PARENT, Words, make_board, make_found
from dbmsolver.keys.patience import PatienceKeys
from dbmsolver.search.commits import NewRecord
from dbmsolver.search.tallies import Tally, weigh
from dbmsolver.storage.blocks import encode_block
from dbmsolver.storage.patience_blocks import Codes, strata_of, to_runs, won_states
from dbmsolver.storage.records import Closed

ROOM = 3 << 10
"""Room of a set at first: three quarters of a power of two, as many as its slots allow for."""
_SPARE = 4
"""Times that a set becomes larger until its states are copied."""
OUT = 1 << 16
"""Candidates that are made before they are sorted."""
BLOCK = 1 << 16
"""States that are made a block at once: sorting and packing takes some 200 bytes for each."""
_AT_ONCE = 1 << 18
WORD_BYTES = 24 + 2
"""Bytes of a state and its code."""
STATE_BYTES = WORD_BYTES + 2 * 4
"""Bytes of a state in a set that has room for as many as it holds."""


@dataclass(eq=False, slots=True)
class Waiting:
    """A set of states; records of the store hold the first ``stored`` of them, or closed blocks."""

    states: StateSet = field(default_factory=lambda: make_set(ROOM, _SPARE))
    stored: int = 0
    records: list[NewRecord] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of states."""
        return int(self.states.counts[0])

    @property
    def left(self) -> int:
        """The number of states that are not expanded."""
        return self.size - int(self.states.counts[1])

    @property
    def room(self) -> int:
        """The number of states that there is room for."""
        return int(room_of(self.states))

    @property
    def nbytes(self) -> int:
        """Memory that the set takes: its slots, and the states that are there."""
        return WORD_BYTES * self.size + int(self.states.slots.nbytes)

    @property
    def growth(self) -> int:
        """Memory that enlarging the set takes beside that."""
        states = self.states
        copied = 2 * self.room > states.codes.size
        return 2 * int(states.slots.nbytes) + (WORD_BYTES * self.size if copied else 0)

    def words(self, first: int = 0, last: int | None = None) -> Words:
        """Return the states from ``first`` to before ``last``."""
        return self.states.words[first : self.size if last is None else last]

    def codes(self, first: int = 0, last: int | None = None) -> Codes:
        """Return the parent-move codes of the states from ``first`` to before ``last``."""
        return self.states.codes[first : self.size if last is None else last]

    def parts(self) -> Iterator[tuple[Words, Codes]]:
        """Yield all states, some at a time: the results worked out for each take memory."""
        for first in range(0, self.size, _AT_ONCE):
            last = min(first + _AT_ONCE, self.size)
            yield self.words(first, last), self.codes(first, last)

    def add(self, words: Words, codes: Codes) -> Tally:
        """Add states that are not there; return the tally of those that were added."""
        before = self.size
        insert(self.states, words, codes)
        return weigh_states(self.words(before))

    def choose(self, outs: Sequence[Candidates], place: int) -> Tally:
        """Add the candidates of a place; return the tally of those that were not there."""
        before = self.size
        for out in outs:
            insert_chosen(self.states, out, place)
        return weigh_states(self.words(before))

    def bring_forward(self, most: int) -> None:
        """Let the states that were met last be expanded next, up to ``most`` of them.

        Not where records hold some of those that are not expanded: these are the first ones.
        """
        if self.left > most and self.stored <= int(self.states.counts[1]):
            bring_forward(self.states, min(most, self.left // 2))

    def make_room(self, more: int) -> None:
        """Make room for ``more`` states more; a room that is too small is at least doubled."""
        if self.size + more > self.room:
            self.enlarge(max(2 * self.room, self.size + more))

    def enlarge(self, room: int | None = None) -> None:
        """Make room for ``room`` states, or twice as many as before."""
        self.states = larger(self.states, room or 2 * self.room, _SPARE)


class Hand:
    """Room in which one thread expands states."""

    def __init__(self) -> None:
        self.out = make_candidates(OUT)
        self.board, self.weights, self.found = make_board(), make_weights(), make_found()

    def expand(
        self, keys: PatienceKeys, states: StateSet, layer: int, first: int, last: int
    ) -> tuple[int, int]:
        """Expand the states from ``first`` to ``last`` of a set; return why it ended, and where."""
        while True:
            reason, first = expand_layer(
                keys.tables, keys.bounds, states, self.out, self.board, self.weights, self.found,
                layer, first, last,
            )  # fmt: skip
            if reason != OUT_FULL:
                return int(reason), int(first)
            old, self.out = self.out, make_candidates(2 * self.out.codes.size)
            count = int(old.count[0])
            self.out.words[:count], self.out.codes[:count] = old.words[:count], old.codes[:count]
            self.out.places[:count], self.out.count[0] = old.places[:count], count


def weigh_states(words: Words) -> Tally:
    """Return the tally of states, as the books have it."""
    return Tally(len(words), int(digest_of(words)))


def packed(keys: PatienceKeys, words: Words, codes: Codes) -> Iterator[tuple[bytes, Tally]]:
    """Yield blocks of states, each with its tally as the manifest has it."""
    for runs in to_runs(keys, words, codes):
        yield encode_block(runs), weigh(runs.signatures, runs.counts)


def by_stratum(
    keys: PatienceKeys, words: Words, codes: Codes
) -> Iterator[tuple[int, Words, Codes]]:
    """Yield states in parts of one stratum, each small enough to be made a block."""
    for first in range(0, len(words), BLOCK):
        some, own_codes = words[first : first + BLOCK], codes[first : first + BLOCK]
        strata = strata_of(keys, some)
        for stratum in np.unique(strata).tolist():
            own = strata == stratum
            yield stratum, some[own], own_codes[own]


def records_of(
    keys: PatienceKeys, layer: int, words: Words, codes: Codes
) -> Iterator[tuple[NewRecord, Words]]:
    """Yield records of candidates for a layer, each with its states."""
    for stratum, own, own_codes in by_stratum(keys, words, codes):
        for data, tally in packed(keys, own, own_codes):
            yield NewRecord(layer, stratum, data, tally=tally), own


def closed_block(
    keys: PatienceKeys, layer: int, stratum: int, words: Words, codes: Codes
) -> Closed:
    """Return a block of at most BLOCK closed states of one stratum and layer."""
    (runs,) = to_runs(keys, words, codes)
    first, last = int(runs.signatures[0]), int(runs.signatures[-1])
    return Closed(layer, stratum, first, last, runs.codes.size, encode_block(runs))


def won_among(keys: PatienceKeys, words: Words, codes: Codes) -> tuple[Words, int] | None:
    """Return the first state with all cards home, and its code; None if there is none."""
    won = np.flatnonzero(won_states(keys, words))
    return (words[won[0]].copy(), int(codes[won[0]])) if won.size else None


def root_record(keys: PatienceKeys) -> tuple[NewRecord, Tally]:
    """Return the record that makes the deal pending, and its tally."""
    words = keys.words(keys.root)[None, :]
    data, tally = next(packed(keys, words, np.array([NO_PARENT], np.uint16)))
    stratum = int(strata_of(keys, words)[0])
    return NewRecord(0, stratum, data), tally
