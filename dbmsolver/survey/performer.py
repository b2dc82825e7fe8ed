"""Work on the jobs of a survey in this process."""

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
from dbmsolver.survey.jobs import Found, Order, Way

if TYPE_CHECKING:
    from dbmsolver.survey.class_dives import ClassDivesInTurn
    from dbmsolver.survey.dives import DivesInTurn

POLICY: Policy = "wkr"
"""The safe moves home that dives make at once."""

Steps = Generator[tuple[int, Found] | None, None, None]
"""A generator of (number of the subject, its findings), and of None now and then."""


def dives_for(first: Deal, memory: int) -> DivesInTurn | ClassDivesInTurn:
    """Return the dives for deals under the same rules as the first, within ``memory`` bytes."""
    if has_dominance(first.rules):
        from dbmsolver.survey.dives import DivesInTurn

        return DivesInTurn(first, POLICY, memory)
    from dbmsolver.survey.class_dives import ClassDivesInTurn

    return ClassDivesInTurn(first, POLICY, memory)


class Performer:
    """A worker that does one job after the other, and keeps what the next one can use."""

    def __init__(self) -> None:
        self._dives: tuple[Rules, int, DivesInTurn | ClassDivesInTurn] | None = None

    def perform(self, order: Order) -> Steps:
        """Do a job."""
        if order.way == Way.DIVE:
            yield from self._dive(order)
            return
        yield from self._search(order)

    def _dive(self, order: Order) -> Steps:
        rules, limits = order.subjects[0].rules, order.limits
        # Half of the memory is for the rest of the process.
        memory = (limits.memory or default_memory()) // 2
        if self._dives is None or self._dives[:2] != (rules, memory):
            self._dives = (rules, memory, dives_for(order.subjects[0].deal(), memory))
        run = self._dives[2].run(order.subjects, limits.max_states, limits.max_time, order.lengths)
        yield from enumerate(run)

    def _search(self, order: Order) -> Steps:
        from dbmsolver.search import session

        self._dives = None  # a search wants the memory
        solve = order.question == Question.SOLVE
        # A wide game is searched in memory, and nothing of it is kept.
        kept = None if order.subjects[0].rules.is_wide else order.store
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
            ask = partial(session.run, order.question, subject.deal(), options, order.limits)
            try:
                result = yield from changed(ask(), lambda _: None)
            except StoreInUseError:
                raise
            except StoreError:
                if kept is None or not was_kept:
                    raise
                # What was kept of an earlier run is damaged: the search begins anew.
                shutil.rmtree(kept)
                result = yield from changed(ask(), lambda _: None)
            if kept is not None and result.limit != Limit.MEMORY:
                shutil.rmtree(kept, ignore_errors=True)
            yield number, found_by(result, order.lengths)


_performer: Performer | None = None
"""The performer of a process of a cluster, kept from one job to the next."""


def perform_all(order: Order) -> list[tuple[int, Found]]:
    """Do a whole job; return the findings, with the numbers of the subjects."""
    global _performer
    _performer = _performer or Performer()
    return [found for found in _performer.perform(order) if found is not None]


def found_by(result: Result, lengths: bool = True) -> Found:
    """Return the findings of a search in the form that a survey has."""
    found = Found(
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
    return found if result.question == Question.SOLVE else replace(found, shortest=False)
