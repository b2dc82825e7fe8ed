"""The checks of stores that are read block by block: pairs, one pile, classes."""

from __future__ import annotations

from collections.abc import Generator

from dbmsolver.results import Method
from dbmsolver.verify.claim import Progress
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.class_positions import count_positions
from dbmsolver.verify.classes import ClassCheck
from dbmsolver.verify.leaving import LeavingCheck
from dbmsolver.verify.pair_format import PairFormat
from dbmsolver.verify.pile_format import PileFormat
from dbmsolver.verify.position_list import TooManyPositions
from dbmsolver.verify.store_check import StoreCheck


def check_leaving(check: StoreCheck, length: int | None) -> Generator[Progress, None, None]:
    """Check the closed states of a game whose cards only leave."""
    deal = check.report.deal
    kind = PileFormat if deal.rules.has_pile else PairFormat
    form = kind(deal, layered=check.manifest.question == "solve")
    check.show = lambda words: form.position(words[0])
    if length is not None and check.is_shortest_by_bound(form.least, length):
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
        yield from blocks.run()
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
    any_passes = check.manifest.method == Method.CLASSES_ANY_PASSES
    form = ClassFormat(report.deal, check.manifest.policy, any_passes)
    check.show = form.position
    blocks = ClassCheck(
        check.store, form, check.threads, check.memory, check.sample, check.options.seed
    )
    report.depth = check.options.depth or check.usual_depth(check.manifest.states)
    shown = [
        "the deal's class is closed",
        "every closed key is a class of the deal, and none is won",
        "every class that a move leads to is closed",
    ]
    if any_passes:
        shown.append("with any number of passes, so with those there are, too")
    yield from _run(check, blocks, shown)
    if report.depth == "full":
        yield from _list_positions(check)


def _list_positions(check: StoreCheck) -> Generator[Progress, None, None]:
    """List all positions of the deal, and check that none is won."""
    report = check.report
    try:
        report.covered = yield from count_positions(
            report.deal, check.manifest.policy, 3 * check.memory // 4
        )
    except TooManyPositions as error:
        check.use_lemma(error, "there are")
        return
    report.checked += [
        f"{report.covered:,} positions follow from the deal by the rules alone,",
        "safe moves home first, and none is won",
    ]
