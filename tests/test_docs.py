"""The examples of the documents are run: each document's, in order, in one session and folder.

Code that they quote stands so in the sources.
"""

from __future__ import annotations

import doctest
import re
import textwrap
from pathlib import Path

import pytest

import dbmsolver
from dbmsolver import api
from dbmsolver.game.kinds import Family
from dbmsolver.game.shipped import GAMES, SHIPPED

DOCS = Path(__file__).parents[1] / "docs"
NAMES = sorted(path.name for path in DOCS.glob("*.md") if "```pycon" in path.read_text("utf-8"))


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / name).read_text("utf-8")
    session = "\n".join(re.findall(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    test = doctest.DocTestParser().get_doctest(session, {}, name, str(DOCS / name), 0)
    assert test.examples
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=printed.append)
    assert not printed, "".join(printed)


@pytest.mark.parametrize("path", sorted([*DOCS.glob("*.md"), *DOCS.parent.glob("*.md")]))
def test_links_lead_somewhere(path: Path) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", path.read_text("utf-8")):
        assert "://" in link or (path.parent / link).exists(), link


def test_the_library_has_a_document() -> None:
    assert "library.md" in NAMES
    text = (DOCS / "library.md").read_text("utf-8")
    for name in dbmsolver.__all__:
        assert f"`{name}`" in text or f"'{name}'" in text or name == "__version__", name
    for name in (name for name in dbmsolver.__all__ if name[0].islower()):
        assert re.search(rf"^>>> .*\b{name}\(", text, re.MULTILINE), f"no example calls {name}"


def test_what_may_be_imported_stands_in_one_place() -> None:
    assert set(dbmsolver.__all__) == {*api.__all__, "__version__"}
    for name in dbmsolver.__all__:
        assert getattr(dbmsolver, name) is not None
    assert dir(dbmsolver) == sorted(dbmsolver.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dbmsolver.nothing  # noqa: B018


def test_a_name_is_no_module() -> None:
    """A module of the package that is imported becomes an attribute of it, in place of the name."""
    folder = Path(dbmsolver.__file__).parent
    assert not {path.stem for path in folder.iterdir()} & set(dbmsolver.__all__)


def test_quoted_code_is_that_of_the_sources() -> None:
    """A quotation begins with the name of its file, and is part of that, but for its margin."""
    text = (DOCS / "architecture.md").read_text("utf-8")
    quotations = re.findall(r"^```python\n# (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(quotations) == text.count("```python") > 0
    for name, quoted in quotations:
        source = (DOCS.parent / "dbmsolver" / name).read_text("utf-8")
        margins = (textwrap.indent(quoted, " " * margin) for margin in range(0, 24, 4))
        assert any(f"\n{lines}" in source for lines in margins), quoted


ROWS: dict[Family, str] = {
    "runs": "runs as one move",
    "two-way": "cards that go both ways",
    "pile": "one pile",
    "pairs": "pairs",
    "patience": "Klondike and its relatives",
    "canfield": "Canfield and its kin",
    "wide": "wide",
}
"""The first cell of each family's row, where the second one names its games."""


@pytest.mark.parametrize("game", [name for name, rules in GAMES.items() if rules.family in ROWS])
def test_families_name_their_games(game: str) -> None:
    page = (DOCS / "games.md").read_text("utf-8")
    start = f"| {ROWS[GAMES[game].family]} |"
    rows = [line for line in page.splitlines() if line.startswith(start)]
    assert len(rows) == 1, f"docs/games.md: expected one row that starts with {start}"
    named = re.split(", |; ", rows[0].split("|")[2].strip())
    assert SHIPPED[game].title in named, f"docs/games.md: {SHIPPED[game].title} is not in {start}"


@pytest.mark.parametrize("game", [name for name, rules in GAMES.items() if rules.is_patience])
def test_relatives_of_klondike_are_judged(game: str) -> None:
    """The page on classes says of each whether the theorem speaks of it."""
    title = SHIPPED[game].title
    page = (DOCS / "dominance.md").read_text("utf-8")
    is_klondike = title.startswith("Klondike")
    assert is_klondike or f"\n| {title}" in page, f"docs/dominance.md: expected a row for {title}"
