"""Running a search with its progress shown, and writing its answer as it was asked for."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click

from dbmsolver.cli.options import gathered, output_option
from dbmsolver.cli.progress import ProgressDisplay
from dbmsolver.cli.render import EXIT_CODES, has_solution, render_json, render_text, verdict_line
from dbmsolver.cli.streams import Unheard, output_is_closed
from dbmsolver.errors import EXIT_INTERRUPTED, DbmError, SystemRefusedError, UsageError
from dbmsolver.game.measures import METRIC_WORDS, counted, usual_metric
from dbmsolver.notation.format_names import FORMATS as SOLUTION_FORMATS
from dbmsolver.notation.format_names import WITH_RUNS, format_of_answer
from dbmsolver.results import Event, Result
from dbmsolver.signals import collect_signals, raise_on_signals

FORMATS = ("text", "json", *SOLUTION_FORMATS)
"""The formats of an answer: the whole of it (`text`, `json`), or its solution alone."""

PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")
"""Endings of names that nobody gives to text."""

Answer = TypeVar("Answer")
Events = Generator[Event, Any, Answer]

COMPILING = (
    "Compiling what this needs for this machine, this once; it takes up to a minute. "
    "dbmsolver compile does it for all commands."
)


class Interrupted(DbmError):
    """Ctrl-C, or a polite request to end."""

    exit_code: ClassVar[int] = EXIT_INTERRUPTED


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form of an answer, and the file that it is written to."""

    name: str
    """The name of the format."""
    output: str | None
    """A file; None or `-` for standard output."""
    boards: bool
    """True if the text has the board after every move."""
    runs: bool
    """True if runs of cards are one move."""


