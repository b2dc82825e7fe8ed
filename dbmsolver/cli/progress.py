"""Displays of a running search on standard error: a live line, plain lines, JSON, or nothing.

The search yields events; these classes show them, each in its way. They are context managers, and
callable with an event: a `Report`, a `Commit` or a `Better`.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, cast

from dbmsolver.cli.rates import Rate, TimeLeft
from dbmsolver.cli.render import human_bytes, human_time
from dbmsolver.cli.streams import MessageStream
from dbmsolver.closable import Closable
from dbmsolver.game.measures import counted, length_words
from dbmsolver.results import Better, Commit, Event, Report, SurveyReport

if TYPE_CHECKING:
    from rich.live import Live

LIVE_INTERVAL = 0.1
"""Seconds between two refreshes of the live line."""

LINE_INTERVAL = 10.0
"""Seconds between two plain lines."""

FIRST_LINE = 2.0
"""Seconds before the first plain line: short searches print none."""

_HASTY = {
    "look ahead": "(looking ahead)",
    "improve": "(looking for a shorter one)",
    "classes": "(listing classes of positions)",
}
LAST = 8
"""The number of open deals up to which no time left is shown: each of them may be hard."""
BAR = 24
"""Characters of a bar."""
_DRAWN = re.compile(f" (?=[━─#-]{{{BAR}}} )(?P<bar>(?P<full>[━#]*)(?P<empty>[─-]*)) ")
"""A bar in a line."""
_SHORTEST_BAR = 6
"""The characters of a bar that is shortened, at least; it is left out instead of fewer."""


class ProgressDisplay(Closable):
    """A display of progress that shows nothing; the parent of the others."""

    def __call__(self, event: Event) -> None:
        """Take an event of the search."""

    def say(self, message: str) -> None:
        """Show a line that stays."""

    def advance(self, what: str, step: str, done: int, total: int, elapsed: float) -> None:
        """Show the number of finished steps of some work, and the last step in words."""

    def close(self) -> None:
        """Leave the terminal as it should be."""


class JsonLog(ProgressDisplay):
    """One JSON object for each commit, and for each solution that is better than those before.

    With `reports` there is one for a report now and then, too: a check commits nothing.
    """

    def __init__(self, stream: IO[str], reports: bool = False) -> None:
        self.stream = stream
        self.reports = reports
        self.next = FIRST_LINE

    def __call__(self, event: Event) -> None:
        """Log a commit or a solution; a report if it is time for one."""
        if self.reports and isinstance(event, Report) and event.elapsed >= self.next:
            self.next = event.elapsed + LINE_INTERVAL
            names = ("question", "states", "pending", "memory", "done")
            told = {name: getattr(event, name) for name in names}
            told["elapsed"] = round(event.elapsed, 3)
            print(json.dumps(told), file=self.stream, flush=True)
        if isinstance(event, Better):
            data = {"length": event.length, "elapsed": round(event.elapsed, 3)}
            print(json.dumps(data), file=self.stream, flush=True)
        if isinstance(event, Commit):
            data = asdict(event)
            data["seconds"] = round(event.seconds, 3)
            print(json.dumps(data), file=self.stream, flush=True)


class PlainLines(ProgressDisplay):
    """A plain line now and then, as fits a log."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.next = FIRST_LINE
        self.rate = Rate()
        self.left = TimeLeft()

    def __call__(self, event: Event) -> None:
        """Print a line if it is time for one, or if there is a better solution."""
        if isinstance(event, Better):
            self.say(better_line(event))
        if not isinstance(event, Report | SurveyReport):
            return
        rate, left = self.rate(event), self.left(event)
        if event.elapsed >= self.next:
            self.next = event.elapsed + LINE_INTERVAL
            print(report_line(event, rate, left), file=self.stream, flush=True)

    def advance(self, what: str, step: str, done: int, total: int, elapsed: float) -> None:
        """Print a line for each step that is done."""
        if done:
            self.say(f"{what}: {done} of {total}, {step}, {human_time(elapsed)}")

    def say(self, message: str) -> None:
        """Print the line."""
        print(message, file=self.stream, flush=True)


class LiveLine(ProgressDisplay):
    """One line at the bottom of a terminal, redrawn in place, gone at the end."""

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.live: Live | None = None
        self.last = 0.0
        self.rate = Rate()
        self.left = TimeLeft()

    def __call__(self, event: Event) -> None:
        """Redraw the line; better solutions get one above it."""
        if isinstance(event, Better):
            self.say(better_line(event))
        now = time.monotonic()
        if isinstance(event, Report | SurveyReport) and now - self.last >= LIVE_INTERVAL:
            self.last = now
            line = report_line(event, self.rate(event), self.left(event))
            if event.done is not None:
                head, _, rest = line.partition(" ")
                encoding: str | None = getattr(self.stream, "encoding", None)
                line = f"{head} {progress_bar(event.done, encoding)} {rest}"
            self.draw(line)

    def advance(self, what: str, step: str, done: int, total: int, elapsed: float) -> None:
        """Redraw the line with a bar."""
        encoding: str | None = getattr(self.stream, "encoding", None)
        share = progress_bar(done / total, encoding)
        self.draw(f"{what} {share} {done} of {total}, {step}, {human_time(elapsed)}")

    def draw(self, line: str) -> None:
        """Show this line in place of the last one."""
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        if self.live is None:
            # Console heeds NO_COLOR and the width of the terminal.
            console = Console(file=self.stream, highlight=False)
            self.live = Live(console=console, auto_refresh=False, transient=True)
            self.live.start()
        head, _, rest = fit_line(line, self.live.console.width).partition(" ")
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(head, style="bold cyan").append(f" {rest}")
        self.live.update(text, refresh=True)

    def say(self, message: str) -> None:
        """Print above the line."""
        if self.live is None:
            print(message, file=self.stream, flush=True)
        else:
            self.live.console.print(message, markup=False)

    def close(self) -> None:
        """Remove the line."""
        if self.live is not None:
            self.live.stop()
            self.live = None


