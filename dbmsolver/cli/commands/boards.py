"""`deal`, `board`, `key` and `unkey`: boards, and what identifies them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dbmsolver.cli.json_data import board_data, deal_data, dump_json, rules_data
from dbmsolver.cli.options import (
    DealForm,
    automove_option,
    check_automove,
    deal_argument,
    deal_form_options,
    gathered,
    json_option,
    output_option,
    rows_option,
    rules_options,
)
from dbmsolver.cli.output import check_output, refuse_ending, write_text
from dbmsolver.cli.render import board_text
from dbmsolver.cli.solutions import from_option, given_options, left_out_option, load
from dbmsolver.cli.values import DealCommand, DealSource, Whole
from dbmsolver.errors import InputError, UsageError, quoted
from dbmsolver.game.automoves import Automove
from dbmsolver.game.boards import shown_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.titles import title

if TYPE_CHECKING:
    from dbmsolver.notation.formats.given import Given


@dataclass(frozen=True, slots=True)
class BoardForm:
    """The form of a board, text or picture, and the file that it is written to."""

    as_picture: bool
    as_json: bool
    output: str | None

    def write(
        self, position: Position, rules: Rules, name: str, data: Callable[[], dict[str, Any]]
    ) -> None:
        """Write a board: as text, as a picture with a title, or as JSON with `data`."""
        ending = Path(self.output or "").suffix.lower()
        if self.as_picture and self.as_json:
            raise UsageError("--svg and --json, expected one of them")
        if self.as_json or (ending == ".json" and not self.as_picture):
            text = dump_json(data())
        elif self.as_picture or ending == ".svg":
            from dbmsolver.api.solutions import draw_board

            text = draw_board(position, name, rules)
        else:
            refuse_ending(self.output, "boards", "expected .txt, .json or .svg")
            text = board_text(position, rules)
        write_text(text, self.output)


_board_options = gathered(
    "form",
    BoardForm,
    click.option("--svg", "as_picture", is_flag=True, help="Draw the board instead, as SVG."),
    json_option,
    output_option("Where to write; a name that ends in .svg gets a picture, in .json JSON."),
)


@click.command("deal", cls=DealCommand)
@deal_argument
@deal_form_options
@rules_options
@_board_options
def deal_command(source: str, deal_form: DealForm, rules: Rules, form: BoardForm) -> None:
    """Print the board of DEAL: a line for each column, the deepest card first.

    The output can be given back as a DEAL, as text and as JSON. With --svg, or -o deal.svg, it
    is a picture.
    """
    deal = deal_form.load(source, rules)
    check_output(form.output)
    form.write(
        deal.position,
        deal.rules,
        title(deal),
        lambda: {"kind": "dealt", "deal": deal_data(deal), "rules": rules_data(deal.rules)},
    )


@click.command("board")
@click.argument("file", metavar="SOLUTION", type=click.Path(allow_dash=True))
@click.option(
    "--after",
    type=Whole(0),
    metavar="N",
    help="The position after N of the moves that check counts: those of the file, and forced ones "
    "that have no number there, or are left out; 0 is the deal.  [default: after all of them]",
)
@_board_options
@from_option
@given_options
@left_out_option
def board_command(
    file: str,
    after: int | None,
    form: BoardForm,
    from_format: str | None,
    given: Given,
    policy: Automove | None,
) -> None:
    """Print the position after some moves of the solution in the file SOLUTION, in any format.

    The output can be given back as a DEAL, as text and as JSON. With --svg, or -o board.svg,
    it is a picture. Every move up to there is checked.
    """
    check_output(form.output)
    solution, _ = load(file, from_format, replace(given, policy=policy))
    moves = len(solution.steps)
    after = moves if after is None else after
    if after > moves:
        text = f"--after {after}, expected a number from 0 to {moves}, the moves of the solution"
        raise UsageError(text, file)
    reached = [solution.initial, *(end for _, _, end in islice(solution.replay(), after))]
    form.write(
        reached[-1],
        solution.rules,
        f"{title(solution.deal)}, after {after} of {moves} moves",
        lambda: {
            "kind": "position",
            "deal": deal_data(solution.deal),
            "rules": rules_data(solution.rules),
            "after": len(reached) - 1,
            "length": moves,
            "board": board_data(reached[-1]),
        },
    )


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
@rows_option
@_key_automove_option
@json_option
def key_command(
    source: str,
    origin: str | None,
    rules: Rules,
    rows: bool,
    policy: Policy,
    as_json: bool,
) -> None:
    """Print the key of BOARD: one big integer.

    A key says how a position differs from the deal that it was reached from. The order of columns
    and of freecells makes no difference to it.
    """
    check_automove(rules, policy)
    if source == origin == "-":
        raise UsageError("BOARD and --deal are both -, expected one of them on standard input")
    board = Deal.load(source, rules, rows=rows)
    deal = board if origin is None else Deal.load(origin, rules)
    from dbmsolver.api.keys import key_of

    try:
        key = str(key_of(deal, policy, board.position))
    except InputError as error:
        where = error.where or ("<stdin>" if source == "-" else source)
        said = f"{error.message}, expected a position of {origin}"
        raise InputError(said if origin is not None else error.message, where) from None
    if as_json:
        data = {
            "kind": "key",
            "deal": deal_data(deal),
            "rules": rules_data(rules),
            "automove": policy,
            "board": board_data(board.position),
            "key": key,
        }
        click.echo(dump_json(data), nl=False)
        return
    click.echo(key)


@click.command("unkey", cls=DealCommand)
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
    rules: Rules,
    policy: Policy,
) -> None:
    """Print the position that has this KEY in the search of a deal.

    Columns may stand in another order than where the key was made: the key does not hold it.
    """
    if not re.fullmatch(r"[0-9]{1,200}", number):
        raise InputError("expected a key: one integer, not negative", f"key {quoted(number)}")
    check_automove(rules, policy)
    deal = Deal.load(origin, rules)
    from dbmsolver.api.keys import position_of

    click.echo(shown_board(position_of(deal, policy, int(number)), rules), nl=False)
