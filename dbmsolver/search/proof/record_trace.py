"""The way back over records of dominating positions, and the moves that it stands for.

A closed record has eight bits of a hash of its parent. Few records of the strata at and below its
own agree in them; these are expanded, and the one that leads to the record is its parent.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.class_paths import shifts_to
from dbmsolver.game.dominance.edges import Edge, macro_edge, reduction_edges
from dbmsolver.game.dominance.paths import follow_edges
from dbmsolver.game.dominance.records import TO_EMPTY_COLUMN, Record, plain_record
from dbmsolver.game.dominance.search import cards_alone, park
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.tidying import tidied
from dbmsolver.kernels.record_parents import find_parent, record_at
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.choice import CoveringKeys, are_of_classes
from dbmsolver.kits.records.dominance import successors
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.records.macros import HOMEWARD, TO_COLUMN, Scratch, make_scratch
from dbmsolver.kits.states import State
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store

if TYPE_CHECKING:
    from dbmsolver.kits.klondike.class_keys import ClassKeys

Words = NDArray[np.uint64]
_MEMORY = 64 << 20


class RecordFinder:
    """Finds parents among the closed records of a store.

    Blocks that were read last are kept, in `memory` bytes: the next parent is mostly in one of
    them. Of all that were read the signatures are kept, which tell what need not be read again.
    """

    def __init__(self, store: Store, keys: CoveringKeys, memory: int = _MEMORY) -> None:
        self.store = store
        self.keys = keys
        self.memory = memory
        self.scratch = make_scratch()
        self._strata: dict[int, list[bytes]] = {}
        for key in store.keys(b"C"):
            self._strata.setdefault(parse_closed_key(key).place, []).append(key)
        self._signatures: dict[bytes, Words] = {}
        self._kept: OrderedDict[bytes, Runs] = OrderedDict()
        self._bytes = 0

    def path(self, state: State, code: int) -> list[State]:
        """Return the records from the deal's to this one, whose code is given.

        Each follows from the one before it; they need not be the ones that the search came by. A
        record that is known not to lead back to the deal's, or is on the way already, is not tried
        again: a descendant may have the parent's fingerprint, and lead back to its ancestor.
        StoreError if a parent is missing.
        """
        states, ways = [state], [self._parents(state, code)]
        tried = {state}
        while states and states[-1] != self.keys.root:
            for parent, parents_code in ways[-1]:
                if parent not in tried:
                    tried.add(parent)
                    states.append(parent)
                    ways.append(self._parents(parent, parents_code))
                    break
            else:
                states.pop()
                ways.pop()
        if not states:
            raise StoreError("a parent is missing among the closed records", str(self.store.path))
        return states[::-1]

    def _parents(self, state: State, code: int) -> Iterator[tuple[State, int]]:
        """Yield closed records that lead to a record, with their codes.

        Only records with the fingerprint ``code`` are looked at.
        """
        words = tuple(np.uint64(word) for word in state[:3])
        latest = int(progress_of(self.keys.tables, np.array(words[:1]), self.keys.locked)[0])
        for key in self._blocks(words[0], latest):
            place = self._next(key, words, code, 0)
            while place >= 0:
                runs = self._read(key)
                yield record_in(self.keys, runs, place), int(runs.codes[place])
                place = self._next(key, words, code, place + 1)

    def _next(self, key: bytes, words: tuple[np.uint64, ...], code: int, first: int) -> int:
        """Return the place in a block of the next record that leads to another; -1 for none."""
        runs = self._read(key)
        arrays = (runs.signatures, runs.counts, runs.keys)
        tables, locked = self.keys.tables, self.keys.locked
        return int(
            find_parent(tables, self.scratch, arrays, runs.key_words, code, words, locked, first)
        )

    def _blocks(self, signature: np.uint64, latest: int) -> Iterator[bytes]:
        """Yield closed blocks that may hold a parent.

        The highest stratum comes first: few parents are far below.
        """
        for stratum in sorted(self._strata, reverse=True):
            for key in self._strata[stratum] if stratum <= latest else ():
                known = self._signatures.get(key)
                if known is None or self._may_precede(known, signature):
                    yield key

    def _may_precede(self, before: Words, after: np.uint64) -> bool:
        """Return True if one of these signatures can be that of a parent.

        Some of their fields never become less, others never more.
        """
        possible = np.ones(before.size, np.bool_)
        for field in self.keys.rising():
            shift, mask = map(np.uint64, field)
            possible &= (before >> shift) & mask <= (after >> shift) & mask
        for field in self.keys.falling():
            shift, mask = map(np.uint64, field)
            possible &= (before >> shift) & mask >= (after >> shift) & mask
        return bool(possible.any())

    def _read(self, key: bytes) -> Runs:
        runs = self._kept.pop(key, None)
        if runs is None:
            runs = read_block(self.store, key)
            self._signatures[key] = runs.signatures
            self._bytes += runs.nbytes
            while self._kept and self._bytes > self.memory:
                self._bytes -= self._kept.popitem(last=False)[1].nbytes
        self._kept[key] = runs
        return runs


def record_in(keys: CoveringKeys, runs: Runs, place: int) -> State:
    """Return record number ``place`` of a block."""
    ends = np.cumsum(runs.counts)
    run = int(np.searchsorted(ends, place, side="right"))
    signature = runs.signatures[run]
    # A copy may be written to, as the kernel's own type of arrays.
    key = runs.keys[runs.key_words * place : runs.key_words * (place + 1)].copy()
    off, low = record_at(keys.tables, signature, key, runs.key_words, 0)
    return State(int(signature), int(off), int(low), 0)


def moves_along(
    keys: CoveringKeys, states: Sequence[State], to: Position | None = None
) -> list[Move]:
    """Return legal moves that lead from the deal along a path of records or classes.

    They end with a position that the last one stands for, or with ``to``, which it covers.
    InternalError if one does not follow from the one before it.
    """
    if are_of_classes(keys):
        return _moves_along_classes(keys, states, to)
    rules, deal = keys.rules, keys.deal.position
    scratch = make_scratch()
    record = plain_record(deal, rules)
    edges = reduction_edges(record, rules, keys.policy)
    for before, after in pairwise(states):
        record = edges[-1].after if edges else record
        edges.append(_macro(keys, record, before, after, scratch))
        edges += reduction_edges(edges[-1].after, rules, keys.policy)
    alone = frozenset() if to is None else cards_alone(to)
    try:
        moves, end = follow_edges(deal, edges, alone, rules)
        if to is not None:
            return [*moves, *park(end, to, rules)]
        return tidied(deal, moves, rules, keys.policy) if end.is_goal() else moves
    except ValueError as error:
        raise InternalError(f"a path over records cannot be played: {error}") from None


def _moves_along_classes(
    keys: ClassKeys, states: Sequence[State], to: Position | None
) -> list[Move]:
    """Return legal moves along a path of classes; with ``to``, as near to it as shifts lead."""
    try:
        moves, end = keys.moves_along(states)
    except ValueError as error:
        raise InternalError(f"a path over classes cannot be played: {error}") from None
    return moves if to is None else [*moves, *shifts_to(end, to, keys.rules)]


def _macro(keys: RecordKeys, record: Record, before: State, after: State, scratch: Scratch) -> Edge:
    """Return the macro that leads from a record to the next: one with the fewest liftings."""
    words = (np.uint64(word) for word in before[:3])
    count = int(successors(keys.tables, *words, scratch))
    found = scratch.found[: max(count, 0), :3] == np.array(after[:3], np.uint64)
    numbers = np.flatnonzero(found.all(axis=1)).tolist()
    if not numbers:
        raise InternalError("a record does not follow from the one before it")
    index = min(numbers, key=lambda number: int(scratch.lifted[number]).bit_count())
    card, kind = divmod(int(scratch.moved[index]), 8)
    onto: int | None = None
    if kind == TO_COLUMN:
        onto = TO_EMPTY_COLUMN
    elif kind != HOMEWARD:
        onto = (card ^ keys.kinds[kind]) + 4
    lifted, fix = _cards(int(scratch.lifted[index])), _cards(int(scratch.fixed[index]))
    return macro_edge(record, card, onto, lifted, fix, keys.rules)


def _cards(bits: int) -> set[int]:
    """Return the cards of a bit set."""
    cards = set()
    while bits:
        cards.add((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return cards