def fit_line(line: str, width: int) -> str:
    """Return the line as it fits a terminal.

    Its bar is shortened first; its end, which is the time so far, stays.
    """
    over = len(line) - width
    if over > 0 and (drawn := _DRAWN.search(line)):
        length = len(drawn["bar"]) - over
        full = drawn["full"]
        kept_full = len(full) * length // len(drawn["bar"])
        shorter = full[:1] * kept_full + drawn["empty"][:1] * (length - kept_full)
        words = f" {shorter} " if length >= _SHORTEST_BAR else " "
        line = line[: drawn.start()] + words + line[drawn.end() :]
    if len(line) <= width:
        return line
    head, comma, end = line.rpartition(", ")
    kept = width - len(end) - len("... ")
    return f"{head[:kept]}... {end}" if comma and kept > 0 else line


def progress_bar(done: float, encoding: str | None, width: int = BAR) -> str:
    """Return a bar for a share from 0 to 1; in ASCII where the encoding has no others."""
    full, empty = ("━", "─") if (encoding or "").lower().startswith("utf") else ("#", "-")
    length = int(width * min(max(done, 0.0), 1.0))
    return full * length + empty * (width - length)


def better_line(better: Better) -> str:
    """Return a line about a solution that is better than those before."""
    length = counted(better.length, *length_words(better.metric, better.rules))
    return f"{length} after {human_time(better.elapsed)}"


def survey_line(report: SurveyReport, rate: float, left: float | None) -> str:
    """Return the progress of a survey in one line; `rate` is in deals per second.

    Large deals come last, so the time left is shown only while rows keep coming and more than a few
    deals are open. The number of deals that wait for more memory is shown.
    """
    parts = [
        f"{report.question} {int(100 * report.done)}%",  # 100 % only when nothing is left
        f"{report.deals:,} of {counted(report.total, 'deal', 'deals')}",
        f"{rate:,.1f}/s",
    ]
    open_deals = report.total - report.deals
    if 0 < open_deals <= LAST:
        parts.append(f"the last {counted(open_deals, 'deal', 'deals')}")
    elif left is not None and not report.later:
        parts.append(f"about {human_time(left)} left")
    if report.undecided:
        parts.append(f"{report.undecided:,} undecided")
    if report.later:
        parts.append(f"{report.later:,} put back for more memory")
    return ", ".join([*parts, human_time(report.elapsed)])


def report_line(report: Report | SurveyReport, rate: float, left: float | None = None) -> str:
    """Return the progress of the work in one line: the share done if the end is known, else counts.

    `rate` is in states per second, `left` the seconds that the rest takes, where that is known.
    """
    if isinstance(report, SurveyReport):
        return survey_line(report, rate, left)
    if report.done is not None:
        return _known_line(report, report.done, rate, left)
    parts: list[str] = [report.question]
    if report.dive is not None:
        number, last = report.dive
        states = counted(report.states, "state", "states")
        memory, elapsed = human_bytes(report.memory), human_time(report.elapsed)
        parts.append(
            f"dive {number} of {last}, {states}, {rate:,.0f}/s, {memory} memory, {elapsed}"
        )
        return " ".join(parts)
    if report.phase in _HASTY:
        parts.append(_HASTY[report.phase])
    if report.best is not None:
        parts.append(f"at most {report.best},")
    if report.last_layer is not None:
        parts.append(f"(counting) move {report.layer} of {report.last_layer},")
    elif report.layer is not None and report.question == "solve":
        parts.append(f"layer {report.layer},")
    if report.last_stratum:
        share = "" if report.share is None else f" ({report.share:.0%})"
        parts.append(f"stratum {report.stratum}/{report.last_stratum}{share},")
    disk = human_bytes(report.disk)
    if report.closed_bytes:
        disk += f" (closed {human_bytes(report.closed_bytes)})"
    parts.append(
        f"{counted(report.states, 'state', 'states')}, {rate:,.0f}/s, {report.pending:,} pending, "
        f"{human_bytes(report.memory)} memory, {disk} disk, {human_time(report.elapsed)}"
    )
    return " ".join(parts)


def _known_line(report: Report, done: float, rate: float, left: float | None) -> str:
    states = report.states + report.forced
    parts = [f"{report.question} {done:.0%}"]
    if states:
        parts += [counted(states, "state", "states"), f"{rate:,.0f}/s"]
    if left is not None:
        parts.append(f"about {human_time(left)} left")
    parts.append(f"{human_bytes(report.memory)} memory")
    if report.disk:
        parts.append(f"{human_bytes(report.disk)} disk")
    return ", ".join([*parts, human_time(report.elapsed)])


def progress_for(
    quiet: bool, log_json: bool, stream: IO[str] | None = None, reports: bool = False
) -> ProgressDisplay:
    """Return the kind of progress that the options and standard error ask for.

    With `reports` a log has reports, too.
    """
    stream = cast("IO[str]", MessageStream(sys.stderr if stream is None else stream))
    if log_json:
        return JsonLog(stream, reports)
    if quiet:
        return ProgressDisplay()
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        return LiveLine(stream)
    return PlainLines(stream)
