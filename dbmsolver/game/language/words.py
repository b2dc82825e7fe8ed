"""The words of the language, in the kinds that the grammar tells apart."""

from __future__ import annotations

from typing import Final

ELEMENTS: Final = ("Tableau", "Foundation", "Stock", "Reserve", "Wastepile", "Remove")
DISPLAYS: Final = ("Back", "Face", "DropStack", "MixDropStack", "TopStack", "BackStack", "Pyramid")
SUITS: Final = ("Hearts", "Spades", "Diamonds", "Clubs")
HIGHS: Final = ("KingHigh", "AceHigh", "Cyclic")
ITEMS: Final = ("Any", "FullStack", "ValidStack", "SingleCard", "FullSuit", "Group")
DESTINATIONS: Final = (
    "AltColor", "SameColor", "SameSuit", "OtherSuit", "AnySuit", "Any", "Rank", "Sum", "OnBlank",
)  # fmt: skip
MODIFIERS: Final = (
    "ThroughReserve", "Ascending", "Descending", "SourceElement", "NotValid", "Times", "Auto",
    "Keep",
)  # fmt: skip
FINISHES: Final = ("TableauEmpty", "AllInFoundation", "SingleStack")
CONDITIONS: Final = ("NoValidMove", "NoBlank")
ORDERS: Final = ("Rows", "Diagonal", "RightToLeft", "KingsSunk", "Auto")
BLOCKS: Final = ("Header", "Setup", "Deck", "Deal", "Move", "Finish", "TriggerConditions")
HEADINGS: Final = ("Name", "Description", "Numbers", "Height", "Width")
DECKS: Final = ("Single", "Multiple", *SUITS, *HIGHS, "Ranks")
PHASES: Final = ("Initial", "Triggered")
FLAGS: Final = ("Keep", "Base")
OTHERS: Final = ("Extends", "SingleDeck", "Unlimited")

KINDS: Final[dict[str, tuple[str, ...]]] = {
    "a block": BLOCKS,
    "a line of the header": HEADINGS,
    "an element": ELEMENTS,
    "a setup code": DISPLAYS,
    "a move item": ITEMS,
    "a destination": DESTINATIONS,
    "a move modifier": MODIFIERS,
    "a deck code": DECKS,
    "a deal code": PHASES,
    "an order of dealing": ORDERS,
    "a finish code": FINISHES,
    "a condition": CONDITIONS,
    "a mark of an element": FLAGS,
}
"""The words by kind, as messages name the kinds."""

ALL: Final = tuple(dict.fromkeys([*(word for kind in KINDS.values() for word in kind), *OTHERS]))

_CANONICAL = {word.lower(): word for word in ALL}


def canonical(word: str) -> str:
    """Return a word as this program writes it; `SingleDeck` is `Single`."""
    found = _CANONICAL[word.lower()]
    return "Single" if found == "SingleDeck" else found
