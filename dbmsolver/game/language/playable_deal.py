"""The layout of a numbered deal, from the Deal block of a description."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import CARDS, parse_card
from dbmsolver.game.language.description import BASE, Dealt, Phase, StackEntry
from dbmsolver.game.language.playable_moves import Elements
from dbmsolver.game.language.problems import Problems
from dbmsolver.game.layouts import Layout, Order

Layouts = TypeVar("Layouts")


@dataclass(frozen=True, slots=True)
class LaidOut:
    """The deal of a number, in the words of `Rules`."""

    layout: str
    filled: int
    """Freecells filled by the deal."""
    kings_sunk: bool


class Unplayable(Exception):
    """The reason why no layout deals an element the cards that the text gives it."""

    def __init__(self, reason: str, word: object, show: str = "") -> None:
        super().__init__(reason)
        self.word = word
        self.show = show


def understand_deal(
    phases: Iterable[Phase],
    columns: int,
    freecells: int,
    ranks: int,
    elements: Elements,
    problems: Problems,
) -> LaidOut:
    """Return the layout; what cannot be played is added to the problems."""
    dealt = dealt_lines(
        phases,
        ("Tableau", "Foundation", "Reserve"),
        "expected cards for Tableau, Reserve and Foundation only",
        problems,
    )
    laid_out = None
    if not (elements.other_base and deals_base(dealt)):
        laid_out = attempt(
            lambda: (
                with_bases(dealt, columns, 13 - ranks)
                if elements.based
                else _laid_out(dealt, columns, freecells, 13 - ranks)
            ),
            dealt,
            problems,
        )
    # Cells of a deal that is not understood are filled all the same.
    filled = len(dealt["Reserve"].stacks) if "Reserve" in dealt else 0
    return laid_out or LaidOut("", filled, False)


def deals_base(dealt: Mapping[str, Dealt]) -> bool:
    """Return True if a deal says with which cards foundations begin.

    It gives some to the Foundation, or has `{Base}`.
    """
    entries = [entry for one in dealt.values() for stack in one.stacks for entry in stack]
    return "Foundation" in dealt or any(entry.first == BASE for entry in entries)


def dealt_lines(
    phases: Iterable[Phase], elements: Container[str], expected: str, problems: Problems
) -> dict[str, Dealt]:
    """Return the line for each element that is dealt cards.

    `expected` is the problem with an element that is not in `elements`.
    """
    dealt: dict[str, Dealt] = {}
    for phase in phases:
        if phase.triggered:
            problems.add("deals in the middle of the game are not played", "Triggered", at=phase.at)
            continue
        for one in phase.dealt:
            if one.element in dealt:
                problems.add("dealt to twice, expected one line for each element", one.element)
            elif one.element not in elements:
                problems.add(expected, one.element)
            dealt.setdefault(one.element, one)
    return dealt


def attempt(
    lay_out: Callable[[], Layouts], dealt: Mapping[str, Dealt], problems: Problems
) -> Layouts | None:
    """Return the result of `lay_out`; if it fails, add the reason to the problems.

    Returns None then.
    """
    try:
        return lay_out()
    except UsageError as error:
        problems.add(error.message, dealt["Tableau"].element)
    except Unplayable as error:
        at = error.word.at if isinstance(error.word, StackEntry) else None
        problems.add(str(error), error.word, show=error.show, at=at)
    return None


def _laid_out(dealt: dict[str, Dealt], columns: int, freecells: int, shift: int) -> LaidOut:
    tableau = dealt.get("Tableau")
    if tableau is None:
        raise Unplayable("expected cards for the Tableau", "Deal")
    home = list(range(4 * shift))
    auto = False
    if "Foundation" in dealt:
        foundation = dealt["Foundation"]
        if foundation.rows is not None or foundation.diagonal or foundation.kings_sunk:
            raise Unplayable("expected named cards for the Foundation", foundation.element)
        home += [card_of(entry, shift) for stack in foundation.stacks for entry in stack]
        auto = foundation.auto
    rest = CARDS - len(home)
    cells = _cells(dealt.get("Reserve"), rest, freecells)
    filled = len(cells)
    first, numbers = stacks_of(tableau, shift)
    order = order_of(tableau)
    if tableau.kings_sunk and (home or cells or tableau.stacks or order != "turn"):
        raise Unplayable("expected nothing but Rows beside it", tableau.element, "KingsSunk")
    if tableau.auto:
        raise Unplayable("expected it for the Foundation", tableau.element, "Auto")
    if tableau.stacks and not has_order(tableau):
        # Columns that are not listed are empty.
        unlisted = ((),) * max(0, columns - len(numbers))
        explicit = (*(tuple(column) for column in numbers), *unlisted)
        layout = Layout(tuple(sorted(home)), tuple(first), "turn", explicit, auto, cells)
        layout.check(columns, freecells, filled)
        layout = shortened(layout, columns, rest - filled)
    else:
        if any(len(set(column) - set(range(1, len(first) + 1))) for column in numbers):
            raise Unplayable("expected named cards only in braces before Rows", tableau.element)
        layout = Layout(tuple(sorted(home)), tuple(first), order, (), auto, cells)
        layout.check(columns, freecells, filled)
        if tableau.rows and tableau.rows * columns < rest - filled:
            left = rest - filled - tableau.rows * columns
            raise Unplayable(
                f"{left} cards would be left for a stock, expected more rows",
                tableau.element,
                f"Rows[{tableau.rows}]",
            )
        if tableau.stacks:
            _check_bottoms(tableau, numbers, layout, columns)
    if auto and layout.columns:
        raise Unplayable("expected Rows for the Tableau with it", tableau.element, "Auto")
    if layout.cells == tuple(range(filled)):
        layout = Layout(layout.home, layout.first, layout.order, layout.columns, auto, ())
    return LaidOut(str(layout), filled, tableau.kings_sunk)


def with_bases(dealt: dict[str, Dealt], columns: int, shift: int) -> LaidOut:
    """Return the layout where cards of one rank, `Base`, go to foundations, and the others first.

    As many as go home come first in the deck; the tableau has the rest of them in its first row.
    """
    foundation, tableau = dealt.get("Foundation"), dealt.get("Tableau")
    expected = "expected one {Base} or more for it, each in braces of its own"
    if foundation is None or not foundation.stacks or has_order(foundation) or foundation.auto:
        raise Unplayable(expected, foundation.element if foundation else "Deal")
    if tableau is None or not tableau.rows == 0 or order_of(tableau) != "turn":
        raise Unplayable("expected cards for the Tableau in Rows", "Deal")
    if "Reserve" in dealt:
        raise Unplayable("expected no cards for it beside a base", dealt["Reserve"].element)
    stacks = (*foundation.stacks, *tableau.stacks)
    wrong = next((stack for stack in stacks if [one.first for one in stack] != [BASE]), None)
    if wrong is not None:
        words = ", ".join(str(one.first) for one in wrong)
        raise Unplayable(expected, next(iter(wrong), "Deal"), f"{{{words}}}")
    if len(stacks) != 4 or len(tableau.stacks) > columns or tableau.kings_sunk or tableau.auto:
        text = "expected four {Base} in all, those of the Tableau at its beginning, then Rows"
        raise Unplayable(text, tableau.element)
    layout = Layout(tuple(range(4 * shift)), bases=len(foundation.stacks))
    layout.check(columns, 0, 0, 0, layout.bases)
    return LaidOut(str(layout), 0, False)


def has_order(dealt: Dealt) -> bool:
    """Return True if cards are dealt by an order, and not by numbers only."""
    return dealt.rows is not None or dealt.diagonal or dealt.right_to_left or dealt.kings_sunk


def order_of(dealt: Dealt) -> Order:
    """Return the order of dealing; Unplayable for two at once."""
    if dealt.diagonal and dealt.right_to_left:
        raise Unplayable("expected it alone", dealt.element, "Diagonal RightToLeft")
    if dealt.diagonal:
        return "diagonal"
    return "backwards" if dealt.right_to_left else "turn"


def card_of(entry: StackEntry, shift: int) -> int:
    """Return a named card; in a short deck the card that stands for it."""
    if not isinstance(entry.first, str) or entry.face_down or entry.first == BASE:
        raise Unplayable("expected a card's name, as in {AS}", entry, shown_entry(entry))
    card = parse_card(entry.first) + 4 * shift
    if card >= CARDS:
        raise Unplayable("the deck has no such card", entry, entry.first)
    return card


def stacks_of(dealt: Dealt, shift: int) -> tuple[list[int], list[list[int]]]:
    """Return an element's named cards, row by row, and the numbers of the cards of each column.

    Named cards have the numbers from 1 on; the numbers of the others grow by how many these are.
    """
    rows: list[tuple[int, int, StackEntry]] = []
    for index, stack in enumerate(dealt.stacks):
        depth = 0
        for entry in stack:
            if entry.face_down:
                raise Unplayable("cards face down are not shown so yet", entry, f"({entry.first})")
            for number in range(low_of(entry), (entry.last or low_of(entry)) + 1):
                rows.append(
                    (depth, index, entry if entry.last is None else StackEntry(number, at=entry.at))
                )
                depth += 1
    named = [
        entry
        for _, _, entry in sorted(rows, key=lambda row: row[:2])
        if isinstance(entry.first, str)
    ]
    first = [card_of(entry, shift) for entry in named]
    columns: list[list[int]] = [[] for _ in dealt.stacks]
    for _, index, entry in sorted(rows, key=lambda row: row[:2]):
        if isinstance(entry.first, str):
            columns[index].append(first.index(card_of(entry, shift)) + 1)
        else:
            columns[index].append(entry.first + len(first))
    return first, columns


def shown_entry(entry: StackEntry) -> str:
    """Return an entry as it stands in its braces."""
    cards = str(entry.first) if entry.last is None else f"{entry.first}..{entry.last}"
    return f"({cards})" if entry.face_down else cards


def low_of(entry: StackEntry) -> int:
    """Return the first number of an entry; 0 for a named card."""
    return entry.first if isinstance(entry.first, int) else 0


def _cells(dealt: Dealt | None, rest: int, freecells: int) -> tuple[int, ...]:
    """Return the cells of the last cards of the deck, in the order of the cards."""
    if dealt is None:
        return ()
    if has_order(dealt) or dealt.auto or len(dealt.stacks) > freecells:
        raise Unplayable(f"expected braces for at most {freecells} cells", dealt.element)
    places: dict[int, int] = {}
    for cell, stack in enumerate(dealt.stacks):
        if len(stack) > 1:
            raise Unplayable(
                "a cell holds one card, expected one number", stack[1], str(stack[1].first)
            )
        for entry in stack:
            if not isinstance(entry.first, int) or entry.last is not None or entry.face_down:
                raise Unplayable("expected a number for a cell", entry, shown_entry(entry))
            places[entry.first] = cell
    last = list(range(rest - len(places) + 1, rest + 1))
    if sorted(places) != last:
        raise Unplayable(
            f"expected the last cards of the deck, up to {rest}, for the cells", dealt.element
        )
    return tuple(places[number] for number in last)


def shortened(layout: Layout, columns: int, cards: int) -> Layout:
    """Return the same layout by an order of dealing, without lists of numbers, if there is one."""
    orders: tuple[Literal["turn", "backwards", "diagonal"], ...] = ("turn", "backwards", "diagonal")
    for order in orders:
        plain = Layout((), (), order, (), False, ())
        if order == "diagonal" and cards > columns * (columns + 1) // 2:
            continue
        laid = plain.arrange(range(1, cards + 1), columns, 0)[0]
        if tuple(map(tuple, laid)) == layout.columns:
            return replace(layout, order=order, columns=())
    return layout


def _check_bottoms(tableau: Dealt, numbers: list[list[int]], layout: Layout, columns: int) -> None:
    """Raise Unplayable unless named cards in braces lie where dealing them first puts them."""
    laid = Layout((), (), layout.order, (), False, ()).arrange(
        range(1, len(layout.first) + 1), columns, 0
    )[0]
    if [column for column in laid if column] != [column for column in numbers if column]:
        text = "the named cards are not the first rows, as they would be dealt"
        raise Unplayable(text, tableau.element, "Rows")
