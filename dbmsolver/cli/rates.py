"""The rate of a search, and the time that it will still take."""

from __future__ import annotations

from dbmsolver.results import Report, SurveyReport

WINDOW = 5.0
"""Seconds over which a rate is measured."""

STALL = 2.0
"""Seconds without progress after which the time that is left is measured anew."""


class Rate:
    """States per second over the last seconds; deals per second of a survey."""

    def __init__(self) -> None:
        self.samples: list[tuple[float, int]] = []

    def __call__(self, report: Report | SurveyReport) -> float:
        """Return the rate up to this report."""
        states = _finished(report)
        self.samples.append((report.elapsed, states))
        while len(self.samples) > 2 and self.samples[1][0] < report.elapsed - WINDOW:
            del self.samples[0]
        since, before = self.samples[0]
        if report.elapsed <= since:
            since, before = 0.0, 0
        return max(states - before, 0) / max(report.elapsed - since, 1e-9)


def _finished(report: Report | SurveyReport) -> int:
    """Return the number that a report counts: finished deals, or states."""
    return report.new if isinstance(report, SurveyReport) else report.states + report.forced


class TimeLeft:
    """The seconds left of work whose end is known, estimated from the growth of the share done.

    There is no estimate before the share has grown for `WINDOW` seconds without a stall: while
    kernels are compiled it does not grow, and the rate before a stall says nothing about the rate
    after it.
    """

    def __init__(self) -> None:
        self.samples: list[tuple[float, float]] = []
        self.phase = ""
        self.grown = 0.0
        """The time at which the share was last seen to grow."""

    def __call__(self, report: Report | SurveyReport) -> float | None:
        """Return the seconds left after this report; None if they cannot be told."""
        done = report.done
        if done is None:
            return None
        last = self.samples[-1][1] if self.samples else done
        if report.question != self.phase or done < last:
            self.phase, self.samples = report.question, []
        elif done > last and report.elapsed - self.grown > STALL:
            self.samples = []
        if not self.samples or done > last:
            self.grown = report.elapsed
        self.samples.append((report.elapsed, done))
        while len(self.samples) > 2 and self.samples[1][0] <= report.elapsed - WINDOW:
            del self.samples[0]
        since, before = self.samples[0]
        seconds = report.elapsed - since
        stalled = report.elapsed - self.grown > STALL
        if stalled or seconds < WINDOW or done <= before or done >= 1:
            return None
        return (1 - done) * seconds / (done - before)
