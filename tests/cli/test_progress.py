"""Displays of a running search on standard error."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.fake_search import report, unit

from dbmsolver.cli import progress as displays
from dbmsolver.cli.progress import (
    JsonLog,
    LiveLine,
    PlainLines,
    ProgressDisplay,
    fit_line,
    progress_bar,
    progress_for,
    report_line,
    survey_line,
)
from dbmsolver.cli.rates import Rate, TimeLeft
from dbmsolver.cli.render import human_bytes, human_time
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Better, SurveyReport

BETTER = Better((), 61.0, 81, "cards", GAMES["freecell"])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


def test_which_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(progress_for(False, False, Terminal())) is LiveLine
    assert type(progress_for(False, False, io.StringIO())) is PlainLines
    assert type(progress_for(True, False, Terminal())) is ProgressDisplay
    assert type(progress_for(True, True, Terminal())) is JsonLog
    monkeypatch.setenv("TERM", "dumb")
    assert type(progress_for(False, False, Terminal())) is PlainLines


def test_plain_lines_come_now_and_then() -> None:
    """None in the first seconds, then one every ten seconds."""
    stream = io.StringIO()
    lines = PlainLines(stream)
    for elapsed in (0.0, 1.9, 2.0, 3.0, 11.9, 12.0, 13.0):
        lines(report(elapsed))
    ends = [line.rpartition(", ")[2] for line in stream.getvalue().splitlines()]
    assert ends == ["2.0 s", "12.0 s"]


@pytest.mark.parametrize("kind", [PlainLines, LiveLine])
def test_better_solutions_are_told_at_once(kind: type[ProgressDisplay]) -> None:
    stream = Terminal()
    kind(stream)(BETTER)  # type: ignore[call-arg]
    assert stream.getvalue() == "81 card moves after 1 min 1 s\n"


def test_a_log_has_commits_and_better_solutions() -> None:
    stream = io.StringIO()
    log = JsonLog(stream)
    for event in (report(), BETTER, unit()):
        log(event)
    better, commit = map(json.loads, stream.getvalue().splitlines())
    assert better == {"length": 81, "elapsed": 61.0}
    assert (commit["number"], commit["states"], commit["seconds"]) == (1, 1000, 0.123)


def test_a_log_of_a_check_has_reports_now_and_then() -> None:
    """A check commits nothing."""
    stream = io.StringIO()
    log = progress_for(True, True, stream, reports=True)
    for elapsed in (0.0, 1.9, 2.0, 3.0, 12.0):
        log(report(elapsed))
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["elapsed"] for line in lines] == [2.0, 12.0]
    assert {"question", "states", "pending", "memory", "done"} <= lines[0].keys()


def test_steps_of_other_work_are_told_when_they_are_done() -> None:
    stream = io.StringIO()
    for done in range(3):
        PlainLines(stream).advance("compiling", "a kernel", done, 2, 5.0 * done)
    assert stream.getvalue().splitlines() == [
        "compiling: 1 of 2, a kernel, 5.0 s",
        "compiling: 2 of 2, a kernel, 10.0 s",
    ]


def test_the_live_line_is_not_drawn_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search reports after each of its steps, which may be short."""
    moments = iter([10.0, 10.05, 10.2])
    monkeypatch.setattr(displays, "time", SimpleNamespace(monotonic=lambda: next(moments)))
    drawn: list[str] = []

    class Noted(LiveLine):
        def draw(self, line: str) -> None:
            drawn.append(line)

    live = Noted(Terminal())
    for states in (1, 2, 3):
        live(report(states=states))
    assert [line.partition(" state")[0].rpartition(" ")[2] for line in drawn] == ["1", "3"]


def test_a_line_that_stays_is_shown_as_it_is() -> None:
    """Brackets in the name of a file are no style."""
    stream = Terminal()
    with LiveLine(stream) as live:
        live.draw("solve 3")
        live.say("[bold]a.txt[/bold]: written")
    assert "[bold]a.txt[/bold]: written" in stream.getvalue()


def test_a_display_that_was_closed_begins_anew() -> None:
    stream = Terminal()
    live = LiveLine(stream)
    for word in ("first", "second"):
        live.draw(f"solve {word}")
        live.close()
        assert word in stream.getvalue()


