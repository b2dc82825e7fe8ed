"""`convert`: a solution in one format becomes one in another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from dbmsolver.cli.output import check_output, write_text
from dbmsolver.cli.solutions import from_option, given_options, load
from dbmsolver.cli.values import FormatName
from dbmsolver.errors import InputError, UsageError, any_of
from dbmsolver.game.automoves import AUTOMOVES, Automove
from dbmsolver.game.kinds import Policy
from dbmsolver.notation.format_names import FORMATS, format_of_name

if TYPE_CHECKING:
    from dbmsolver.notation.formats.given import Given


@click.command("convert")
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(dir_okay=False, allow_dash=True))
@from_option
@click.option(
    "--to",
    "to_format",
    metavar="FORMAT",
    type=FormatName(FORMATS),
    help=f"Format of OUT: {any_of(tuple(FORMATS))}.  [default: by its ending]",
)
@given_options
@click.option(
    "--automove",
    "policy",
    type=click.Choice(AUTOMOVES),
    help="The moves to the foundations that a text in Standard FreeCell Notation leaves out. "
    "horne and wkr are about OUT if it is such a text, otherwise about IN; max (all that are "
    "possible) and none are about IN.  [default: horne for OUT, found by trying for IN]",
)
@click.option(
    "--runs",
    is_flag=True,
    help="Write runs of cards as one move, and with every move the card it is put on and the "
    "position before it, as far as the format of OUT has them.",
)
def convert_command(
    source: str,
    target: str,
    from_format: str | None,
    to_format: str | None,
    policy: Automove | None,
    runs: bool,
    given: Given,
) -> None:
    """Convert the solution in the file IN to another format, in the file OUT.

    Formats: universal-json (.json), universal-xml (.xml), sfn (.sfn, Standard FreeCell Notation),
    moves (.moves), short (.short) and html (.html). The answers of solve, text and json, can be
    read, too. IN and OUT can be - for standard input and output. Every move is checked.
    """
    from dbmsolver.notation import formats
    from dbmsolver.notation.solution import what_is_left

    name = to_format or format_of_name(target)
    if name is None:
        expected = ", ".join(FORMATS)
        raise UsageError(f"no format known for {target}, expected --to, one of {expected}")
    formats.check_writable(name, runs)
    check_output(target)
    written: Policy = "horne"
    if name == "sfn" and (policy == "horne" or policy == "wkr"):
        written = policy
    else:
        given = replace(given, policy=policy)
    solution = load(source, from_format, given)[0]
    solution.check(solved=False)
    text = formats.write(solution, name, written, runs)
    write_text(text, target)
    if not solution.final.is_goal():
        left = what_is_left(solution.final)
        raise InputError(f"written, but not solved: {left}", source)
