"""`play`: a board to play on and to ask, in the browser."""

from __future__ import annotations

import random
import threading
from functools import partial
from importlib.util import find_spec

import click

from dbmsolver.cli.options import DealForm, deal_form_options, rules_options
from dbmsolver.cli.output import check_output
from dbmsolver.cli.values import DURATION, DealCommand, DealSource, Parsed, Whole, parse_memory
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.titles import title
from dbmsolver.signals import raise_on_signals

PARTS = ("starlette", "uvicorn")
LEAST_MEMORY = 512 << 20
"""The least that --memory can be: compiling a few kernels takes some 300 MiB."""


@click.command("play", cls=DealCommand)
@click.argument("source", metavar="[DEAL]", type=DealSource(), required=False)
@deal_form_options
@rules_options
@click.option(
    "--port",
    type=Whole(0, 65535),
    help="The port; 0 for any.  [default: 5252, or any if that is in use]",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="The address to listen on. Another one than this opens the server to others who know its "
    "secret.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--memory",
    type=Parsed("size", partial(parse_memory, least=LEAST_MEMORY)),
    default="1G",
    show_default=True,
    help="Memory of all searches together, from 512M on.",
)
@click.option(
    "--max-time",
    type=DURATION,
    default="60",
    show_default=True,
    help="How long one position is searched: 90 (seconds), 10m.",
)
def play_command(
    source: str | None,
    deal_form: DealForm,
    rules: Rules,
    port: int | None,
    host: str,
    no_browser: bool,
    memory: int,
    max_time: float,
) -> None:
    """Play DEAL in the browser: a board to play on and to ask.

    While one looks at a position, it is searched: whether it can be won, how far it is, and what
    each legal move is worth. Without DEAL it is one by chance; the page deals others. Nobody else
    can open the page: its address has a secret. Ctrl-C ends it.

    DEAL is a number, the path of a board, or - for a board on standard input.
    """
    if not all(map(find_spec, PARTS)):
        raise UsageError("play needs starlette and uvicorn: pip install 'dbmsolver[play]'")
    check_output(None)
    from dbmsolver.play.table import check_played

    check_played(rules)
    deal = _deal(source, deal_form, rules)
    from dbmsolver.notation.addresses import deal_name
    from dbmsolver.play.serving import Serving, serve

    def opened(address: str) -> None:
        click.echo(f"{title(deal)}: Ctrl-C ends it\n{address}")
        if not no_browser:
            import webbrowser

            # Some browsers do not return before they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    raise_on_signals()  # the server ends its searches first
    serve(Serving(host, port, memory, max_time), {"deal": deal_name(deal)}, opened)


def _deal(source: str | None, deal_form: DealForm, rules: Rules) -> Deal:
    if source is not None:
        return deal_form.load(source, rules)
    if deal_form.rows or deal_form.numbers != "microsoft":
        said = "--rows" if deal_form.rows else f"--numbers {deal_form.numbers}"
        raise UsageError(f"{said} says nothing without DEAL")
    return Deal.from_number(random.randint(1, 2**31 - 1), rules)
