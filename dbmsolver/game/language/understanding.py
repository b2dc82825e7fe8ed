"""From a description to the rules that are played, or to the words for which it cannot be played.

These games are played: one deck, every card in sight, moves of single cards or runs between
columns, freecells and foundations, columns built down, or by suit in both directions, foundations
built up by suit from the ace; games of one pile; pairing games; Klondike and its relatives; and
games of several packs, or with a stock that is dealt in rows onto the columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.kinds import Bases
from dbmsolver.game.language.description import Deck, Description, SetupLine
from dbmsolver.game.language.items import with_items
from dbmsolver.game.language.playable_deal import understand_deal
from dbmsolver.game.language.playable_moves import Elements, understand_moves
from dbmsolver.game.language.playable_pairs import has_pairs, understand_pairs
from dbmsolver.game.language.playable_patience import is_patience, understand_patience
from dbmsolver.game.language.playable_pile import has_one_pile, understand_pile
from dbmsolver.game.language.playable_reserve import base_of, has_other_base
from dbmsolver.game.language.playable_wide import is_wide, understand_wide
from dbmsolver.game.language.problems import Problem, Problems
from dbmsolver.game.rules import MAX_COLUMNS, MAX_FREECELLS, MAX_RESERVE, Rules

_Highest = Literal["any", "base", "king"]
_COLUMNS = ("DropStack", "MixDropStack", "TopStack")
_CELLS = ("Face", "DropStack", "MixDropStack", "TopStack")


@dataclass(frozen=True, slots=True)
class Understood:
    """The rules of a game, or the problems for which it is not played."""

    rules: Rules | None
    problems: tuple[Problem, ...]

    def playable(self, name: str, where: str) -> Rules:
        """Return the rules; without any, raise InputError that names the first word not played."""
        if self.rules is not None:
            return self.rules
        first, *others = self.problems
        more = f" ({len(others)} more; `games --check` lists them)" if others else ""
        place = str(first.at) if first.at else where
        raise InputError(f"{name} cannot be played: {first}{more}", place)


def identifier(name: str) -> str:
    """Return a game's name as the command line has it: `bakers_game` for "Baker's Game"."""
    return re.sub(r"[^a-z0-9]+", "_", re.sub("['\u2019]", "", name.lower())).strip("_")


def understand(game: Description, name: str) -> Understood:
    """Return the rules, or the problems. The rules' name is the header's, or else `name`."""
    problems = Problems()
    name = identifier(game.name or "") or name
    game = replace(game, moves=with_items(game.moves or ()))
    for block in ("setup", "deal", "moves", "finish"):
        if not getattr(game, block):
            word = {"moves": "Move"}.get(block, block.capitalize())
            problems.add("nothing is said there, expected the block", word)
    if _check_kind(game, problems):
        return _result(None, problems)
    pairs = has_pairs(game)
    one_pile = not pairs and has_one_pile(game)
    wide = not (pairs or one_pile) and is_wide(game)
    patience = not (pairs or one_pile or wide) and is_patience(game)
    setup = {line.element: line for line in game.setup or ()}
    dealt = "Foundation" in setup and setup["Foundation"].base == "Deal"
    other = has_other_base(setup.get("Foundation"), ("A",) if wide else ("A", "Deal"))
    highest: _Highest = "any" if one_pile or other else "base" if dealt else "king"
    ranks = _deck(game.deck or Deck(), highest, wide, "Foundation" in setup, problems)
    if pairs:
        rules = understand_pairs(game, name, ranks, problems)
    elif one_pile:
        rules = understand_pile(game, name, ranks, problems)
    elif wide:
        rules = understand_wide(game, name, ranks, problems)
    elif patience:
        rules = understand_patience(game, name, ranks, problems)
    else:
        base = base_of(setup, game.deck.high if game.deck else None)
        return _understand_cards(game, name, ranks, dealt, base, problems)
    return _result(rules, problems)


def _understand_cards(
    game: Description, name: str, ranks: int, dealt: bool, base: Bases, problems: Problems
) -> Understood:
    """Return the rules of a game of FreeCell's kind, or the problems.

    ``dealt``: the deal says the rank that foundations begin with; ``base`` is what is said of it.
    """
    tableau, reserve, foundation = _setup(game.setup or (), problems)
    columns = tableau.count if tableau else 1
    freecells = reserve.count if reserve else 0
    other = has_other_base(foundation)
    elements = Elements(freecells > 0, bool(foundation and foundation.keep), dealt, other)
    moves = understand_moves(game.moves or (), elements, problems)
    only_left = reserve is not None and not moves.cells
    most = MAX_RESERVE if only_left else MAX_FREECELLS
    for line, limit in ((tableau, MAX_COLUMNS), (reserve, most)):
        if line and line.count > limit:
            shown = f"{line.element}[{line.count}]"
            problems.add(f"expected at most {limit}", line.display, show=shown)
    deal = understand_deal(game.deal or (), columns, freecells, ranks, elements, problems)
    if reserve and only_left and not deal.filled:
        problems.add(
            "no card is dealt there, and none can be put there, expected Reserve SingleCard Any "
            "OnBlank",
            reserve.element,
        )
    _end(game, problems)
    if problems.found:
        return _result(None, problems)
    try:
        rules = Rules(
            name,
            columns,
            freecells,
            moves.build,
            moves.fill,
            deal.filled,
            deal.kings_sunk,
            deal.layout,
            moves.takes,
            moves.whole_suits,
            only_left,
            moves.removable,
            base=base,
        )
    except UsageError as error:
        return Understood(None, (Problem("Deal", error.message),))
    return Understood(rules, ())


