"""What may be moved where. A named game is a set of rules.

All games share the rest: one deck, every card in sight, the last card of a column and every card
in a freecell are free to move, a column is built down by one rank, in some games up, too,
foundations are built up by suit from the ace, and no card leaves a foundation, unless the game says
so. In some games a run of cards, the end of a column, is one move.

Games of one pile are another matter. Their columns only lose cards, each of which is put on the
pile, where it has to be one rank higher or lower than the card on top. A stock, if there is one, is
turned to the pile card by card. The game is won when the columns are empty.
"""

from __future__ import annotations

import difflib
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.cards import CARDS, rank, suit
from dbmsolver.game.layouts import layout_of

Build = Literal["alternate", "suit", "any", "none", "suit-both"]
Fill = Literal["any", "kings", "none"]
Moves = Literal["single", "runs", "suit-runs"]
Pile = Literal["none", "wrap", "ends"]
Policy = Literal["wkr", "horne", "none", "max"]

BUILDS: tuple[Build, ...] = get_args(Build)
FILLS: tuple[Fill, ...] = get_args(Fill)
MOVES: tuple[Moves, ...] = get_args(Moves)
PILES: tuple[Pile, ...] = get_args(Pile)
POLICIES: tuple[Policy, ...] = ("wkr", "horne", "none")
"""What a search may follow whatever it counts: "max" takes solutions away."""

Family = Literal["cards", "runs", "two-way", "pile"]
"""What kernels play a game: see docs/games.md."""

MAX_COLUMNS = 13
MAX_PILE_COLUMNS = 17
"""Columns of a game with one pile."""
MAX_FREECELLS = 13
MAX_RESERVE = 16

_PARENTS: dict[Build, tuple[tuple[int, int], ...]] = {
    "alternate": ((1, 1), (3, 1)),
    "suit": ((0, 1),),
    "any": ((0, 1), (1, 1), (2, 1), (3, 1)),
    "none": (),
    "suit-both": ((0, 1), (0, -1)),
}
"""A card's legal parents: what XOR on its suit gives theirs, and how much higher they are."""

BUILD_WORDS: dict[Build, str] = {
    "alternate": "built down by alternate colour",
    "suit": "built down by suit",
    "any": "built down by any suit",
    "none": "nothing is put on a card",
    "suit-both": "built up or down by suit",
}
FILL_WORDS: dict[Fill, str] = {
    "any": "empty columns take any card",
    "kings": "empty columns take kings only",
    "none": "empty columns take nothing",
}
MOVES_WORDS: dict[Moves, str] = {
    "single": "cards move one by one",
    "runs": "a run moves as one move",
    "suit-runs": "a run of one suit moves as one move",
}
WHOLE_SUITS_WORDS = {True: "only whole suits go home", False: "cards go home one by one"}
REMOVABLE_WORDS = {
    True: "cards come back from the foundations",
    False: "no card leaves a foundation",
}
PILE_WORDS: dict[Pile, str] = {
    "none": "no pile",
    "wrap": "one pile up or down by any suit and from king to ace",
    "ends": "one pile up or down by any suit",
}
UNUSUAL: dict[str, Any] = {
    "moves": "single",
    "whole_suits": False,
    "reserve": False,
    "removable": False,
    "pile": "none",
    "stock": 0,
}
"""Rules that are told only where they are not as in FreeCell, and how they are there."""
RESERVE_WORDS = {
    True: "no card is put into a freecell",
    False: "an empty freecell takes any card",
}


