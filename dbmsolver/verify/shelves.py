"""Shelves come from the store when they are needed, and go when memory is."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future

import numpy as np
from numpy.typing import NDArray

from dbmsolver.store import Store
from dbmsolver.verify.catalog import Catalog, ShelfPlan
from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.arrange import make_board
from dbmsolver.verify.kernels.shelf import Block, Shelf, build_table, moves_made, unpack_block
from dbmsolver.verify.refutation import Refuted, key_refuted

STATE_BYTES = 40
"""Memory that a state on a shelf takes, at most, with two planes (48 with three)."""


class Loaded:
    """A shelf in memory, with the segments that each block contributed (int64[*, 3]: run, first
    state, count).
    """

    def __init__(self, shelf: Shelf, states: int, records: NDArray[np.int64]) -> None:
        self.shelf = shelf
        self.states = states
        self.segments = np.ascontiguousarray(records[:, [0, 3, 4]])
        self.nbytes = sum(part.nbytes for part in shelf)


class Shelves:
    """A cache of shelves that keeps to a budget of ``memory`` bytes.

    ``costs``: the moves made to each state are computed, too.
    """

    def __init__(
        self, store: Store, form: Format, catalog: Catalog, memory: int, costs: bool
    ) -> None:
        self.store = store
        self.form = form
        self.catalog = catalog
        self.memory = memory
        self.costs = costs
        self.used = 0
        self.loads = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[int, Future[Loaded]] = OrderedDict()

    def get(self, number: int) -> Loaded:
        """The shelf, loaded if it is not in memory."""
        with self._lock:
            future = self._kept.get(number)
            mine = future is None
            if future is None:
                future = self._kept[number] = Future()
            self._kept.move_to_end(number)
        if mine:
            try:
                loaded = self._load(self.catalog.shelves[number])
            except BaseException as error:
                future.set_exception(error)
                raise
            future.set_result(loaded)
            self._make_room(loaded.nbytes)
        return future.result()

    def _make_room(self, added: int) -> None:
        with self._lock:
            self.loads += 1
            self.used += added
            for number, future in list(self._kept.items()):
                if self.used <= self.memory or len(self._kept) == 1:
                    return
                if future.done() and future.exception() is None:
                    self.used -= future.result().nbytes
                    del self._kept[number]

    def _load(self, plan: ShelfPlan) -> Loaded:
        room = plan.states
        if plan.pieces > 1:
            room += room // 16 + 1000
        while True:
            shelf = _empty_shelf(room, self.form.planes, self.costs)
            records = plan.records.copy()
            states = self._fill(plan, shelf, records)
            if states <= room:
                break
            room = states
        if plan.pieces > 1:
            shelf = shelf._replace(
                planes=shelf.planes[: self.form.planes * states],
                codes=shelf.codes[:states],
                layers=shelf.layers[:states],
            )
        return self._finish(plan, shelf, states, records)

    def _fill(self, plan: ShelfPlan, shelf: Shelf, records: NDArray[np.int64]) -> int:
        states = 0
        order = np.argsort(plan.blocks, kind="stable")
        bit_words = np.empty((3, 160), np.uint64)
        for chosen in np.split(order, np.flatnonzero(np.diff(plan.blocks[order])) + 1):
            place = self.catalog.blocks[int(plan.blocks[chosen[0]])]
            runs = self.store.block(place.key)
            block = Block(place.layer, runs.words, runs.keys, runs.codes.astype(np.uint16))
            mine = records[chosen]
            signatures = self.catalog.index.signatures
            error, record, result = unpack_block(
                self.form, signatures, block, mine, plan.pieces, plan.piece, shelf, states,
                bit_words,
            )  # fmt: skip
            if error:
                raise key_refuted(error, place, int(signatures[mine[record, 0]]))
            records[chosen] = mine
            states += int(result)
        return states

    def _finish(
        self, plan: ShelfPlan, shelf: Shelf, states: int, records: NDArray[np.int64]
    ) -> Loaded:
        index = self.catalog.index
        signatures = index.signatures[plan.runs]
        firsts = index.first[plan.runs]
        counts = index.count[plan.runs]
        if plan.pieces > 1:
            counts = np.array([states])
        error, number = build_table(
            self.form.planes, signatures, firsts, counts, shelf.planes, shelf.slots
        )
        if not error and self.costs:
            error, number = moves_made(
                self.form, signatures, firsts, counts, shelf.planes, shelf.layers, shelf.made,
                make_board(),
            )  # fmt: skip
        if error:
            run = plan.runs[np.searchsorted(firsts, number, side="right") - 1]
            raise Refuted.state(error, int(index.signatures[run]), shelf, int(number))
        return Loaded(shelf, states, records)


def _empty_shelf(states: int, planes: int, costs: bool) -> Shelf:
    slots = 1 << max(4, (2 * states - 1).bit_length())
    return Shelf(
        planes=np.empty(planes * states, np.uint64),
        codes=np.empty(states, np.uint16),
        layers=np.empty(states, np.uint16),
        made=np.zeros(states if costs else 0, np.int16),
        slots=np.zeros(slots, np.uint32),
    )
