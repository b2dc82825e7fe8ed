"""Spider, Gypsy, Forty Thieves, Scorpion and their kin: from a description to their rules.

They have a deck of several packs, or a stock that is dealt in rows onto the columns, or groups of
any cards that move beside whole suits that go home.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import SUIT_NAMES, rank
from dbmsolver.game.kinds import RowDeals
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
    card_of,
    deals_base,
    has_order,
    low_of,
    order_of,
    shortened,
    stacks_of,
)
from dbmsolver.game.language.playable_moves import check_home, fill_of
from dbmsolver.game.language.playable_patience import (
    SHOWN,
    back_from_home,
    build_of,
    drawn_at_once,
    hidden_in,
    takes_of,
)
from dbmsolver.game.language.playable_reserve import has_other_base
from dbmsolver.game.language.playable_runs import whole_suits
from dbmsolver.game.language.playable_setup import Expected, setup_of
from dbmsolver.game.language.problems import Problems
from dbmsolver.game.layouts import Layout
from dbmsolver.game.packs import MOST_PACKS, Packs, cards_of, packs_text
from dbmsolver.game.rules import MAX_COLUMNS, Rules

_SHOWN = {name: shown for name, shown in SHOWN.items() if name != "Reserve"}
_ROW = "expected Triggered[x] Tableau Rows[1], a row at a time"


def is_wide(game: Description) -> bool:
    """Return True if a description is of such a game.

    That has foundations, no reserve, and a stock that is gone through once.
    """
    setup = {line.element for line in game.setup or ()}
    moves = game.moves or ()
    deck = game.deck or Deck()
    several = (deck.decks or 1) > 1 or (bool(deck.suits) and _packs(deck) != (1, 1, 1, 1))
    dealt = any(phase.triggered for phase in game.deal or ())
    items = {line.item for line in moves}
    again = any(line.element == "Stock" for line in moves)
    others = bool(setup & {"Reserve", "Remove"}) or again
    return (several or dealt or items >= {"Group", "FullSuit"}) and not (
        others or "Foundation" not in setup
    )


def understand_wide(game: Description, name: str, ranks: int, problems: Problems) -> Rules | None:
    """Return the rules, or None; what cannot be played is added to the problems."""
    deck = game.deck or Deck()
    packs = _checked_packs(deck, problems)
    setup = setup_of(game.setup or (), _expected(_packs(deck)), problems)
    if "Wastepile" in setup and "Stock" not in setup:
        problems.add("expected a Stock beside it", setup["Wastepile"].element)
    columns = setup["Tableau"].count if "Tableau" in setup else 1
    phases = game.deal or ()
    rows = [phase for phase in phases if phase.triggered]
    other_base = has_other_base(setup.get("Foundation"), ("A",))
    layout, stock = _deal(
        phases, columns, "Stock" in setup, 13 - ranks, packs, other_base, problems
    )
    row_deals = _row_deals(rows, game.triggers or (), columns, stock, problems)
    for word in game.finish or ():
        if word != "AllInFoundation":
            problems.add("expected AllInFoundation", word)
    groups = _groups(game.moves or (), problems)
    keeps = "Foundation" in setup and setup["Foundation"].keep
    whole = whole_suits(groups["home"], groups["start"], keeps, problems)
    if not whole:
        check_home(groups, problems, starts=not other_base)
    elif home := _dealt_to("Foundation", phases):
        problems.add("whole suits go home, expected no cards for it", home[0].element)
    has_waste = "Wastepile" in setup
    fill = fill_of(groups["fill"], problems)
    held = ["Wastepile"] if has_waste else []
    removable = back_from_home(groups, held, keeps, fill, problems)
    takes = takes_of(groups["build"] + groups["fill"], problems)
    build = build_of(groups["build"], problems)
    draw = drawn_at_once(groups["turn"], has_waste, problems)
    if stock and row_deals == "none" and not has_waste:
        problems.add(f"{stock} cards are left, and nothing says how they are dealt, {_ROW}", "Deal")
    if stock is not None and stock < 0 and not problems.found:
        text = f"{-stock} cards more are dealt than the deck has, expected fewer"
        problems.add(text, _dealt_to("Tableau", phases)[0].element)
    if problems.found or stock is None:
        return None
    try:
        return Rules(
            name,
            columns,
            0,
            build,
            fill,
            layout=str(layout),
            moves=takes,
            whole_suits=whole,
            removable=removable,
            stock=stock,
            draw=draw,
            passes=1 if draw else 0,
            packs=packs_text(packs),
            row_deals=row_deals,
        )
    except UsageError as error:
        problems.add(error.message, "Move")
        return None


def _packs(deck: Deck) -> Packs:
    """Return the packs of each suit that a deck says."""
    if deck.suits:
        told = dict(deck.suits)
        hearts, spades, diamonds, clubs = (told.get(name.capitalize(), 0) for name in SUIT_NAMES)
        return hearts, spades, diamonds, clubs
    count = deck.decks or 1
    return count, count, count, count


def _dealt_to(element: str, phases: Iterable[Phase]) -> list[Dealt]:
    """Return the lines of a deal that give cards to an element."""
    return [one for phase in phases for one in phase.dealt if one.element == element]


def _checked_packs(deck: Deck, problems: Problems) -> Packs:
    packs = _packs(deck)
    if deck.suits and deck.decks is not None:
        problems.add("expected whole decks, or packs of suits, not both", deck.suits[0][0])
    if sum(packs) > MOST_PACKS:
        word = deck.suits[0][0] if deck.suits else "Multiple"
        shown = "" if deck.suits else f"Multiple[{deck.decks}]"
        text = f"{sum(packs)} packs, expected {MOST_PACKS} at most"
        problems.add(text, word, show=shown, at=deck.at)
        return 1, 1, 1, 1
    return packs


def _expected(packs: Packs) -> Expected:
    """Return the lines that the Setup of a game of several packs may have."""
    return Expected(
        game="in such a game",
        shown=_SHOWN,
        names=", ".join(_SHOWN),
        most={"Tableau": MAX_COLUMNS},
        keep="Foundation",
        keep_name="the Foundation",
        tableau="Tableau",
        packs=sum(packs),
    )


def _row_deals(
    rows: list[Phase],
    triggers: tuple[str, ...],
    columns: int,
    stock: int | None,
    problems: Problems,
) -> RowDeals:
    """Return how the stock is dealt onto the columns; its cards are None if nobody knows them."""
    for word in triggers:
        if word != "Tableau" or not rows:
            shown = "NoValidMove" if word == "NoValidMove" else f"NoBlank[{word}]"
            problems.add("expected NoBlank[Tableau], beside a triggered deal", word, show=shown)
    least = -(-(stock or 0) // columns)
    for phase in rows:
        dealt = phase.dealt[0] if phase.dealt else None
        plain = dealt is not None and dealt == Dealt("Tableau", rows=1)
        if phase is not rows[0]:
            text = "a second deal in the middle of the game, expected one"
            problems.add(text, "Triggered", at=phase.at)
        elif len(phase.dealt) != 1 or not plain:
            problems.add(_ROW, "Triggered", at=phase.at)
        elif stock == 0:
            problems.add("no cards are left for it, expected some", "Triggered", at=phase.at)
        elif phase.times is not None and phase.times < least:
            text = f"{stock} cards are left, expected {least} times at least"
            problems.add(text, "Triggered", show=f"Triggered[{phase.times}]", at=phase.at)
    if not rows:
        return "none"
    return "full-rows" if triggers else "rows"


def _groups(lines: Iterable[MoveLine], problems: Problems) -> dict[str, list[MoveLine]]:
    """Return the lines of moves by what they say."""
    groups: dict[str, list[MoveLine]] = {
        name: [] for name in ("build", "fill", "home", "start", "turn")
    }
    kinds = {"Tableau": ("build", "fill"), "Foundation": ("home", "start")}
    kinds |= {"Wastepile": ("turn", "turn")}
    for line in lines:
        if line.element not in kinds:
            problems.add(f"expected moves to {', '.join(kinds)} only", line.element)
            continue
        groups[kinds[line.element]["OnBlank" in line.destinations]].append(line)
        if line.times is not None:
            problems.add("the stock is gone through once", line.element, show="Times")
        for word in set(line.modifiers) & {"Auto", "Keep", "ThroughReserve"}:
            problems.add("not played as part of such a move", word)
    for line in groups["home"] + groups["start"]:
        if line.item not in (None, "SingleCard", "Any", "FullSuit") or line.count != 1:
            problems.add("expected SingleCard or FullSuit", line.item)
    return groups


def _deal(
    phases: Iterable[Phase],
    columns: int,
    has_stock: bool,
    shift: int,
    packs: Packs,
    other_base: bool,
    problems: Problems,
) -> tuple[Layout, int | None]:
    """Return the layout, and the number of cards of the stock; None if the deal is not understood.

    ``other_base``: foundations begin with a rank that is not played.
    """
    dealt: dict[str, Dealt] = {}
    for phase in phases:
        for one in () if phase.triggered else phase.dealt:
            if one.element in dealt:
                problems.add("dealt to twice, expected one line for each element", one.element)
            elif one.element not in ("Tableau", "Foundation"):
                text = "expected cards for Tableau and Foundation only, the rest is the stock"
                problems.add(text, one.element)
            dealt.setdefault(one.element, one)
    if other_base and deals_base(dealt):
        return Layout(), None
    found = attempt(
        lambda: _laid_out(
            dealt.get("Tableau"),
            columns,
            has_stock,
            shift + _ranks_home(dealt.get("Foundation"), shift, packs),
            packs,
        ),
        dealt,
        problems,
    )
    return found or (Layout(), None)


def _ranks_home(foundation: Dealt | None, shift: int, packs: Packs) -> int:
    """Return how many of the lowest ranks the deal puts home: all their cards, or none of them."""
    if foundation is None:
        return 0
    if has_order(foundation) or foundation.auto:
        raise Unplayable("expected named cards for the Foundation", foundation.element)
    named = sorted(card_of(entry, shift) for stack in foundation.stacks for entry in stack)
    deck = [card for card in cards_of(packs_text(packs)) if card >= 4 * shift]
    rest = deck[len(named) :]
    whole = bool(named) and (not rest or rank(rest[0]) > rank(named[-1]))
    if not whole or named != deck[: len(named)]:
        raise Unplayable("expected all aces of the deck, or none", foundation.element)
    return rank(named[-1]) - shift


def _laid_out(
    tableau: Dealt | None, columns: int, has_stock: bool, shift: int, packs: Packs
) -> tuple[Layout, int]:
    if tableau is None:
        raise Unplayable("expected cards for the Tableau", "Deal")
    if tableau.kings_sunk or tableau.auto:
        raise Unplayable("expected Rows, Diagonal or numbers", tableau.element)
    if tableau.stacks and has_order(tableau):
        raise Unplayable("expected an order alone, or every card by its number", tableau.element)
    for stack in tableau.stacks:
        for entry in stack:
            if not low_of(entry):
                text = "a deck with alike cards, expected the numbers of cards"
                raise Unplayable(text, entry, str(entry.first))
    home = tuple(range(4 * shift))
    deck = [card for card in cards_of(packs_text(packs)) if card not in home]
    hidden = tuple(hidden_in(stack) for stack in tableau.stacks)
    up = tuple(
        tuple(replace(entry, face_down=False) for entry in stack) for stack in tableau.stacks
    )
    _, numbers = stacks_of(replace(tableau, stacks=up), shift)
    given = len(deck)
    if tableau.stacks:
        given = sum(map(len, numbers))
    elif tableau.rows:
        given = min(tableau.rows * columns, len(deck))
    if given < len(deck) and not has_stock:
        left = len(deck) - given
        raise Unplayable(f"{left} cards are dealt nowhere, expected all", tableau.element)
    unlisted = ((),) * max(0, columns - len(numbers))
    explicit = (*map(tuple, numbers), *unlisted) if tableau.stacks else ()
    layout = Layout(home, (), order_of(tableau), explicit)
    layout.check(columns, 0, 0, len(deck) - given, deck=deck)
    if tableau.stacks:
        layout = shortened(layout, columns, given)
    if any(hidden):
        layout = replace(layout, hidden=(*hidden, *[0] * (columns - len(hidden))))
    return layout, len(deck) - given
