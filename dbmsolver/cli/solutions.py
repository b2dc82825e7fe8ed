"""The parts common to the commands on files of solutions."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from dbmsolver.cli.options import (
    freecells_option,
    gathered,
    numbers_option,
    rows_option,
    shape_options,
)
from dbmsolver.cli.streams import MessageStream
from dbmsolver.cli.values import DealSource, FormatName, GameSource
from dbmsolver.errors import InputError, UsageError, any_of
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.kinds import Build, Fill
from dbmsolver.game.library import load_rules
from dbmsolver.game.numbers import Numbers
from dbmsolver.game.titles import title
from dbmsolver.notation.format_names import READABLE

if TYPE_CHECKING:
    from dbmsolver.notation.formats.given import Given, Lengths, Parting
    from dbmsolver.notation.formats.source import Source
    from dbmsolver.notation.solution import Solution

from_option = click.option(
    "--from",
    "from_format",
    metavar="FORMAT",
    type=FormatName(READABLE),
    help=f"Format of the file: {any_of(READABLE)}.  [default: by its content and ending]",
)

left_out_option = click.option(
    "--automove",
    "policy",
    type=click.Choice(AUTOMOVES),
    help="The moves to the foundations that a text in Standard FreeCell Notation leaves out: safe "
    "ones (horne, wkr), or all that are possible (max).  [default: found by trying]",
)


def _given(
    deal: str | None,
    game: str | None,
    freecells: int | None,
    columns: int | None,
    build: Build | None,
    fill: Fill | None,
    lengths: Lengths | None,
    numbers: Numbers,
    rows: bool,
) -> Given:
    from dbmsolver.notation.formats.given import Given

    rules = None if game is None else load_rules(game)
    return Given(rules, freecells, columns, build, fill, deal, None, lengths, _ask, numbers, rows)


_SAID = ".  [default: what the file says, or the game's]"

given_options = gathered(
    "given",
    _given,
    click.option(
        "--deal",
        metavar="DEAL",
        type=DealSource(),
        help="What the solution starts from: a number, or a board.  [default: what the file says]",
    ),
    click.option(
        "--game",
        metavar="GAME",
        type=GameSource(),
        help="The game, or a file with its rules.  [default: what the file says, or freecell]",
    ),
    freecells_option(_SAID),
    *shape_options(_SAID),
    click.option(
        "--lengths",
        type=click.Choice(["longest", "shortest", "ask"]),
        help="How many cards go to an empty column where a text in Standard FreeCell Notation "
        "can mean several numbers that all solve the deal.",
    ),
    numbers_option,
    rows_option,
)
"""Options for facts that are known beside the file, as `given`."""


def load(
    name: str | Source, from_format: str | None, given: Given, one_of_several: bool = False
) -> tuple[Solution, str]:
    """Return the solution in a file, on standard input (`-`) or in a text, and its format.

    Prints the choices that its reader made, after the deal's name for one of several solutions.
    """
    from dbmsolver.notation import formats

    source = read_source(name, given) if isinstance(name, str) else name
    form = from_format or formats.detect(source, given)
    solution = formats.read(source, form, given)
    whose = f"{title(solution.deal)}: " if one_of_several else ""
    for note in solution.notes:
        print(f"dbmsolver: {whose}{note}", file=MessageStream(sys.stderr), flush=True)
    return solution, form


def read_source(name: str, given: Given) -> Source:
    """Return the text in a file, or on standard input for `-`.

    Raises UsageError if something else comes from standard input, too.
    """
    if name == "-" and (given.deal == "-" or given.lengths == "ask"):
        other = "--deal" if given.deal == "-" else "the answers to --lengths ask"
        raise UsageError(f"the solution and {other} both come from standard input, expected one")
    return _source(name)


def _ask(parting: Parting) -> int:
    """Return one of the lengths of a move, chosen on the terminal."""
    while True:
        click.echo(f"{parting}? ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            raise UsageError(f"no answer for {parting}, expected one of these numbers")
        if line.strip() in map(str, parting.counts):
            return int(line)


def _source(name: str) -> Source:
    from dbmsolver.notation.formats.source import MAX_BYTES, Source

    if name != "-":
        return Source.load(name)
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"cannot be read ({error}), expected a solution", "<stdin>") from None
    return Source.of_bytes(data, "<stdin>")
