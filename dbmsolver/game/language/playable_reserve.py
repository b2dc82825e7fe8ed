"""Canfield and its kin: a base from the deal, a reserve in one stack, whole columns that move.

These functions read the lines of a text about them, for
:mod:`dbmsolver.game.language.playable_patience`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from dbmsolver.game.kinds import Bases, Fill, Moves
from dbmsolver.game.language.description import Dealt, MoveLine, SetupLine, StackEntry
from dbmsolver.game.language.playable_deal import Unplayable, has_order, low_of
from dbmsolver.game.language.playable_moves import fill_of
from dbmsolver.game.language.problems import Problems
from dbmsolver.game.rules import MAX_STACKED

_AUTO = "Tableau SingleCard Any OnBlank SourceElement[Reserve] Auto"
_SINGLE = (None, "SingleCard", "Any")


def base_of(setup: Mapping[str, SetupLine], high: str | None) -> Bases:
    """Return the rank that foundations begin with, and True if columns go round over it."""
    foundation = setup.get("Foundation")
    if foundation is None or foundation.base != "Deal":
        return "ace"
    return "round" if high == "Cyclic" else "deal"


def has_other_base(foundation: SetupLine | None, played: tuple[str, ...] = ("A", "Deal")) -> bool:
    """Return True if foundations begin with a rank that is not played.

    That is refused by itself. What else the text says of ranks fits it, and is no problem of its
    own: the lines of the first cards, the cards dealt to the foundations, the highest rank.
    """
    return foundation is not None and foundation.base not in (None, *played)


def is_fill_by_program(line: MoveLine) -> bool:
    """Return True if a line says that the program puts cards into empty columns."""
    return line.element == "Tableau" and "Auto" in line.modifiers


def check_fill_by_program(
    lines: list[MoveLine], fills: list[MoveLine], reserve: SetupLine | None, problems: Problems
) -> None:
    """Add a problem unless a reserve fills empty columns, and no other element does by itself.

    ``fills`` are the lines by which the player puts cards into empty columns.
    """
    if reserve is not None and not lines:
        chosen = any(not line.sources or "Reserve" in line.sources for line in fills)
        text = "no line puts its cards into empty columns, which is not played"
        if chosen:
            text = "the player puts its cards into empty columns, which is not played"
        text += f"; where the program puts them there, expected {_AUTO}"
        problems.add(text, reserve.element)
    for line in lines:
        if reserve is None:
            word = next(word for word in line.modifiers if word == "Auto")
            problems.add("there is no reserve that could fill columns", word)
            continue
        plain = line.item in _SINGLE and line.count == 1 and line.modifiers == ("Auto",)
        blank = set(line.destinations) - {"Any", "AnySuit"} == {"OnBlank"}
        if not (plain and blank and set(line.sources) == {"Reserve"}):
            problems.add(f"expected {_AUTO}", line.element)
        elif line is not lines[0]:
            problems.add("a second line, expected one", line.element)


def columns_moved(lines: list[MoveLine], problems: Problems) -> Moves | None:
    """Return what one move takes if a line for building has whole columns; None if none has."""
    whole = [line for line in lines if line.item == "FullStack"]
    if not whole:
        return None
    for line in whole:
        if set(line.sources) - {"Tableau"}:
            problems.add("a whole column comes from the Tableau", line.element, show="FullStack")
    others = [line for line in lines if line not in whole]
    for line in others:
        if line.item not in _SINGLE or line.count != 1:
            problems.add("expected SingleCard beside whole columns", line.item)
    single = any(not line.sources or "Tableau" in line.sources for line in others)
    return "card-or-column" if single else "columns"


def with_sources(line: MoveLine) -> MoveLine:
    """Return a line with the Tableau as its source, if it is for whole columns and names none."""
    whole = line.item == "FullStack" and line.element == "Tableau"
    return replace(line, sources=line.sources or ("Tableau",)) if whole else line


def fill_with_waste(lines: list[MoveLine], based: bool, problems: Problems) -> Fill:
    """Return the cards that empty columns take: those of the waste only, where all lines say so."""
    for line in lines:
        if based and line.rank is not None:
            shown = f"Rank[{line.rank}]"
            text = "ranks are counted from the base, expected Any OnBlank"
            problems.add(text, line.rank, show=shown)
        if line.item == "FullStack":
            text = "a whole column in another column is no move, expected SingleCard"
            problems.add(text, line.item)
    fill = fill_of(lines, problems)
    if lines and all(set(line.sources) == {"Wastepile"} for line in lines):
        if fill != "any":
            problems.add("expected Any OnBlank for cards of the waste", lines[0].element)
        return "waste"
    return fill


def base_dealt(dealt: Dealt | None, rest: int) -> int:
    """Return the number of the card that is the base, among ``rest`` cards."""
    entries = [entry for stack in dealt.stacks for entry in stack] if dealt else []
    one = entries[0] if len(entries) == 1 else None
    number = one.first if one is not None and one.last is None else None
    if dealt is None or has_order(dealt) or dealt.auto or not isinstance(number, int):
        word = dealt.element if dealt else "Deal"
        raise Unplayable("expected the number of one card for it, as in Foundation {1}", word)
    return _fitting(number, rest, one)


def reserve_dealt(dealt: Dealt | None, rest: int) -> tuple[int, ...]:
    """Return the numbers of the reserve's cards, among ``rest`` cards."""
    if dealt is None:
        return ()
    if has_order(dealt) or dealt.auto or len(dealt.stacks) != 1:
        raise Unplayable("expected one stack of numbers, as in {2..14}", dealt.element)
    cards = tuple(number for entry in dealt.stacks[0] for number in _numbers(entry, rest))
    if len(cards) > MAX_STACKED:
        raise Unplayable(f"{len(cards)} cards, expected at most {MAX_STACKED}", dealt.element)
    return cards


def _numbers(entry: StackEntry, rest: int) -> range:
    if not isinstance(entry.first, int):
        raise Unplayable("expected numbers", entry, str(entry.first))
    _fitting(entry.last or entry.first, rest, entry)
    return range(_fitting(entry.first, rest, entry), (entry.last or entry.first) + 1)


def _fitting(number: int, rest: int, entry: StackEntry | None) -> int:
    if not 1 <= number <= rest:
        raise Unplayable(f"expected numbers from 1 to {rest}", entry, str(number))
    return number


def renumbered(tableau: Dealt, taken: set[int]) -> Dealt:
    """Return the columns' cards, numbered without the base and the reserve's cards."""
    stacks = []
    for stack in tableau.stacks:
        entries = []
        for entry in stack:
            if not isinstance(entry.first, int):
                raise Unplayable("expected numbers beside base and reserve", entry, entry.first)
            for number in range(low_of(entry), (entry.last or low_of(entry)) + 1):
                if number in taken:
                    raise Unplayable("the card is dealt twice", entry, str(number))
                less = sum(other < number for other in taken)
                entries.append(replace(entry, first=number - less, last=None))
        stacks.append(tuple(entries))
    return replace(tableau, stacks=tuple(stacks))
