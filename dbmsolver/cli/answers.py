"""A search run with its progress shown, and its answer written in the wanted form."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import click

from dbmsolver.cli.options import DisplayOptions, gathered, output_option
from dbmsolver.cli.output import refuse_ending, write_text
from dbmsolver.cli.progress import ProgressDisplay
from dbmsolver.cli.render import EXIT_CODES, has_solution, render_json, render_text, verdict_line
from dbmsolver.cli.streams import MessageStream
from dbmsolver.errors import EXIT_INTERRUPTED, DbmError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules
from dbmsolver.notation.format_names import FORMATS as SOLUTION_FORMATS
from dbmsolver.notation.format_names import WITH_RUNS, format_of_answer
from dbmsolver.results import Event, Options, Question, Result
from dbmsolver.signals import collect_signals, raise_on_signals

FORMATS = ("text", "json", *SOLUTION_FORMATS)
"""The formats of an answer: the whole of it (`text`, `json`), or its solution alone."""

Answer = TypeVar("Answer")
Events = Generator[Event, Any, Answer]

COMPILING = (
    "Compiling for this machine, once for games of this kind: what their searches or their checks "
    "need. It takes up to a minute. `dbmsolver compile` does it in advance, for all games."
)
COMPILING_THE_REST = (
    "The answer is complete. What is left to be compiled for such games is compiled now, so that "
    "later commands need not wait for it. Ctrl-C stops that, and nothing is lost."
)


class Interrupted(DbmError):
    """The program was interrupted: by Ctrl-C, or by a signal to end."""

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

    UsageError if they contradict, or if there is no such format.
    """
    if as_json and form not in (None, "json"):
        raise UsageError(f"--json and --format {form}, expected one of them")
    chosen = "json" if as_json else form or format_of_answer(output or "")
    if chosen is None:
        refuse_ending(output, "answers", "expected .txt, .json, .xml, .sfn, .moves, .short, .html")
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


def compilers_beside(
    question: Question,
    deal: Deal,
    options: Options,
    display: DisplayOptions,
    counting: bool = False,
) -> AbstractContextManager[None]:
    """Return a context around a search and its answer: other processes compile what it needs.

    Its end waits until they have compiled what all searches of such games need, and says so.
    """
    from dbmsolver.api.compilers import compilers_for

    def on_waiting() -> None:
        say_compiling_goes_on(display.progress())

    return compilers_for(question, deal, options, counting, on_waiting)


def say_compiling_goes_on(progress: ProgressDisplay) -> None:
    """Say that a command waits for what others compile, when its answer is written."""
    sys.stdout.flush()  # the answer does not wait
    progress.say(COMPILING_THE_REST)


def follow(events: Events[Answer], progress: ProgressDisplay, store: str | None) -> Answer:
    """Run a search to its end and show its progress.

    Ctrl-C reaches the search, which commits what it has and ends.
    """
    raise_on_signals()
    try:
        return _follow(events, progress, None)
    except KeyboardInterrupt:
        raise interrupted(store) from None


def follow_to_best(
    events: Events[Answer],
    progress: ProgressDisplay,
    store: str | None,
) -> Answer:
    """Run a search, show its progress, and return its answer.

    Ctrl-C ends it like a limit: the answer is what is known by then, as the best solution so far.
    """
    signals = collect_signals()
    try:
        return _follow(events, progress, lambda: bool(signals))
    except KeyboardInterrupt:
        raise interrupted(store) from None
    finally:
        raise_on_signals()


def _follow(
    events: Events[Answer],
    progress: ProgressDisplay,
    cancel: Callable[[], bool] | None,
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


def interrupted_many(store: str | None) -> Interrupted:
    """Return the same error for work that the same command continues in its store."""
    hint = "; the same command continues it" if store else ""
    return Interrupted(f"interrupted{hint}")


def check_game(format_name: str, rules: Rules, policy: Policy) -> None:
    """Raise UsageError if the format of an answer can express no solution of a game."""
    if format_name in SOLUTION_FORMATS:
        from dbmsolver.notation import formats

        formats.check_game(format_name, rules, policy)


def write_answer(result: Result, form: AnswerForm, quiet: bool = False) -> int:
    """Write the answer; return the exit code of its verdict."""
    beside = True  # the text has no verdict: a line on standard error has it
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
        print(verdict_line(result), file=MessageStream(sys.stderr), flush=True)
    if text is None and form.output is not None and Path(form.output).is_file():
        # It may be the solution of another deal.
        said = f"{form.output}: not written, as no solution is known; the older file is left there"
        print(f"dbmsolver: {said}", file=MessageStream(sys.stderr), flush=True)
    return EXIT_CODES[result.verdict]


def _solution_text(result: Result, form: AnswerForm) -> str:
    from dbmsolver.api.solutions import solution_of
    from dbmsolver.notation import formats
    from dbmsolver.notation.formats.stated_length import in_words, not_proven

    solution, rules = solution_of(result), result.deal.rules
    if result.shortest:
        shortest = in_words(result.length, result.metric, rules)
    else:
        shortest = None
        at_least = in_words(result.at_least, result.metric, rules)
        solution = replace(solution, remarks=(not_proven(at_least),))
    return formats.write(solution, form.name, result.policy, form.runs, shortest)
