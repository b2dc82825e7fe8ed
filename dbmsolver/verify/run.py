"""One check of one store: what its claim rests on, step by step.

Why these checks are enough is said in :mod:`dbmsolver.verify`. Here the claim decides which checks
are made; :mod:`dbmsolver.verify.block_steps` and :mod:`dbmsolver.verify.partition_steps` make them.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import partial

from dbmsolver.errors import UsageError
from dbmsolver.game.measures import counted, length_words, measure_of
from dbmsolver.results import Bound, Method
from dbmsolver.verify import block_steps, partition_steps
from dbmsolver.verify.claim import Claim, Progress
from dbmsolver.verify.format import root_words
from dbmsolver.verify.format_of_deal import make_format
from dbmsolver.verify.forms import Form
from dbmsolver.verify.kernels.digits import DigitFormat
from dbmsolver.verify.patience_format import PatienceFormat
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.showing import position_of, position_of_record
from dbmsolver.verify.solution import check_solution
from dbmsolver.verify.store_check import StoreCheck


def run_check(check: StoreCheck) -> Generator[Progress, None, None]:
    """Check everything that the claim rests on."""
    report, manifest = check.report, check.manifest
    claim = report.certificate["claim"]
    length: int | None = None
    if check.options.depth is not None:
        _check_depth(check, claim)
    if claim != "unsolvable":
        measure = measure_of(report.deal.rules, manifest.policy, manifest.metric)
        length = manifest.length
        check_solution(report.deal, manifest.path, length, measure)
        words = length_words(manifest.metric, report.deal.rules)
        report.checked.append(f"the solution is legal and has {counted(length or 0, *words)}")
    if claim == "solved":
        return
    if claim == "shortest" and manifest.question != "solve":
        raise Refuted("a proof does not look for shortest solutions")
    if report.deal.rules.only_leave:
        yield from block_steps.check_leaving(check, length)
        return
    if manifest.method.of_classes:
        yield from block_steps.check_classes(check)
        return
    form: Form
    if report.deal.rules.is_patience:
        metric = manifest.metric if manifest.question == "solve" else None
        keys = PatienceFormat(report.deal, manifest.policy, metric)
        check.show = keys.position
        form, root = keys.digits, keys.state(keys.root)
    else:
        form = make_format(report.deal, manifest.policy, manifest.metric)
        if manifest.method == Method.DOMINATING:
            check.show = partial(position_of_record, form, report.deal)
            yield from partition_steps.check_records(check, form)
            return
        check.show = partial(position_of, form, report.deal)
        root = root_words(form, report.deal)
    if length is not None and check.is_shortest_by_bound(
        partition_steps.bound_of(form, root), length
    ):
        return
    if manifest.bound == Bound.CLASSES:
        assert isinstance(form, DigitFormat) and length is not None
        form = yield from partition_steps.with_distances(check, form)
        if check.is_shortest_by_bound(partition_steps.bound_of(form, root), length):
            return
    yield from partition_steps.check_states(check, form, Claim(root, length))


def _check_depth(check: StoreCheck, claim: str) -> None:
    """Raise UsageError if this store has no depth to choose, or not with the other options."""
    where = str(check.report.store)
    if check.manifest.method == Method.EVERY_POSITION or claim != "unsolvable":
        raise UsageError(
            "--depth is for stores of proofs over dominating positions or classes, "
            "that a deal is unsolvable",
            where,
        )
    if check.options.depth == "full" and check.sample is not None:
        raise UsageError("--sample is for the depth lemma: a full check takes all records", where)