@pytest.mark.parametrize(
    ("deals", "left", "later", "told"),
    [
        (991, 90.0, 0, "99%, 991 of 1,000 deals, 2.0/s, about 1 min 30 s left, 4 undecided, "),
        (991, None, 0, "99%, 991 of 1,000 deals, 2.0/s, 4 undecided, "),
        (991, 90.0, 3, "99%, 991 of 1,000 deals, 2.0/s, 4 undecided, 3 put back for more memory, "),
        (992, 90.0, 0, "99%, 992 of 1,000 deals, 2.0/s, the last 8 deals, 4 undecided, "),
        (999, None, 0, "99%, 999 of 1,000 deals, 2.0/s, the last 1 deal, 4 undecided, "),
        (1000, None, 0, "100%, 1,000 of 1,000 deals, 2.0/s, 4 undecided, "),
    ],
)
def test_line_of_a_survey(deals: int, left: float | None, later: int, told: str) -> None:
    some = SurveyReport("verdict", 65.0, deals / 1000, deals, 1000, 9, 3, 2, 4, later)
    assert survey_line(some, 2.0, left) == f"verdict {told}1 min 5 s"


def draw() -> str:
    stream = Terminal()
    with progress_for(False, False, stream) as progress:
        progress.say("Compiling.")
        progress(report())
        progress(unit())
        progress.say("Above.")
    return stream.getvalue()


def test_live_line() -> None:
    text = draw()
    assert text.startswith("Compiling.\n")
    assert "3,000,000 states" in text
    assert "\x1b[1;36msolve\x1b[0m" in text
    assert text.count("Above.") == 1
    # The line is gone, and the cursor is back.
    assert text.endswith("\x1b[2K")
    assert "\x1b[?25h" in text


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    text = draw()
    assert "3,000,000 states" in text
    assert "36m" not in text


def test_live_line_is_cut_at_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert "pending" not in draw()
    assert "... 3.0 s" in draw()  # the time so far is kept


def test_the_bar_gives_way_first() -> None:
    words = "verdict 96%, 30 of 31 deals, 0.5/s, the last 1 deal, 6.4 s"
    for share in (0, 0.5, 1):
        for encoding in ("utf-8", "ascii"):
            line = f"survey {progress_bar(share, encoding)} {words}"
            assert fit_line(line, len(line)) == line
            for width in range(len(line) - 18, len(line)):
                drawn = progress_bar(share, encoding, 24 - (len(line) - width))
                assert fit_line(line, width) == f"survey {drawn} {words}"
            assert fit_line(line, len(line) - 19) == f"survey {words}"
    assert (
        fit_line(f"survey {progress_bar(0.5, None)} {words}", 40)
        == "survey verdict 96%, 30 of 31 de... 6.4 s"
    )


def test_a_line_is_whole_where_nothing_would_be_left_of_it() -> None:
    line = "solve layer 7, 3.0 s"
    assert fit_line(line, 10) == "s... 3.0 s"
    for width in range(1, 10):
        assert fit_line(line, width) == line


def test_line_of_a_proof() -> None:
    line = report_line(report(question="prove", layer=None, share=None, closed_bytes=0), 1e6)
    assert line == (
        "prove stratum 12/80, 3,000,000 states, 1,000,000/s, 1,234 pending, "
        "300.0 MiB memory, 20.0 MiB disk, 3.0 s"
    )


def test_line_of_work_whose_end_is_known() -> None:
    some = report(60, 3_000_000, question="verify", done=0.25, disk=0)
    assert report_line(some, 1e5, 90.0) == (
        "verify 25%, 3,000,000 states, 100,000/s, about 1 min 30 s left, 300.0 MiB memory, "
        "1 min 0 s"
    )
    assert "left" not in report_line(some, 1e5)
    reading = report(60, 0, question="verify (reading the store)", done=0.5, disk=0)
    assert report_line(reading, 0.0).startswith("verify (reading the store) 50%, 300.0 MiB")


