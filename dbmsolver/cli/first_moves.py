"""`--every-first-move` of `solve` and `hint`: what each legal move leads to."""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.cli.advice import values_json, values_text
from dbmsolver.cli.answers import AnswerForm, compilers_beside, follow_to_best, interrupted_many
from dbmsolver.cli.options import DisplayOptions
from dbmsolver.cli.output import check_output, write_text
from dbmsolver.cli.played import GameSoFar
from dbmsolver.cli.render import EXIT_CODES, LIMITS, LimitWords
from dbmsolver.cli.sequences import SequenceOptions
from dbmsolver.errors import EXIT_UNDECIDED, UsageError
from dbmsolver.results import Limit, Limits, Method, Options, Question, Verdict


def check_values(wanted: SequenceOptions, form: AnswerForm) -> None:
    """Raise UsageError if other options contradict --every-first-move."""
    if wanted:
        other = "--count" if wanted.most is None else "--all"
        raise UsageError(f"--every-first-move and {other}, expected one of them")
    if form.boards:
        raise UsageError("--every-first-move and --boards, expected one of them")
    if form.name not in ("text", "json"):
        text = f"--every-first-move says nothing about the format {form.name}"
        raise UsageError(f"{text}, expected text or json")


def answer_values(
    game: GameSoFar,
    options: Options,
    limits: Limits,
    form: AnswerForm,
    display: DisplayOptions,
    words: LimitWords = LIMITS,
) -> int:
    """Find the value of each legal move, and write them; return the exit code.

    It is that of the position's verdict, or that of `undecided` if a limit left the value of a move
    open. `words` say for people why the search ended early. Ctrl-C ends it like a limit;
    Interrupted is raised when the answer is written.
    """
    store = None if options.store is None else str(options.store)
    check_output(form.output, store)
    from dbmsolver.api.advice import value_moves

    beside = replace(options, method=Method.EVERY_POSITION, any_solution=True)
    with compilers_beside(Question.SOLVE, game.deal, beside, display):
        found = follow_to_best(value_moves(game.deal, options, limits), display.progress(), store)
        as_json = form.name == "json"
        text = values_json(game, found) if as_json else values_text(game, found, words)
        write_text(text, form.output)
        if found.limit == Limit.INTERRUPT:
            raise interrupted_many(store)
    if found.result.verdict == Verdict.SOLVED and found.limit is not None:
        return EXIT_UNDECIDED
    return EXIT_CODES[found.result.verdict]
