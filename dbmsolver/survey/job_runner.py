"""The jobs of a survey, carried out in this process."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dbmsolver.errors import StoreError, StoreInUseError
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules
from dbmsolver.process import default_memory
from dbmsolver.results import Limit, Method, Options, Question, Result
from dbmsolver.steps import changed
from dbmsolver.survey.jobs import Finding, JobKind, Order

if TYPE_CHECKING:
    from dbmsolver.survey.class_dives import ClassDivesInTurn
    from dbmsolver.survey.dives import DivesInTurn

POLICY: Policy = "wkr"
"""The safe moves home that dives make at once."""

Findings = Generator[tuple[int, Finding] | None, None, None]
"""A generator of (index of the subject in its job, its finding).

Between findings it yields None now and then, so that the caller can look at the time.
"""


def dives_for(first: Deal, memory: int) -> DivesInTurn | ClassDivesInTurn:
    """Return the dives for deals under the same rules as the first, within ``memory`` bytes."""
    if has_dominance(first.rules):
        from dbmsolver.survey.dives import DivesInTurn

        return DivesInTurn(first, POLICY, memory)
    from dbmsolver.survey.class_dives import ClassDivesInTurn

    return ClassDivesInTurn(first, POLICY, memory)


class JobRunner:
    """A runner of jobs, one after the other; it keeps the arrays of dives for the next job."""

    def __init__(self) -> None:
        self._dives: tuple[Rules, int, DivesInTurn | ClassDivesInTurn] | None = None

    def run(self, order: Order) -> Findings:
        """Carry out a job; yield the findings."""
        if order.kind == JobKind.DIVE:
            yield from self._dive(order)
            return
        yield from self._search(order)

    def _dive(self, order: Order) -> Findings:
        rules, limits = order.subjects[0].rules, order.limits
        # A third is for records that are copied to where there is room for more.
        memory = 2 * (limits.memory or default_memory()) // 3
        if self._dives is None or self._dives[:2] != (rules, memory):
            self._dives = (rules, memory, dives_for(order.subjects[0].deal(), memory))
        run = self._dives[2].run(order.subjects, limits.max_states, limits.max_time, order.lengths)
        yield from enumerate(run)

    def _search(self, order: Order) -> Findings:
        from dbmsolver.search import session

        self._dives = None  # a search wants the memory
        solve = order.question == Question.SOLVE
        kept = order.store if order.subjects[0].rules.features.has_stores else None
        options = Options(
            policy=order.policy,
            metric=order.metric,
            threads=order.threads,
            store=kept,
            method=Method.EVERY_POSITION if solve else Method.DOMINATING,
            any_solution=solve,
        )
        for number, subject in enumerate(order.subjects):
            was_kept = kept is not None and kept.exists()
            search = partial(session.run, order.question, subject.deal(), options, order.limits)
            try:
                result = yield from changed(search(), lambda _: None)
            except StoreInUseError:
                raise
            except StoreError:
                if kept is None or not was_kept:
                    raise
                # The store of an earlier run is damaged: the search begins anew.
                shutil.rmtree(kept)
                result = yield from changed(search(), lambda _: None)
            if kept is not None and result.limit != Limit.MEMORY:
                shutil.rmtree(kept, ignore_errors=True)
            yield number, finding_of(result, order.lengths)


_runner: JobRunner | None = None
"""The runner of a process of a cluster, kept from one job to the next."""


def run_whole_job(order: Order) -> list[tuple[int, Finding]]:
    """Carry out a whole job; return (index of the subject, its finding) for each."""
    global _runner
    _runner = _runner or JobRunner()
    return [finding for finding in _runner.run(order) if finding is not None]


def finding_of(result: Result, lengths: bool = True) -> Finding:
    """Return the result of a search as a finding, without `length` unless `lengths`."""
    finding = Finding(
        result.verdict,
        result.limit,
        result.length if lengths else None,
        result.shortest,
        result.at_least,
        result.states,
        result.evaluated,
        result.seconds,
        result.peak_memory,
        result.digest if result.verdict == "unsolvable" else None,
        result.method,
    )
    return finding if result.question == Question.SOLVE else replace(finding, shortest=False)
