"""One check of one store: what its claim rests on, step by step.

Why these checks are enough is said in :mod:`dbmsolver.verify`. Here the claim decides which checks
are made, and what the report says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from functools import partial

from dbmsolver.errors import UsageError
from dbmsolver.game.measures import counted, length_words, measure_of
from dbmsolver.game.position import Position
from dbmsolver.process import default_memory, processors
from dbmsolver.results import Bound, Method
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.store import Store
from dbmsolver.verify.class_distances import ClassDistances
from dbmsolver.verify.class_format import keys_of_classes
from dbmsolver.verify.closure import Closure
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.expand import make_table
from dbmsolver.verify.keys import Keys, least_of
from dbmsolver.verify.leaving_format import keys_of_leaving
from dbmsolver.verify.listing import list_positions
from dbmsolver.verify.record_format import keys_of_records
from dbmsolver.verify.refutation import Refuted, StateWords
from dbmsolver.verify.report import CheckOptions, Progress, TooMany, Verification
from dbmsolver.verify.solution import check_solution

MOST_IN_FULL = 1_000_000
"""Records of the largest store whose check is full unless another depth is wanted: some minutes."""


class StoreCheck:
    """One check of one open store: its options, and the report that is being written."""

    def __init__(
        self, store: Store, manifest: Manifest, report: Verification, options: CheckOptions
    ) -> None:
        self.store = store
        self.manifest = manifest
        self.report = report
        self.options = options
        self.threads = options.threads or processors()
        self.memory = options.memory or default_memory()
        self.show: Callable[[StateWords], Position | None] = lambda _: None
        """Returns the position of a state; set by the first step that knows the keys."""

    def is_shortest_by_bound(self, least: int, length: int) -> bool:
        """Return True if a solution is as short as the deal's lower bound, and so a shortest one.

        Raises Refuted if it is shorter than that.
        """
        if least > length:
            raise Refuted(f"the lower bound of the deal is {least}, more than {length}")
        if least == length:
            self.report.checked.append("no solution is shorter than the deal's lower bound")
        return least == length

    def too_little_memory(self, error: TooMany, otherwise: str = "") -> UsageError:
        """Return the error that more memory is needed, or what ``otherwise`` says."""
        return UsageError(
            f"there are {error.message}: expected more --memory{otherwise}", str(self.report.store)
        )

    def compare_counts(self) -> None:
        """Raise Refuted if the counts of the report are not those of the manifest."""
        report, manifest = self.report, self.manifest
        claimed = sorted(tuple(row) for row in manifest.strata if row[2] or row[3])
        rows = zip(report.strata, claimed, strict=False)
        for name, ours, theirs in (
            *(("counts (layer, stratum, states, forced)", *row) for row in rows),
            ("strata", len(report.strata), len(claimed)),
            ("states", report.states, manifest.states),
            ("forced states", report.forced, manifest.forced),
            ("digest", report.digest, manifest.digest),
        ):
            if ours != theirs:
                raise Refuted(f"{name}: {ours}, not {theirs} as claimed")
        report.checked.append("counts and digest are those of the manifest")


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
    keys = _keys_of(check)
    check.show = keys.position
    if length is not None and manifest.bound == Bound.CLASSES:
        keys = yield from _with_distances(check, keys)
    needs_states = length is None or not check.is_shortest_by_bound(least_of(keys), length)
    closure = Closure(
        check.store, keys, length, _has_layers(check), check.threads, check.memory,
        check.options.sample, check.options.seed,
    )  # fmt: skip
    report.all_blocks, report.all_states = len(closure.catalog.blocks), closure.catalog.states
    if not (needs_states or report.all_blocks):
        if manifest.strata:
            raise Refuted(f"strata: 0, not {len(manifest.strata)} as claimed")
        return
    if manifest.method == Method.EVERY_POSITION:
        yield from _check_closure(check, closure)
    else:
        yield from _check_in_depth(check, closure)


def _check_depth(check: StoreCheck, claim: str) -> None:
    """Raise UsageError if this store has no depth to choose, or not with the other options."""
    where = str(check.report.store)
    if check.manifest.method == Method.EVERY_POSITION or claim != "unsolvable":
        raise UsageError(
            "--depth is for stores of proofs over dominating positions or classes, "
            "that a deal is unsolvable",
            where,
        )
    if check.options.depth == "full" and check.options.sample is not None:
        raise UsageError("--sample is for the depth lemma: a full check takes all records", where)


def _keys_of(check: StoreCheck) -> Keys:
    """Return the keys of a store."""
    deal, manifest = check.report.deal, check.manifest
    policy, shortest = manifest.policy, manifest.question == "solve"
    if deal.rules.only_leave:
        return keys_of_leaving(deal, shortest)
    if manifest.method.of_classes:
        return keys_of_classes(deal, policy, manifest.method == Method.CLASSES_ANY_PASSES)
    if manifest.method == Method.DOMINATING:
        return keys_of_records(deal, policy, manifest.metric)
    is_proof = deal.rules.is_patience and not shortest
    return keys_of_cards(deal, policy, None if is_proof else manifest.metric)


def _has_layers(check: StoreCheck) -> bool:
    """Return True if the search closed positions by layers of costs."""
    return check.manifest.question == "solve" and check.manifest.method == Method.EVERY_POSITION


def _with_distances(check: StoreCheck, keys: Keys) -> Generator[Progress, None, Keys]:
    """Return keys whose lower bound knows the distances of all classes of the deal, too."""
    report, memory = check.report, check.memory
    classes = ClassDistances(report.deal, check.threads, 3 * memory // 4)
    try:
        distances = yield from classes.run()
    except TooMany as error:
        raise check.too_little_memory(error) from None
    check.memory -= distances.keys.nbytes + distances.moves.nbytes
    report.checked.append(f"{classes.count:,} classes were listed, and their distances worked out")
    tables = keys.tables._replace(distances=distances)
    return replace(keys, tables=tables, make_table=partial(make_table, tables))


def _check_closure(check: StoreCheck, closure: Closure) -> Generator[Progress, None, None]:
    """Check that the closed states are closed under moves, and write the counts to the report."""
    report, keys = check.report, closure.keys
    report.blocks = len(closure.chosen)
    try:
        yield from closure.run()
    finally:
        report.strata = closure.rows()
        report.states = sum(row[2] for row in report.strata)
        report.forced = sum(row[3] for row in report.strata)
    noun, way = keys.noun, " with no more moves" if closure.costs else ""
    if closure.length is not None:
        way += ", or cannot be part of a shorter solution"
    report.checked += [
        "the deal is closed" if keys.codes else f"the deal's {noun} is closed",
        f"every closed key is a {noun} of the deal{keys.normal}, and none is a goal",
        f"every successor is closed{way}",
    ]
    if check.manifest.method == Method.CLASSES_ANY_PASSES:
        report.checked.append("with any number of passes, so with those there are, too")
    if check.options.sample is None:
        if keys.codes:
            report.checked.append(
                "every parent-move code leads to a closed parent, and on to the deal"
            )
        report.digest = f"{closure.digest:016x}"
        check.compare_counts()


def _check_in_depth(check: StoreCheck, closure: Closure) -> Generator[Progress, None, None]:
    """Check a proof over dominating positions or classes in the depth that is wanted."""
    report, manifest = check.report, check.manifest
    few = check.options.sample is None and closure.catalog.states <= MOST_IN_FULL
    report.depth = check.options.depth or ("full" if few else "lemma")
    yield from _check_closure(check, closure)
    if report.depth == "lemma":
        return
    keys = keys_of_cards(report.deal, manifest.policy, None)
    try:
        report.covered = yield from list_positions(keys, 3 * check.memory // 4)
    except TooMany as error:
        if check.options.depth is not None:
            raise check.too_little_memory(error, ", or --depth lemma") from None
        report.depth = "lemma"
        return
    report.checked += [
        f"{report.covered:,} positions follow from the deal by moves of the game,",
        "safe moves home first, and none is won",
    ]
