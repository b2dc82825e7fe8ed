"""`compile`: the kernels of all commands, compiled at once."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import click

from dbmsolver.cli.compiling import compile_works, works_for
from dbmsolver.cli.options import quiet_option, threads_option
from dbmsolver.cli.progress import progress_for
from dbmsolver.cli.render import human_time
from dbmsolver.cli.values import GameSource
from dbmsolver.errors import EXIT_SOLVED, SystemRefusedError
from dbmsolver.game.library import load_rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.cache import choose_cache
from dbmsolver.signals import raise_on_signals

_LARGEST_KERNEL = 1 << 20
"""Bytes that no file of a kernel exceeds."""


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
    raise_on_signals()
    choose_cache()
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder is None:
        raise SystemRefusedError("there is no folder to keep kernels in: set XDG_CACHE_HOME")
    _check_room(folder)
    works = works_for([load_rules(game) for game in games] or GAMES.values())
    begun = time.monotonic()
    with progress_for(quiet, log_json=False) as display:
        display.advance("compile", str(works[0]), 0, len(works), 0.0)
        for done, work in enumerate(compile_works(works, threads), 1):
            display.advance("compile", str(work), done, len(works), time.monotonic() - begun)
    _check_room(folder)  # a kernel that could not be kept is no error of the process that made it
    seconds = human_time(time.monotonic() - begun)
    click.echo(f"Everything is compiled, in {seconds}; kept in {folder}")
    return EXIT_SOLVED


def _check_room(folder: str) -> None:
    """Raise SystemRefusedError if the folder has no room for another kernel."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_LARGEST_KERNEL))
            file.flush()
    except OSError as error:
        raise SystemRefusedError(f"kernels cannot be kept in {folder}: {error.strerror}") from None
