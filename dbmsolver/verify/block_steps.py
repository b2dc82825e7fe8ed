"""The checks of stores that are read block by block: pairs, one pile, classes."""

from __future__ import annotations

from collections.abc import Generator

from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.process import anonymous_memory
from dbmsolver.results import Method
from dbmsolver.storage.manifest import Manifest
from dbmsolver.verify.claim import Progress
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.class_positions import count_positions
from dbmsolver.verify.classes import ClassCheck
from dbmsolver.verify.leaving import LeavingCheck
from dbmsolver.verify.pair_format import PairFormat
from dbmsolver.verify.pile_format import PileFormat
from dbmsolver.verify.position_list import TooManyPositions
from dbmsolver.verify.store_check import StoreCheck


def class_format(deal: Deal, manifest: Manifest) -> ClassFormat:
    """Return the keys of the classes in a store."""
    any_passes = manifest.method == Method.CLASSES_ANY_PASSES
    return ClassFormat(deal, manifest.policy, any_passes)


def check_leaving(check: StoreCheck, length: int | None) -> Generator[Progress, None, None]:
    """Check the closed states of a game whose cards only leave."""
    deal = check.report.deal
    layered = check.manifest.question == "solve"
    form = (PileFormat if deal.rules.has_pile else PairFormat)(deal, layered)
    if length is not None and check.is_bound(form.least, length):
        return
    blocks = LeavingCheck(
        check.store, form, length, layered, check.sample, check.options.seed, check.memory
    )
    yield from _check_closed_states(check, blocks, length)


def _check_closed_states(
    check: StoreCheck, blocks: LeavingCheck, length: int | None
) -> Generator[Progress, None, None]:
    """Run ``blocks``, a check of closed states; write to the report what it has shown."""
    yield from _run(check, blocks)
    check.report.checked += [
        "the deal is closed",
        "every closed key is a position of the deal, and none is a goal",
        "every successor is closed"
        if length is None
        else "every successor is closed, or cannot be part of a shorter solution",
        "every parent-move code leads to a closed parent"
        + (", and on to the deal" if blocks.whole else ""),
    ]
    _compare_counts(check, blocks)


def _run(check: StoreCheck, blocks: LeavingCheck | ClassCheck) -> Generator[Progress, None, None]:
    """Run a check of blocks; write its counts to the report, also if it refutes the claim."""
    report = check.report
    report.all_blocks, report.blocks = len(blocks.keys), len(blocks.chosen)
    try:
        for event in blocks.run():
            report.peak_memory = max(report.peak_memory, anonymous_memory())
            yield event
    finally:
        report.strata = [(*place, states, 0) for place, states in sorted(blocks.counts.items())]
        report.states, report.all_states = blocks.states, blocks.all_states


def _compare_counts(check: StoreCheck, blocks: LeavingCheck | ClassCheck) -> None:
    """Compare digest and counts with the manifest's, if all blocks were checked."""
    if blocks.whole:
        check.report.digest = f"{blocks.digest:016x}"
        check.compare_counts()


def check_classes(check: StoreCheck) -> Generator[Progress, None, None]:
    """Check a proof over classes in the depth that is wanted."""
    report = check.report
    form = class_format(report.deal, check.manifest)
    blocks = ClassCheck(
        check.store, form, None, False, check.sample, check.options.seed, check.memory
    )
    blocks.threads = check.threads
    report.depth = check.options.depth or check.usual_depth(check.manifest.states)
    yield from _run(check, blocks)
    report.checked += [
        "the deal's class is closed",
        "every closed key is a class of the deal, and none is won",
        "every class that a move leads to is closed",
    ]
    if check.manifest.method == Method.CLASSES_ANY_PASSES:
        report.checked.append("with any number of passes, so with those there are, too")
    _compare_counts(check, blocks)
    if report.depth == "full":
        yield from _list_positions(check)


def _list_positions(check: StoreCheck) -> Generator[Progress, None, None]:
    """List all positions of the deal, and check that none is won."""
    report = check.report
    try:
        report.covered = yield from count_positions(
            report.deal, check.manifest.policy, 3 * check.memory // 4, report
        )
    except TooManyPositions as error:
        if check.options.depth is not None:
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
