"""Verdicts for many deals: dives for all of them, then proofs for those that stay open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby, islice

from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move
from dbmsolver.game.titles import title
from dbmsolver.process import default_memory, processors
from dbmsolver.results import (
    Limit,
    Limits,
    Method,
    Options,
    Question,
    Result,
    Verdict,
)
from dbmsolver.search import session
from dbmsolver.search.proof.deal_dives import DivedDeal
from dbmsolver.search.proof.many_deals import ManyDeals
from dbmsolver.steps import follow

_AT_ONCE = 1 << 13
"""Deals that are dived for before those that stay open are proved."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict for one deal.

    `states` counts what it counts in a :class:`Result`. So does `evaluated`, unless dives decide
    the deal: then it counts the records that all dives for this deal have expanded. `seconds` is
    the time that the deal took. Where dives decide many deals at once, each has an equal share.
    """

    deal: Deal
    policy: Policy
    verdict: Verdict
    limit: Limit | None
    states: int
    evaluated: int
    seconds: float
    source: DivedDeal | Result = field(compare=False, repr=False)
    """The findings that the solution is worked out from."""

    def __str__(self) -> str:
        """Return the deal's title and the verdict, for people."""
        reason = "" if self.limit is None else f" ({self.limit})"
        return f"{title(self.deal)}: {self.verdict}{reason}"

    def moves(self) -> tuple[Move, ...]:
        """Return a solution, not shown to be shortest; empty if there is none.

        It is worked out when it is asked for, in some hundredths of a second.
        """
        if isinstance(self.source, Result):
            return self.source.moves
        if self.verdict != Verdict.SOLVED:
            return ()
        return tuple(self.source.moves(self.deal, self.policy))


def decide(deals: Iterable[Deal], options: Options, limits: Limits) -> Iterator[Decision]:
    """Decide deals. Those that take longest come last among some thousand under the same rules.

    The limits are for each deal, but for the memory, which is for all.
    """
    for rules, group in groupby(deals, key=lambda deal: deal.rules):
        if has_dominance(rules) and options.method != Method.EVERY_POSITION:
            yield from _decide_alike(group, options, limits)
        else:
            for deal in group:
                yield _proved(deal, options, limits)


def _decide_alike(deals: Iterator[Deal], options: Options, limits: Limits) -> Iterator[Decision]:
    """Decide deals under the same rules: of some thousand first all those that dives decide."""
    threads = options.threads or processors()
    memory = (limits.memory or default_memory()) // 4
    many: ManyDeals | None = None
    while some := list(islice(deals, _AT_ONCE)):
        many = many or ManyDeals(some[0], options.policy, threads, memory, limits.max_states)
        later = []
        with closing(many.run(some)) as dives:
            for place, dived in dives:
                if dived.outcome == "open":
                    later.append(some[place])
                else:
                    yield _dived(some[place], options.policy, dived)
        for deal in later:
            yield _proved(deal, options, limits)


def _dived(deal: Deal, policy: Policy, dived: DivedDeal) -> Decision:
    won = dived.outcome == "won"
    verdict = Verdict.SOLVED if won else Verdict.UNSOLVABLE
    states = dived.evaluated if won else dived.states
    return Decision(deal, policy, verdict, None, states, dived.evaluated, dived.seconds, dived)


def _proved(deal: Deal, options: Options, limits: Limits) -> Decision:
    result = follow(session.run(Question.PROVE, deal, options, limits))
    return Decision(
        deal,
        options.policy,
        result.verdict,
        result.limit,
        result.states,
        result.evaluated,
        result.seconds,
        result,
    )
