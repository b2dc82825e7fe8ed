"""The names of the formats of solutions, for commands that only name them, and load none."""

from __future__ import annotations

from pathlib import Path

FORMATS: dict[str, str] = {
    "universal-json": ".json",
    "universal-xml": ".xml",
    "sfn": ".sfn",
    "moves": ".moves",
    "short": ".short",
    "html": ".html",
}
"""The formats, and the ending that a file of each has."""

READABLE = (*FORMATS, "text", "json", "klondike-solver", "minimal-klondike")
"""The readable formats: those of solutions, answers of commands, and moves of other programs."""

WITH_RUNS = ("universal-json", "universal-xml", "moves", "html")
"""The formats in which several cards can be one move or one card after the other."""

_ENDINGS = {ending: name for name, ending in FORMATS.items()} | {".htm": "html"}


def format_of_name(name: str) -> str | None:
    """Return the format of a solution that the ending of a file name says."""
    return _ENDINGS.get(Path(name).suffix.lower())


def format_of_answer(name: str) -> str | None:
    """Return the same for a file with an answer: `.json` is the whole answer, `.txt` for people."""
    ending = Path(name).suffix.lower()
    return {".json": "json", ".txt": "text"}.get(ending) or _ENDINGS.get(ending)
