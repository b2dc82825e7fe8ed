"""Games by name and games in files, as the option `--game` gives them.

The shipped games are known without their files being read. The parser is loaded when a file is.
"""

from __future__ import annotations

import os
from pathlib import Path

from dbmsolver.arguments import checked_instance
from dbmsolver.errors import InputError, quoted
from dbmsolver.game.language.description import Description, place_of
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, game_name, unknown_game
from dbmsolver.game.texts import read_path

FILES = Path(__file__).with_name("files")
"""The folder of the shipped games, each in a file `NAME.game`."""

ENDING = ".game"
MAX_BYTES = 1 << 20


def load_rules(source: str | Path) -> Rules:
    """Return the rules of a shipped game, or of the game in a file.

    UsageError for a name that is no game's, InputError for a file that is none, or one that cannot
    be played.
    """
    source = str(checked_instance("source", source, str | Path))
    if (known := game_name(source)) is not None:
        return GAMES[known]
    from dbmsolver.game.language.understanding import understand

    game, where = load_description(source)
    name = identifier_of(source)
    return understand(game, name).playable(game.name or name, where)


def load_description(source: str) -> tuple[Description, str]:
    """Return the description of a shipped game or of a game in a file, and the file's name.

    Inherited parts are included.
    """
    from dbmsolver.game.language.inheriting import resolved

    path = path_of(source)
    game, where = _read(path)

    def load(one: Description) -> tuple[Description, str]:
        other = _extended(one, path)
        return _read(other)[0], os.path.realpath(other)

    return resolved(game, os.path.realpath(path), load), where


def text_of(name: str) -> str:
    """Return the text of a shipped game; UsageError for a name that is no shipped game's."""
    known = game_name(name)
    if known is None:
        raise unknown_game(name)
    return (FILES / f"{known}{ENDING}").read_text(encoding="utf-8")


def path_of(source: str) -> Path:
    """Return the path of a game's file.

    UsageError for a name that is no game's and cannot be a file's.
    """
    if (known := game_name(source)) is not None:
        return FILES / f"{known}{ENDING}"
    path = Path(source)
    if not looks_like_file(source):
        raise unknown_game(source)
    return path


def looks_like_file(source: str) -> bool:
    """Return True if a text that is no game's name is meant as a file's."""
    # A directory is told as such where it is read.
    return "/" in source or "." in source or _is_file(source) or _is_folder(source)


def _is_file(path: str) -> bool:
    """Return True if a file exists; False for a name that no file can have."""
    return os.path.isfile(path)  # noqa: PTH113  # which raises no error


def _is_folder(path: str) -> bool:
    """Return True if a directory exists; False for a name that no directory can have."""
    return os.path.isdir(path)  # noqa: PTH112  # which raises no error


def identifier_of(source: str) -> str:
    """Return the name of a game that has none in its file: the file's, without the ending."""
    from dbmsolver.game.language.understanding import identifier

    return identifier(Path(source).stem) or "game"


def _read(path: Path) -> tuple[Description, str]:
    from dbmsolver.game.language.json_games import parse_json
    from dbmsolver.game.language.json_rules import is_json
    from dbmsolver.game.language.reading import parse

    text, where = read_path(str(path), "a game", MAX_BYTES)
    if path.parent == FILES:
        where = path.name
    return (parse_json if is_json(text) else parse)(text, where), where


def _extended(game: Description, path: Path) -> Path:
    """Return the file that `Extends` names in a game that was read from a path.

    It is that of a shipped game, or lies beside the path's, links being followed. Whoever plays a
    game does not ask for any other file to be read. InputError for another name.
    """
    name = str(game.extends)
    if (known := game_name(name)) is not None:
        return FILES / f"{known}{ENDING}"
    at = place_of(game.extends)
    where = str(at) if at else None
    folder = os.path.dirname(os.path.realpath(path))  # noqa: PTH120  # of a link in a circle, too
    if "\0" not in name:
        there = os.path.realpath(os.path.join(folder, name))  # noqa: PTH118  # as for the folder
        if os.path.dirname(there) != folder:  # noqa: PTH120
            said = f"Extends {quoted(name)} names no file beside this one"
            raise InputError(f"{said}, expected one, or a game that `games` lists", where)
        if looks_like_file(name) or _is_file(there):
            if not os.path.exists(there):  # noqa: PTH110  # as for the folder
                said = f"Extends {quoted(name)}: no such file"
                raise InputError(f"{said}, expected a game", where)
            beside = path.parent / name
            return beside if os.path.realpath(beside) == there else Path(there)
    raise InputError(unknown_game(name).message, where)
