"""What the commands on files of solutions have in common."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from dbmsolver.commands.options import DealSource, rules_options
from dbmsolver.deals import Deal
from dbmsolver.errors import InputError
from dbmsolver.rules import Policy, rules_for

if TYPE_CHECKING:
    from dbmsolver.formats.source import Source
    from dbmsolver.solution import Solution

__all__ = ["deal_option", "from_option", "given_deal", "load", "rules_options"]

from_option = click.option(
    "--from",
    "from_format",
    metavar="FORMAT",
    help="Format of the file.  [default: by its content and ending]",
)

deal_option = click.option(
    "--deal",
    metavar="DEAL",
    type=DealSource(),
    help="What the solution starts from, where the file does not say so: a number, or a board.",
)


def given_deal(
    source: str | None, game: str, freecells: int | None, columns: int | None
) -> Deal | None:
    """The deal that --deal and the options of the rules name."""
    return None if source is None else Deal.load(source, rules_for(game, freecells, columns))


def load(
    name: str, from_format: str | None, deal: Deal | None, policy: Policy | None
) -> tuple[Solution, str]:
    """The solution in a file or on standard input, and its format."""
    from dbmsolver import formats

    source = _source(name)
    form = from_format or formats.detect(source)
    return formats.read(source, form, deal, policy), form


def _source(name: str) -> Source:
    from dbmsolver.formats.source import MAX_BYTES, Source

    if name != "-":
        return Source.load(name)
    try:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    except (OSError, ValueError, AttributeError) as error:
        raise InputError(f"cannot be read ({error}), expected a solution", "<stdin>") from None
    return Source.of_bytes(data, "<stdin>")
