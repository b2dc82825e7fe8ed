"""`solve`, `prove` and `resume`: the commands that search."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from dbmsolver.cli.answers import (
    AnswerForm,
    Events,
    answer_options,
    check_game,
    compilers_beside,
    follow,
    follow_to_best,
    interrupted,
    say_compiling_goes_on,
    write_answer,
)
from dbmsolver.cli.first_moves import answer_values, check_values
from dbmsolver.cli.options import (
    Command,
    DealForm,
    DisplayOptions,
    automove_option,
    check_address,
    check_automove,
    deal_argument,
    deal_form_options,
    gathered,
    limit_options,
    progress_options,
    ray_option,
    rules_options,
    store_argument,
    threads_option,
)
from dbmsolver.cli.output import check_output
from dbmsolver.cli.played import play_out
from dbmsolver.cli.render import has_solution
from dbmsolver.cli.sequences import SequenceOptions, answer_all, check_sequences, sequence_options
from dbmsolver.cli.values import DealCommand, StorePath
from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import METRICS, Metric, Policy
from dbmsolver.game.rules import Rules
from dbmsolver.notation.format_names import FORMATS as SOLUTION_FORMATS
from dbmsolver.results import (
    Keep,
    Limit,
    Limits,
    Method,
    Options,
    Question,
    Result,
)


def _options(policy: Policy, threads: int | None, store: str | None, keep: Keep) -> Options:
    path = None if store is None else Path(store)
    return Options(policy=policy, threads=threads, store=path, keep=keep)


_SAFE_MOVES = automove_option(
    "The safe moves to the foundations that are made at once. None of the choices makes a "
    "shortest solution longer.",
    "wkr",
)
_ANY_MOVES = automove_option(
    "The moves to the foundations that are made at once. None of the choices makes a shortest "
    "solution longer, unless --metric moves is given: then they are those that a program makes by "
    "itself, which are not counted; max, every move that is possible, is for that only.",
    "wkr",
    AUTOMOVES,
)


def _search_options(automove: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return the options common to `solve` and `prove`, with --automove, in the help's order."""
    how_options = gathered(
        "options",
        _options,
        automove,
        threads_option,
        click.option(
            "--store",
            type=StorePath(),
            help="Directory to keep the search in; the same command continues it.  [default: a "
            "temporary one]",
        ),
        click.option(
            "--keep",
            type=click.Choice(["all", "none"]),
            default="all",
            show_default=True,
            help="Keep all closed states, or drop those of finished strata to save disk. Without "
            "them the proof cannot be verified, and a solution that is met only among them has no "
            "moves.",
        ),
    )

    def decorate(function: Command) -> Command:
        for option in (
            progress_options,
            answer_options,
            limit_options,
            how_options,
            rules_options,
            deal_form_options,
            deal_argument,
        ):
            function = option(function)
        return function

    return decorate


@click.command("solve", cls=DealCommand)
@_search_options(_ANY_MOVES)
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    help="What is counted as a move: each card that moves; a card or a run that moves at once; or "
    "such moves as long as the player makes them, without those that --automove names; or, in "
    "Klondike and its relatives, plays with turns of the stock (but not of the waste), or without. "
    " [default: cards, or runs in games where a run is one move, and turns in the kin of Klondike, "
    "Pyramid and Spider]",
)
@click.option(
    "--any",
    "any_solution",
    is_flag=True,
    help="Find some solution first, mostly in a fraction of a second, then shorter ones, and at "
    "last a shortest. So there is mostly one to be written where a limit or Ctrl-C ends the "
    "search.",
)
@sequence_options
@click.option(
    "--every-first-move",
    is_flag=True,
    help="For each legal move: whether the deal can be won after it, and the fewest moves left.",
)
@click.option(
    "--played",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="Moves made so far, in any notation that check reads: begin with the position after them.",
)
def solve_command(
    source: str,
    deal_form: DealForm,
    rules: Rules,
    options: Options,
    metric: Metric | None,
    any_solution: bool,
    wanted: SequenceOptions,
    every_first_move: bool,
    played: str | None,
    limits: Limits,
    form: AnswerForm,
    display: DisplayOptions,
) -> int:
    """Find a shortest solution of DEAL, or show that it has none.

    The answer is proven: no solution is shorter than the one printed. Where a limit or Ctrl-C ends
    the search before that, the best solution found so far is printed, and the answer says that it
    is not proven. With --count or --all it is about all solutions of that length, with
    --every-first-move about all moves that can be made first.

    DEAL is a number, the path of a board, or - for a board on standard input.
    """
    options = replace(
        options, metric=metric, method=Method.EVERY_POSITION, any_solution=any_solution
    )
    check_automove(rules, options.policy, metric)
    if source == played == "-":
        raise UsageError("DEAL and --played are both -, expected one of them on standard input")
    words = () if played is None else (played,)
    game = play_out(deal_form.load(source, rules), words, None, None, only_file=True)
    if every_first_move:
        check_values(wanted, form)
        return answer_values(game, options, limits, form, display)
    if wanted:
        check_sequences(wanted, form, game.deal.rules)
        return _all(game.deal, options, limits, form, display, wanted)
    return _search(Question.SOLVE, game.deal, options, limits, form, display)


