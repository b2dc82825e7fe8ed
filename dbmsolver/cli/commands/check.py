"""`check`: whether a file of moves is a solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from dbmsolver.cli.json_data import board_data, deal_data, dump_json, rules_data
from dbmsolver.cli.options import json_option
from dbmsolver.cli.solutions import (
    from_option,
    given_options,
    left_out_option,
    load,
    read_source,
)
from dbmsolver.errors import EXIT_SOLVED, DbmError, InputError, UsageError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.boards import shown_board
from dbmsolver.game.measures import counted
from dbmsolver.game.patience import turns_over
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.titles import title

if TYPE_CHECKING:
    from dbmsolver.notation.formats.given import Given
    from dbmsolver.notation.formats.source import Source
    from dbmsolver.notation.solution import Solution


_ONE_EXPECTED = "--metric says nothing about many solutions, expected a file with one"


@click.command("check")
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@from_option
@given_options
@left_out_option
@click.option("--metric", "metrics", is_flag=True, help="The length of it in every metric, too.")
@json_option
def check_command(
    file: str,
    from_format: str | None,
    policy: Automove | None,
    metrics: bool,
    as_json: bool,
    given: Given,
) -> int:
    """Replay the solution in FILE, in any format, and say whether it is legal and wins.

    FILE may also hold what solve --all prints: then each of the solutions is replayed, and they are
    to be different. Of several solutions of different deals each is checked by itself, and told in
    a line. If something is wrong, the first bad move is named, with its line and column and the
    position before it, and the exit code is 3.
    """
    from dbmsolver.notation.formats.listed import format_of_list
    from dbmsolver.notation.formats.several import parts

    number: int | None = None
    try:
        source = read_source(file, given)
        if (form := format_of_list(source)) is not None:
            solution, number = _check_all(source, given, metrics)
        elif len(several := parts(source, given)) > 1:
            if metrics:
                raise UsageError(_ONE_EXPECTED)
            return _check_each(several, from_format, replace(given, policy=policy), as_json)
        else:
            solution, form = load(source, from_format, replace(given, policy=policy))
            solution.check()
    except DbmError as error:
        _show_position(error, as_json)
        raise
    from dbmsolver.notation.lengths import lengths

    found = lengths(solution) if metrics else {}
    if as_json:
        many = {} if number is None else {"solutions": number}
        click.echo(dump_json(_valid(solution, form, found) | many), nl=False)
        return EXIT_SOLVED
    if number is not None:
        many_solutions = counted(number, "solution", "different solutions")
        length = counted(len(solution.steps), "move", "moves")
        click.echo(
            f"{title(solution.deal)}: {many_solutions}, legal and winning, {length} ({form})"
        )
        return EXIT_SOLVED
    click.echo(_line(solution, form))
    for metric, cost in found.items():
        click.echo(
            f"{metric + ':':<16}{'none, these automoves spoil it' if cost is None else cost}"
        )
    return EXIT_SOLVED


def _check_each(several: list[Source], from_format: str | None, given: Given, as_json: bool) -> int:
    """Check solutions one by one, a line each; return the exit code of the worst."""
    worst = EXIT_SOLVED
    checked: list[dict[str, Any]] = []
    for source in several:
        try:
            solution, form = load(source, from_format, given, one_of_several=True)
            solution.check()
        except DbmError as error:
            worst = max(worst, error.exit_code)
            checked.append(_invalid(error))
            line = f"{error.where or source.named()}: {error.message.partition('; position: ')[0]}"
        else:
            checked.append(_valid(solution, form, {}))
            line = _line(solution, form)
        if not as_json:
            click.echo(line)
    if as_json:
        valid = worst == EXIT_SOLVED
        click.echo(dump_json({"kind": "checks", "valid": valid, "checks": checked}), nl=False)
    return worst


def _line(solution: Solution, form: str) -> str:
    length = counted(len(solution.steps), "move", "moves")
    if over := sum(map(turns_over, solution.moves())):  # such moves have no number in an answer
        length += f", {over} of them {'turns' if over == 1 else 'turn'} the waste over"
    return f"{title(solution.deal)}: legal and winning, {length} ({form})"


def _valid(solution: Solution, form: str, found: Mapping[str, int | None]) -> dict[str, Any]:
    """Describe a solution, for programs."""
    return {
        "kind": "check",
        "valid": True,
        "format": form,
        "deal": deal_data(solution.deal),
        "rules": rules_data(solution.rules),
        "length": len(solution.steps),
        "lengths": dict(found),
        "reason": None,
        "notes": list(solution.notes),
    }


def _invalid(error: DbmError) -> dict[str, Any]:
    """Describe a text that is no solution, for programs."""
    position: Position | None = getattr(error, "position", None)
    return {
        "kind": "check",
        "valid": False,
        "reason": error.message,
        "where": error.where,
        "board": None if position is None else board_data(position),
    }


def _check_all(source: Source, given: Given, metrics: bool) -> tuple[Solution, int]:
    """Check a list of solutions: the first of them, and how many there are."""
    if metrics:
        raise UsageError(_ONE_EXPECTED)
    from dbmsolver.notation.formats.listed import each_listed

    first: Solution | None = None
    known: dict[tuple[object, ...], str] = {}
    for solution in each_listed(source, given):
        solution.check()
        first = first or solution
        if len(solution.steps) != len(first.steps):
            text = f"{len(solution.steps)} moves, expected {len(first.steps)} as in the first"
            raise InputError(text, solution.where)
        other = known.setdefault(solution.course(), solution.where)
        if other != solution.where:
            raise InputError(f"the same solution as at {other}, expected another", solution.where)
    if first is None:
        raise InputError("no solution, expected those of `solve --all`", source.where)
    return first, len(known)


def _show_position(error: DbmError, as_json: bool) -> None:
    """Print the fault as JSON, or show the position where it is."""
    position: Position | None = getattr(error, "position", None)
    rules: Rules | None = getattr(error, "rules", None)
    if as_json:
        click.echo(dump_json(_invalid(error)), nl=False)
    elif position is not None:
        click.echo(f"The position at that point:\n{shown_board(position, rules)}", err=True)
