"""`check`: whether a file of moves is a solution."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from dbmsolver.cli.options import json_option
from dbmsolver.cli.render import board_data, counted, deal_data, dump_json, rules_data
from dbmsolver.cli.solutions import from_option, given_options, left_out_option, load
from dbmsolver.errors import DbmError
from dbmsolver.game.boards import format_board
from dbmsolver.game.position import Position
from dbmsolver.game.titles import title
from dbmsolver.notation.supermoves import Automove

if TYPE_CHECKING:
    from dbmsolver.notation.formats.given import Given


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

    If not, the first bad move is named, with its line and column and the position before it, and
    the exit code is 3.
    """
    try:
        solution, form = load(file, from_format, replace(given, policy=policy))
        solution.check()
    except DbmError as error:
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
        raise
    from dbmsolver.notation.explicit import lengths

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
        click.echo(dump_json(data), nl=False)
        return
    name = title(solution.deal)
    click.echo(f"{name}: legal and winning, {counted(moves, 'move', 'moves')} ({form})")
    for name, length in found.items():
        click.echo(f"{name + ':':<16}{length}")
