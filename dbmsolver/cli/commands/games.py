"""`games`: the games that come with the program, and files that describe others."""

from __future__ import annotations

import textwrap

import click

from dbmsolver.cli.json_data import dump_json, rules_data
from dbmsolver.cli.options import json_option
from dbmsolver.cli.values import GameSource
from dbmsolver.errors import EXIT_INPUT, UsageError, quoted
from dbmsolver.game.deals import dealing
from dbmsolver.game.library import (
    identifier_of,
    load_description,
    looks_like_file,
    path_of,
    text_of,
)
from dbmsolver.game.shipped import SHIPPED, game_name


@click.command("games")
@click.argument("name", metavar="[NAME]", required=False, type=GameSource())
@click.option(
    "--check",
    "file",
    metavar="FILE",
    type=GameSource(),
    help="Say in plain words what the game in FILE was understood to be, or where it is wrong.",
)
@json_option
def games_command(name: str | None, file: str | None, as_json: bool) -> int:
    """List the games, a line each, or print the file of the game NAME.

    A file of your own is checked with --check FILE, and played with --game FILE. docs/games.md
    describes its language. Rules as JSON, as other solvers read them, are understood, too.

    Exit codes of --check: 0 the game can be played, 3 it cannot, or the file is wrong.
    """
    if sum((name is not None, file is not None, as_json)) > 1:
        raise UsageError("expected only one of NAME, --check and --json")
    if file is not None:
        return _check(file)
    if name is not None:
        if game_name(name) is None and looks_like_file(name):
            said = f"{quoted(name)} is no name of a game, expected one that `games` lists"
            raise UsageError(f"{said}, or --check before a file")
        click.echo(text_of(name), nl=False)
    elif as_json:
        click.echo(
            dump_json({"kind": "games", "games": [_data(name) for name in SHIPPED]}), nl=False
        )
    else:
        width = max(map(len, SHIPPED)) + 2
        for each, game in SHIPPED.items():
            click.echo(f"{each:<{width}}{game.description}")
    return 0


def _data(name: str) -> dict[str, object]:
    game = SHIPPED[name]
    return {
        **rules_data(game.rules),
        "title": game.title,
        "description": game.description,
        "dealing": dealing(game.rules),
    }


def _check(file: str) -> int:
    """Print how a game was understood; return the exit code."""
    path_of(file)
    from dbmsolver.game.language.explaining import explain
    from dbmsolver.game.language.understanding import understand

    game, where = load_description(file)
    understood = understand(game, identifier_of(file))
    click.echo(f"{game.name or identifier_of(file)} ({where})")
    for name, text in explain(game, understood):
        head = f"{name + ':' if name else '':<12}"
        click.echo(textwrap.fill(text, 100, initial_indent=head, subsequent_indent=" " * 14))
    if understood.rules is None:
        return EXIT_INPUT
    head = f"{'Numbers:':<12}"
    click.echo(
        textwrap.fill(
            dealing(understood.rules), 100, initial_indent=head, subsequent_indent=" " * 14
        )
    )
    return 0
