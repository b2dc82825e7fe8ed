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

    Without it the first search or survey of a kind of game compiles what all its searches need, and
    the first check what all checks need. What is compiled is kept; it fits this processor and this
    version of dbmsolver.
    """
    from dbmsolver.api.compiling import check_disk, compile_tasks, kernel_folder, tasks_for

    raise_on_signals()
    folder = kernel_folder()
    check_disk(folder)
    tasks = tasks_for([load_rules(game) for game in games] or GAMES.values())
    begun = time.monotonic()
    with progress_for(quiet, log_json=False) as display:
        display.advance("compile", str(tasks[0]), 0, len(tasks), 0.0)
        for done, task in enumerate(compile_tasks(tasks, threads), 1):
            display.advance("compile", str(task), done, len(tasks), time.monotonic() - begun)
    check_disk(folder)  # a kernel that could not be kept is no error of the process that made it
    seconds = human_time(time.monotonic() - begun)
    click.echo(f"Everything is compiled, in {seconds}; kept in {folder}")
    return EXIT_SOLVED