def chosen_format(form: str | None, as_json: bool, output: str | None, runs: bool) -> str:
    """Return the format that --format, --json or the ending of -o ask for.

    UsageError for a format that there is not.
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form}, expected one of them")
    chosen = "json" if as_json else form or format_of_answer(output or "")
    if chosen is None:
        refuse_picture(output, "answers", "expected .txt, .json, .xml, .sfn, .moves, .short, .html")
        chosen = "text"
    if runs and chosen not in WITH_RUNS:
        expected = f"expected one of {', '.join(WITH_RUNS)}"
        raise UsageError(f"--runs says nothing about the format {chosen}, {expected}")
    return chosen


def answer_form(
    form: str | None, as_json: bool, output: str | None, boards: bool, runs: bool
) -> AnswerForm:
    """Return the form that the options of an answer ask for; UsageError if they contradict."""
    name = chosen_format(form, as_json, output, runs)
    if boards and name != "text":
        raise UsageError(f"--boards says nothing about the format {name}, expected text")
    return AnswerForm(name, output, boards, runs)


answer_options = gathered(
    "form",
    answer_form,
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        help="How to write the answer: text for people, json for programs, or the solution "
        "alone in one of the other formats.  [default: by the ending of -o, or text]",
    ),
    output_option(
        "Where to write the answer; the ending says the format, if no option does: .txt, .json, "
        ".xml, .sfn, .moves, .short, .html."
    ),
    click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    click.option(
        "--runs",
        is_flag=True,
        help="Runs of cards as one move, and with every move the card it is put on and the "
        "position before it, as far as the format has them.",
    ),
    click.option("--boards", is_flag=True, help="The board after every move, too (text)."),
)
"""Options for the form of an answer: --format, -o, --json, --runs and --boards, as `form`."""


def refuse_picture(output: str | None, what: str, expected: str) -> None:
    """Raise UsageError if the name of a file has the ending of a picture: it gets text."""
    ending = Path(output or "").suffix.lower()
    if ending in PICTURES:
        raise UsageError(f"{what} are not written as {ending}, {expected}", str(output))


def follow(events: Events[Answer], progress: ProgressDisplay, store: str | None) -> Answer:
    """Run a search to its end and show its progress.

    Ctrl-C reaches the search, which commits what it has and ends.
    """
    raise_on_signals()
    try:
        return _follow(events, progress, None)
    except KeyboardInterrupt:
        raise interrupted(store) from None


def follow_many(
    begin: Callable[[], Events[Answer]], progress: ProgressDisplay, store: str | None
) -> Answer:
    """Run a part of some work that begins anew with the same command, and goes on by its store."""
    try:
        return follow(begin(), progress, None)
    except Interrupted:
        hint = "; the same command continues it" if store else ""
        raise Interrupted(f"interrupted{hint}") from None


def follow_to_best(events: Events[Result], progress: ProgressDisplay, store: str | None) -> Result:
    """Run a search whose best solution so far is an answer, and show its progress.

    Ctrl-C ends it like a limit.
    """
    signals = collect_signals()
    try:
        return _follow(events, progress, lambda: bool(signals))
    except KeyboardInterrupt:
        raise interrupted(store) from None
    finally:
        raise_on_signals()


def _follow(
    events: Events[Answer], progress: ProgressDisplay, cancel: Callable[[], bool] | None
) -> Answer:
    from dbmsolver.api.compilers import on_compiling
    from dbmsolver.api.searches import answer_of

    on_compiling(lambda: progress.say(COMPILING))
    with progress:
        return answer_of(events, progress, cancel)


def interrupted(store: str | None) -> Interrupted:
    """Return the error that ends a search interrupted by Ctrl-C; it says how to continue it."""
    hint = f"; continue with: dbmsolver resume {store}" if store else ""
    return Interrupted(f"interrupted{hint}")


def check_output(output: str | None, *kept: str | None) -> None:
    """Refuse a place that cannot be written to before a search is made for it.

    `kept` are stores and tables, which an answer must not take the place of: UsageError for a path
    that means one of their files, by whatever name or link.
    """
    if output in (None, "-"):
        if output_is_closed():
            raise SystemRefusedError("closed, expected a place for the answer", "standard output")
        return
    path = Path(str(output))
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is no directory, expected a file that can be written", str(path)
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError("cannot be written, expected a file that can be", str(path))
    for place in filter(None, kept):
        if path.exists() and any(os.path.samefile(path, file) for file in _files_of(Path(place))):  # noqa: PTH121
            raise UsageError(f"a file of {place}, expected another one", str(path))


def _files_of(kept: Path) -> list[Path]:
    """Return the files of a store, or the one of a table."""
    files = list(kept.iterdir()) if kept.is_dir() else [kept]
    return [file for file in files if file.exists()]


def write_answer(result: Result, form: AnswerForm, quiet: bool = False) -> int:
    """Write the answer; returns the exit code that says the verdict."""
    beside = True  # the verdict has to be told besides
    if form.name == "text":
        text, beside = render_text(result, form.boards), False
    elif form.name == "json":
        text, beside = render_json(result), False
    elif has_solution(result):
        text = _solution_text(result, form)
    else:
        text = None
    if text is not None:
        write_text(text, form.output)
    if text is None or (not quiet and (beside or form.output not in (None, "-"))):
        print(verdict_line(result), file=Unheard(sys.stderr), flush=True)
    return EXIT_CODES[result.verdict]


def _solution_text(result: Result, form: AnswerForm) -> str:
    from dbmsolver.api.solutions import solution_of
    from dbmsolver.notation import formats

    shortest = _said(result, result.length) if result.shortest else None
    at_least = None if result.shortest else _said(result, result.at_least)
    solution = solution_of(result)
    if not result.shortest and form.name != "html":  # a page has its own way to say it
        solution = replace(solution, remarks=(not_proven(at_least),))
    return formats.write(solution, form.name, result.policy, form.runs, shortest, at_least)


def not_proven(at_least: int | str | None) -> str:
    """Say of a solution that it is not proven shortest, and what no solution falls short of."""
    if at_least is None:
        return "not proven shortest"
    moves = f"{at_least} moves" if isinstance(at_least, int) else at_least
    return f"not proven shortest: at least {moves} are needed"


def _said(result: Result, moves: int | None) -> int | str | None:
    """Return a number of moves; in words, with what counts as one, where that is not usual."""
    usual = result.metric == usual_metric(result.deal.rules)
    if moves is None or (usual and result.metric != "turns"):  # where the waste is turned for free
        return moves
    return counted(moves, *METRIC_WORDS[result.metric])


def write_text(text: str | Iterable[str], output: str | None) -> None:
    """Write to a file, or to standard output for None and `-`; also text that comes in pieces.

    SystemRefusedError if there is no room.
    """
    pieces = [text] if isinstance(text, str) else text
    try:
        if output in (None, "-"):
            for piece in pieces:
                click.echo(piece, nl=False)
            sys.stdout.flush()
        else:
            _write_file(pieces, Path(str(output)))
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "standard output" if output in (None, "-") else str(output)
        raise SystemRefusedError(f"cannot be written ({error.strerror})", where) from None


def _write_file(pieces: Iterable[str], path: Path) -> None:
    """Write a file so that it is never there in part: beside its place, then moved to it.

    A device, a pipe, a link, or a file in a folder that cannot be written to is written in its
    place.
    """
    plain = path.is_file() or not path.exists()
    if path.is_symlink() or not plain or not os.access(path.parent, os.W_OK):
        with path.open("w", encoding="utf-8") as file:
            file.writelines(pieces)
        return
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as beside:
        try:
            beside.writelines(pieces)
            beside.flush()
            Path(beside.name).chmod(_mode(path))
            Path(beside.name).replace(path)
        except BaseException:
            Path(beside.name).unlink(missing_ok=True)
            raise


def _mode(path: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
