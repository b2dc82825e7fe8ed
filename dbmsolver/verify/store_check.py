"""The state of one check of one open store, and what all checks have in common."""

from __future__ import annotations

from collections.abc import Callable

from dbmsolver.errors import UsageError
from dbmsolver.game.position import Position
from dbmsolver.process import default_memory, processors
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.store import Store
from dbmsolver.verify.listing import TooManyPositions
from dbmsolver.verify.refutation import Refuted, State
from dbmsolver.verify.report import CheckOptions, Depth, Verification

MOST_IN_FULL = 1_000_000
"""Records of the largest store whose check is full unless another depth is wanted: some minutes."""


class StoreCheck:
    """One check of one open store: its options, and the report that is being written."""

    def __init__(
        self,
        store: Store,
        manifest: Manifest,
        report: Verification,
        options: CheckOptions,
    ) -> None:
        self.store = store
        self.manifest = manifest
        self.report = report
        self.options = options
        self.threads = options.threads or processors()
        self.memory = options.memory or default_memory()
        self.sample = options.sample
        self.show: Callable[[State], Position | None] = lambda _: None
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

    def usual_depth(self, states: int) -> Depth:
        """Return the depth of a check of this many records if the user asked for none."""
        return "full" if self.sample is None and states <= MOST_IN_FULL else "lemma"

    def use_lemma(self, error: TooManyPositions) -> None:
        """Be content with the lemma, as memory is too small for the full check.

        UsageError if the user asked for that.
        """
        if self.options.depth is not None:
            raise UsageError(
                f"there are {error.message}: expected more --memory, or --depth lemma",
                str(self.report.store),
            ) from None
        self.report.depth = "lemma"

    def compare_counts(self) -> None:
        """Raise Refuted if the counts of the report are not those of the manifest."""
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
