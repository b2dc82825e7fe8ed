"""`survey`: one question about many deals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dbmsolver.cli.answers import COMPILING, Interrupted, check_output
from dbmsolver.cli.options import (
    automove_option,
    check_address,
    limit_options,
    quiet_option,
    ray_option,
    rows_option,
    threads_option,
)
from dbmsolver.cli.progress import progress_for
from dbmsolver.cli.survey_options import Games, games_options
from dbmsolver.cli.values import DealCommand
from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import METRICS, Metric, counted
from dbmsolver.game.numbers import NUMBERS, Numbers
from dbmsolver.results import Limits
from dbmsolver.signals import raise_on_signals
from dbmsolver.steps import follow
from dbmsolver.survey.rows import UNREADABLE, Inquiry

if TYPE_CHECKING:
    from dbmsolver.survey.loading import Rows
    from dbmsolver.survey.run import Survey


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
    "in games where a run is one move, and turns in Klondike's kind]",
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
    chosen: Games,
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
    if fewest and question not in (None, Inquiry.FEWEST_FREECELLS):
        raise UsageError(f"--fewest-freecells and --question {question}, expected one of them")
    check_output(output)
    usual = question_of(Path(output)) if undecided_only else Inquiry.VERDICT
    inquiry = Inquiry.FEWEST_FREECELLS if fewest else Inquiry(question or usual)
    inquiry = inquiry.measured(metric, policy)
    if lengths and inquiry != Inquiry.VERDICT:
        raise UsageError(f"--lengths says nothing about {inquiry}, expected --question verdict")
    if report is not None:
        check_report(report, output)
    from dbmsolver.survey.ranges import ranges_or_none

    asked = ranges_or_none(ranges or None, numbers, rows)
    if ranges or undecided_only:
        from dbmsolver.survey.run import Survey

        survey = Survey(
            inquiry,
            asked,
            chosen.rules(inquiry),
            limits,
            undecided_only,
            lengths,
        )
        check_address(address, "RANGES")
        fill_table(survey, Path(output), address, threads, quiet)
    elif report is None:
        raise UsageError("nothing to ask, expected RANGES, --undecided-only or --report")
    if report is not None:
        write_report(Path(output), report)
    return 0


def question_of(path: Path) -> Inquiry:
    """Return the question of a table; StoreError if there is none."""
    from dbmsolver.survey.loading import load_rows

    rows = load_rows(path).values()
    return next((Inquiry(row.question) for row in rows), Inquiry.VERDICT)


def fill_table(
    survey: Survey, path: Path, address: str | None, threads: int | None, quiet: bool
) -> None:
    """Run a survey, show its progress, and print a line about its table."""
    from dbmsolver.jit.compilation import on_first_compilation
    from dbmsolver.survey.filling import fill

    raise_on_signals()
    progress = progress_for(quiet, False)

    def compiles() -> None:
        progress.say(COMPILING)

    on_first_compilation(compiles)
    try:
        with progress:
            filled = follow(fill(survey, path, address, threads, compiles), progress)
    except KeyboardInterrupt:
        raise Interrupted("interrupted; the same command continues the table") from None
    if survey.undecided_only and not filled.new:
        click.echo(nothing_taken_up(filled.rows, path))
    click.echo(summary(filled.rows, path))


def summary(rows: Rows, path: Path) -> str:
    """Return the numbers of answers in a table, in one line."""
    counts: dict[str, int] = {}
    for row in rows.values():
        word = "undecided" if row.is_open else row.verdict
        counts[word] = counts.get(word, 0) + 1
    words_known = ("solved", "unsolvable", "undecided", UNREADABLE)
    known = [word for word in words_known if word in counts]
    words = ", ".join(f"{counts[word]:,} {word}" for word in known)
    return f"{path}: {counted(len(rows), 'row', 'rows')}{': ' if words else ''}{words}"


def nothing_taken_up(rows: Rows, path: Path) -> str:
    """Return the reason why --undecided-only had nothing to do, as a line."""
    if any(row.is_open for row in rows.values()):
        return f"{path}: what is undecided was searched with these limits already, or larger ones"
    return f"{path}: nothing is undecided"


def check_report(report: str, output: str) -> None:
    """Refuse a report that could not be written before a survey is made for it."""
    from dbmsolver.survey.report import load_library

    check_output(report, output)
    if Path(report).suffix.lower() not in (".html", ".htm"):
        raise UsageError("no name of a page, expected one that ends in .html", report)
    load_library()


def write_report(table: Path, report: str) -> None:
    """Write the page about a table."""
    from dbmsolver.cli.answers import write_text
    from dbmsolver.survey.loading import load_rows
    from dbmsolver.survey.report import render

    write_text(render(load_rows(table).sorted(), table.name), report)