def test_no_estimate_where_the_end_is_not_known() -> None:
    for question in ("solve", "prove"):
        line = report_line(report(600, question=question), 1e5)
        assert "left" not in line
        assert "stratum 12/80" in line


def test_bar() -> None:
    assert [progress_bar(done, "utf-8", 4) for done in (0, 0.26, 0.5, 1, 7)] == [
        *("────", "━───", "━━──"),
        *("━━━━", "━━━━"),
    ]
    assert progress_bar(0.5, "ascii", 4) == progress_bar(0.5, None, 4) == "##--"


def test_live_bar() -> None:
    stream = Terminal()
    with progress_for(False, False, stream) as progress:
        progress(report(question="verify", done=0.5))
    assert "-" * 12 in stream.getvalue() or "─" * 12 in stream.getvalue()
    stream = Terminal()
    with progress_for(False, False, stream) as progress:
        progress(report())
    assert "─" not in stream.getvalue()


def test_rate_is_of_the_last_seconds() -> None:
    rate = Rate()
    assert rate(report(10, 1_000)) == 100
    assert rate(report(12, 5_000)) == 2_000
    assert rate(report(17.5, 16_000)) == 2_000
    assert rate(report(30, 16_000)) == 0


def test_time_left_is_told_when_the_rate_is_known() -> None:
    left = TimeLeft()
    for second in range(5):
        assert left(report(second, done=second / 100)) is None
    assert left(report(5, done=0.05)) == pytest.approx(95)
    assert left(report(7, done=0.09)) == pytest.approx(91 * 5 / 7)
    assert left(report(9, done=1.0)) is None
    assert left(report(9, done=None)) is None


def test_no_time_is_told_while_nothing_moves() -> None:
    """As when kernels are compiled; and what was before that does not count afterwards."""
    left = TimeLeft()
    for second in range(20):
        assert left(report(second, done=0.01)) is None
    for second in range(20, 25):
        assert left(report(second, done=0.01 + (second - 19) / 100)) is None
    assert left(report(25, done=0.07)) == pytest.approx(93)
    for second in range(28, 40):
        assert left(report(second, done=0.07)) is None


def test_each_phase_has_a_time_of_its_own() -> None:
    left = TimeLeft()
    for second in range(10):
        left(report(second, question="verify (reading)", done=second / 10))
    assert left(report(10, question="verify", done=0.95)) is None
    assert left(report(11, question="verify", done=0.96)) is None


def test_rate_of_a_search_that_has_just_begun() -> None:
    assert Rate()(report(0, 0)) == 0


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 40, "5.0 TiB")]
)
def test_bytes(size: int, text: str) -> None:
    assert human_bytes(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (61, "1 min 1 s"), (3600, "1 h 0 min"), (7325, "2 h 2 min")],
)
def test_times(seconds: float, text: str) -> None:
    assert human_time(seconds) == text


@pytest.mark.parametrize(
    ("changes", "begins"),
    [
        ({"phase": "look ahead"}, "solve (looking ahead) layer 73, stratum 12/80 (25%), "),
        (
            {"phase": "classes"},
            "solve (listing classes of positions) layer 73, stratum 12/80 (25%), ",
        ),
        ({"phase": "improve", "best": 81}, "solve (looking for a shorter one) at most 81, layer "),
        ({"best": 81, "layer": None}, "solve at most 81, stratum 12/80 (25%), "),
        ({"phase": "count", "layer": 5, "last_layer": 73}, "solve (counting) move 5 of 73, strat"),
        ({"question": "prove", "share": None}, "prove stratum 12/80, 3,000,000 states, "),
        ({"last_stratum": 0}, "solve layer 73, 3,000,000 states, "),
    ],
)
def test_line_of_a_search(changes: dict[str, Any], begins: str) -> None:
    line = report_line(report(**changes), 1e6)
    assert line.startswith(begins)
    assert line.endswith("20.0 MiB (closed 15.0 MiB) disk, 3.0 s")


def test_line_of_a_dive() -> None:
    line = report_line(report(question="prove", phase="dive", layer=None, dive=(3, 9)), 1e6)
    assert line.startswith("prove dive 3 of 9, 3,000,000 states, 1,000,000/s, ")
    assert "stratum" not in line
    assert "pending" not in line