def _check_kind(game: Description, problems: Problems) -> bool:
    """Add the one thing for which a game is of no kind that is played; return True if it is there.

    Whatever else such a game has says nothing about why.
    """
    removes = any(line.element == "Remove" for line in game.setup or ())
    for word in game.finish or ():
        if word == "SingleStack" and not removes:
            text = "one stack is played where cards are removed in pairs, and not where piles go on"
            end = "TableauEmpty" if has_one_pile(game) else "AllInFoundation"
            problems.add(f"{text} piles, expected {end}, or Remove in the Setup", word)
            return True
    for line in game.moves or ():
        if line.element == "Stock" and "Tableau" in line.sources:
            text = "cards of the Tableau are not dealt again, expected SourceElement[Wastepile]"
            problems.add(text, line.element)
            return True
    return False


def _result(rules: Rules | None, problems: Problems) -> Understood:
    """Return the rules, or the problems in the order of the text."""
    ordered = sorted(problems.found, key=lambda one: one.at[:2] if one.at else (0, 0))
    return Understood(rules, tuple(ordered))


def _setup(
    lines: tuple[SetupLine, ...], problems: Problems
) -> tuple[SetupLine | None, SetupLine | None, SetupLine | None]:
    """Return the lines of Tableau, Reserve and Foundation; None for each that is not there."""
    found: dict[str, SetupLine] = {}
    for line in lines:
        if line.element in found:
            problems.add("a second kind, expected one line for each element", line.element)
            continue
        found[line.element] = line
        if line.element not in ("Tableau", "Reserve", "Foundation"):
            problems.add("expected Tableau, Foundation and Reserve only", line.element)
            continue
        allowed = _CELLS if line.element == "Reserve" else _COLUMNS
        if line.display not in allowed:
            problems.add(f"expected one of {', '.join(allowed)} for it", line.display)
        if line.base not in (None, "A", "Deal") or (line.base and line.element != "Foundation"):
            problems.add(
                "foundations begin with the ace or with cards of the deal, expected Base[Deal]",
                line.base,
                show=f"Base[{line.base}]",
            )
        if line.keep and line.element != "Foundation":
            problems.add("expected it for the Foundation only", line.element, show="Keep")
    for name in ("Tableau", "Foundation"):
        if lines and name not in found:
            problems.add(f"expected a line {name} in the Setup", "Setup")
    foundation = found.get("Foundation")
    if foundation and foundation.count != 4:
        problems.add("expected 4", foundation.display, show=f"Foundation[{foundation.count}]")
    return found.get("Tableau"), found.get("Reserve"), foundation


def _deck(
    deck: Deck, highest: _Highest, wide: bool, has_foundations: bool, problems: Problems
) -> int:
    """Return the number of ranks.

    ``highest`` says which rank has to be the highest: any, the one before the base, or the king.
    A ``wide`` game may have several packs.
    """
    whole = deck.decks in (None, 1) or wide
    if (
        deck.suits
        and not wide
        and (
            deck.decks is not None
            or sorted(deck.suits) != [("Clubs", 1), ("Diamonds", 1), ("Hearts", 1), ("Spades", 1)]
        )
    ):
        problems.add("expected one whole deck", deck.suits[0][0])
    if not whole:
        again = "with a reserve or a stock that is turned again"
        games = again if has_foundations else "without foundations"
        problems.add(
            f"two decks are not played in a game {games}, expected Single",
            "Multiple",
            show=f"Multiple[{deck.decks}]",
            at=deck.at,
        )
    if highest == "base" and deck.high not in (None, "Cyclic"):
        text = "the rank before the base is the highest, expected Cyclic or nothing"
        problems.add(text, deck.high)
    if highest == "king" and deck.high not in (None, "KingHigh"):
        problems.add("the king is the highest card, expected KingHigh", deck.high)
    return deck.ranks or 13


def _end(game: Description, problems: Problems) -> None:
    for word in game.finish or ():
        if word != "AllInFoundation":
            problems.add("expected AllInFoundation", word)
    for word in game.triggers or ():
        problems.add("deals in the middle of the game are not played", word)
