"""Certificates: the search of one made again, and what the two say differently."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dbmsolver.api.searches import Events, search
from dbmsolver.game.deals import Deal
from dbmsolver.results import Event, Limits, Method, Options, Report, Result, Verdict
from dbmsolver.steps import changed

if TYPE_CHECKING:
    from dbmsolver.verify.certificate_file import Certificate


@dataclass(frozen=True, slots=True)
class RepeatedSearch:
    """A certificate beside the answer of its search, made again."""

    record: Certificate
    deal: Deal
    result: Result
    different: tuple[str, ...]
    """Lines about what differs in the two; nothing is compared if the search is undecided."""


def repeat_search(path: Path, threads: int | None, memory: int | None) -> Events[RepeatedSearch]:
    """Make the search of a certificate again, by the same method, and compare the two.

    A generator of events. Reports tell the share that is done, as far as the certificate says how
    much there is to do. Raises InputError for a file that is no certificate.
    """
    from dbmsolver.verify import certificate, certificate_file

    record = certificate_file.load(path)
    deal = certificate.deal_of(record, str(path))
    options = Options(record["policy"], record["metric"], threads, method=Method(record["method"]))
    return _compared(record, deal, search(record["question"], deal, options, Limits(memory=memory)))


def _compared(record: Certificate, deal: Deal, events: Events[Result]) -> Events[RepeatedSearch]:
    from dbmsolver.verify import certificate

    expected = record["states"] + record["forced"] if record["claim"] == "unsolvable" else 0
    result = yield from changed(events, lambda event: _with_share(event, expected))
    if result.verdict == Verdict.UNDECIDED:
        return RepeatedSearch(record, deal, result, ())
    different = certificate.differences(certificate.from_result(result), record)
    problem = certificate.bad_path(record, deal)
    if problem is not None:
        different.insert(0, problem)
    return RepeatedSearch(record, deal, result, tuple(different))


def _with_share(event: Event, states: int) -> Event:
    """Return a report with the share that is done, of `states` states in all."""
    if not isinstance(event, Report) or not states:
        return event
    # More than are said: then the certificate is wrong, and nobody knows the end.
    done = (event.states + event.forced) / states
    return replace(event, done=done if done <= 1 else None)
