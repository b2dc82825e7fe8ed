"""`survey`: one question about many deals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from dbmsolver.cli.answers import COMPILING, Interrupted, say_compiling_goes_on
from dbmsolver.cli.options import (
    automove_option,
    check_address,
    limit_options,
    quiet_option,
    ray_option,
    rows_option,
    threads_option,
)
from dbmsolver.cli.output import check_output, write_text
from dbmsolver.cli.progress import ProgressDisplay, progress_for
from dbmsolver.cli.survey_options import GameChoice, games_options
from dbmsolver.cli.values import DealCommand
from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.kinds import METRICS, Metric, Policy
from dbmsolver.game.measures import counted
from dbmsolver.game.numbers import NUMBERS, Numbers
from dbmsolver.results import Limits, SurveyReport
from dbmsolver.signals import raise_on_signals
from dbmsolver.steps import follow

if TYPE_CHECKING:
    from dbmsolver.api.compilers import Compilers
    from dbmsolver.api.surveys import TableSummary

_OF_REPORTS = ("output", "report", "quiet")
"""The parameters that say something where nothing is searched."""
_OF_DEALS = ("games", "freecells", "columns", "build", "fill", "moves", "numbers", "rows")
"""The parameters that say which deals RANGES are."""

SurveyWork = Callable[[Callable[[], None]], Generator[SurveyReport, None, "TableSummary"]]
"""The work of a survey: it calls a function when it compiles kernels, and yields reports."""


@click.command("survey", cls=DealCommand)
@click.argument("ranges", metavar="[RANGES]...", nargs=-1)
@games_options
@click.option(
    "--numbers",
    type=click.Choice(NUMBERS),
    default="microsoft",
    show_default=True,
    help="Whose numbers those of RANGES are.",
)
@rows_option
@click.option(
    "--question",
    type=click.Choice(["verdict", "shortest", "fewest-freecells"]),
    help="Whether each deal can be won, the length of a shortest solution, or the fewest freecells "
    "that it can be won with.  [default: verdict, or the table's with --undecided-only]",
)
@click.option(
    "--fewest-freecells", "fewest", is_flag=True, help="The same as --question fewest-freecells."
)
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    help="What the length of a shortest solution counts, as for solve.  [default: cards, or runs "
    "in games where a run is one move, and turns in the kin of Klondike, Pyramid and Spider]",
)
@automove_option(
    "The moves to the foundations that --metric moves does not count.  [default: wkr]",
    None,
    AUTOMOVES,
)
@click.option(
    "--undecided-only",
    is_flag=True,
    help="Take up what the table leaves undecided, where the limits are larger now.",
)
@click.option(
    "--lengths",
    is_flag=True,
    help="Play the solutions that verdicts have found, and write how many moves they have; they "
    "are not shown to be shortest. Takes some hundredths of a second for each.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(),
    help="The table: .csv, .jsonl, or .parquet (with pyarrow). The same command continues it.",
)
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also write a page about the table into this file, as HTML (with matplotlib). Without "
    "RANGES nothing is searched for it.",
)
@ray_option("Spread the deals")
@limit_options
@threads_option
@quiet_option
def survey_command(
    ranges: tuple[str, ...],
    chosen: GameChoice,
    numbers: Numbers,
    rows: bool,
    question: str | None,
    fewest: bool,
    metric: Metric | None,
    policy: Policy | None,
    undecided_only: bool,
    lengths: bool,
    output: str,
    report: str | None,
    address: str | None,
    limits: Limits,
    threads: int | None,
    quiet: bool,
) -> int:
    """Ask one question about many deals, and keep the answers in a table: a row for each.

    RANGES are numbers and ranges (1-1000,11982), files of them, boards, or directories of boards;
    - stands for such a file, or a board, on standard input.

    The limits are for each deal, but for --memory, which all share. Deals that need more than their
    share get all of it, one after the other, at the end. Rows are kept as they come: after Ctrl-C,
    or a crash, the same command continues.
    """
    from dbmsolver.api import surveys
    from dbmsolver.api.compilers import compilers_for_survey

    if fewest and question not in (None, "fewest-freecells"):
        raise UsageError(f"--fewest-freecells and --question {question}, expected one of them")
    if report is not None and not (ranges or undecided_only):
        check_not_said(_all_but(_OF_REPORTS), "a report alone", "RANGES or --undecided-only")
    if undecided_only and not ranges:
        check_not_said(_OF_DEALS, "the deals of the table", "RANGES")
    if ranges or undecided_only:
        check_output(output)  # a report is made of a table that cannot be written, too
    usual, known = surveys.question_and_games(Path(output)) if undecided_only else ("verdict", ())
    wanted = "fewest-freecells" if fewest else question or usual
    inquiry = surveys.inquiry_of(wanted, metric, policy)
    if lengths and inquiry != "verdict":
        raise UsageError(f"--lengths says nothing about {inquiry}, expected --question verdict")
    if report is not None:
        check_report(report, output)
    page = Path(report) if report is not None else None
    deals = surveys.deals_of(ranges or None, numbers, rows, Path(output), page)
    if ranges or undecided_only:
        games = (() if ranges else known) or chosen.rules(inquiry)
        surveys.check_metric(metric, games)
        survey = surveys.survey_of(inquiry, deals, games, limits, undecided_only, lengths)
        check_address(address, "RANGES")
        work = partial(surveys.fill_table, survey, Path(output), address, threads)
        progress = progress_for(quiet, False)
        compilers = compilers_for_survey(survey, partial(say_compiling_goes_on, progress))
        fill_table(work, compilers, Path(output), undecided_only, progress)
    elif report is None:
        raise UsageError("nothing to ask, expected RANGES, --undecided-only or --report")
    if report is not None:
        write_report(Path(output), report)
    return 0


def _all_but(names: Collection[str]) -> list[str]:
    """Return the names of all other parameters of the command."""
    parameters = click.get_current_context().command.params
    return [option.name for option in parameters if option.name and option.name not in names]


def check_not_said(names: Collection[str], what: str, expected: str) -> None:
    """Raise UsageError if one of these parameters is given, which says nothing about `what`.

    `expected` is what it would say something about.
    """
    context = click.get_current_context()
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if source == ParameterSource.COMMANDLINE and option.name in names:
            said = f"{option.opts[0]} says nothing about {what}"
            raise UsageError(f"{said}, expected {expected} beside it")


def fill_table(
    work: SurveyWork,
    compilers: Compilers,
    path: Path,
    undecided_only: bool,
    progress: ProgressDisplay,
) -> None:
    """Run a survey, show its progress, and print a line about its table."""
    raise_on_signals()

    def compiles() -> None:
        progress.say(COMPILING)
        compilers.start()

    with compilers:
        try:
            with progress:
                filled = follow(work(compiles), progress)
        except KeyboardInterrupt:
            raise Interrupted("interrupted; the same command continues the table") from None
        if undecided_only and not filled.new:
            click.echo(nothing_taken_up(filled, path))
        click.echo(summary(filled.answers, path))


def summary(answers: Mapping[str, int], path: Path) -> str:
    """Return the numbers of answers in a table, in one line."""
    words_known = ("solved", "unsolvable", "undecided", "unreadable")
    words = ", ".join(f"{answers[word]:,} {word}" for word in words_known if word in answers)
    rows = counted(sum(answers.values()), "row", "rows")
    return f"{path}: {rows}{': ' if words else ''}{words}"


def nothing_taken_up(filled: TableSummary, path: Path) -> str:
    """Return the reason why --undecided-only had nothing to do, as a line."""
    if "undecided" in filled.answers:
        if not filled.open:
            return f"{path}: none of these deals, with these rules, is undecided in it"
        return f"{path}: what is undecided was searched with these limits already, or larger ones"
    return f"{path}: nothing is undecided"


def check_report(report: str, output: str) -> None:
    """Raise an error for a report that cannot be written, before a survey is made for it."""
    from dbmsolver.api.surveys import require_charts

    check_output(report, output)
    if Path(report).suffix.lower() not in (".html", ".htm"):
        raise UsageError("no name of a page, expected one that ends in .html", report)
    require_charts()


def write_report(table: Path, report: str) -> None:
    """Write the page about a table."""
    from dbmsolver.api.surveys import report_page

    write_text(report_page(table), report)
