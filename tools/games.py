"""Write the index of the shipped games anew, from their files: `python tools/games.py`.

The program knows its games by the index, so it need not parse their files whenever it starts.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dbmsolver.errors import InputError
from dbmsolver.game.language.description import Description
from dbmsolver.game.language.inheriting import resolved
from dbmsolver.game.language.reading import parse
from dbmsolver.game.language.understanding import understand
from dbmsolver.game.library import ENDING, FILES
from dbmsolver.game.shipped import rules_fields

INDEX = FILES / "index.json"
NUMBERS = "PySolFC and pysol-cards", "PySolFC", "dbmsolver"
"""The programs that deals can have their numbers from; by this text tests choose comparisons."""
MOST_DESCRIPTION = 72
"""The longest description, in characters: it stands in one line, after a name."""


def _read(path: Path) -> Description:
    return parse(path.read_text(encoding="utf-8"), path.name)


def _extended(game: Description) -> tuple[Description, Path]:
    path = FILES / f"{game.extends}{ENDING}"
    return _read(path), path


def index() -> str:
    """Return the index as it must be.

    InputError names a file that is not playable, is misnamed, or lacks a line of the header.
    """
    entries = {}
    for path in sorted(FILES.glob(f"*{ENDING}")):
        game = resolved(_read(path), path, _extended)
        rules = rules_fields(understand(game, path.stem).playable(path.stem, path.name))
        name, header = rules.pop("name"), game.header
        if not (header and header.name and header.description and header.numbers):
            raise InputError("expected Name, Description and Numbers in the Header", path.name)
        if header.numbers not in NUMBERS:
            text = f"Numbers {header.numbers!r}, expected one of {', '.join(map(repr, NUMBERS))}"
            raise InputError(text, path.name)
        if name != path.stem:
            text = f"it has the Name of {name}, expected it in {name}{ENDING}"
            raise InputError(text, path.name)
        if len(header.description) > MOST_DESCRIPTION:
            text = f"a Description of {len(header.description)} characters"
            raise InputError(f"{text}, expected {MOST_DESCRIPTION} at most", path.name)
        entries[name] = {
            "title": header.name,
            "description": header.description,
            "numbers": header.numbers,
            "rules": rules,
        }
    names = sorted(entries, key=lambda name: (name != "freecell", name))
    lines = [f"  {json.dumps(name)}: {json.dumps(entries[name])}" for name in names]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    try:
        text = index()
    except InputError as error:
        sys.exit(f"games.py: {error}")
    INDEX.write_text(text, encoding="utf-8")
    print(f"{INDEX.name}: {len(json.loads(text))} games")
