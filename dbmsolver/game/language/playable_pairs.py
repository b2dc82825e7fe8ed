"""Pairing games: from a description to their rules.

They have a pyramid, a place for removed cards, and perhaps a stock that is turned card by card to a
waste, which is turned over to be the stock again, a number of times.
"""

from __future__ import annotations

from collections.abc import Iterable

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.kinds import Pairs
from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    MoveLine,
    Phase,
)
from dbmsolver.game.language.playable_deal import (
    Unplayable,
    attempt,
    dealt_lines,
    has_order,
    low_of,
)
from dbmsolver.game.language.playable_setup import Expected, setup_of
from dbmsolver.game.language.problems import Problems
from dbmsolver.game.layouts import Layout
from dbmsolver.game.rules import MAX_PASSES, MAX_ROWS, Rules

_SHOWN = {
    "Tableau": ("Pyramid",),
    "Remove": ("TopStack", "DropStack", "BackStack", "Face", "Back"),
    "Stock": ("BackStack", "TopStack", "DropStack"),
    "Wastepile": ("TopStack", "DropStack", "Face"),
}
_SETUP = Expected(
    game="in a game of pairs",
    shown=_SHOWN,
    names=", ".join(_SHOWN),
    most={"Tableau": MAX_ROWS},
    keep="Remove",
    keep_name="Remove",
    tableau="Tableau Pyramid",
)
_ENDS: dict[str, Pairs] = {"TableauEmpty": "pyramid", "SingleStack": "all"}
_TURN = "expected Wastepile SingleCard Any SourceElement[Stock]"
_OVER = "expected Stock FullStack OnBlank SourceElement[Wastepile] Times[n]"
_PLACES = frozenset({"Tableau", "Wastepile", "Stock"})


def has_pairs(game: Description) -> bool:
    """Return True if a description is of a pairing game: cards are removed, and none goes home."""
    elements = [line.element for line in game.setup or ()]
    return "Remove" in elements and "Foundation" not in elements


def understand_pairs(game: Description, name: str, ranks: int, problems: Problems) -> Rules | None:
    """Return the rules, or None; what cannot be played is added to the problems."""
    setup = setup_of(game.setup or (), _SETUP, problems)
    rows = setup["Tableau"].count if "Tableau" in setup else 1
    lines: dict[str, list[MoveLine]] = {name: [] for name in ("Remove", "Wastepile", "Stock")}
    for line in game.moves or ():
        if line.element in lines:
            lines[line.element].append(line)
        else:
            problems.add("expected moves to Remove, Wastepile and Stock only", line.element)
        if line.times is not None and line.element != "Stock":
            problems.add("expected it for the Stock", line.element, show="Times")
        for word in line.modifiers:
            problems.add("expected none in a game of pairs", word)
    has_stock = "Stock" in setup or "Wastepile" in setup
    if has_stock and not {"Stock", "Wastepile"} <= setup.keys():
        problems.add("expected both Stock and Wastepile, or neither", "Setup")
    free_stock = _removals(lines["Remove"], ranks, has_stock, problems)
    _turns(lines["Wastepile"], has_stock, problems)
    passes = _passes(lines["Stock"], problems) if has_stock else 0
    _check_deck(game.deck or Deck(), problems)
    layout, stock = _deal(game.deal or (), rows, has_stock, 13 - ranks, problems)
    pairs = _end(game, problems)
    if problems.found:
        return None
    try:
        return Rules(
            name,
            rows,
            0,
            "none",
            "none",
            layout=str(layout),
            stock=stock,
            draw=int(has_stock),
            passes=passes,
            pairs=pairs,
            free_stock=free_stock,
        )
    except UsageError as error:
        problems.add(error.message, "Deal")
        return None


def _check_deck(deck: Deck, problems: Problems) -> None:
    if deck.high not in (None, "KingHigh"):
        problems.add("expected KingHigh", deck.high)


def _removals(lines: list[MoveLine], ranks: int, has_stock: bool, problems: Problems) -> bool:
    """Return True if the top card of the stock is free; checks how cards are removed."""
    expected = f"expected Remove Any[2] Sum[{ranks}], and Remove SingleCard Rank[K]"
    kinds: set[str] = set()
    free: set[frozenset[str]] = set()
    for line in lines:
        if line.sum is not None and (line.sum != ranks or (line.item, line.count) != ("Any", 2)):
            problems.add(expected, line.element, show=f"Sum[{line.sum}]")
        elif line.sum is not None and set(line.destinations) <= {"Any", "AnySuit", "Sum"}:
            kinds.add("pairs")
        elif line.rank in ("K", str(ranks)) and line.item in (None, "SingleCard", "Any"):
            if line.count != 1 or set(line.destinations) - {"Rank", "Any", "AnySuit"}:
                problems.add(expected, line.element)
            kinds.add("kings")
        else:
            problems.add(expected, line.element)
        places = frozenset(line.sources) or _PLACES
        if not {"Tableau"} <= places <= _PLACES or (has_stock and "Wastepile" not in places):
            text = "expected cards of the Tableau, of the Wastepile, and perhaps of the Stock"
            problems.add(text, line.element, show="SourceElement")
        free.add(places)
    if kinds != {"pairs", "kings"}:
        problems.add(expected, *(line.element for line in lines), "Remove")
    if len(free) > 1:
        text = "pairs and kings from other places, expected the same"
        problems.add(text, lines[-1].element, show="SourceElement")
    return has_stock and all("Stock" in places for places in free)


