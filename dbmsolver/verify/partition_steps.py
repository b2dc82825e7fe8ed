"""The checks of stores that are read partition by partition: games of columns, and records."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError, UsageError
from dbmsolver.results import Method
from dbmsolver.verify.blocks import Readers
from dbmsolver.verify.catalog import Catalog, read_catalog
from dbmsolver.verify.claim import Claim, Progress
from dbmsolver.verify.class_distances import ClassDistances, TooManyClasses
from dbmsolver.verify.closure import Closure
from dbmsolver.verify.format import Format
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.board import make_board
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.kernels.states import bound_of_words, bound_scratch
from dbmsolver.verify.partitions import PartitionLoader, state_bytes
from dbmsolver.verify.position_list import TooManyPositions
from dbmsolver.verify.positions import check_positions
from dbmsolver.verify.records import root_record
from dbmsolver.verify.store_check import StoreCheck

_SMALLEST_PARTITION = 1 << 16
_LARGEST_PARTITION = 1 << 23


def check_states(check: StoreCheck, form: Form, claim: Claim) -> Generator[Progress, None, None]:
    """Check the closed states of a search over every position."""
    catalog = yield from _read_catalog(check, form)
    yield from _check_closure(check, form, claim, catalog)


def with_distances(check: StoreCheck, form: DigitFormat) -> Generator[Progress, None, DigitFormat]:
    """Return keys whose lower bound knows the distances of all classes of the deal, too."""
    report, memory = check.report, check.memory
    classes = ClassDistances(report.deal, check.threads, 3 * memory // 4)
    try:
        distances = yield from classes.run()
    except TooManyClasses as error:
        raise UsageError(
            f"there are {error.message}: expected more --memory", str(report.store)
        ) from None
    check.memory -= distances.keys.nbytes + distances.moves.nbytes
    report.checked.append(f"{classes.count:,} classes were listed, and their distances worked out")
    return form._replace(distances=distances)


def check_records(check: StoreCheck, form: Format) -> Generator[Progress, None, None]:
    """Check a proof over dominating positions in the depth that is wanted."""
    catalog = yield from _read_catalog(check, form)
    check.report.depth = check.options.depth or check.usual_depth(catalog.states)
    if check.report.depth == "full":
        try:
            yield from _check_in_full(check, form, catalog)
        except TooManyPositions as error:
            check.use_lemma(error, "the records cover")
    if check.report.depth == "lemma":
        root = root_record(form, check.report.deal)
        yield from _check_closure(check, form, Claim(root, None, Method.DOMINATING), catalog)


def _check_in_full(
    check: StoreCheck, form: Format, catalog: Catalog
) -> Generator[Progress, None, None]:
    """Check all positions that the records stand for; TooManyPositions if memory is too small."""
    report, memory = check.report, check.memory
    partitions = PartitionLoader(check.store, form, catalog, memory // 8, costs=False)
    positions_check = check_positions(
        form, report.deal, catalog, partitions, check.threads, 3 * memory // 4
    )
    try:
        positions = yield from positions_check
    finally:
        partitions.close()
    report.blocks, report.states = len(catalog.blocks), int(positions.total[0])
    report.covered = positions.count
    report.strata = [(0, *row, 0) for row in sorted(positions.strata.items())]
    report.digest = f"{int(positions.digest[0]):016x}"
    report.checked += [
        f"{positions.count:,} positions are covered: parking leads to them from closed records",
        "the deal is covered once its safe moves are made, and no win is covered",
        "from each covered position, safe moves, where there are any, lead to a covered one;",
        "elsewhere every legal move does, with the safe moves that follow it",
    ]
    check.compare_counts()


def _read_catalog(check: StoreCheck, form: Form) -> Generator[Progress, None, Catalog]:
    """Read the catalogue of the store; write the number of its blocks and states to the report."""
    partition = check.memory // (8 * state_bytes(form))
    partition = min(max(partition, _SMALLEST_PARTITION), _LARGEST_PARTITION)
    with ThreadPoolExecutor(check.threads) as pool:
        readers, whole = Readers(pool, check.memory), check.sample is None
        catalog = yield from read_catalog(check.store, form, partition, whole, readers)
    check.report.all_blocks, check.report.all_states = len(catalog.blocks), catalog.states
    return catalog


def _check_closure(
    check: StoreCheck, form: Form, claim: Claim, catalog: Catalog
) -> Generator[Progress, None, None]:
    """Check that the closed states are closed under moves, and write the counts to the report."""
    report, memory = check.report, check.memory
    partitions = PartitionLoader(check.store, form, catalog, 5 * memory // 8, claim.costs)
    closure = Closure(
        form, catalog, partitions, claim, check.threads, memory, check.sample, check.options.seed
    )
    report.blocks = closure.blocks
    try:
        yield from closure.run()
    finally:
        if not form.counts_forced:
            closure.counts[:, :, 0] += closure.counts[:, :, 1]
            closure.counts[:, :, 1] = 0
        report.strata = _rows(closure.counts)
        report.states = int(closure.counts[:, :, 0].sum())
        report.forced = int(closure.counts[:, :, 1].sum())
    _note_checks(check, claim)
    if check.sample is None:
        report.digest = f"{closure.digest:016x}"
        check.compare_counts()


def _note_checks(check: StoreCheck, claim: Claim) -> None:
    """Write to the report what was checked."""
    checked = check.report.checked
    if claim.records:
        checked.append("the deal's record is closed")
        checked.append("every closed record is well-formed and normal, and none is a win")
        checked.append("every record that a macro leads to is closed")
        return
    checked.append("the deal is closed")
    checked.append("every closed key is an arrangement of the 52 cards, and none is a goal")
    if claim.costs:
        checked.append(
            "every successor is closed with no more moves, or cannot be part of a shorter solution"
        )
    else:
        checked.append("every successor is closed (where a move is forced, that one)")
    if check.sample is None:
        checked.append("every parent-move code leads to a closed parent, and on to the deal")
    else:
        checked.append("every parent-move code leads to a closed parent")


def bound_of(form: Form, words: tuple[int, int, int, int]) -> int:
    """Return the lower bound of a state."""
    scratch = bound_scratch(form)
    error, bound = bound_of_words(form, np.array(words, np.uint64), make_board(), scratch)
    if error or bound < 0:
        raise InternalError("the state is no position, or no moves from the deal lead to its class")
    return int(bound)


def _rows(counts: NDArray[np.int64]) -> list[tuple[int, int, int, int]]:
    """Return (layer, stratum, states, forced) of the checked states, ascending."""
    strata, layers = np.nonzero(counts.sum(axis=2))
    return sorted(
        (int(layer), int(stratum), int(counts[stratum, layer, 0]), int(counts[stratum, layer, 1]))
        for stratum, layer in zip(strata, layers, strict=True)
    )
