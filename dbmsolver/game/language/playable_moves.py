"""The moves that are played, from the lines of a Move block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dbmsolver.game.kinds import Build, Fill
from dbmsolver.game.kinds import Moves as Takes
from dbmsolver.game.language.description import MoveLine
from dbmsolver.game.language.playable_runs import moves_of, takes_runs, whole_suits, widest
from dbmsolver.game.language.problems import Problems

_BUILDS: dict[frozenset[str], Build] = {
    frozenset({"AltColor"}): "alternate",
    frozenset({"SameSuit"}): "suit",
    frozenset({"AnySuit"}): "any",
    frozenset({"Any"}): "any",
    frozenset(): "any",
}


@dataclass(frozen=True, slots=True)
class Moves:
    """The rules for moves of a game.

    They say how columns are built and filled, whether freecells can be used, what one move takes,
    and what goes home. `removable` is true if cards come back from the foundations.
    """

    build: Build
    fill: Fill
    cells: bool
    takes: Takes
    whole_suits: bool
    removable: bool


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of the setup, as far as moves depend on them."""

    cells: bool
    keeps_home: bool
    """True if cards stay on the foundations."""
    based: bool = False
    """True if the deal gives the rank with which foundations begin."""
    other_base: bool = False
    """True if foundations begin with a rank that is not played."""


def understand_moves(lines: Iterable[MoveLine], elements: Elements, problems: Problems) -> Moves:
    """Return the moves that the lines describe; what cannot be played is added to the problems."""
    groups: dict[str, list[MoveLine]] = {
        name: [] for name in ("build", "fill", "cell", "home", "start")
    }
    for line in lines:
        blank = "OnBlank" in line.destinations
        if line.element == "Tableau":
            groups["fill" if blank else "build"].append(line)
        elif line.element == "Reserve":
            groups["cell"].append(line)
        elif line.element == "Foundation":
            groups["start" if blank else "home"].append(line)
        else:
            problems.add("expected moves to Tableau, Reserve and Foundation only", line.element)
            continue
        _check_item(line, problems)
    takes = moves_of(groups["build"] + groups["fill"], problems)
    whole = whole_suits(groups["home"], groups["start"], elements.keeps_home, problems)
    if whole and takes == "single":
        word = next(one.item for one in groups["home"] + groups["start"] if one.item == "FullSuit")
        problems.add("a whole suit is a run, expected ValidStack in the lines of it", word)
    build = _build(widest(groups["build"], problems), problems)
    if build == "suit-both" and takes != "single":
        reason = "runs move where columns are built down only, expected SingleCard"
        problems.add(reason, groups["build"][0].item)
    fill = fill_of(groups["fill"], problems)
    _check_sources(groups, elements, problems)
    removable = _removable(groups, build, takes, elements, problems)
    if elements.based:
        for line in groups["start"]:
            text = "Base[Deal] says what foundations begin with, expected no such line"
            problems.add(text, line.element)
        groups["start"] = []
    if not whole:
        check_home(groups, problems, starts=not (elements.based or elements.other_base))
    for line in groups["cell"]:
        if set(line.destinations) - {"Any", "AnySuit"} != {"OnBlank"} or line.modifiers:
            problems.add(
                "expected Reserve SingleCard Any OnBlank: a cell holds one card, any card",
                line.element,
            )
    return Moves(build, fill, bool(groups["cell"]), takes, whole, removable)


def _check_item(line: MoveLine, problems: Problems) -> None:
    """Add a problem unless a line moves one card, a run of the Tableau, or a whole suit home."""
    if takes_runs(line) and line.element != "Tableau":
        problems.add("a run moves to the Tableau only, expected SingleCard", line.item)
    elif line.item == "FullStack" or (line.item == "FullSuit" and line.element != "Foundation"):
        problems.add("expected SingleCard or ValidStack", line.item)
    elif line.item == "Any" and line.count != 1:
        problems.add("expected one card at a time", line.item, show=f"Any[{line.count}]")
    for word in line.modifiers:
        if word in ("Auto", "Keep"):
            problems.add("not played as part of a move", word)
    if line.times is not None:
        problems.add("there is no stock to pass through", line.element, show="Times")


def direction_of(line: MoveLine) -> set[str]:
    """Return the words of a line that say whether cards are put on lower or on higher ones."""
    return {"Ascending", "Descending"} & set(line.modifiers)


def shown_word(line: MoveLine, word: str) -> str:
    """Return a word for where the cards of a line go, as it stands there."""
    return f"Rank[{line.rank}]" if word == "Rank" else str(word)


def shown_destinations(line: MoveLine) -> str:
    """Return all words for where the cards of a line go, as they stand there."""
    return " ".join(shown_word(line, word) for word in line.destinations)