def _turns(lines: list[MoveLine], has_stock: bool, problems: Problems) -> None:
    """Check the line that turns cards of the stock."""
    if has_stock and not lines:
        problems.add(f"no line says how it is turned, {_TURN}", "Wastepile")
    for line in lines:
        fits = line.item in (None, "SingleCard", "Any") and set(line.destinations) <= {"Any"}
        if not fits or line.count != 1 or set(line.sources) != {"Stock"} or not has_stock:
            problems.add(_TURN, line.element)
        if line is not lines[0]:
            problems.add("a second way of turning the stock, expected one", line.element)


def _passes(lines: list[MoveLine], problems: Problems) -> int:
    """Return how often the stock is gone through."""
    for line in lines:
        blank = set(line.destinations) - {"Any"} == {"OnBlank"}
        if line.item != "FullStack" or not blank or set(line.sources) != {"Wastepile"}:
            problems.add(_OVER, line.element)
        if line is not lines[0]:
            problems.add("a second line, expected one", line.element)
        if line.times is not None and not 1 <= line.times <= MAX_PASSES:
            shown = f"Times[{line.times or 'Unlimited'}]"
            problems.add(f"expected 1 to {MAX_PASSES} times", line.element, show=shown)
        if line.times is None:
            problems.add(f"it is not said how often, {_OVER}", line.element)
    return (lines[0].times or 1) if lines else 1


def _deal(
    phases: Iterable[Phase], rows: int, has_stock: bool, shift: int, problems: Problems
) -> tuple[Layout, int]:
    """Return the layout, and the number of cards of stock and waste."""
    elements = ("Tableau", "Wastepile", "Stock") if has_stock else ("Tableau",)
    expected = f"expected cards for {', '.join(elements)}"
    dealt = dealt_lines(phases, elements, expected, problems)
    return attempt(lambda: _laid_out(dealt, rows, shift), dealt, problems) or (Layout(), 0)


def _laid_out(dealt: dict[str, Dealt], rows: int, shift: int) -> tuple[Layout, int]:
    tableau = dealt.get("Tableau")
    if tableau is None:
        raise Unplayable("expected cards for the Tableau", "Deal")
    odd = tableau.stacks or tableau.diagonal or tableau.right_to_left or tableau.kings_sunk
    if odd or tableau.auto or tableau.rows not in (0, rows):
        raise Unplayable(f"expected Rows[{rows}] for a pyramid", tableau.element)
    deck, size = CARDS - 4 * shift, rows * (rows + 1) // 2
    following, counts = size + 1, {"Wastepile": 0, "Stock": 0}
    for element in counts:
        cards = _numbers(dealt.get(element))
        if cards != list(range(following, following + len(cards))):
            text = (
                f"expected the cards from {following} on: Tableau, Wastepile, Stock in this order"
            )
            raise Unplayable(text, dealt[element].element)
        following += len(cards)
        counts[element] = len(cards)
    if following != deck + 1:
        text = f"{deck} cards in the deck, and {following - 1} are dealt, expected all"
        raise Unplayable(text, tableau.element)
    layout = Layout(tuple(range(4 * shift)), order="pyramid", turned=counts["Wastepile"])
    layout.check(rows, 0, 0, counts["Stock"])
    return layout, sum(counts.values())


def _numbers(dealt: Dealt | None) -> list[int]:
    """Return the numbers of the one stack of an element."""
    if dealt is None:
        return []
    if has_order(dealt) or dealt.auto or len(dealt.stacks) > 1:
        raise Unplayable("expected one pair of braces with its cards", dealt.element)
    numbers: list[int] = []
    for entry in dealt.stacks[0] if dealt.stacks else ():
        if isinstance(entry.first, str):
            raise Unplayable("expected numbers of cards", entry, entry.first)
        numbers += range(low_of(entry), (entry.last or low_of(entry)) + 1)
    return numbers


def _end(game: Description, problems: Problems) -> Pairs:
    """Return what has to be removed."""
    found: Pairs = "pyramid"
    for word in game.finish or ():
        if word not in _ENDS:
            problems.add("expected TableauEmpty or SingleStack", word)
        elif word is not (game.finish or ())[0]:
            problems.add("a second end, expected one", word)
        found = _ENDS.get(word, found)
    for word in game.triggers or ():
        problems.add("deals in the middle of the game are not played", word)
    return found
