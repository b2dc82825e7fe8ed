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
    kind = PileFormat if deal.rules.has_pile else PairFormat
    form = kind(deal, layered=check.manifest.question == "solve")
    if length is not None and check.is_bound(form.least, length):
        return
    blocks = LeavingCheck(
        check.store, form, check.threads, check.memory, check.sample, check.options.seed
    )
    blocks.length = length
    shown = [
        "the deal is closed",
        "every closed key is a position of the deal, and none is a goal",
        "every successor is closed"
        if length is None
        else "every successor is closed, or cannot be part of a shorter solution",
        "every parent-move code leads to a closed parent"
        + (", and on to the deal" if blocks.whole else ""),
    ]
    yield from _run(check, blocks, shown)


def _run(
    check: StoreCheck, blocks: LeavingCheck | ClassCheck, shown: list[str]
) -> Generator[Progress, None, None]:
    """Run a check of blocks; report what it has ``shown``, and its counts in any case."""
    report = check.report
    report.all_blocks, report.blocks = len(blocks.keys), len(blocks.chosen)
    try:
        for event in blocks.run():
            report.peak_memory = max(report.peak_memory, anonymous_memory())
            yield event
    finally:
        report.strata = [(*place, states, 0) for place, states in sorted(blocks.counts.items())]
        report.states, report.all_states = blocks.states, blocks.all_states
    report.checked += shown
    if blocks.whole:
        report.digest = f"{blocks.digest:016x}"
        check.compare_counts()


def check_classes(check: StoreCheck) -> Generator[Progress, None, None]:
    """Check a proof over classes in the depth that is wanted."""
    report = check.report
    form = class_format(report.deal, check.manifest)
    blocks = ClassCheck(
        check.store, form, check.threads, check.memory, check.sample, check.options.seed
    )
    report.depth = check.options.depth or check.usual_depth(check.manifest.states)
    shown = [
        "the deal's class is closed",
        "every closed key is a class of the deal, and none is won",
        "every class that a move leads to is closed",
    ]
    if check.manifest.method == Method.CLASSES_ANY_PASSES:
        shown.append("with any number of passes, so with those there are, too")
    yield from _run(check, blocks, shown)
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
