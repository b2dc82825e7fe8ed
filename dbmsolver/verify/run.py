"""One check of one store: what its claim rests on, step by step.

Why these checks are enough is said in :mod:`dbmsolver.verify`.
"""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import DbmError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import measure_of
from dbmsolver.process import anonymous_memory, default_memory, processors
from dbmsolver.results import Method
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.store import Store
from dbmsolver.verify.blocks import Readers
from dbmsolver.verify.catalog import Catalog, read_catalog
from dbmsolver.verify.claim import Claim, Progress
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.class_positions import count_positions
from dbmsolver.verify.classes import ClassCheck
from dbmsolver.verify.closure import Closure
from dbmsolver.verify.format import Format, root_words
from dbmsolver.verify.format_of_deal import make_format
from dbmsolver.verify.kernels.arrange import arrange, make_board, take_signature
from dbmsolver.verify.kernels.bound import lower_bound
from dbmsolver.verify.kernels.patience import bound
from dbmsolver.verify.leaving import LeavingCheck
from dbmsolver.verify.pair_format import PairFormat
from dbmsolver.verify.partitions import PartitionCache, state_bytes
from dbmsolver.verify.patience import PatienceCheck
from dbmsolver.verify.patience_format import PatienceFormat
from dbmsolver.verify.pile_format import PileFormat
from dbmsolver.verify.positions import TooManyPositions, check_positions
from dbmsolver.verify.records import root_record
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.report import Depth, How, Verification
from dbmsolver.verify.solution import replay

_SMALLEST_PARTITION = 1 << 16
_LARGEST_PARTITION = 1 << 23
MOST_IN_FULL = 1_000_000
"""Records of the largest store whose check is full unless another depth is wanted: some minutes."""


def class_format(deal: Deal, manifest: Manifest) -> ClassFormat:
    """Return the keys of the classes in a store."""
    any_passes = manifest.method == Method.CLASSES_ANY_PASSES
    return ClassFormat(deal, manifest.policy, any_passes)