def _check_range(what: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise UsageError(f"{value} {what}: expected {low} to {high}")


def _check_choice(what: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise UsageError(
            f"unknown {what} {quoted(str(value))}, expected one of {', '.join(choices)}"
        )


@dataclass(frozen=True, slots=True)
class Rules:
    """What may be moved where, and how a numbered deal is laid out."""

    name: str
    columns: int
    freecells: int
    build: Build
    fill: Fill
    dealt_to_freecells: int = 0
    """Cells filled by the deal, with the last cards of the deck."""
    kings_sunk: bool = False
    """Whether dealing puts the kings of a column under its other cards."""
    layout: str = ""
    """How a numbered deal is laid out, if not simply in turn: see `layouts`."""
    moves: Moves = "single"
    """What one move takes: a card, or a run as columns are built, or a run of one suit."""
    whole_suits: bool = False
    """Whether cards go home only as a whole suit, from the end of a column, in one move."""
    reserve: bool = False
    """Whether cards only leave the freecells."""
    removable: bool = False
    """Whether the top card of a foundation may go wherever a card may go but home."""
    pile: Pile = "none"
    """Whether columns are played to one pile, and whether its ranks go round."""
    stock: int = 0
    """Cards that the deal leaves in the stock, which is turned to the pile."""

    def __post_init__(self) -> None:
        most_columns = MAX_PILE_COLUMNS if self.pile != "none" else MAX_COLUMNS
        _check_range("columns", self.columns, 1, most_columns)
        most = MAX_RESERVE if self.reserve else MAX_FREECELLS
        _check_range("freecells", self.freecells, 0, most)
        _check_range("cells filled by the deal", self.dealt_to_freecells, 0, self.freecells)
        _check_choice("build", self.build, BUILDS)
        _check_choice("fill", self.fill, FILLS)
        _check_choice("moves", self.moves, MOVES)
        _check_choice("pile", self.pile, PILES)
        _check_range("cards in the stock", self.stock, 0, CARDS if self.has_pile else 0)
        self._check_pile()
        if (self.moves == "suit-runs" or self.whole_suits) and 0 not in self.parent_kinds:
            what = "runs of one suit" if self.moves == "suit-runs" else "whole suits"
            raise UsageError(
                f"{what}, {BUILD_WORDS[self.build]}: expected columns built by suit or by any suit"
            )
        if self.moves == "runs" and self.build == "none":
            raise UsageError(f"runs, but {BUILD_WORDS['none']}: expected moves of single cards")
        if self.whole_suits and self.moves == "single":
            raise UsageError("whole suits, but single cards: expected moves of runs")
        if self.removable and self.has_runs:
            what = f"{REMOVABLE_WORDS[True]}, but {MOVES_WORDS[self.moves]}"
            raise UsageError(f"{what}: expected moves of single cards, or cards that stay home")
        if self.build == "suit-both" and self.has_runs:
            what = f"{BUILD_WORDS[self.build]}, but {MOVES_WORDS[self.moves]}"
            raise UsageError(f"{what}: expected moves of single cards, or columns built down")
        if self.layout:
            layout = layout_of(self.layout)
            layout.check(self.columns, self.freecells, self.dealt_to_freecells, self.stock)
            if not self.has_pile and layout.has_pile:
                raise UsageError("cards are dealt to a pile, expected a game with one")

    def _check_pile(self) -> None:
        """UsageError for what a game with one pile cannot have."""
        if not self.has_pile:
            return
        odd = self.freecells or self.kings_sunk or self.has_runs or self.whole_suits or self.reserve
        if odd or self.removable or self.build != "none" or self.fill != "none":
            raise UsageError(
                "a game of one pile with freecells, or with columns that take cards: "
                "expected neither"
            )

    @property
    def parent_kinds(self) -> tuple[int, ...]:
        """What XOR on the suit turns a card into each of its legal parents."""
        return tuple(kind for kind, _ in _PARENTS[self.build])

    def parent(self, card: int, number: int) -> int | None:
        """The legal parent of that number, which the card may be put on; None if there is none."""
        parents = _PARENTS[self.build]
        if not 0 <= number < len(parents):
            return None
        kind, rise = parents[number]
        return (card ^ kind) + 4 * rise if 1 <= rank(card) + rise <= 13 else None

    def parent_number(self, child: int, parent: int) -> int | None:
        """Which of the legal parents of `child` it is; None for another card."""
        pair = suit(parent) ^ suit(child), rank(parent) - rank(child)
        parents = _PARENTS[self.build]
        return parents.index(pair) if pair in parents else None

    def can_stack(self, child: int, parent: int) -> bool:
        """Whether `child` may be put on `parent`, the last card of a column."""
        return self.parent_number(child, parent) is not None

    @property
    def takes_back(self) -> bool:
        """Whether cards come back from the foundations in a way that makes a difference.

        They make none where columns are built by suit, or not at all. By suit the only cards that
        could be put on a card that comes back are the next lower one, which is home, and, where
        columns are built up, too, the next higher one, which can go home while the card is. So
        whoever plays with such moves can leave them out, with as much room as before, or more.
        """
        return self.removable and self.build in ("alternate", "any")

    @property
    def two_way(self) -> bool:
        """Whether columns are built up, too, or cards come back from the foundations."""
        return self.takes_back or self.build == "suit-both"

    @property
    def family(self) -> Family:
        """Which kernels play it."""
        if self.has_pile:
            return "pile"
        return "runs" if self.has_runs else "two-way" if self.two_way else "cards"

    @property
    def kept_rank(self) -> int:
        """The highest rank that the deal puts home in all suits: its cards never come back.

        What could be put on them is home, and stays there by the same argument. In a short deck
        these are the ranks that it is without.
        """
        return min(layout_of(self.layout).heights)

    @property
    def has_pile(self) -> bool:
        """Whether it is a game of one pile."""
        return self.pile != "none"

    def follows(self, card: int, top: int, lowest: int) -> bool:
        """Whether `card` may be put on `top`, the last card of the pile, as columns are played.

        `lowest` is the lowest rank of the deck: 1, or more in a short one.
        """
        ranks = 14 - lowest
        difference = rank(card) - rank(top)
        if self.pile == "wrap":
            return difference % ranks in (1 % ranks, -1 % ranks)
        return abs(difference) == 1

    @property
    def has_runs(self) -> bool:
        """Whether a run moves as one move."""
        return self.moves != "single"

    def is_run(self, cards: Sequence[int]) -> bool:
        """Whether the cards, the end of a column, deepest first, may move as one move.

        Each of them lies on the one before as columns are built; in runs of one suit, on one of
        its own suit.
        """
        if len(cards) == 1:
            return True
        return self.has_runs and all(
            self.can_stack(upper, lower) and (self.moves == "runs" or suit(upper) == suit(lower))
            for lower, upper in itertools.pairwise(cards)
        )

    def can_fill(self, card: int) -> bool:
        """Whether the card may be put into an empty column."""
        return self.fill == "any" or (self.fill == "kings" and rank(card) == 13)

    def safe_home(self, card: int, foundations: Sequence[int], policy: Policy) -> bool:
        """Whether the card's move to its foundation is possible, and safe under the policy.

        `foundations` are the four heights in the order of `SUITS`. A safe move takes nothing
        away: from every solution that makes it later, one as short follows that makes it now. A
        card that is needed in the columns is needed for one thing only, that another card, one
        rank lower, be put on it. So a move home of a card of rank r is safe if each card that
        could have been put on it is home already, or can go home itself the moment it is free,
        and doing so is harmless by the same argument.

        Alternate colour, the cards concerned being the two of rank r-1 of the other colour:

        `horne`  Both are home (both foundations of the other colour >= r-1). Or r <= 2: nothing
                 goes on an ace; on a two go aces only, and an ace can always go home instead.
        `wkr`    Both are home or next to go (>= r-2). Going home is harmless for them, too: what
                 could be put on them is the r-2 of either suit of the card's own colour. That
                 of its own suit is home; the other one is home or next to go if its foundation
                 is >= r-3; and what could be put on that one, r-3 of the other colour, is home.

        By suit the only card concerned is the next lower one of the same suit, which is home when
        the move is possible at all: every move home is safe. Where columns are built up, too, the
        next higher card of the suit is concerned, and it can go home instead of being put on this
        one; so can what would be put on it in turn. By any suit all four of rank r-1 are
        concerned: `horne` wants all of them home (or r <= 2), `wkr` at least next to go (all
        foundations >= r-2; then every card of rank r-2 is home, and nothing is left to be put on
        them). Where nothing is put on cards, every move home is safe.

        Where a run is one move, the solution that follows makes the same moves without the cards
        that are home by then. A run keeps its other cards, which still are a run: what is missing
        is its upper end, as all that could lie on a card home early goes home, too. A move of such
        cards alone is left out. Each of them goes home by one move, sooner or later. So no move is
        added, and the solution is as short.

        With one pile nothing goes home. Where cards come back from the foundations no move is taken
        to be safe.

        Where only whole suits go home no card goes by itself, and no move is taken to be safe: the
        cards of a suit that is complete may still be needed in two columns.
        """
        own = suit(card)
        r = rank(card)
        if self.has_pile or self.whole_suits or self.takes_back or policy == "none":
            return False
        if foundations[own] != r - 1:
            return False
        if self.build in ("suit", "none", "suit-both"):
            return True
        if policy == "horne" and r <= 2:
            return True
        concerned = [foundations[own ^ kind] for kind in self.parent_kinds if kind != 0]
        if policy == "horne":
            return min(concerned) >= r - 1
        if self.build == "alternate" and foundations[own ^ 2] < r - 3:
            return False
        return min(concerned) >= r - 2

    def describe(self) -> str:
        """The rules in one line."""
        if self.has_pile:
            parts = [
                "1 column" if self.columns == 1 else f"{self.columns} columns",
                PILE_WORDS[self.pile],
            ]
            if self.stock:
                parts.append(stock_words(self.stock))
            return ", ".join(parts)
        name = "reserve card" if self.reserve else "freecell"
        cells = f"1 {name}" if self.freecells == 1 else f"{self.freecells or 'no'} {name}s"
        if self.dealt_to_freecells:
            cells += f" ({self.dealt_to_freecells} filled by the deal)"
        parts = [
            "1 column" if self.columns == 1 else f"{self.columns} columns",
            cells,
            BUILD_WORDS[self.build],
            FILL_WORDS[self.fill],
        ]
        if self.kings_sunk:
            parts.append("kings sunk when dealt")
        if self.has_runs:
            parts.append(MOVES_WORDS[self.moves])
        if self.whole_suits:
            parts.append(WHOLE_SUITS_WORDS[True])
        if self.reserve:
            parts.append(RESERVE_WORDS[True])
        if self.removable:
            parts.append(REMOVABLE_WORDS[True])
        return ", ".join(parts)


def stock_words(cards: int) -> str:
    """A stock of so many cards in words."""
    if not cards:
        return "no stock"
    return f"a stock of {cards} {'card' if cards == 1 else 'cards'}"


def changed(
    rules: Rules,
    freecells: int | None = None,
    columns: int | None = None,
    build: Build | None = None,
    fill: Fill | None = None,
    moves: Moves | None = None,
) -> Rules:
    """The rules with what is given: numbers of freecells and columns, build and fill rule, moves.

    Where fewer freecells are left than the deal fills, it fills them all, and the other cards are
    dealt to the columns. UsageError if the deal cannot be laid out so.
    """
    if freecells is not None:
        _check_range("freecells", freecells, 0, MAX_RESERVE if rules.reserve else MAX_FREECELLS)
        filled = min(rules.dealt_to_freecells, freecells)
        layout = layout_of(rules.layout).with_cells(filled, freecells)
        rules = replace(rules, freecells=freecells, dealt_to_freecells=filled, layout=str(layout))
    if columns is not None:
        rules = replace(rules, columns=columns)
    return replace(
        rules,
        build=build or rules.build,
        fill=fill or rules.fill,
        moves=moves or rules.moves,
    )


def rules_for(
    game: str | Rules,
    freecells: int | None = None,
    columns: int | None = None,
    build: Build | None = None,
    fill: Fill | None = None,
    moves: Moves | None = None,
) -> Rules:
    """The rules of a game, by its name or by themselves, with the changes of `changed`."""
    rules = GAMES.get(game) if isinstance(game, str) else game
    if rules is None:
        raise unknown_game(str(game))
    return changed(rules, freecells, columns, build, fill, moves)


def unknown_game(name: str) -> UsageError:
    """The error for a name that is no game's, with the nearest one."""
    near = difflib.get_close_matches(name.lower(), GAMES, 1, 0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    return UsageError(f"unknown game {quoted(name)}, {hint}expected one that `games` lists")


def usual_rules(rules: Rules, game: Rules | None = None) -> Rules:
    """The rules as far as name, columns, freecells, and the rules of moving tell them.

    How a number is dealt is left as it is in `game`, by default the shipped one of that name. It is
    in turn where there is none, or where that game cannot be dealt so.
    """
    plain = replace(rules, dealt_to_freecells=0, kings_sunk=False, layout="")
    game = game or GAMES.get(rules.name)
    if game is None:
        return plain
    try:
        dealt = changed(game, rules.freecells, rules.columns)
        return replace(
            plain,
            dealt_to_freecells=dealt.dealt_to_freecells,
            kings_sunk=dealt.kings_sunk,
            layout=dealt.layout,
        )
    except UsageError:
        return plain


def rules_from(data: Mapping[str, Any]) -> Rules:
    """Rules by the names of their fields, as stores and certificates hold them.

    What was written when rules had no layout was dealt as the game of that name is dealt, if all
    other rules are those of the game, and in turn otherwise. TypeError or UsageError for what are
    no rules.
    """
    rules = Rules(**data)
    game = GAMES.get(rules.name)
    if "layout" not in data and game and replace(game, layout="") == rules:
        return game
    return rules


def rules_fields(rules: Rules) -> dict[str, Any]:
    """Rules by the names of their fields, as stores and certificates hold them.

    How cards move is said only where it is not as in FreeCell: what the first versions wrote is
    written still.
    """
    fields = asdict(rules)
    for name, usual in UNUSUAL.items():
        if fields[name] == usual:
            del fields[name]
    return fields


def moving(rules: Rules) -> str:
    """How cards move, in words for solutions, as in "suit-runs whole-suits".

    "single" where each card is a move of its own and nothing else is unusual.
    """
    words = [str(rules.moves)] if rules.has_runs else []
    words += ["whole-suits"] * rules.whole_suits + ["reserve"] * rules.reserve
    words += ["removable"] * rules.removable
    if rules.has_pile:
        words.append(f"pile-{rules.pile}")
        words += [f"stock-{rules.stock}"] * bool(rules.stock)
    return " ".join(words) or "single"


def with_moving(rules: Rules, text: str, build: Build | None = None) -> Rules:
    """The rules with cards that move as the words of `moving` say, and another way of building.

    UsageError for other words.
    """
    words = set(text.split())
    stock = next((word for word in words if re.fullmatch("stock-[1-9][0-9]?", word)), None)
    piles: dict[str, Pile] = {f"pile-{pile}": pile for pile in PILES if pile != "none"}
    known = {"runs", "suit-runs", "single", "whole-suits", "reserve", "removable", *piles, stock}
    pile: Pile = next((pile for word, pile in piles.items() if word in words), "none")
    unknown = sorted(words - known) or len(words & {"runs", "suit-runs", "single"}) > 1
    if unknown or ((pile != "none" or stock) and words - {f"pile-{pile}", stock}):
        expected = (
            "runs, suit-runs or single, then whole-suits, reserve and removable where they are so; "
            "or pile-wrap or pile-ends, then stock- and its cards"
        )
        raise UsageError(f"{quoted(text, 40)} for how cards move, expected {expected}")
    if pile != "none":
        cards = int(stock[6:]) if stock else 0
        return replace(rules, build="none", fill="none", pile=pile, stock=cards)
    takes: Moves = "runs" if "runs" in words else "single"
    return replace(
        rules,
        build=build or rules.build,
        moves="suit-runs" if "suit-runs" in words else takes,
        whole_suits="whole-suits" in words,
        reserve="reserve" in words,
        removable="removable" in words,
        pile="none",
        stock=0,
    )


@dataclass(frozen=True, slots=True)
class Shipped:
    """A game that comes with the program, in `files/`."""

    rules: Rules
    title: str
    """Its name as people write it."""
    description: str
    numbers: str
    """Whose numbers its deals have."""


def _shipped() -> dict[str, Shipped]:
    """The games of `files/index.json`, which `tools/games.py` makes of the files beside it.

    So the files need not be parsed whenever the program starts.
    """
    path = Path(__file__).parent / "files" / "index.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Shipped(Rules(name, **entry.pop("rules")), **entry) for name, entry in entries.items()
    }


SHIPPED: dict[str, Shipped] = _shipped()
GAMES: dict[str, Rules] = {name: shipped.rules for name, shipped in SHIPPED.items()}
