"""`compile`: the kernels of all commands, compiled at once."""

from __future__ import annotations

import time

import click

from dbmsolver.cli.options import quiet_option, threads_option
from dbmsolver.cli.progress import progress_for
from dbmsolver.cli.render import human_time
from dbmsolver.cli.values import GameSource
from dbmsolver.errors import EXIT_SOLVED
from dbmsolver.game.library import load_rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.signals import raise_on_signals


@click.command("compile")
@click.option(
    "--game",
    "games",
    metavar="GAME",
    type=GameSource(),
    multiple=True,
    help="A game that `games` lists, or a file with its rules; may be given several times.  "
    "[default: all games]",
)
@threads_option
@quiet_option
def compile_command(games: tuple[str, ...], threads: int | None, quiet: bool) -> int:
    """Compile all kernels for this machine, so that no other command has to.

    Without it each command compiles what it needs first, once. What is compiled is kept; it fits
    this processor and this version of dbmsolver.
    """
    from dbmsolver.api.compiling import check_room, compile_works, kernel_folder, works_for

    raise_on_signals()
    folder = kernel_folder()
    check_room(folder)
    works = works_for([load_rules(game) for game in games] or GAMES.values())
    begun = time.monotonic()
    with progress_for(quiet, log_json=False) as display:
        display.advance("compile", str(works[0]), 0, len(works), 0.0)
        for done, work in enumerate(compile_works(works, threads), 1):
            display.advance("compile", str(work), done, len(works), time.monotonic() - begun)
    check_room(folder)  # a kernel that could not be kept is no error of the process that made it
    seconds = human_time(time.monotonic() - begun)
    click.echo(f"Everything is compiled, in {seconds}; kept in {folder}")
    return EXIT_SOLVED
