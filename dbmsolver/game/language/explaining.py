"""The meaning of a game's text in plain words, as this program understands it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dbmsolver.game.classes import has_classes
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import MOVES_WORDS
from dbmsolver.game.language.description import (
    Dealt,
    Deck,
    Description,
    MoveLine,
    SetupLine,
    StackEntry,
)
from dbmsolver.game.language.items import with_items
from dbmsolver.game.language.playable_pairs import has_pairs
from dbmsolver.game.language.playable_patience import is_patience
from dbmsolver.game.language.playable_pile import has_one_pile
from dbmsolver.game.language.understanding import Understood
from dbmsolver.game.measures import counted
from dbmsolver.game.rules import Rules

Fact = tuple[str, str]
"""A name and a text about it; without a name, the text goes on with the one before."""

_ITEMS = {
    "FullStack": "a whole stack",
    "ValidStack": "a run of cards",
    "SingleCard": "a card",
    "FullSuit": "a whole suit from king to ace",
    "Group": "any cards at the end of a column",
}
_ON = {
    "AltColor": "on one of the other colour",
    "SameColor": "on one of its colour",
    "SameSuit": "on one of its suit",
    "OtherSuit": "on one of another suit",
    "AnySuit": "on one of any suit",
    "Any": "on any",
}
_RANKS = {"Ascending": "one rank lower", "Descending": "one rank higher"}
_RANK_NAMES = {"A": "ace", "J": "jack", "Q": "queen", "K": "king", "8": "8"}
_OTHERS = {
    "ThroughReserve": "card by card through the reserve",
    "NotValid": "not counted as a run",
    "Auto": "made by the program",
    "Keep": "to stay there",
}
_DISPLAYS = {
    "Back": "one card face down",
    "Face": "one card face up",
    "DropStack": "every card in sight",
    "MixDropStack": "some cards face down at first",
    "TopStack": "the top card in sight",
    "BackStack": "face down",
    "Pyramid": "a pyramid",
}
_FINISHES = {
    "TableauEmpty": "no card is left in the tableau",
    "AllInFoundation": "all cards are on the foundations",
    "SingleStack": "all cards are in one stack",
}


def explain(game: Description, understood: Understood) -> list[Fact]:
    """Return the facts of a game, in the order in which it is played.

    If it cannot be played, the facts at the end say why.
    """
    moves = with_items(game.moves or ())
    facts: list[Fact] = []
    if game.header and game.header.description:
        facts.append(("About", game.header.description))
    facts += _many("Setup", map(_setup_line, game.setup or ()))
    facts.append(("Deck", _deck(game.deck or Deck())))
    facts += _many("Deal", _deal(game))
    based = any(line.base == "Deal" for line in game.setup or ())
    groups = {"Building": "Tableau", "Spaces": "Tableau", "Cells": "Reserve", "Home": "Foundation"}
    for name, element in groups.items():
        blank = name == "Spaces"
        lines = [
            line
            for line in moves
            if line.element == element
            and (element != "Tableau" or ("OnBlank" in line.destinations) == blank)
        ]
        only_leave = has_one_pile(game) or has_pairs(game)
        if not lines and (only_leave or (name == "Cells" and is_patience(game))):
            continue
        nothing = {"Spaces": "an empty column takes nothing", "Cells": "none"}.get(name, "nothing")
        facts += _many(name, (_move_line(line, based) for line in lines)) or [(name, nothing)]
    others = [line for line in moves if line.element not in groups.values()]
    facts += _many("Moves", (f"to {line.element}: {_move_line(line)}" for line in others))
    facts += _many("Finish", (f"won when {_FINISHES[word]}" for word in game.finish or ()))
    if understood.rules is not None:
        facts.append(("Played as", f"{understood.rules.name}: {understood.rules.describe()}"))
        takes = understood.rules.moves
        if understood.rules.has_pile:
            facts.append(("", "each card that goes to the pile is a move"))
        elif understood.rules.has_pairs:
            facts.append(("", "a pair, a king, and each card that is turned is a move"))
        elif understood.rules.is_patience and understood.rules.draw:
            over = "" if understood.rules.passes == 1 else "; turning the waste over is none"
            facts.append(("", f"turning cards of the stock is a move, too{over}"))
            if understood.rules.stacked:
                facts.append(("", "a column is filled as part of the move that empties it"))
        elif takes == "single":
            facts.append(("", "moves are of single cards, runs move card by card"))
        else:
            count = "count" if takes == "groups" else "counts"
            facts.append(("", f"{MOVES_WORDS[takes]}, and {count} as one"))
        facts.append(("Proofs", _proof_words(understood.rules)))
    else:
        facts += _many(
            "Not played",
            (
                f"{problem.at}: {problem}" if problem.at else str(problem)
                for problem in understood.problems
            ),
        )
    return facts


def _proof_words(rules: Rules) -> str:
    """Return the states that a proof searches, in words."""
    if has_dominance(rules):
        return "over dominating positions"
    if has_classes(rules):
        return "over classes of positions"
    return "over every position"


def _many(name: str, texts: Iterable[str]) -> list[Fact]:
    return [("" if number else name, text) for number, text in enumerate(texts)]


def _setup_line(line: SetupLine) -> str:
    text = f"{line.count} {line.element}, {_DISPLAYS[line.display]}"
    if line.display == "Pyramid":
        text = f"{line.element}, a pyramid of {line.count} {'row' if line.count == 1 else 'rows'}"
    if line.keep:
        text += ", no card leaves it"
    if line.base is not None:
        base = "the first card dealt" if line.base == "Deal" else _rank_name(line.base)
        text += f", begins with {base}"
    return text


def _rank_name(rank: str) -> str:
    name = _RANK_NAMES.get(rank, rank)
    return f"an {name}" if name[0] in "a8" else f"a {name}"


def _deck(deck: Deck) -> str:
    parts = []
    if deck.decks is not None or not deck.suits:
        parts.append("one whole deck" if deck.decks in (None, 1) else f"{deck.decks} whole decks")
    parts += [f"{count} times {suit.lower()}" for suit, count in deck.suits]
    if deck.ranks is not None:
        parts.append(f"the {deck.ranks} lowest ranks only")
    high = {"AceHigh": "ace high", "Cyclic": "ace follows king"}
    parts.append(high.get(deck.high or "", "king high"))
    return ", ".join(parts)


def _deal(game: Description) -> Iterator[str]:
    for phase in game.deal or ():
        when = ""
        if phase.triggered:
            times = (
                "any number of times"
                if phase.times is None
                else f"{counted(phase.times, 'time', 'times')} at most"
            )
            when = f"when asked for, {times}: "
        for dealt in phase.dealt:
            yield f"{when}{dealt.element}: {_dealt(dealt)}"
    for word in game.triggers or ():
        yield (
            "may be asked for when no move can be made"
            if word == "NoValidMove"
            else f"may be asked for when no {word} is empty"
        )


def _dealt(dealt: Dealt) -> str:
    parts = []
    if dealt.stacks:
        entries = [entry for stack in dealt.stacks for entry in stack]
        sizes = [sum(map(_size, stack)) for stack in dealt.stacks]
        names = [entry.first for entry in entries if isinstance(entry.first, str)]
        down = sum(_size(entry) for entry in entries if entry.face_down)
        several = f"stacks of {', '.join(map(str, sizes))}"
        one = f"a stack of {counted(sizes[0], 'card', 'cards')}"
        parts.append(several if len(sizes) > 1 else one)
        if names:
            parts.append(f"with {' '.join(names)}")
        if down:
            parts.append(f"{down} face down")
    if dealt.rows is not None:
        parts.append(
            counted(dealt.rows, "row", "rows") if dealt.rows else "in rows, to the last card"
        )
    if dealt.diagonal:
        parts.append("each row one column further to the right")
    if dealt.right_to_left:
        parts.append("from right to left")
    if dealt.kings_sunk:
        parts.append("kings put to the bottom")
    if dealt.auto:
        parts.append("cards that fit go there as they are dealt")
    return ", ".join(parts) or "nothing"


def _size(entry: StackEntry) -> int:
    """Return the number of cards of an entry."""
    both = isinstance(entry.first, int) and entry.last is not None
    return entry.last - entry.first + 1 if both else 1  # type: ignore[operator]


def _move_line(line: MoveLine, based: bool = False) -> str:
    """Return a line in words; ``based`` says whether ranks are counted from a base."""
    words = ["a card"]
    if line.sum is not None:
        words = [f"{line.count} cards whose ranks sum to {line.sum}"]
    elif line.item == "Any" and line.count != 1:
        words = [f"{line.count} cards, or what is left"]
    elif line.item in _ITEMS:
        words = [_ITEMS[line.item]]
    if line.rank is not None:
        rank = "a card of the rank before the base" if based else _rank_name(line.rank)
        words = [f"{words[0]} that begins with {rank}" if line.item == "ValidStack" else rank]
    blank = "OnBlank" in line.destinations
    if blank:
        words.append("to an empty place")
    else:
        words += [_ON[word] for word in line.destinations if word in _ON]
    words += [_RANKS[word] for word in line.modifiers if word in _RANKS]
    text = " ".join(words)
    extra = [_OTHERS[word] for word in line.modifiers if word in _OTHERS]
    if line.sources:
        extra.append("from " + " or ".join(line.sources))
    if line.times is not None:
        often = "once" if line.times == 1 else f"{line.times} times"
        through = f"so that the stock is gone through {often}"
        extra.append(through if line.times else "any number of times")
    return ", ".join([text, *extra])
