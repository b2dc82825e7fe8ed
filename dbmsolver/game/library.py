"""Games by name, and games in files: what `--game` means.

The shipped games are known without their files being read. The parser is loaded when a file is.
"""

from __future__ import annotations

from pathlib import Path

from dbmsolver.errors import UsageError
from dbmsolver.game.language.description import Description, place_of
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, unknown_game
from dbmsolver.game.texts import read_path

FILES = Path(__file__).with_name("files")
"""Where the shipped games are, as `NAME.game`."""

ENDING = ".game"
MAX_BYTES = 1 << 20


def load_rules(source: str) -> Rules:
    """The rules of a shipped game, or of the game in a file.

    UsageError for a name that is no game's, InputError for a file that is none, or one that cannot
    be played.
    """
    if source in GAMES:
        return GAMES[source]
    from dbmsolver.game.language.understanding import understand

    game, where = load_description(source)
    name = identifier_of(source)
    return understand(game, name).playable(game.name or name, where)


def load_description(source: str) -> tuple[Description, str]:
    """What the file of a shipped game or another file says, inherited parts included; its name."""
    from dbmsolver.game.language.inheriting import resolved

    path = path_of(source)
    game, where = _read(path)
    return resolved(game, lambda name: _read(_extended(name, game, path))[0]), where


def text_of(name: str) -> str:
    """The text of a shipped game; UsageError for a name that is none's."""
    if name not in GAMES:
        raise unknown_game(name)
    return (FILES / f"{name}{ENDING}").read_text(encoding="utf-8")


def path_of(source: str) -> Path:
    """Where the game is; UsageError for a name that is no game's and cannot be a file's."""
    if source in GAMES:
        return FILES / f"{source}{ENDING}"
    path = Path(source)
    if not looks_like_file(source):
        raise unknown_game(source)
    return path


def looks_like_file(source: str) -> bool:
    """Whether what is no game's name is meant as a file's."""
    return "/" in source or "." in source or Path(source).is_file()


def identifier_of(source: str) -> str:
    """What a game without a name is called: as its file, without the ending."""
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


def _extended(name: str, game: Description, path: Path) -> Path:
    """The file that `Extends` names: a shipped game, or a file beside this one."""
    if name in GAMES:
        return FILES / f"{name}{ENDING}"
    if not looks_like_file(name):
        at = place_of(game.extends)
        error = unknown_game(name)
        raise UsageError(error.message, str(at) if at else None)
    return path.parent / name
