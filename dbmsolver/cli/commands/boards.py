"""`deal`, `games`, `key` and `unkey`: boards, and what identifies them."""

from __future__ import annotations

import re
import textwrap

import click

from dbmsolver.cli.answers import check_output, write_text
from dbmsolver.cli.options import (
    DealCommand,
    DealSource,
    automove_option,
    deal_argument,
    json_option,
    rules_options,
)
from dbmsolver.cli.render import dump_json, rules_data
from dbmsolver.errors import InputError, UsageError, quoted
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal, dealing
from dbmsolver.game.rules import GAMES, Policy, rules_for
from dbmsolver.game.titles import title


@click.command("deal", cls=DealCommand)
@deal_argument
@rules_options
@click.option("--svg", "as_picture", is_flag=True, help="Draw the board instead, as SVG.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="Where to write; a name that ends in .svg gets a picture.  [default: standard output]",
)
def deal_command(
    source: str,
    game: str,
    freecells: int | None,
    columns: int | None,
    as_picture: bool,
    output: str | None,
) -> None:
    """Print the board of DEAL: a line for each column, the deepest card first.

    What is printed can be given back as a DEAL. With --svg, or -o deal.svg, it is a picture.
    """
    rules = rules_for(game, freecells, columns)
    deal = Deal.load(source, rules)
    check_output(output)
    if as_picture or (output or "").lower().endswith(".svg"):
        from dbmsolver.notation.pictures.board import draw_board

        write_text(draw_board(deal.position, title(deal)), output)
    else:
        write_text(format_board(deal.position), output)


@click.command("games")
@json_option
def games_command(as_json: bool) -> None:
    """List the games, with their rules and how a number is dealt."""
    if as_json:
        games = [{**rules_data(rules), "dealing": dealing(rules)} for rules in GAMES.values()]
        click.echo(dump_json({"kind": "games", "games": games}), nl=False)
        return
    for index, (name, rules) in enumerate(GAMES.items()):
        click.echo(f"\n{name}" if index else name)
        for text in (rules.describe(), f"dealt: {dealing(rules)}"):
            click.echo(textwrap.fill(text, 80, initial_indent="    ", subsequent_indent="    "))


_key_automove_option = automove_option(
    "The safe moves to the foundations that the search of the key makes at once; keys are the same "
    "for wkr and horne.",
    "wkr",
)


@click.command("key", cls=DealCommand)
@click.argument("source", metavar="BOARD", type=DealSource())
@click.option(
    "--deal",
    "origin",
    metavar="DEAL",
    type=DealSource(),
    help="The deal whose search the key belongs to.  [default: the board itself]",
)
@rules_options
@_key_automove_option
def key_command(
    source: str,
    origin: str | None,
    game: str,
    freecells: int | None,
    columns: int | None,
    policy: Policy,
) -> None:
    """Print the key of BOARD: one big integer.

    A key says how a position differs from the deal that it was reached from. The order of columns
    and of freecells makes no difference to it.
    """
    rules = rules_for(game, freecells, columns)
    if source == origin == "-":
        raise UsageError("BOARD and --deal are both -, expected one of them on standard input")
    board = Deal.load(source, rules)
    deal = board if origin is None else Deal.load(origin, rules)
    from dbmsolver.state import StateCodec

    click.echo(str(StateCodec(deal, policy).encode(board.position)))


@click.command("unkey")
@click.argument("number", metavar="KEY")
@click.option(
    "--deal",
    "origin",
    metavar="DEAL",
    type=DealSource(),
    required=True,
    help="The deal whose search the key belongs to.",
)
@rules_options
@_key_automove_option
def unkey_command(
    number: str,
    origin: str,
    game: str,
    freecells: int | None,
    columns: int | None,
    policy: Policy,
) -> None:
    """Print the position that has this KEY in the search of a deal.

    Columns may stand in another order than where the key was made: the key does not hold it.
    """
    if not re.fullmatch(r"[0-9]{1,200}", number):
        raise InputError("expected a key: one integer, not negative", f"key {quoted(number)}")
    rules = rules_for(game, freecells, columns)
    deal = Deal.load(origin, rules)
    from dbmsolver.state import StateCodec

    click.echo(format_board(StateCodec(deal, policy).decode(int(number))), nl=False)
