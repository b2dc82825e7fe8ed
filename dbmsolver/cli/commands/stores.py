"""`status`, `lookup` and `export`: what a store holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dbmsolver.cli.answers import AnswerForm, answer_options, write_answer
from dbmsolver.cli.json_data import (
    board_data,
    deal_data,
    dump_json,
    history_data,
    move_data,
    rules_data,
    strata_data,
)
from dbmsolver.cli.options import json_option, rows_option, store_argument
from dbmsolver.cli.output import check_output, refuse_ending, write_text
from dbmsolver.cli.proofs import proof_facts, verifying
from dbmsolver.cli.render import (
    STATES,
    and_forced,
    counts_forced,
    fact_lines,
    has_solution,
    human_bytes,
    move_lines,
    possible_lengths,
    verdict_line,
)
from dbmsolver.cli.tables import count_table, sums
from dbmsolver.cli.values import DealCommand, DealSource
from dbmsolver.errors import UsageError
from dbmsolver.game.boards import shown_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure, counted, length_words, spoiling_words, usual_metric
from dbmsolver.game.safe_moves import has_safe_moves
from dbmsolver.game.titles import title
from dbmsolver.results import Method, Question, Verdict

if TYPE_CHECKING:
    from dbmsolver.api import StoreStatus


@click.command("status")
@store_argument
@json_option
@click.option(
    "--plot",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    help="Also draw states by stratum and layer, and over time, into this file, as SVG; - is "
    "standard output, which gets nothing else then.",
)
def status_command(store: str, as_json: bool, plot: str | None) -> None:
    """Show the content of STORE: question, answer so far, and states by stratum and layer."""
    if plot == "-" and as_json:
        raise UsageError("--json and --plot - are both for standard output, expected one of them")
    if plot is not None:
        refuse_ending(plot, "plots", "expected .svg", ".svg")
        check_output(plot, store)
    from dbmsolver.api.stores import stored_search

    status = stored_search(Path(store)).status()
    if plot is not None:
        write_text(_plot(status), plot)
    if plot == "-":
        return
    if as_json:
        click.echo(_status_json(status, store), nl=False)
    else:
        click.echo(_status_text(status, store), nl=False)


def _question(status: StoreStatus) -> str:
    """Return the deal, and the question and options of its search, in words."""
    text, rules = title(status.deal), status.deal.rules
    if has_safe_moves(rules):
        text += f", automove {status.policy}"
    unusual = status.metric != usual_metric(rules)
    return f"{text}, metric {status.metric}" if unusual else text


def _status_text(status: StoreStatus, store: str) -> str:
    verdict: str = status.verdict or "not finished"
    if status.limit:
        verdict += f" ({status.limit})"
    if status.verdict == Verdict.UNSOLVABLE:
        verdict += spoiling_words(status.metric, status.policy)
    lengths = []
    if status.question == Question.SOLVE and status.verdict != Verdict.UNSOLVABLE:
        lengths = [("Lengths", possible_lengths(status.length, status.at_least))]
    closed = counted(status.states, *STATES[status.method])
    if status.method == Method.EVERY_POSITION:
        closed += and_forced(status.forced, status.deal.rules)
    if status.shortest:
        closed += f" in layers below {status.length}"
    facts = [
        (status.question.capitalize(), _question(status)),
        ("Verdict", verdict),
        *lengths,
        *(("" if number else "Checked", line) for number, line in enumerate(status.checked)),
        *proof_facts(store, status.verdict, status.shortest, status.keep),
        ("Closed", closed),
        ("Size", _size(status)),
        ("Pending", counted(status.pending, "candidate", "candidates")),
        ("Disk", human_bytes(status.disk)),
    ]
    parts = [fact_lines(facts)]
    tables = ["layer", "stratum"] if status.question == Question.SOLVE else ["stratum"]
    for name in tables:
        rows = list(sums(status.strata, int(name == "stratum")))
        parts.append(count_table(name, rows, forced=counts_forced(status.deal.rules)))
    return "\n".join(parts)


def _size(status: StoreStatus) -> str:
    """Return the size of all closed states, those of the layer of the solution among them."""
    size = human_bytes(status.closed_bytes)
    if not status.closed or status.keep == "none":
        return size
    whose = "of them"
    if status.closed != status.states + status.forced:
        whose = f"of {status.closed:,}, those of layer {status.length} among them"
    return f"{size}, {status.closed_bytes / status.closed:.2f} bytes for each {whose}"


def _plot(status: StoreStatus) -> str:
    from dbmsolver.notation.pictures.chart import Chart, draw_charts
    from dbmsolver.notation.pictures.growth import Growth, Point

    forced = counts_forced(status.deal.rules)
    charts: list[Chart | Growth] = [Chart("stratum", list(sums(status.strata, 1)), forced)]
    by_layer = status.question == Question.SOLVE
    if by_layer:
        charts.insert(0, Chart("layer", list(sums(status.strata, 0)), forced))
    if status.history:
        points = [
            Point(
                moment.milliseconds,
                moment.layer if by_layer else moment.stratum,
                moment.states,
                moment.forced,
            )
            for moment in status.history
        ]
        charts.append(Growth("layer" if by_layer else "stratum", points, forced))
    return draw_charts(f"{title(status.deal)}: {status.verdict or 'not finished'}", charts)


def _status_json(status: StoreStatus, store: str) -> str:
    return dump_json(
        {
            "kind": "status",
            "verdict": status.verdict,
            "limit": status.limit,
            "question": status.question,
            "method": status.method,
            "metric": status.metric,
            "shortest": status.shortest,
            "at_least": status.at_least,
            "at_most": status.length,
            "deal": deal_data(status.deal),
            "rules": rules_data(status.deal.rules),
            "automove": status.policy,
            "keep": status.keep,
            "program": status.program,
            "meaning": status.meaning,
            "states": status.states,
            "forced": status.forced,
            "closed_bytes": status.closed_bytes,
            "pending": status.pending,
            "disk": status.disk,
            "checked": list(status.checked),
            "store": store,
            "proof": verifying(store, status.verdict, status.shortest, status.keep),
            "strata": strata_data(status.strata),
            "history": history_data(status.history),
        }
    )


@click.command("lookup", cls=DealCommand)
@store_argument
@click.argument("source", metavar="BOARD", type=DealSource())
@rows_option
@json_option
def lookup_command(store: str, source: str, rows: bool, as_json: bool) -> None:
    """Say whether the search in STORE came upon the position BOARD, with the moves to it.

    BOARD is the path of a board, or - for a board on standard input.
    """
    from dbmsolver.api.stores import stored_search

    stored = stored_search(Path(store))
    deal = stored.deal
    position = Deal.load(source, deal.rules, rows=rows).position
    moves = stored.lookup(position)
    if as_json:
        found = moves is not None
        made = [move_data(move) for move in moves or ()]
        click.echo(
            dump_json(
                {
                    "kind": "lookup",
                    "deal": deal_data(deal),
                    "rules": rules_data(deal.rules),
                    "board": board_data(position),
                    "found": found,
                    "moves": made,
                }
            ),
            nl=False,
        )
        return
    # A search need not have come to each position that a record or a class stands for.
    word = "visited" if stored.method == Method.EVERY_POSITION else "covered"
    if moves is None:
        click.echo(f"{title(deal)}: not {word}")
    else:
        measure = Measure(deal.rules, stored.policy, stored.metric)
        away = counted(measure.length(moves), *length_words(measure.metric, deal.rules))
        click.echo(f"{title(deal)}: {word}, {away} away")
        click.echo("".join(move_lines(moves, measure)))
        click.echo(shown_board(position, deal.rules), nl=False)


@click.command("export")
@store_argument
@answer_options
def export_command(store: str, form: AnswerForm) -> None:
    """Write the answer that STORE holds, or its solution in one of the formats."""
    check_output(form.output, store)
    from dbmsolver.api.stores import stored_search

    result = stored_search(Path(store)).answer()
    if form.name not in ("text", "json") and not has_solution(result):
        said = f"{verdict_line(result)}: no solution to be written as {form.name}"
        raise UsageError(f"{said}, expected text or json", store)
    # That a shortest solution was asked for, and this is not proven to be one, is always said.
    write_answer(result, form, quiet=result.shortest or result.at_least is None)
