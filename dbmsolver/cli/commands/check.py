"""`check`: whether a file of moves is a solution."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from dbmsolver.cli.options import json_option
from dbmsolver.cli.render import board_data, counted, deal_data, dump_json, rules_data
from dbmsolver.cli.solutions import (
    from_option,
    given_options,
    left_out_option,
    load,
    read_source,
)
from dbmsolver.errors import DbmError, InputError, UsageError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.boards import format_board
from dbmsolver.game.position import Position
from dbmsolver.game.titles import title

if TYPE_CHECKING:
    from dbmsolver.notation.formats.given import Given
    from dbmsolver.notation.formats.source import Source
    from dbmsolver.notation.solution import Solution


@click.command("check")
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, allow_dash=True))
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
) -> None:
    """Replay the solution in FILE, in any format, and say whether it is legal and wins.

    FILE may also hold what solve --all prints: then each of the solutions is replayed, and they are
    to be different. If something is wrong, the first bad move is named, with its line and column
    and the position before it, and the exit code is 3.
    """
    from dbmsolver.notation.formats.listed import format_of_list

    number: int | None = None
    try:
        source = read_source(file, given)
        if (form := format_of_list(source)) is not None:
            solution, number = _check_all(source, given, metrics)
        else:
            solution, form = load(source, from_format, replace(given, policy=policy))
            solution.check()
    except DbmError as error:
        _show_position(error, as_json)
        raise
    from dbmsolver.notation.lengths import lengths

    found = lengths(solution) if metrics else {}
    moves = len(solution.steps)
    if as_json:
        data = {
            "kind": "check",
            "valid": True,
            "format": form,
            "deal": deal_data(solution.deal),
            "rules": rules_data(solution.rules),
            "length": moves,
            "lengths": found,
            "reason": None,
            "notes": list(solution.notes),
        }
        many = {} if number is None else {"solutions": number}
        click.echo(dump_json(data | many), nl=False)
        return
    name, length = title(solution.deal), counted(moves, "move", "moves")
    if number is not None:
        many_solutions = counted(number, "solution", "different solutions")
        click.echo(f"{name}: {many_solutions}, legal and winning, {length} ({form})")
        return
    click.echo(f"{name}: legal and winning, {length} ({form})")
    for metric, cost in found.items():
        click.echo(
            f"{metric + ':':<16}{'none, these automoves spoil it' if cost is None else cost}"
        )


def _check_all(source: Source, given: Given, metrics: bool) -> tuple[Solution, int]:
    """Check a list of solutions: the first of them, and how many there are."""
    if metrics:
        raise UsageError("--metric says nothing about many solutions, expected a file with one")
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
    if as_json:
        data = {
            "kind": "check",
            "valid": False,
            "reason": error.message,
            "where": error.where,
            "board": None if position is None else board_data(position),
        }
        click.echo(dump_json(data), nl=False)
    elif position is not None:
        click.echo(f"The position at that point:\n{format_board(position)}", err=True)
