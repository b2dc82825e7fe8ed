"""`check`: whether a file of moves is a solution."""

from __future__ import annotations

import click

from dbmsolver.boards import format_board
from dbmsolver.commands.options import automove_option, json_option
from dbmsolver.commands.solutions import (
    deal_option,
    from_option,
    given_deal,
    load,
    rules_options,
)
from dbmsolver.errors import DbmError
from dbmsolver.output import counted, dump_json, rules_data
from dbmsolver.rules import Policy
from dbmsolver.titles import title


@click.command("check")
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, allow_dash=True))
@from_option
@deal_option
@automove_option(
    "The safe moves to the foundations that a text in Standard FreeCell Notation leaves out.  "
    "[default: found by trying]",
    None,
)
@click.option("--metric", "metrics", is_flag=True, help="The length of it in every metric, too.")
@json_option
@rules_options
def check_command(
    file: str,
    from_format: str | None,
    deal: str | None,
    policy: Policy | None,
    metrics: bool,
    as_json: bool,
    game: str,
    freecells: int | None,
    columns: int | None,
) -> None:
    """Replay the solution in FILE, in any format, and say whether it is legal and wins.

    If not, the first bad move is named, with its line and column and the position before it, and
    the exit code is 3.
    """
    try:
        solution, form = load(file, from_format, given_deal(deal, game, freecells, columns), policy)
        solution.check()
    except DbmError as error:
        if as_json:
            data = {"solved": False, "error": error.message, "where": error.where}
            click.echo(dump_json(data), nl=False)
        elif (position := getattr(error, "position", None)) is not None:
            click.echo(f"The position at that point:\n{format_board(position)}", err=True)
        raise
    from dbmsolver.explicit import lengths

    found = lengths(solution) if metrics else {}
    moves = len(solution.steps)
    if as_json:
        rules = solution.rules
        data = {
            "solved": True,
            "format": form,
            "deal": solution.deal.name,
            "game": rules.name,
            "rules": rules_data(rules),
            "moves": moves,
            "lengths": found,
        }
        click.echo(dump_json(data), nl=False)
        return
    name = title(solution.deal)
    click.echo(f"{name}: legal and winning, {counted(moves, 'move', 'moves')} ({form})")
    for name, length in found.items():
        click.echo(f"{name + ':':<16}{length}")
