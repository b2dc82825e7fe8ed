"""Documents and docstrings name only files that exist, and tell the true number of games."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from dbmsolver.game.shipped import GAMES

ROOT = Path(__file__).parents[1]
FOLDERS = ("dbmsolver", "tests", "tools", "benchmarks")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.md")])
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))

FOREIGN = {
    "bakersgame.py",  # PySolFC's
}
"""Files of other programs that are named."""

FILE = re.compile(r"(?<![\w./*{])((?:[\w.-]+/)*\w+\.py)\b")
DOTTED = re.compile(r"(?<![\w/.])dbmsolver((?:\.[a-z_]\w*)+)")
TENS = dict(zip(["twenty", "thirty", "forty", "fifty", "sixty"], range(20, 70, 10), strict=True))
ONES = dict(
    zip(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
        range(1, 10),
        strict=True,
    )
)
BAD_BEGINNING = re.compile(r"\W*(What|Whether|How|Who|Those|So)\b")
"""The words that no docstring begins with, as it then has to be read twice."""
BAD_OF_FUNCTION = re.compile(r"\W*(Where|Which)\b")
"""The words that a function's docstring does not begin with either."""
BAD_FLAG = re.compile(r"\breturns? (?:[^.;]*\band )?\(?whether\b", re.I)
"""A flag among results in other words than "True if"."""

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The parts of a statement that are statements, or hold such."""

COUNT = re.compile(rf"\b((?:{'|'.join(TENS)})(?:-(?:{'|'.join(ONES)}))?|\d\d)\s+games\b", re.I)


def is_there(dotted: str) -> bool:
    """Return True if there is a module of this name, or one that has the rest of the name in it."""
    at, names = ROOT / "dbmsolver", dotted.strip(".").split(".")
    while names and (at / names[0]).is_dir():
        at /= names.pop(0)
    module = at / f"{names[0]}.py" if names else at / "__init__.py"
    if module.exists():
        names = names[1:]
    else:
        module = at / "__init__.py"
    return not names or re.search(rf"\b{names[0]}\b", module.read_text("utf-8")) is not None


@cache
def endings() -> frozenset[str]:
    """Return every way to name a file of the project: its path, and each end of it."""
    paths = [path.relative_to(ROOT).parts for path in SOURCES]
    return frozenset("/".join(parts[first:]) for parts in paths for first in range(len(parts)))


def missing(text: str) -> list[str]:
    """Return the modules that a text names and the project has not."""
    named = FILE.findall(text)
    return [name for name in named if name not in endings() and Path(name).name not in FOREIGN]


class Strings(NamedTuple):
    """The strings of a module that stand alone."""

    all: tuple[str, ...]
    """Its docstrings, and those below names."""
    of_functions: tuple[str, ...]
    """The docstrings of its functions and methods."""


@cache
def strings(path: Path) -> Strings:
    """Return the strings of a module that stand alone; modules are parsed once for all tests."""
    alone, of_functions = [], []
    for node in statements(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            alone.append(str(node.value.value))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            of_functions += [text] if (text := ast.get_docstring(node)) else []
    return Strings(tuple(alone), tuple(of_functions))


def docstrings(path: Path) -> tuple[str, ...]:
    """Return the strings of a module that stand alone: its docstrings, and those below names."""
    return strings(path).all


def of_functions(path: Path) -> tuple[str, ...]:
    """Return the docstrings of a module's functions and methods."""
    return strings(path).of_functions


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements of a module, and not what they are made of, which is far more."""
    for block in BLOCKS:
        for inner in getattr(node, block, ()):
            yield inner
            yield from statements(inner)


def begins_badly(text: str) -> bool:
    """Return True if a docstring begins with a word that asks where it should tell."""
    return BAD_BEGINNING.match(text) is not None


def tells_flag_badly(text: str) -> bool:
    """Return True if a docstring says of a result "whether", and not "True if"."""
    return BAD_FLAG.search(" ".join(text.split())) is not None


def counted(text: str) -> list[int]:
    """Return the numbers of games, twenty or more, that a text tells."""
    numbers = []
    for word in COUNT.findall(text):
        tens, _, ones = word.lower().partition("-")
        numbers.append(int(word) if word.isdigit() else TENS[tens] + ONES.get(ones, 0))
    return numbers


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_name_what_exists(path: Path) -> None:
    assert not missing(path.read_text("utf-8"))


def test_docstrings_name_what_exists() -> None:
    wrong = {
        str(path.relative_to(ROOT)): names
        for path in SOURCES
        if (names := [name for text in docstrings(path) for name in missing(text)])
    }
    assert not wrong


def test_modules_that_are_named_exist() -> None:
    texts = [*DOCUMENTS, *(ROOT / "dbmsolver").rglob("*.py")]
    wrong = {
        str(path.relative_to(ROOT)): names
        for path in texts
        if (
            names := [
                name for name in DOTTED.findall(path.read_text("utf-8")) if not is_there(name)
            ]
        )
    }
    assert not wrong
    assert is_there(".kernels.hooks.add") and is_there(".kits") and not is_there(".kernels.gone")


@pytest.mark.parametrize("is_bad", [begins_badly, tells_flag_badly])
def test_words_of_docstrings(is_bad: Callable[[str], bool]) -> None:
    """They begin with a verb or a noun, and a function that answers yes or no returns "True if"."""
    wrong = {
        str(path.relative_to(ROOT)): beginnings
        for path in SOURCES
        if (beginnings := [text[:60] for text in docstrings(path) if is_bad(text)])
    }
    assert not wrong


def test_words_of_functions() -> None:
    """A docstring tells what a function does, or what a test shows, before it says when."""
    wrong = {
        str(path.relative_to(ROOT)): beginnings
        for path in SOURCES
        if (beginnings := [text[:60] for text in of_functions(path) if BAD_OF_FUNCTION.match(text)])
    }
    assert not wrong


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_documents_count_the_games(path: Path) -> None:
    told = counted(path.read_text("utf-8"))
    assert set(told) <= {len(GAMES)}
    assert told or path.name not in ("README.md", "games.md") or path.parent.name == "benchmarks"


def test_who_adds_a_game_reads_where_games_are_counted() -> None:
    counting = {path.name for path in DOCUMENTS if counted(path.read_text("utf-8"))}
    assert counting > {"games.md"}
    for name, own in (("docs/games.md", {"games.md"}), ("CONTRIBUTING.md", set[str]())):
        _, _, told = (ROOT / name).read_text("utf-8").partition("\n## Add a game\n")
        section = told.partition("\n## ")[0]
        assert not [other for other in counting - own if other not in section], name


def test_what_is_found() -> None:
    assert missing("see `core/gone.py`, `kits/cards/expand.py` and expand.py") == ["core/gone.py"]
    assert counted("Thirty-two games, 41\ngames, forty games, six games") == [32, 41, 40]
    assert begins_badly("Whether it is.") and begins_badly(" (What) it is.")
    assert not begins_badly("Return True if it is.") and not begins_badly("Sorted rows.")
    assert tells_flag_badly("Take it; return\n    whether it is.")
    assert tells_flag_badly("Return (whether it is, a card).")
    assert tells_flag_badly("Return a card, and whether it is free.")
    assert not tells_flag_badly("Return the line that says whether it is.")
