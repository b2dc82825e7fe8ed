"""`solve`, `prove` and `resume`: the commands that search."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click

from dbmsolver.cli.answers import AnswerForm, answer_options, check_output, follow, write_answer
from dbmsolver.cli.compilers import Compilers
from dbmsolver.cli.options import (
    DealCommand,
    StorePath,
    automove_option,
    deal_argument,
    progress_options,
    rules_options,
    run_options,
    store_argument,
)
from dbmsolver.cli.progress import progress_for
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Policy, rules_for
from dbmsolver.results import (
    Commit,
    Keep,
    Limits,
    Method,
    Metric,
    Options,
    Question,
    Report,
    Result,
    method_for,
)

Events = Generator[Report | Commit, None, Result]


def _search_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """What `solve` and `prove` share, in the order of their help."""
    for decorate in (
        progress_options,
        answer_options,
        click.option(
            "--keep",
            type=click.Choice(["all", "none"]),
            default="all",
            show_default=True,
            help="Keep all closed states, or drop those of finished strata to save disk; a "
            "solution or a certificate needs them all.",
        ),
        click.option(
            "--store",
            type=StorePath(),
            help="Directory to keep the search in; the same command continues it.  [default: a "
            "temporary one]",
        ),
        run_options,
        automove_option(
            "The safe moves to the foundations that are made at once. None of the choices makes a "
            "shortest solution longer.",
            "wkr",
        ),
        rules_options,
        deal_argument,
    ):
        function = decorate(function)
    return function


@click.command("solve", cls=DealCommand)
@_search_options
@click.option(
    "--metric",
    type=click.Choice(["cards"]),
    default="cards",
    show_default=True,
    help="What a move costs: in card moves, every move of a single card is one.",
)
def solve_command(**options: Any) -> int:
    """Find a shortest solution of DEAL, or show that it has none.

    The answer is proven: no solution is shorter than the one printed.

    DEAL is a number, the path of a board, or - for a board on standard input.
    """
    return _search("solve", method="every-position", **options)


@click.command("prove", cls=DealCommand)
@_search_options
@click.option(
    "--every-position",
    is_flag=True,
    help="Search every position. Without it one position stands for all those that differ by "
    "parked cards only, which takes far fewer; where a game has no place to park cards, every "
    "position is searched in any case.",
)
def prove_command(every_position: bool, **options: Any) -> int:
    """Find out whether DEAL has a solution at all.

    Quick where there is one: the first solution met is printed, and it may be longer than need
    be. Needs fewer states than solve where there is none.

    DEAL is a number, the path of a board, or - for a board on standard input.
    """
    method: Method = "every-position" if every_position else "dominating"
    return _search("prove", metric="cards", method=method, **options)


def _search(
    question: Question,
    source: str,
    game: str,
    freecells: int | None,
    columns: int | None,
    policy: Policy,
    metric: Metric,
    threads: int | None,
    keep: Keep,
    store: str | None,
    method: Method,
    limits: Limits,
    **answer: Any,
) -> int:
    deal = Deal.load(source, rules_for(game, freecells, columns))
    path = None if store is None else Path(store)
    options = Options(policy, metric, threads, keep, path, method)

    def begin() -> Events:
        from dbmsolver.search import session

        return session.run(question, deal, options, limits)

    def code_bits() -> int:
        from dbmsolver.state import StateCodec

        return StateCodec(deal, policy).deal_tables.code_bits

    return _answer(
        begin,
        Compilers(question, method_for(question, deal.rules, method), code_bits),
        store,
        **answer,
    )


@click.command("resume")
@store_argument
@run_options
@answer_options
@progress_options
def resume_command(store: str, threads: int | None, limits: Limits, **answer: Any) -> int:
    """Continue the search that was kept in STORE, as it was begun.

    A finished one answers at once. The limits are those given here, not those of the first run.
    """

    def begin() -> Events:
        from dbmsolver.search import session

        return session.resume(Path(store), threads, limits)

    return _answer(begin, nullcontext(), store, **answer)


def _answer(
    begin: Callable[[], Events],
    beside: AbstractContextManager[None],
    store: str | None,
    form: AnswerForm,
    quiet: bool,
    log_json: bool,
) -> int:
    """Run a search, with something else beside it, and write its answer.

    First of all it makes sure that the answer can be written as it was asked for.
    """
    check_output(form.output)
    with beside:
        result = follow(begin(), progress_for(quiet, log_json), store)
    return write_answer(result, form, quiet)