def _build(lines: list[MoveLine], problems: Problems) -> Build:
    found: Build | None = None
    directions: set[str] = set()
    for line in lines:
        build = _BUILDS.get(frozenset(line.destinations))
        if build is None:
            text = "expected AltColor, SameSuit or AnySuit for building"
            problems.add(text, *line.destinations, show=shown_destinations(line))
        elif not direction_of(line):
            problems.add("columns are built down, expected Descending", line.element)
        elif found not in (None, build):
            problems.add("a second way of building, expected one", *line.destinations, line.element)
        else:
            found = build
            directions |= direction_of(line)
    if found is not None and "Ascending" in directions:
        if found == "suit" and len(directions) == 2:
            return "suit-both"
        word = next(word for line in lines for word in line.modifiers if word == "Ascending")
        reason = "columns are built down, or by suit up and down, expected Descending"
        problems.add(f"{reason}, or SameSuit in both directions", word)
    return found or "none"


def fill_of(lines: list[MoveLine], problems: Problems) -> Fill:
    """Return the cards that empty columns take, by the lines with `OnBlank`."""
    fill: Fill = "none"
    for line in lines:
        rest = set(line.destinations) - {"OnBlank"}
        if direction_of(line):
            problems.add("an empty column has no rank to go by", *sorted(direction_of(line)))
        if rest <= {"Any", "AnySuit"}:
            fill = "any"
        elif rest <= {"Any", "AnySuit", "Rank"} and line.rank == "K":
            fill = fill if fill == "any" else "kings"
        else:
            fine = {"OnBlank", "Any", "AnySuit"} | ({"Rank"} if line.rank == "K" else set())
            bad = next(word for word in line.destinations if word not in fine)
            text = "expected Any OnBlank or Rank[K] OnBlank for empty columns"
            problems.add(text, bad, line.rank, show=shown_word(line, bad))
    return fill


def _check_sources(
    groups: dict[str, list[MoveLine]], elements: Elements, problems: Problems
) -> None:
    """Add a problem unless cards move from everywhere, or from everywhere but foundations."""
    cells = {"Reserve"} if elements.cells else set()
    needed = {
        "build": {"Tableau"} | cells,
        "fill": {"Tableau"} | cells,
        "cell": {"Tableau"},
        "home": {"Tableau"} | cells,
        "start": {"Tableau"} | cells,
    }
    for name, lines in groups.items():
        if not lines:
            continue
        if all(line.sources for line in lines):
            said = {source for line in lines for source in line.sources}
            missing = sorted(needed[name] - said)
            if missing:
                problems.add(
                    f"expected moves from {' and '.join(missing)}, too",
                    lines[0].element,
                    show="SourceElement",
                )
        for line in lines:
            for source in line.sources:
                if source not in ("Tableau", "Reserve", "Foundation"):
                    problems.add("expected Tableau or Reserve", source)


def _removable(
    groups: dict[str, list[MoveLine]],
    build: Build,
    takes: Takes,
    elements: Elements,
    problems: Problems,
) -> bool:
    """Return True if cards come back from the foundations in a way that makes a difference.

    They make none where columns are built by suit, or not at all: see `Rules.takes_back`.
    """
    if elements.keeps_home or build not in ("alternate", "any"):
        return False
    lines = [line for name in ("build", "fill", "cell") for line in groups[name]]
    back = [line for line in lines if not line.sources or "Foundation" in line.sources]
    if not back:
        return False
    places = ("Tableau", "Reserve") if elements.cells else ("Tableau",)
    named = " ".join(f"SourceElement[{name}]" for name in places)
    hint = f"expected {named}, or Keep after the Foundation's setup code"
    shown = f"{back[0].element} without SourceElement"
    if takes != "single":
        reason = "cards could come back from the foundations, which is played with single cards"
        problems.add(f"{reason}, {hint}", back[0].element, show=shown)
    elif len(back) < len(lines):
        other = next(line for line in lines if line not in back)
        reason = (
            "cards come back from the foundations by other lines, expected that of this one, too"
        )
        problems.add(f"{reason}, or of none", *other.sources, other.element)
    return True


def check_home(
    groups: dict[str, list[MoveLine]], problems: Problems, *, starts: bool = True
) -> None:
    """Add a problem unless foundations go up by suit.

    With ``starts`` a line has to say that they begin with the ace. Otherwise they begin with a
    base, and no line about it is looked at.
    """
    for line in groups["home"]:
        if set(line.destinations) != {"SameSuit"} or direction_of(line) != {"Ascending"}:
            problems.add("expected Foundation SingleCard SameSuit Ascending", line.element)
    for line in groups["start"] if starts else ():
        if set(line.destinations) != {"Rank", "OnBlank"} or line.rank != "A":
            shown = f"Rank[{line.rank}]" if line.rank else str(line.element)
            problems.add("expected Foundation Rank[A] OnBlank", line.element, show=shown)
    for name, text in (("home", "SingleCard SameSuit Ascending"), ("start", "Rank[A] OnBlank")):
        if not groups[name] and (starts or name == "home"):
            problems.add(f"expected a line Foundation {text}", "Foundation")