@click.command("prove", cls=DealCommand)
@_search_options(_SAFE_MOVES)
@click.option(
    "--every-position",
    is_flag=True,
    help="Search every position. Without it one position stands for all those that differ by "
    "parked cards only, or, in Klondike, only in which of two cards a run lies on, which takes far "
    "fewer; in other games every position is searched in any case.",
)
@ray_option("Spread the proof")
def prove_command(
    source: str,
    deal_form: DealForm,
    rules: Rules,
    options: Options,
    every_position: bool,
    address: str | None,
    limits: Limits,
    form: AnswerForm,
    display: DisplayOptions,
) -> int:
    """Find out whether DEAL has a solution at all.

    Quick where there is one: the first solution met is printed, and it may be longer than need
    be. Where there is none, it needs far fewer states than solve.

    DEAL is a number, the path of a board, or - for a board on standard input.
    """
    from dbmsolver.api.searches import check_spread

    method = Method.EVERY_POSITION if every_position else Method.DOMINATING
    check_address(address, "DEAL", partial(check_spread, Question.PROVE, rules))
    check_automove(rules, options.policy)
    options = replace(options, method=method, cluster=address)
    return _search(Question.PROVE, deal_form.load(source, rules), options, limits, form, display)


def _search(
    question: Question,
    deal: Deal,
    options: Options,
    limits: Limits,
    form: AnswerForm,
    display: DisplayOptions,
) -> int:
    from dbmsolver.api.searches import search

    check_game(form.name, deal.rules, options.policy)
    store = None if options.store is None else str(options.store)
    compilers = compilers_beside(question, deal, options, display)
    begin = partial(search, question, deal, options, limits)
    return _answer(begin, compilers, store, form, display, may_know=question == Question.SOLVE)


def _all(
    deal: Deal,
    options: Options,
    limits: Limits,
    form: AnswerForm,
    display: DisplayOptions,
    wanted: SequenceOptions,
) -> int:
    with compilers_beside(Question.SOLVE, deal, options, display, counting=True):
        return answer_all(deal, options, limits, form, display, wanted)


@click.command("resume")
@store_argument
@threads_option
@ray_option("Spread what is left of a proof")
@limit_options
@answer_options
@progress_options
def resume_command(
    store: str,
    threads: int | None,
    address: str | None,
    limits: Limits,
    form: AnswerForm,
    display: DisplayOptions,
) -> int:
    """Continue the search that was kept in STORE, as it was begun.

    A finished one answers at once. Limits, --memory, --threads and --ray are those given here, not
    those of the first run, which the store does not keep: without them their defaults hold. A
    search begun with --any goes on as such. Of --count, --all and --every-first-move only the
    search for a shortest solution goes on: the same command as before goes on with the rest.
    """
    from dbmsolver.api.compilers import compilers_to_resume
    from dbmsolver.api.searches import check_spread_of, resume
    from dbmsolver.api.stores import stored_search

    check_address(address, "STORE", partial(check_spread_of, Path(store)))
    if form.name in SOLUTION_FORMATS:
        kept = stored_search(Path(store))
        check_game(form.name, kept.deal.rules, kept.policy)
    begin = partial(resume, Path(store), threads, limits, address)
    compilers = compilers_to_resume(Path(store), partial(say_compiling_goes_on, display.progress()))
    return _answer(begin, compilers, store, form, display, may_know=True)


def _answer(
    begin: Callable[[], Events[Result]],
    beside: AbstractContextManager[None],
    store: str | None,
    form: AnswerForm,
    display: DisplayOptions,
    may_know: bool,
) -> int:
    """Run a search and write its answer in the context ``beside``.

    An output that cannot be written to is an error before the search begins. If the search
    ``may_know`` a solution before its end, Ctrl-C is answered by the best one so far.
    """
    check_output(form.output, store)
    wait = follow_to_best if may_know else follow
    with beside:
        result = wait(begin(), display.progress(), store)
        if result.limit != Limit.INTERRUPT:
            return _write(result, form, display.quiet)
        if has_solution(result):
            _write(result, form, display.quiet)
        raise interrupted(store)


def _write(result: Result, form: AnswerForm, quiet: bool) -> int:
    """Write the answer; write text instead if the format cannot express its moves."""
    try:
        return write_answer(result, form, quiet)
    except UsageError as error:
        write_answer(result, AnswerForm("text", None, boards=False, runs=False), quiet)
        raise UsageError(f"{error}; the answer is written as text") from None
