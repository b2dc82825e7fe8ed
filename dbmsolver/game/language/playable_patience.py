"""Klondike and its relatives: from a description to their rules.

They have a stock and a waste beside foundations, or moves of any group of cards face up.
:mod:`dbmsolver.game.language.playable_reserve` has the rules that only Canfield's kin has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.kinds import Build, Fill, Moves
from dbmsolver.game.language.description import (
    Dealt,
    Description,
    MoveLine,
    Phase,
    SetupLine,
    StackEntry,
)
from dbmsolver.game.language.playable_deal import (
    Unplayable,
    attempt,
    card_of,
    deals_base,
    dealt_lines,
    has_order,
    low_of,
    order_of,
    shortened,
    stacks_of,
)
from dbmsolver.game.language.playable_moves import (
    check_home,
    direction_of,
    shown_destinations,
)
from dbmsolver.game.language.playable_reserve import (
    base_dealt,
    base_of,
    check_fill_by_program,
    columns_moved,
    fill_with_waste,
    has_other_base,
    is_fill_by_program,
    renumbered,
    reserve_dealt,
    with_sources,
)
from dbmsolver.game.language.playable_runs import check_held
from dbmsolver.game.language.problems import Problems
from dbmsolver.game.layouts import Layout
from dbmsolver.game.rules import MAX_PASSES, MAX_PATIENCE_COLUMNS, Rules

SHOWN = {
    "Tableau": ("MixDropStack", "DropStack", "TopStack"),
    "Foundation": ("TopStack", "DropStack"),
    "Stock": ("BackStack", "TopStack", "DropStack"),
    "Wastepile": ("TopStack", "DropStack", "Face"),
    "Reserve": ("TopStack", "DropStack", "MixDropStack"),
}
"""The elements of such a game, and how the cards of each may be shown."""
_BUILDS: dict[frozenset[str], Build] = {
    frozenset({"AltColor"}): "alternate",
    frozenset({"SameColor"}): "colour",
    frozenset({"OtherSuit"}): "other",
    frozenset({"SameSuit"}): "suit",
    frozenset({"AnySuit"}): "any",
    frozenset({"Any"}): "any",
    frozenset(): "any",
}
_ITEMS: dict[str | None, Moves] = {
    None: "single",
    "SingleCard": "single",
    "Any": "single",
    "ValidStack": "runs",
    "Group": "groups",
}
_NAMES: dict[Moves | None, str] = {
    "runs": "ValidStack",
    "groups": "Group",
    "single": "SingleCard",
}
_TURN = "expected Wastepile Any[n] Any SourceElement[Stock]"
_OVER = "expected Stock FullStack OnBlank SourceElement[Wastepile]"


def is_patience(game: Description) -> bool:
    """Return True if a description is of a game of Klondike's kind.

    That has a waste and foundations, or moves of groups.
    """
    elements = {line.element for line in game.setup or ()}
    groups = any(line.item == "Group" for line in game.moves or ())
    return "Foundation" in elements and ("Wastepile" in elements or groups)


def understand_patience(
    game: Description, name: str, ranks: int, problems: Problems
) -> Rules | None:
    """Return the rules, or None; what cannot be played is added to the problems."""
    setup = _setup(game.setup or (), problems)
    has_waste = "Wastepile" in setup
    columns = setup["Tableau"].count if "Tableau" in setup else 1
    base = base_of(setup, game.deck.high if game.deck else None)
    moves = _moves(game.moves or (), setup, problems)
    layout, stock = _deal(game.deal or (), columns, setup, 13 - ranks, problems)
    for word in game.finish or ():
        if word != "AllInFoundation":
            problems.add("expected AllInFoundation", word)
    for word in game.triggers or ():
        problems.add("deals in the middle of the game are not played", word)
    if problems.found:
        return None
    try:
        return Rules(
            name,
            columns,
            0,
            moves.build,
            moves.fill,
            layout=str(layout),
            moves=moves.takes,
            stock=stock,
            draw=moves.draw,
            passes=moves.passes if has_waste else 0,
            removable=moves.removable,
            base=base,
            stacked=len(layout.reserve),
        )
    except UsageError as error:
        problems.add(error.message, "Move")
        return None


def _setup(lines: tuple[SetupLine, ...], problems: Problems) -> dict[str, SetupLine]:
    found: dict[str, SetupLine] = {}
    for line in lines:
        if line.element in found:
            problems.add("a second kind, expected one line for each element", line.element)
        elif line.element not in SHOWN:
            problems.add(f"in such a game, expected {', '.join(SHOWN)} only", line.element)
            continue
        elif line.display not in SHOWN[line.element]:
            expected = ", ".join(SHOWN[line.element])
            problems.add(f"expected one of {expected} for it", line.display)
        most = {"Tableau": MAX_PATIENCE_COLUMNS, "Foundation": 4}.get(line.element, 1)
        least = 4 if line.element == "Foundation" else 1
        if not least <= line.count <= most:
            shown = f"{line.element}[{line.count}]"
            expected = str(most) if least == most else f"at most {most}"
            problems.add(f"expected {expected}", line.display, show=shown)
        if line.base not in (None, "A", "Deal") or (line.base and line.element != "Foundation"):
            text = "foundations begin with the ace or with a card of the deal, expected Base[Deal]"
            problems.add(text, line.base, show=f"Base[{line.base}]")
        if line.keep and line.element != "Foundation":
            problems.add("expected it for the Foundation only", line.element, show="Keep")
        found.setdefault(line.element, line)
    for name in ("Tableau", "Foundation"):
        if name not in found:
            problems.add(f"expected a line {name} in the Setup", "Setup")
    pairs = (("Stock", "Wastepile"), ("Wastepile", "Stock"), ("Reserve", "Wastepile"))
    for one, other in pairs:
        if one in found and other not in found:
            problems.add(f"expected a {other} beside it", found[one].element)
    return found


class _Moves(NamedTuple):
    build: Build
    fill: Fill
    takes: Moves
    removable: bool
    draw: int
    passes: int


def _moves(lines: Iterable[MoveLine], setup: Mapping[str, SetupLine], problems: Problems) -> _Moves:
    has_waste, foundation = "Wastepile" in setup, setup.get("Foundation")
    names = ("build", "fill", "home", "start", "turn", "over", "auto")
    groups: dict[str, list[MoveLine]] = {name: [] for name in names}
    kinds = {"Tableau": ("build", "fill"), "Foundation": ("home", "start")}
    kinds |= {"Wastepile": ("turn", "turn"), "Stock": ("over", "over")}
    for line in lines:
        if line.element not in kinds:
            problems.add(f"expected moves to {', '.join(kinds)} only", line.element)
            continue
        if is_fill_by_program(line):
            groups["auto"].append(line)
            continue
        place = kinds[line.element]["OnBlank" in line.destinations]
        groups[place].append(with_sources(line))
        if line.times is not None and line.element != "Stock":
            problems.add("expected it for the Stock", line.element, show="Times")
        for word in set(line.modifiers) & {"Auto", "Keep", "ThroughReserve"}:
            problems.add("not played as part of such a move", word)
    columns = groups["build"] + groups["fill"]
    for line in groups["home"] + groups["start"]:
        if line.item not in (None, "SingleCard", "Any") or line.count != 1:
            problems.add("expected SingleCard", line.item)
    base = foundation.base if foundation is not None else None
    if base == "Deal":
        for line in groups["start"]:
            text = "Base[Deal] says what foundations begin with, expected no such line"
            problems.add(text, line.element)
        groups["start"] = []
    check_home(groups, problems, starts=base in (None, "A"))
    check_fill_by_program(groups["auto"], groups["fill"], setup.get("Reserve"), problems)
    if has_other_base(foundation):
        # How ranks are counted depends on the base that the text will have.
        groups["fill"] = [line for line in groups["fill"] if line.rank is None]
    if "Reserve" in setup and not groups["auto"]:
        # Such a line is refused above: other lines need not say more beside it.
        groups["fill"] = [line for line in groups["fill"] if line.sources != ("Reserve",)]
    draw = drawn_at_once(groups["turn"], has_waste, problems)
    passes = _passes(groups["over"], problems)
    keeps = foundation is not None and foundation.keep
    held = [name for name in ("Wastepile", "Reserve") if name in setup]
    fill = fill_with_waste(groups["fill"], base == "Deal", problems)
    back = back_from_home(groups, held, keeps, fill, problems)
    takes = columns_moved(groups["build"], problems) or takes_of(columns, problems)
    build = build_of(groups["build"], problems)
    return _Moves(build, fill, takes, back, draw, passes)


def takes_of(lines: list[MoveLine], problems: Problems) -> Moves:
    """Return what one move takes; all lines have to say the same."""
    found: Moves | None = None
    for line in lines:
        takes = _ITEMS.get(line.item)
        if takes is None or line.count != 1:
            problems.add("expected SingleCard, ValidStack or Group", line.item or line.element)
        elif found in (None, takes):
            found = takes
        else:
            other = _NAMES[found]
            problems.add(
                f"expected {other} as in the other lines of the Tableau: how many cards move does "
                "not depend on where they go",
                line.item or line.element,
            )
    broken = [word for line in lines for word in line.modifiers if word == "NotValid"]
    if broken and found != "runs":
        problems.add("there are no runs that it could break, expected ValidStack", *broken)
    return "suit-runs" if broken else found or "single"


def build_of(lines: list[MoveLine], problems: Problems) -> Build:
    """Return how columns are built, by the lines that move cards; adds to the problems."""
    broken = [line for line in lines if "NotValid" in line.modifiers]
    if broken:
        check_held([line for line in lines if line not in broken], problems)
    if broken and len(broken) == len(lines):
        text = "no line says what makes a run, expected one with ValidStack SameSuit Descending"
        problems.add(text, "NotValid", broken[0].element)
    found: Build | None = None
    for line in broken or lines:
        build = _BUILDS.get(frozenset(line.destinations))
        if build is None:
            words = "AltColor, SameColor, SameSuit, OtherSuit or AnySuit"
            text = f"expected {words} for building"
            problems.add(text, *line.destinations, show=shown_destinations(line))
        elif direction_of(line) != {"Descending"}:
            word = next((word for word in line.modifiers if word == "Ascending"), line.element)
            problems.add("columns are built down, expected Descending", word)
        elif found not in (None, build):
            problems.add("a second way of building, expected one", *line.destinations, line.element)
        else:
            found = build
    return found or "none"


def back_from_home(
    groups: dict[str, list[MoveLine]], held: list[str], keeps: bool, fill: Fill, problems: Problems
) -> bool:
    """Return True if cards come back from the foundations: to cards and to empty columns alike.

    ``held`` are the places beside columns and foundations that cards move from.
    """
    needed = {"Tableau", *held}
    back: set[bool] = set()
    for name in ("build", "fill", "home", "start"):
        lines = groups[name]
        said = {source for line in lines for source in line.sources}
        if not lines or (name == "fill" and fill == "waste"):
            continue
        anywhere = any(not line.sources for line in lines)
        own = needed - {"Reserve"} if name == "fill" else needed  # which goes there by itself
        missing = [] if anywhere else sorted(own - said)
        if missing:
            text = f"expected moves from {' and '.join(missing)}, too"
            problems.add(text, lines[0].element, show="SourceElement")
        for line in lines:
            for source in line.sources:
                if source not in needed | {"Foundation"}:
                    expected = " or ".join((*sorted(needed), "Foundation"))
                    problems.add(f"expected {expected}", source)
        if name in ("build", "fill"):
            back.add(not keeps and (anywhere or "Foundation" in said))
    if len(back) > 1:
        text = "cards come back from the foundations in some lines of the Tableau, expected all"
        columns = groups["build"] + groups["fill"]
        other = next(line for line in columns if line.sources and "Foundation" not in line.sources)
        problems.add(f"{text} or none", *other.sources, other.element, show="SourceElement")
    return back == {True}


def drawn_at_once(lines: list[MoveLine], has_waste: bool, problems: Problems) -> int:
    """Return how many cards are turned at once."""
    if has_waste and not lines:
        problems.add(f"no line says how it is turned, {_TURN}", "Wastepile")
    for line in lines:
        fits = line.item in (None, "Any", "SingleCard") and set(line.destinations) <= {"Any"}
        if not fits or set(line.sources) != {"Stock"} or not 1 <= line.count <= CARDS:
            problems.add(_TURN, line.element)
        if line is not lines[0]:
            problems.add("a second way of turning the stock, expected one", line.element)
    return lines[0].count if lines else 0


def _passes(lines: list[MoveLine], problems: Problems) -> int:
    """Return how often the stock is gone through; 0 for any number of times."""
    for line in lines:
        blank = set(line.destinations) - {"Any"} == {"OnBlank"}
        if line.item != "FullStack" or not blank or set(line.sources) != {"Wastepile"}:
            problems.add(_OVER, line.element)
        if line is not lines[0]:
            problems.add("a second line, expected one", line.element)
        if line.times is not None and line.times > MAX_PASSES:
            shown = f"Times[{line.times}]"
            problems.add(f"expected at most {MAX_PASSES}", line.element, show=shown)
    return (lines[0].times or 0) if lines else 1


def _deal(
    phases: Iterable[Phase],
    columns: int,
    setup: Mapping[str, SetupLine],
    shift: int,
    problems: Problems,
) -> tuple[Layout, int]:
    """Return the layout, and the number of cards of the stock."""
    held = ("Reserve",) if "Reserve" in setup else ()
    expected = f"expected cards for {', '.join(('Tableau', 'Foundation', *held))}"
    expected += ", the rest is the stock"
    dealt = dealt_lines(phases, ("Tableau", "Foundation", *held), expected, problems)
    if has_other_base(setup.get("Foundation")) and deals_base(dealt):
        return Layout(), 0
    found = attempt(lambda: _laid_out(dealt, columns, setup, shift), dealt, problems)
    return found or (Layout(), 0)


def _laid_out(
    dealt: dict[str, Dealt], columns: int, setup: Mapping[str, SetupLine], shift: int
) -> tuple[Layout, int]:
    tableau = dealt.get("Tableau")
    if tableau is None:
        raise Unplayable("expected cards for the Tableau", "Deal")
    if tableau.kings_sunk or tableau.auto:
        raise Unplayable("expected Rows, Diagonal or numbers", tableau.element)
    has_waste, home, base = "Wastepile" in setup, tuple(range(4 * shift)), 0
    if base_of(setup, None) != "ace":
        base = base_dealt(dealt.get("Foundation"), CARDS - len(home))
    elif "Foundation" in dealt:
        home += _named_home(dealt["Foundation"], shift)
    reserve = reserve_dealt(dealt.get("Reserve"), CARDS - len(home))
    apart = len(reserve) + bool(base)
    rest = CARDS - len(home) - apart
    if apart:
        tableau = renumbered(tableau, {*reserve, *([base] if base else [])})
    hidden = tuple(hidden_in(stack) for stack in tableau.stacks)
    up = tuple(
        tuple(replace(entry, face_down=False) for entry in stack) for stack in tableau.stacks
    )
    first, numbers = stacks_of(replace(tableau, stacks=up), shift)
    if tableau.stacks and has_order(tableau):
        raise Unplayable("expected an order alone, or every card by its number", tableau.element)
    given = rest
    if tableau.stacks:
        given = sum(map(len, numbers))
    elif tableau.rows:
        given = min(tableau.rows * columns, rest)
    if given < rest and not has_waste:
        raise Unplayable(f"{rest - given} cards are dealt nowhere, expected all", tableau.element)
    unlisted = ((),) * max(0, columns - len(numbers))
    explicit = (*map(tuple, numbers), *unlisted) if tableau.stacks else ()
    layout = Layout(
        tuple(sorted(home)), tuple(first), order_of(tableau), explicit, base=base, reserve=reserve
    )
    layout.check(columns, 0, 0, rest - given, apart)
    if given > rest:
        text = f"{given} cards are dealt, expected at most {rest}"
        raise Unplayable(text, tableau.element)
    if tableau.stacks:
        layout = shortened(layout, columns, given)
    if any(hidden):
        layout = replace(layout, hidden=(*hidden, *[0] * (columns - len(hidden))))
    return layout, rest - given


def _named_home(foundation: Dealt, shift: int) -> tuple[int, ...]:
    """Return the cards that are on the foundations when the game begins."""
    if has_order(foundation) or foundation.auto:
        raise Unplayable("expected named cards for the Foundation", foundation.element)
    return tuple(card_of(entry, shift) for stack in foundation.stacks for entry in stack)


def hidden_in(stack: tuple[StackEntry, ...]) -> int:
    """Return how many cards of a stack lie face down.

    Unplayable unless they are the deepest ones, and not all.
    """
    down = 0
    for number, entry in enumerate(stack):
        if not entry.face_down:
            continue
        if any(not one.face_down for one in stack[:number]):
            raise Unplayable("it lies face down on a card face up", entry, f"({entry.first})")
        last = low_of(entry) if entry.last is None else entry.last
        down += 1 + last - low_of(entry)
    if stack and all(entry.face_down for entry in stack):
        shown = f"({stack[-1].first})"
        raise Unplayable("expected the last card of a stack face up", stack[-1], shown)
    return down
