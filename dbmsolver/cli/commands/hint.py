"""`hint`: one good move, whether the deal can still be won, and how many moves are left."""

from __future__ import annotations

import time

import click
from click.core import ParameterSource

from dbmsolver.cli.advice import hint_json, hint_text
from dbmsolver.cli.answers import AnswerForm, compilers_beside, follow_to_best, interrupted
from dbmsolver.cli.first_moves import answer_values
from dbmsolver.cli.options import (
    DealForm,
    DisplayOptions,
    deal_argument,
    deal_form_options,
    json_option,
    limits_with,
    progress_options,
    rules_options,
    threads_option,
)
from dbmsolver.cli.output import check_output, write_text
from dbmsolver.cli.played import play_out
from dbmsolver.cli.render import EXIT_CODES, LIMITS, LimitWords, has_solution
from dbmsolver.cli.solutions import from_option, left_out_option
from dbmsolver.cli.values import DealCommand
from dbmsolver.errors import UsageError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.kinds import METRICS, Metric
from dbmsolver.game.rules import Rules
from dbmsolver.results import Limit, Limits, Method, Options, Question

USUAL_TIME = "10s"
"""The time that a hint takes at most, unless --max-time says another time."""


@click.command("hint", cls=DealCommand)
@deal_argument
@click.argument("played", metavar="[MOVES]...", nargs=-1)
@deal_form_options
@rules_options
@from_option
@left_out_option
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    help="What is counted as a move, as for solve. With moves those of --automove are free, of wkr "
    "if it is not given.  [default: cards, or runs in games where a run is one move, and "
    "turns in the kin of Klondike, Pyramid and Spider]",
)
@click.option(
    "--every-first-move",
    is_flag=True,
    help="For each legal move: whether the deal can be won after it, and the fewest moves left.",
)
@threads_option
@limits_with(USUAL_TIME)
@json_option
@progress_options
def hint_command(
    source: str,
    played: tuple[str, ...],
    deal_form: DealForm,
    rules: Rules,
    from_format: str | None,
    policy: Automove | None,
    metric: Metric | None,
    every_first_move: bool,
    threads: int | None,
    limits: Limits,
    as_json: bool,
    display: DisplayOptions,
) -> int:
    """Say what to do in DEAL after some moves: one best move, and how many are left.

    It also says whether the position can still be won. MOVES are the moves so far, as words (26 76
    7a) or as a file, in any notation that check reads; - is standard input. The best move begins a
    shortest solution. Where a limit or Ctrl-C comes first, a good move is told instead: it begins
    the best solution so far, so it wins. --max-time gives the search more time, or less. With
    --every-first-move each legal move is told, and the exit code is 20 where the limit left one
    open.

    DEAL is a number, the path of a board, or - for a board on standard input.
    """
    check_output(None)
    if source == "-" and played == ("-",):
        raise click.UsageError("DEAL and MOVES are both -, expected one of them on standard input")
    if policy is not None and not played and metric != "moves":
        text = f"--automove {policy} says nothing without moves"
        raise UsageError(f"{text}, expected MOVES, or --metric moves")
    game = play_out(deal_form.load(source, rules), played, from_format, policy)
    started = time.monotonic()

    options = Options(
        policy=(policy if metric == "moves" else None) or "wkr",
        metric=metric,
        threads=threads,
        method=Method.EVERY_POSITION,
        any_solution=True,
    )

    if every_first_move:
        form = AnswerForm("json" if as_json else "text", None, boards=False, runs=False)
        return answer_values(game, options, limits, form, display, _limit_words())

    from dbmsolver.api.advice import value

    events = value(game.deal, options, limits)
    with compilers_beside(Question.SOLVE, game.deal, options, display):
        result = follow_to_best(events, display.progress(), None)
        if result.limit != Limit.INTERRUPT or has_solution(result):
            seconds = time.monotonic() - started
            if as_json:
                text = hint_json(game, result, seconds, result.peak_memory)
            else:
                text = hint_text(game, result, seconds, result.peak_memory, _limit_words())
            write_text(text, None)
        if result.limit == Limit.INTERRUPT:
            raise interrupted(None)
        return EXIT_CODES[result.verdict]


def _limit_words() -> LimitWords:
    """Return the reasons why a hint ended early, in words; the usual limit of time is so called."""
    if click.get_current_context().get_parameter_source("max_time") != ParameterSource.DEFAULT:
        return LIMITS
    usual = f"the usual limit of {USUAL_TIME} was reached, give more with --max-time"
    return {**LIMITS, Limit.MAX_TIME: usual}
