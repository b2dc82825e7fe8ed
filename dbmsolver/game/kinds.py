"""The kinds of rules that games differ in, by the names that files and stores have for them."""

from __future__ import annotations

from typing import Literal, get_args

Build = Literal["alternate", "suit", "any", "none", "suit-both", "colour", "other"]
Fill = Literal["any", "kings", "none", "waste"]
Moves = Literal["single", "runs", "suit-runs", "groups", "card-or-column", "columns"]
Bases = Literal["ace", "deal", "round"]
Pile = Literal["none", "wrap", "ends"]
Pairs = Literal["none", "pyramid", "all"]
RowDeals = Literal["none", "rows", "full-rows"]
Policy = Literal["wkr", "horne", "none", "max"]
Metric = Literal["cards", "runs", "moves", "turns", "plays"]

BUILDS: tuple[Build, ...] = ("alternate", "suit", "any", "none", "suit-both")
"""The ways of building that FreeCell's kind has. Klondike's has more, but is only built down."""
FILLS: tuple[Fill, ...] = ("any", "kings", "none")
"""The rules of filling that any game may have; `waste` is for Klondike's kind only."""
MOVES: tuple[Moves, ...] = ("single", "runs", "suit-runs")
"""The units of a move that any game may have; groups and whole columns are for Klondike's kind
only."""
PILES: tuple[Pile, ...] = get_args(Pile)
PAIRS: tuple[Pairs, ...] = get_args(Pairs)
METRICS: tuple[Metric, ...] = get_args(Metric)
POLICIES: tuple[Policy, ...] = ("wkr", "horne", "none")
"""The policies of a search in every metric: "max" is none of them, as it takes solutions away."""

Family = Literal["cards", "runs", "two-way", "pile", "pairs", "patience", "canfield", "wide"]
"""The name of the kernels that play a game: see docs/games.md."""

BUILD_WORDS: dict[Build, str] = {
    "alternate": "built down by alternate colour",
    "suit": "built down by suit",
    "any": "built down by any suit",
    "none": "nothing is put on a card",
    "colour": "built down by colour",
    "other": "built down by any suit but the card's own",
    "suit-both": "built up or down by suit",
}
FILL_WORDS: dict[Fill, str] = {
    "any": "empty columns take any card",
    "kings": "empty columns take kings only",
    "none": "empty columns take nothing",
    "waste": "empty columns take cards of the waste only",
}
BASE_FILL_WORDS = {**FILL_WORDS, "kings": "empty columns take the rank before the base only"}
"""The same where the deal gives the rank with which foundations begin, the base."""
MOVES_WORDS: dict[Moves, str] = {
    "single": "cards move one by one",
    "runs": "a run moves as one move",
    "suit-runs": "a run of one suit moves as one move",
    "groups": "any cards at the end of a column move as one move",
    "card-or-column": "a card or a whole column moves as one move",
    "columns": "whole columns move as one move and no part of one",
}
BASE_WORDS: dict[Bases, str] = {
    "ace": "foundations begin with the ace",
    "deal": "foundations begin with a rank that the deal gives",
    "round": "foundations begin with a rank that the deal gives and columns go round over it",
}
WHOLE_SUITS_WORDS = {True: "only whole suits go home", False: "cards go home one by one"}
REMOVABLE_WORDS = {
    True: "cards come back from the foundations",
    False: "no card comes back from the foundations",
}
PILE_WORDS: dict[Pile, str] = {
    "none": "no pile",
    "wrap": "one pile up or down by any suit and from king to ace",
    "ends": "one pile up or down by any suit",
}
PAIRS_WORDS: dict[Pairs, str] = {
    "none": "no pairs",
    "pyramid": "pairs and kings are removed until the pyramid is empty",
    "all": "pairs and kings are removed until no card is left",
}
ROW_DEALS_WORDS: dict[RowDeals, str] = {
    "none": "no cards dealt onto columns",
    "rows": "the stock is dealt in rows onto the columns",
    "full-rows": "the stock is dealt in rows onto columns none of which is empty",
}
FREE_STOCK_WORDS = {
    True: "the top card of the stock is free",
    False: "no card of the stock is free",
}
RESERVE_WORDS = {
    True: "no card is put into a freecell",
    False: "an empty freecell takes any card",
}


def fill_words(fill: Fill, base: Bases) -> str:
    """Return what empty columns take in words."""
    return (FILL_WORDS if base == "ace" else BASE_FILL_WORDS)[fill]


def draw_words(draw: int) -> str:
    """Return the number of cards turned at once in words."""
    if not draw:
        return "no waste"
    return f"{draw} {'card' if draw == 1 else 'cards'} turned at once"


def passes_words(passes: int) -> str:
    """Return the number of times the stock is gone through in words."""
    if not passes:
        return "any number of passes"
    return f"{passes} {'pass' if passes == 1 else 'passes'}"


def stacked_words(cards: int) -> str:
    """Return a reserve of `cards` cards in one stack in words."""
    if not cards:
        return "no stack in reserve"
    count = f"{cards} {'card' if cards == 1 else 'cards'}"
    return f"{count} stacked in reserve that fill empty columns"


def stock_words(cards: int) -> str:
    """Return a stock of `cards` cards in words."""
    if not cards:
        return "no stock"
    return f"a stock of {cards} {'card' if cards == 1 else 'cards'}"
