"""Surveys: one question about many deals, and a table of the answers.

The functions after :func:`survey_deals` are its parts; a command calls them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from dbmsolver.api.searches import check_callbacks
from dbmsolver.arguments import (
    MOST_THREADS,
    checked_choice,
    checked_flag,
    checked_instance,
    checked_path,
    checked_text,
    checked_whole,
)
from dbmsolver.errors import UsageError, WrongValueError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.kinds import METRICS, Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.numbers import NUMBERS, Numbers
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits, SurveyReport
from dbmsolver.steps import follow

if TYPE_CHECKING:
    from dbmsolver.survey.ranges import Ranges
    from dbmsolver.survey.rows import Inquiry
    from dbmsolver.survey.run import Survey

Question = Literal["verdict", "shortest", "fewest-freecells"]


def as_list(what: str, given: Any, kind: type[Any]) -> list[Any]:
    """Return one value of a type, or several, as a list; UsageError for anything else."""
    if isinstance(given, kind):
        return [given]
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        checked_instance(what, given, kind)
    return [checked_instance(what, item, kind) for item in given]


def survey_deals(
    ranges: str | Iterable[str] | None,
    output: Path | str,
    *,
    rules: Rules | Iterable[Rules] | None = None,
    question: Question = "verdict",
    metric: Metric | None = None,
    automove: Policy | None = None,
    undecided_only: bool = False,
    lengths: bool = False,
    threads: int | None = None,
    ray: str | None = None,
    numbers: Numbers = "microsoft",
    rows: bool = False,
    max_states: int | None = None,
    max_time: float | str | None = None,
    memory: int | str | None = None,
    max_disk: int | str | None = None,
    progress: Callable[[SurveyReport], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> list[dict[str, Any]]:
    """Ask one question about many deals, and keep the answers in a table.

    `ranges` are numbers and ranges ("1-1000,11982"), paths of files of them, of boards, or of
    directories of boards, one text or several; `numbers` says whose numbers they are, and `rows`
    that the lines of boards are their rows, as for :meth:`Deal.load`. Each deal gets a row for each
    of the `rules` (FreeCell's if there are none); the fewest freecells are looked for up to the
    number that the rules have. `output` is the table, .csv, .jsonl or .parquet; the same call
    continues it. With `undecided_only` deals are taken up that the table leaves undecided with
    smaller limits than these; `ranges` and `rules` can be None then. `metric` is that of lengths of
    shortest solutions, as for :func:`solve`; `automove` says which moves home are free in "moves"
    ("wkr" if it does not). With `lengths` solutions that verdicts have found are played, and
    counted.

    The limits are for each deal, in states, seconds and bytes, but for `memory`, which all share.
    `ray` is the address of a cluster, "auto" or "local". `progress` is called some times a second.
    `cancel` is asked as often; once it says True, the survey ends, and what is known is in the
    table.

    Returns the rows of the whole table, in order: values by the names of docs/surveys.md.

    Raises UsageError for a value that cannot be, InputError for a board, or a number that no deal
    has, StoreError for a table of something else, or one that another process is making.
    """
    from dbmsolver.survey.formats import values_of
    from dbmsolver.survey.loading import load_rows

    checked_choice("question", question, get_args(Question))
    checked_choice("numbers", numbers, NUMBERS)
    rows = checked_flag("rows", rows)
    checked_choice("metric", metric, (None, *METRICS))
    checked_choice("automove", automove, (None, *AUTOMOVES))
    path = checked_path("output", output)
    undecided_only = checked_flag("undecided_only", undecided_only)
    lengths = checked_flag("lengths", lengths)
    if threads is not None:
        threads = checked_whole("threads", threads, 1, MOST_THREADS)
    if ray is not None:
        checked_text("ray", ray)
    check_callbacks(progress, cancel)
    limits = Limits(max_states, max_time, memory, max_disk)  # type: ignore[arg-type]  # reads text
    if lengths and question != "verdict":
        raise UsageError(f"lengths say nothing about {question}, expected the question verdict")
    if ranges is None and not undecided_only:
        raise UsageError("nothing to ask, expected ranges, or undecided_only")
    if ranges is None and rules is not None:
        raise UsageError("rules say nothing about the deals of the table, expected ranges, too")
    texts = None if ranges is None else as_list("ranges", ranges, str)
    games = tuple(as_list("rules", rules if rules is not None else rules_for("freecell"), Rules))
    if not games:
        raise WrongValueError("rules are empty, expected those of one game or of several")
    inquiry = inquiry_of(question, metric, automove)
    if texts is not None:
        check_metric(metric, games)
    asked = deals_of(texts, numbers, rows, path)
    survey = survey_of(inquiry, asked, games, limits, undecided_only, lengths)

    def tell(report: SurveyReport) -> None:
        if progress is not None:
            progress(report)
        if cancel is not None and cancel():
            raise _Cancelled

    with suppress(_Cancelled):
        follow(fill_table(survey, path, ray, threads, lambda: None), tell)
    return [values_of(row) for row in load_rows(path).sorted()]


class _Cancelled(Exception):
    """The caller has cancelled the survey."""


@dataclass(frozen=True, slots=True)
class TableSummary:
    """The counts of a table's rows after a survey."""

    answers: dict[str, int]
    """The number of rows by what they say: "solved", "unsolvable", "undecided", "unreadable"."""
    new: int
    """The number of rows that this survey has filled."""
    open: int = 0
    """The number of rows about its deals that were undecided when it began."""


def inquiry_of(question: str, metric: Metric | None, automove: Policy | None) -> Inquiry:
    """Return a question in a metric; UsageError where there is no such question."""
    from dbmsolver.survey.rows import Inquiry

    return Inquiry(question).measured(metric, automove)


def check_metric(metric: Metric | None, games: Iterable[Rules]) -> None:
    """Raise UsageError if one of these games has no lengths in a metric."""
    for rules in games if metric is not None else ():
        measure_of(rules, "none", metric)


def question_and_games(path: Path) -> tuple[str, tuple[Rules, ...]]:
    """Return the question of a table, "verdict" of an empty one, and the rules of its rows.

    StoreError if there is no table.
    """
    from dbmsolver.survey.loading import load_rows
    from dbmsolver.survey.rows import Inquiry

    rows = load_rows(path)
    question = next((row.question for row in rows.values()), Inquiry.VERDICT)
    return question, tuple(dict.fromkeys(rules for _, rules in rows))


def are_numbers(text: str) -> bool:
    """Return True if a text is meant as numbers and ranges of deals."""
    from dbmsolver.survey.ranges import looks_like_numbers

    return looks_like_numbers(text)


def deals_of(
    texts: Iterable[str] | None,
    numbers: Numbers,
    rows: bool,
    table: Path,
    report: Path | None = None,
) -> Ranges | None:
    """Return the deals that texts name, None for those of the table.

    In a directory the table and the page about it are no boards. Raises UsageError or InputError
    for texts that cannot be read.
    """
    from dbmsolver.survey.loading import journal_of
    from dbmsolver.survey.ranges import ranges_or_none

    own = [table, journal_of(table), *([report] if report is not None else [])]
    return ranges_or_none(texts, numbers, rows, own)


def survey_of(
    inquiry: Inquiry,
    asked: Ranges | None,
    games: tuple[Rules, ...],
    limits: Limits,
    undecided_only: bool,
    lengths: bool,
) -> Survey:
    """Return a survey to be made; UsageError for a question or deals that a game does not have."""
    from dbmsolver.survey.run import Survey

    return Survey(inquiry, asked, games, limits, undecided_only, lengths)


def fill_table(
    survey: Survey,
    path: Path,
    ray: str | None,
    threads: int | None,
    compiles: Callable[[], None],
) -> Generator[SurveyReport, None, TableSummary]:
    """Make a survey; yield reports of its progress, some times a second.

    The table holds everything that is known, however the survey ends. `compiles` is called when
    processes of the survey compile kernels.
    """
    from dbmsolver.survey.filling import fill

    filled = yield from fill(survey, path, ray, threads, compiles)
    counts: dict[str, int] = {}
    for row in filled.rows.values():
        word = "undecided" if row.is_open else row.verdict
        counts[word] = counts.get(word, 0) + 1
    return TableSummary(counts, filled.new, filled.open)


def require_charts() -> None:
    """Raise UsageError if what draws the charts of a report is not installed."""
    from dbmsolver.survey.charts import load_library

    load_library()


def report_page(path: Path) -> str:
    """Return the page about a table, as HTML; StoreError for no table."""
    from dbmsolver.survey.loading import load_rows
    from dbmsolver.survey.report import render

    return render(load_rows(path).sorted(), path.name)
