"""Certificates checked by a repeated search: the differences of the two."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dbmsolver.api.searches import Events, search
from dbmsolver.game.deals import Deal
from dbmsolver.results import Event, Limits, Method, Options, Report, Result, Verdict
from dbmsolver.steps import changed

if TYPE_CHECKING:
    from dbmsolver.storage.certificate_file import Certificate


@dataclass(frozen=True, slots=True)
class RepeatedSearch:
    """A certificate, and the result of its search, which was repeated."""

    record: Certificate
    deal: Deal
    result: Result
    different: tuple[str, ...]
    """Lines about their differences; empty if the search is undecided."""


def repeat_search(path: Path, threads: int | None, memory: int | None) -> Events[RepeatedSearch]:
    """Repeat the search of a certificate, by the same method, and compare the two.

    A generator of events. Reports have the share that is done if the certificate says how many
    states there are. Raises InputError for a file that is no certificate.
    """
    from dbmsolver.storage import certificate, certificate_file

    record = certificate_file.load(path)
    deal = certificate.deal_of(record, str(path))
    options = Options(
        record["policy"],
        record["metric"],
        threads,
        method=Method(record["method"]),
        lost_ahead=record["claim"] != "unsolvable",  # its counts are of every position
        bound=certificate_file.bound_of(record),
    )
    return _compared(record, deal, search(record["question"], deal, options, Limits(memory=memory)))


def _compared(record: Certificate, deal: Deal, events: Events[Result]) -> Events[RepeatedSearch]:
    from dbmsolver.storage import certificate
    from dbmsolver.verify.solution import bad_path

    expected = record["states"] + record["forced"] if record["claim"] == "unsolvable" else 0
    result = yield from changed(events, lambda event: _with_share(event, expected))
    if result.verdict == Verdict.UNDECIDED:
        return RepeatedSearch(record, deal, result, ())
    different = certificate.differences(certificate.from_result(result), record)
    problem = bad_path(record, deal)
    if problem is not None:
        different.insert(0, problem)
    return RepeatedSearch(record, deal, result, tuple(different))


def _with_share(event: Event, states: int) -> Event:
    """Return a report with the share that is done, of `states` states in all."""
    if not isinstance(event, Report) or not states:
        return event
    # More states than expected: the certificate is wrong, and the end is unknown.
    done = (event.states + event.forced) / states
    return replace(event, done=done if done <= 1 else None)