class StoreCheck:
    """One check of one open store."""

    def __init__(
        self,
        store: Store,
        manifest: Manifest,
        report: Verification,
        how: How,
    ) -> None:
        self.store = store
        self.manifest = manifest
        self.report = report
        self.how = how
        self.threads = how.threads or processors()
        self.memory = how.memory or default_memory()
        self.sample = how.sample

    def events(self) -> Generator[Progress, None, None]:
        """Check everything that the claim rests on."""
        report, manifest = self.report, self.manifest
        claim = report.certificate["claim"]
        length: int | None = None
        if self.how.depth is not None:
            self._check_depth(claim)
        if claim != "unsolvable":
            measure = measure_of(report.deal.rules, manifest.policy, manifest.metric)
            if manifest.path is None:
                raise Refuted("there is no solution to be played")
            length = replay(report.deal, manifest.path, measure)
            if length != manifest.length:
                raise Refuted(f"the solution has {length} moves, not {manifest.length}")
            report.checked.append(f"the solution is legal and has {length} moves")
        if claim == "solved":
            return
        if claim == "shortest" and manifest.question != "solve":
            raise Refuted("a proof does not look for shortest solutions")
        if report.deal.rules.only_leave:
            yield from self._leaving(length)
            return
        if manifest.method.of_classes:
            yield from self._classes()
            return
        if report.deal.rules.is_patience:
            yield from self._patience(length)
            return
        form = make_format(report.deal, manifest.policy, manifest.metric)
        if manifest.method == Method.DOMINATING:
            yield from self._records(form)
            return
        root = root_words(form, report.deal)
        if length is not None and self._is_bound(bound_of(form, root), length):
            return
        catalog = yield from self._read_catalog(form)
        yield from self._closure(form, Claim(root, length), catalog)

    def _is_bound(self, least: int, length: int) -> bool:
        """Return True if a solution is as short as the deal's lower bound, and so a shortest one.

        Raises Refuted if it is shorter than that.
        """
        if least > length:
            raise Refuted(f"the lower bound of the deal is {least}, more than {length}")
        if least == length:
            self.report.checked.append("no solution is shorter than the deal's lower bound")
        return least == length

    def _leaving(self, length: int | None) -> Generator[Progress, None, None]:
        """Check the closed states of a game whose cards only leave."""
        deal = self.report.deal
        layered = self.manifest.question == "solve"
        form = (PileFormat if deal.rules.has_pile else PairFormat)(deal, layered)
        if length is not None and self._is_bound(form.least, length):
            return
        check = LeavingCheck(
            self.store, form, length, layered, self.sample, self.how.seed, self.memory
        )
        yield from self._closed_states(check, length)

    def _patience(self, length: int | None) -> Generator[Progress, None, None]:
        """Check the closed states of a game of Klondike's kind."""
        report, manifest = self.report, self.manifest
        layered = manifest.question == "solve"
        metric = manifest.metric if layered else None
        form = PatienceFormat(report.deal, manifest.policy, metric)
        if length is not None and self._is_bound(
            int(bound(form.game, form.table, form.root)), length
        ):
            return
        check = PatienceCheck(
            self.store, form, length, layered, self.sample, self.how.seed, self.memory
        )
        yield from self._closed_states(check, length)

    def _closed_states(
        self, check: LeavingCheck | PatienceCheck, length: int | None
    ) -> Generator[Progress, None, None]:
        """Carry out a check of closed states, and note it in the report."""
        report = self.report
        report.all_blocks, report.blocks = len(check.keys), len(check.chosen)
        try:
            for event in check.run():
                report.peak_memory = max(report.peak_memory, anonymous_memory())
                yield event
        finally:
            report.strata = [(*place, states, 0) for place, states in sorted(check.tally.items())]
            report.states, report.all_states = check.states, check.all_states
        report.checked += [
            "the deal is closed",
            "every closed key is a position of the deal, and none is a goal",
            "every successor is closed"
            if length is None
            else "every successor is closed, or cannot be part of a shorter solution",
            "every parent-move code leads to a closed parent"
            + (", and on to the deal" if check.whole else ""),
        ]
        if check.whole:
            report.digest = f"{check.digest:016x}"
            self._compare_counts()

    def _classes(self) -> Generator[Progress, None, None]:
        """Check a proof over classes in the depth that is wanted."""
        report = self.report
        form = class_format(report.deal, self.manifest)
        check = ClassCheck(self.store, form, None, False, self.sample, self.how.seed, self.memory)
        check.threads = self.threads
        report.all_blocks, report.blocks = len(check.keys), len(check.chosen)
        report.depth = self.how.depth or self._usual_depth(self.manifest.states)
        try:
            for event in check.run():
                report.peak_memory = max(report.peak_memory, anonymous_memory())
                yield event
        finally:
            report.strata = [(*place, states, 0) for place, states in sorted(check.tally.items())]
            report.states, report.all_states = check.states, check.all_states
        report.checked += [
            "the deal's class is closed",
            "every closed key is a class of the deal, and none is won",
            "every class that a move leads to is closed",
        ]
        if self.manifest.method == Method.CLASSES_ANY_PASSES:
            report.checked.append("with any number of passes, so with those there are, too")
        if check.whole:
            report.digest = f"{check.digest:016x}"
            self._compare_counts()
        if report.depth == "full":
            yield from self._every_position()

    def _every_position(self) -> Generator[Progress, None, None]:
        """List all positions of the deal, and find that none is won."""
        report = self.report
        try:
            report.covered = yield from count_positions(
                report.deal, self.manifest.policy, 3 * self.memory // 4, report
            )
        except TooManyPositions as error:
            if self.how.depth is not None:
                raise UsageError(
                    f"there are {error.message}: expected more --memory, or --depth lemma",
                    str(report.store),
                ) from None
            report.depth = "lemma"
            return
        report.checked += [
            f"{report.covered:,} positions follow from the deal by the rules alone, ",
            "safe moves home first, and none is won",
        ]

    def _usual_depth(self, states: int) -> Depth:
        """Return the depth of a check where none is wanted."""
        return "full" if self.sample is None and states <= MOST_IN_FULL else "lemma"

    def _check_depth(self, claim: str) -> None:
        where = str(self.report.store)
        if self.manifest.method == Method.EVERY_POSITION or claim != "unsolvable":
            raise UsageError(
                "--depth is for stores of proofs over dominating positions or classes, "
                "that a deal is unsolvable",
                where,
            )
        if self.how.depth == "full" and self.sample is not None:
            raise UsageError(
                "--sample is for the depth lemma: a full check takes all records", where
            )

    def _records(self, form: Format) -> Generator[Progress, None, None]:
        """Check a proof over dominating positions in the depth that is wanted."""
        catalog = yield from self._read_catalog(form)
        depth = self.how.depth or self._usual_depth(catalog.states)
        self.report.depth = depth
        if depth == "full":
            try:
                yield from self._full(form, catalog)
            except TooManyPositions as error:
                if self.how.depth is not None:
                    raise UsageError(
                        f"the records cover {error.message}: "
                        "expected more --memory, or --depth lemma",
                        str(self.report.store),
                    ) from None
                self.report.depth = depth = "lemma"
        if depth == "lemma":
            root = root_record(form, self.report.deal)
            yield from self._closure(form, Claim(root, None, Method.DOMINATING), catalog)

    def _full(self, form: Format, catalog: Catalog) -> Generator[Progress, None, None]:
        report, memory = self.report, self.memory
        partitions = PartitionCache(self.store, form, catalog, memory // 8, costs=False)
        check = check_positions(
            form, report.deal, catalog, partitions, self.threads, 3 * memory // 4
        )
        try:
            while True:
                try:
                    event = next(check)
                except StopIteration as stop:
                    positions = stop.value
                    break
                report.peak_memory = max(report.peak_memory, anonymous_memory())
                yield event
        finally:
            partitions.close()
        report.blocks, report.states = len(catalog.blocks), int(positions.tally[0])
        report.covered = positions.count
        report.strata = [(0, *row, 0) for row in sorted(positions.strata.items())]
        report.digest = f"{int(positions.digest[0]):016x}"
        report.checked += [
            f"{positions.count:,} positions are covered: parking leads to them from closed records",
            "the deal is covered once its safe moves are made, and no win is covered",
            "from each covered position, safe moves, where there are any, lead to a covered one;",
            "elsewhere every legal move does, with the safe moves that follow it",
        ]
        self._compare_counts()

    def _read_catalog(self, form: Format) -> Generator[Progress, None, Catalog]:
        partition = self.memory // (8 * state_bytes(form))
        partition = min(max(partition, _SMALLEST_PARTITION), _LARGEST_PARTITION)
        with ThreadPoolExecutor(self.threads) as pool:
            readers, whole = Readers(pool, self.memory), self.sample is None
            catalog = yield from read_catalog(self.store, form, partition, whole, readers)
        self.report.all_blocks, self.report.all_states = len(catalog.blocks), catalog.states
        return catalog

    def _closure(
        self, form: Format, claim: Claim, catalog: Catalog
    ) -> Generator[Progress, None, None]:
        report, memory = self.report, self.memory
        partitions = PartitionCache(self.store, form, catalog, 5 * memory // 8, claim.costs)
        closure = Closure(
            form, catalog, partitions, claim, self.threads, memory, self.sample, self.how.seed
        )
        report.blocks = closure.blocks
        try:
            for event in closure.run():
                report.peak_memory = max(report.peak_memory, anonymous_memory())
                yield event
        finally:
            report.strata = _rows(closure.tally)
            report.states = int(closure.tally[:, :, 0].sum())
            report.forced = int(closure.tally[:, :, 1].sum())
        self._say(claim)
        if self.sample is None:
            report.digest = f"{closure.digest:016x}"
            self._compare_counts()

    def _say(self, claim: Claim) -> None:
        checked = self.report.checked
        if claim.records:
            checked.append("the deal's record is closed")
            checked.append("every closed record is well-formed and normal, and none is a win")
            checked.append("every record that a macro leads to is closed")
            return
        checked.append("the deal is closed")
        checked.append("every closed key is an arrangement of the 52 cards, and none is a goal")
        if claim.costs:
            checked.append(
                "every successor is closed with no more moves, "
                "or cannot be part of a shorter solution"
            )
        else:
            checked.append("every successor is closed (where a move is forced, that one)")
        if self.sample is None:
            checked.append("every parent-move code leads to a closed parent, and on to the deal")
        else:
            checked.append("every parent-move code leads to a closed parent")

    def _compare_counts(self) -> None:
        report, manifest = self.report, self.manifest
        expected = sorted(tuple(row) for row in manifest.strata if row[2] or row[3])
        for ours, theirs in zip(report.strata, expected, strict=False):
            if ours != theirs:
                raise Refuted(
                    f"counts (layer, stratum, states, forced): {ours}, not {theirs} as claimed"
                )
        for name, value in (
            ("strata", (len(report.strata), len(expected))),
            ("states", (report.states, manifest.states)),
            ("forced states", (report.forced, manifest.forced)),
            ("digest", (report.digest, manifest.digest)),
        ):
            if value[0] != value[1]:
                raise Refuted(f"{name}: {value[0]}, not {value[1]} as claimed")
        report.checked.append("counts and digest are those of the manifest")


def bound_of(form: Format, words: tuple[int, int, int, int]) -> int:
    """Return the lower bound of a state."""
    signature, off, low, high = (np.uint64(word) for word in words)
    board = make_board()
    error, home, locked = take_signature(form, signature)
    if not error:
        # Numba returns plain integers, and would compile anew for them.
        home, locked = np.uint64(home), np.uint64(locked)
        error, used = arrange(form, home, locked, off, low, high, board)
    if error:
        raise DbmError("the state is no position")
    return int(lower_bound(form, signature, home, off & ~low & ~high, used, board))


def _rows(tally: NDArray[np.int64]) -> list[tuple[int, int, int, int]]:
    """Return (layer, stratum, states, forced) of the checked states, ascending."""
    strata, layers = np.nonzero(tally.sum(axis=2))
    return sorted(
        (int(layer), int(stratum), int(tally[stratum, layer, 0]), int(tally[stratum, layer, 1]))
        for stratum, layer in zip(strata, layers, strict=True)
    )
