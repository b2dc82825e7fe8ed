"""Games of one pile: from a description to their rules.

They have columns that cards only leave, a waste pile that is built up or down by any suit, and
perhaps a stock that is turned to it, once, card by card.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dbmsolver.game.cards import CARDS
from dbmsolver.game.kinds import Pile
from dbmsolver.game.language.description import Dealt, Deck, Description, MoveLine, Phase
from dbmsolver.game.language.playable_deal import (
    Unplayable,
    attempt,
    card_of,
    dealt_lines,
    has_order,
    low_of,
    order_of,
    shortened,
    stacks_of,
)
from dbmsolver.game.language.playable_moves import shown_word
from dbmsolver.game.language.playable_setup import Expected, setup_of
from dbmsolver.game.language.problems import Problems
from dbmsolver.game.layouts import Layout
from dbmsolver.game.rules import MAX_PILE_COLUMNS, Rules

_SETUP = Expected(
    game="with a waste pile",
    shown={
        "Tableau": ("DropStack", "MixDropStack", "TopStack"),
        "Wastepile": ("TopStack", "DropStack", "Face"),
        "Stock": ("BackStack", "TopStack", "DropStack"),
    },
    names="Tableau, Wastepile and Stock",
    most={"Tableau": MAX_PILE_COLUMNS},
    keep="Wastepile",
    keep_name="the Wastepile",
    tableau="Tableau",
)
_LINES = "Wastepile SingleCard AnySuit"


def has_one_pile(game: Description) -> bool:
    """Return True if a description is of a game of one pile: a waste pile, no foundations."""
    elements = [line.element for line in game.setup or ()]
    return "Wastepile" in elements and "Foundation" not in elements


def understand_pile(game: Description, name: str, ranks: int, problems: Problems) -> Rules | None:
    """Return the rules, or None; what cannot be played is added to the problems."""
    setup = setup_of(game.setup or (), _SETUP, problems)
    pile = _deck(game.deck or Deck(), problems)
    columns = setup["Tableau"].count if "Tableau" in setup else 1
    starts = _moves(game.moves or (), "Stock" in setup, problems)
    deal = _deal(game.deal or (), columns, "Stock" in setup, 13 - ranks, problems)
    if deal and not (starts or deal.layout.has_pile):
        reason = "no card is dealt to it, and no line lets one begin it, expected Wastepile Any Any"
        problems.add(f"{reason} OnBlank", "Wastepile")
    _end(game, problems)
    if problems.found or deal is None:
        return None
    layout = str(deal.layout)
    return Rules(name, columns, 0, "none", "none", layout=layout, pile=pile, stock=deal.stock)


def _deck(deck: Deck, problems: Problems) -> Pile:
    """Return True if ranks go round, as the rules say it."""
    if deck.high not in (None, "KingHigh", "Cyclic"):
        problems.add("expected KingHigh or Cyclic", deck.high)
    return "wrap" if deck.high == "Cyclic" else "ends"


def _moves(lines: Iterable[MoveLine], stock: bool, problems: Problems) -> bool:
    """Return True if any card may begin the pile. Checks the other lines."""
    directions: set[str] = set()
    starts = turned = False
    for line in lines:
        if line.element != "Wastepile":
            problems.add("expected moves to the Wastepile only", line.element)
            continue
        if line.item not in (None, "SingleCard", "Any") or line.count != 1:
            problems.add("expected SingleCard", line.item)
        for source in set(line.sources) - {"Tableau", "Stock"}:
            problems.add("expected Tableau or Stock", source)
        for word in set(line.modifiers) - {"Ascending", "Descending"}:
            problems.add("expected Ascending or Descending", word)
        if line.times not in (None, 1):
            problems.add("the stock is turned once, expected Times[1]", line.element, show="Times")
        for word in set(line.destinations) - {"Any", "AnySuit", "OnBlank"}:
            text = "expected AnySuit: the pile is built by any suit"
            problems.add(text, word, show=shown_word(line, word))
        said = {"Ascending", "Descending"} & set(line.modifiers)
        if "OnBlank" in line.destinations:
            starts = True
        elif said:
            if line.sources and "Tableau" not in line.sources:
                problems.add("expected SourceElement[Tableau]", line.element, show="SourceElement")
            directions |= said
        elif set(line.sources) == {"Stock"}:
            turned = True
        else:
            problems.add(f"expected {_LINES} Ascending, and one with Descending", line.element)
    for word in ("Ascending", "Descending"):
        if word not in directions:
            problems.add(f"expected a line {_LINES} {word}", "Wastepile")
    if stock and not turned:
        problems.add("expected a line Wastepile SingleCard Any SourceElement[Stock]", "Stock")
    return starts


class _Deal(NamedTuple):
    layout: Layout
    stock: int


def _deal(
    phases: Iterable[Phase], columns: int, stock: bool, shift: int, problems: Problems
) -> _Deal | None:
    """Return what the deal says; None if it cannot be played, which is added to the problems."""
    elements = tuple(_SETUP.shown)[: 3 if stock else 2]
    dealt = dealt_lines(
        phases, elements, f"expected cards for {_SETUP.names} of the Setup", problems
    )
    return attempt(lambda: _laid_out(dealt, columns, shift), dealt, problems)


def _laid_out(dealt: dict[str, Dealt], columns: int, shift: int) -> _Deal:
    tableau = dealt.get("Tableau")
    if tableau is None:
        raise Unplayable("expected cards for the Tableau", "Deal")
    if tableau.kings_sunk or tableau.auto:
        raise Unplayable("expected Rows or numbers", tableau.element)
    home = tuple(range(4 * shift))
    pile, turned = _cards(dealt.get("Wastepile"), shift)
    named, stock = _cards(dealt.get("Stock"), shift)
    if named:
        raise Unplayable("expected numbers for the Stock", dealt["Stock"].element)
    first, numbers = stacks_of(tableau, shift)
    rest = CARDS - len(home) - len(pile)
    explicit = bool(tableau.stacks) and not has_order(tableau)
    if tableau.stacks and not explicit:
        raise Unplayable("expected Rows alone, or every card by its number", tableau.element)
    given = rest - len(turned) - len(stock)
    if explicit:
        given = sum(map(len, numbers))
    elif tableau.rows:
        given = min(tableau.rows * columns, rest)
    following = given - len(first) + 1  # named cards have no number
    for element, cards in (("Wastepile", turned), ("Stock", stock)):
        if cards != list(range(following, following + len(cards))):
            text = (
                f"expected the cards from {following} on: Tableau, Wastepile, Stock in this order"
            )
            raise Unplayable(text, dealt[element].element)
        following += len(cards)
    if given + len(turned) + len(stock) != rest:
        left = rest - given - len(turned) - len(stock)
        words = f"{left} cards are dealt nowhere, expected all"
        if left < 0:
            words = f"{rest - left} cards are dealt, expected {rest}"
        raise Unplayable(words, tableau.element)
    unlisted = ((),) * max(0, columns - len(numbers))
    layout = Layout(
        home,
        tuple(first),
        order_of(tableau),
        (*map(tuple, numbers), *unlisted) if explicit else (),
        pile=pile,
        turned=len(turned),
    )
    layout.check(columns, 0, 0, len(stock))
    if explicit:
        layout = shortened(layout, columns, given)
    return _Deal(layout, len(stock))


def _cards(dealt: Dealt | None, shift: int) -> tuple[tuple[int, ...], list[int]]:
    """Return the named cards of the one stack of an element, and the numbers of the others."""
    if dealt is None:
        return (), []
    if has_order(dealt) or dealt.auto or len(dealt.stacks) > 1:
        raise Unplayable("expected one pair of braces with its cards", dealt.element)
    named: list[int] = []
    numbers: list[int] = []
    for entry in dealt.stacks[0] if dealt.stacks else ():
        if isinstance(entry.first, str):
            named.append(card_of(entry, shift))
        else:
            # Whether they lie face down makes no difference to who knows all cards.
            numbers += range(low_of(entry), (entry.last or low_of(entry)) + 1)
    return tuple(named), numbers


def _end(game: Description, problems: Problems) -> None:
    for word in game.finish or ():
        if word != "TableauEmpty":
            problems.add("expected TableauEmpty", word)
    for word in game.triggers or ():
        problems.add("deals in the middle of the game are not played", word)
