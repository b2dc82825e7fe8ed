"""`convert`: a solution in one format becomes one in another."""

from __future__ import annotations

import click

from dbmsolver.commands.answers import write_text
from dbmsolver.commands.options import automove_option
from dbmsolver.commands.solutions import (
    deal_option,
    from_option,
    given_deal,
    load,
    rules_options,
)
from dbmsolver.errors import InputError, UsageError
from dbmsolver.rules import Policy


@click.command("convert")
@click.argument("source", metavar="IN", type=click.Path(dir_okay=False, allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False, allow_dash=True))
@from_option
@click.option(
    "--to",
    "to_format",
    metavar="FORMAT",
    help="Format of OUT.  [default: by its ending]",
)
@deal_option
@automove_option(
    "The safe moves to the foundations that a text in Standard FreeCell Notation leaves out: wkr "
    "or horne.",
    "horne",
)
@rules_options
def convert_command(
    source: str,
    target: str,
    from_format: str | None,
    to_format: str | None,
    deal: str | None,
    policy: Policy,
    game: str,
    freecells: int | None,
    columns: int | None,
) -> None:
    """Convert the solution in the file IN to another format, in the file OUT.

    Formats: universal-json (.json), universal-xml (.xml), sfn (.sfn, Standard FreeCell Notation),
    moves (.moves), short (.short) and html (.html). The answers of solve, text and json, can be
    read, too. IN and OUT can be - for standard input and output. Every move is checked.
    """
    from dbmsolver import formats

    name = to_format or formats.format_of_name(target)
    if name is None:
        expected = ", ".join(formats.FORMATS)
        raise UsageError(f"no format known for {target}, expected --to, one of {expected}")
    formats.check_writable(name)
    solution = load(source, from_format, given_deal(deal, game, freecells, columns), None)[0]
    solution.check(solved=False)
    text = formats.write(solution, name, policy)
    write_text(text, target)
    if not solution.final.is_goal():
        left = 52 - sum(solution.final.foundations)
        raise InputError(f"written, but not solved: {left} cards are not home", source)
