"""Classes of positions of Klondike, written to be read.

A class is all positions that differ only in which card of two a free card lies on. From every one
of them the same classes can be reached, so a proof needs to look at one. ``docs/dominance.md`` has
the theorem and the proof of each rule that leaves moves out.

======== =========================================================================================
covered  a card that lies where it was dealt, under another card that does
held     the last card of a column that lies where it was dealt; it may have free cards on it
free     any other card of a column: a king at the bottom, or a card on one of the two cards that
         are one rank higher and of the other colour, by suit on the next card of its suit
open     held or free
bared    an open card with nothing on it, once what lies on it has moved to the other card of its
         rank and colour; by suit there is none
======== =========================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import pairwise
from typing import Literal, NamedTuple

from dbmsolver.errors import InputError
from dbmsolver.game.bases import ACE
from dbmsolver.game.cards import CARDS, card_name, rank, suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home

Heights = tuple[int, int, int, int]
KING_RANK = 13
MOST_KEY_BITS = 64
WASTE_BITS = 6
HEIGHT_BITS = 4


class LeftOut(StrEnum):
    """The rules that leave out moves between classes; ``docs/dominance.md`` proves each."""

    SAFE_HOME = "safe-home"
    """A move home that takes nothing away is made alone."""
    NO_SAFE_RETURN = "no-safe-return"
    """A card does not come back from a foundation to which it would go alone at once."""
    USEFUL_SPACE = "useful-space"
    """A column is emptied only while a king may need it."""


EVERY_RULE = frozenset(LeftOut)


class Class(NamedTuple):
    """A class of positions of one deal."""

    counts: tuple[int, ...]
    """The number of cards of each dealt column that lie where they were dealt; a free king is
    none."""
    foundations: Heights
    stock: tuple[int, ...]
    """The cards that stock and waste have left, in the order in which they are turned."""
    waste: int
    """The number of them that are in the waste."""
    turns: int | None
    """The number of times that the waste may still be turned over; None for any."""


class ClassMove(NamedTuple):
    """A move from a class to another."""

    card: int
    source: Literal["held", "free", "home", "stock"]
    target: Literal["home", "card", "space"]
    """A foundation, a card that takes this one, or an empty column."""


def has_classes(rules: Rules) -> bool:
    """Return True if the theorem of classes holds for the rules of a game.

    Columns are built down by alternate colour or by suit, any run moves, and kings alone go to
    empty columns.
    """
    return (
        rules.features.has_classes
        and rules.build in ("alternate", "suit")
        and rules.moves == "runs"
        and rules.fill == "kings"
        and rules.base == "ace"
    )


def is_in_a_class(position: Position, rules: Rules) -> bool:
    """Return True if classes can describe the games from a position, and fit into a key.

    No covered card may move together with the card on it, and the key has at most 64 bits.
    """
    if position.base != ACE or not has_classes(rules):
        return False
    for index, column in enumerate(position.columns):
        pairs = list(pairwise(column))[position.hidden[index] :]
        chained = [rules.can_stack(upper, lower) for lower, upper in pairs]
        if any(before and not after for before, after in pairwise(chained)):
            return False
    cards = len(position.stock) + len(position.waste)
    turn_bits = (position.turns or 0).bit_length()
    return cards + 4 * HEIGHT_BITS + WASTE_BITS + turn_bits <= MOST_KEY_BITS


class Classes:
    """The classes of one deal; the policy says which moves home take nothing away."""

    def __init__(self, deal: Position, rules: Rules, policy: Policy = "wkr") -> None:
        if not rules.is_patience or not is_in_a_class(deal, rules):
            raise InputError("the theorem of classes does not hold for this deal")
        self.rules = rules
        self.policy = policy
        self.deal = deal
        self.columns = [
            column[: self._dealt(column, hidden)]
            for column, hidden in zip(deal.columns, deal.hidden, strict=True)
        ]
        self.stock = (*deal.waste, *deal.stock)
        self.free_stock = rules.draw == 1 and deal.turns is None
        self._last: tuple[Class, dict[int, int], set[int]] | None = None
        self.root = self.class_of(deal)

    def _dealt(self, column: tuple[int, ...], hidden: int) -> int:
        """Return how many cards of a dealt column are covered or held."""
        count = len(column)
        while count - 1 > hidden and self.rules.can_stack(column[count - 1], column[count - 2]):
            count -= 1
        if count == 1 and not hidden and rank(column[0]) == KING_RANK:
            return 0
        return count

    # Positions.

    def class_of(self, position: Position) -> Class:
        """Return the class of a position; InputError if no game from the deal comes to it."""
        if not position.is_like(self.deal):
            raise InputError("the position is of another kind of game, expected one of Klondike's")
        counts = [0] * len(self.columns)
        dealt = {column[0]: index for index, column in enumerate(self.columns) if column}
        for column, hidden in zip(position.columns, position.hidden, strict=True):
            if not column:
                continue
            index = dealt.get(column[0], -1)
            count = self._in_place(column, hidden, self.columns[index]) if index >= 0 else 0
            self._check_column(column, hidden, count)
            if count:
                counts[index] = count
        left = (*position.waste, *position.stock)
        rest = iter(self.stock)
        if any(card not in rest for card in left):
            raise InputError("no game from the deal comes to this stock and waste")
        most = self.deal.turns
        if (position.turns is None) != (most is None) or (position.turns or 0) > (most or 0):
            raise InputError("no game from the deal comes to this number of turns of the waste")
        return self._made(counts, position.foundations, left, len(position.waste), position.turns)

    def _in_place(self, column: tuple[int, ...], hidden: int, dealt: tuple[int, ...]) -> int:
        """Return how many cards of a column lie where they were dealt; a free king is none."""
        count = 0
        for card, here in zip(column, dealt, strict=False):
            under = dealt[count - 1] if count else None
            chained = under is not None and self.rules.can_stack(card, under)
            if card != here or (chained and count > hidden):
                break
            count += 1
        if count == 1 and not hidden and rank(column[0]) == KING_RANK:
            return 0
        return count

    def _check_column(self, column: tuple[int, ...], hidden: int, count: int) -> None:
        """Raise InputError unless the cards that were not dealt there could be put there."""
        below = pairwise(column[max(count - 1, 0) :])
        good = all(self.rules.can_stack(upper, lower) for lower, upper in below)
        if not good or hidden >= max(count, 1) or (not count and rank(column[0]) != KING_RANK):
            name = card_name(column[0])
            raise InputError(f"no game from the deal comes to the column that begins with {name}")

    def _made(
        self,
        counts: Iterable[int],
        foundations: Heights,
        stock: tuple[int, ...],
        waste: int,
        turns: int | None,
    ) -> Class:
        """Return a class, with the number in the waste in normal form."""
        size = len(stock)
        if turns is None and (waste % max(self.rules.draw, 1) == 0 or waste == size):
            waste = 0
        if not size:
            waste, turns = 0, None if turns is None else 0
        return Class(tuple(counts), foundations, stock, waste, turns)

    # Cards of a class.

    def _open(self, found: Class) -> tuple[dict[int, int], set[int]]:
        """Return the held cards of a class, each with its column, and its free cards.

        Listing the moves of a class needs them many times, so the last result is kept.
        """
        last = self._last
        if last is None or last[0] != found:
            pairs = enumerate(zip(self.columns, found.counts, strict=True))
            held = {column[count - 1]: index for index, (column, count) in pairs if count}
            away = self.home(found).union(self.covered(found), held, found.stock)
            last = self._last = found, held, set(range(CARDS)) - away
        return last[1], last[2]

    def held(self, found: Class) -> dict[int, int]:
        """Return the held cards, and the column of each."""
        return dict(self._open(found)[0])

    def covered(self, found: Class) -> set[int]:
        """Return the covered cards."""
        pairs = zip(self.columns, found.counts, strict=True)
        return {card for column, count in pairs for card in column[: max(count - 1, 0)]}

    def home(self, found: Class) -> set[int]:
        """Return the cards on the foundations."""
        return {4 * r + s for s, height in enumerate(found.foundations) for r in range(height)}

    def free(self, found: Class) -> set[int]:
        """Return the free cards."""
        return set(self._open(found)[1])

    def spaces(self, found: Class) -> int:
        """Return the number of empty columns."""
        kings = sum(rank(card) == KING_RANK for card in self._open(found)[1])
        return len(self.columns) - sum(count > 0 for count in found.counts) - kings

    def can_be_bared(self, found: Class, card: int) -> bool:
        """Return True if an open card can be made the last of its column, in every position."""
        held, free = self._open(found)
        alike = {card} if self.rules.build == "suit" else {card, card ^ 2}
        kinds = self.rules.parent_kinds if rank(card) > 1 else ()
        lower = {(card ^ kind) - 4 for kind in kinds}
        bare = sum(one in free or one in held for one in alike)
        return bare > len(lower & free)

    def has_gap(self, found: Class, card: int) -> bool:
        """Return True if a card that takes this one can be bared."""
        if rank(card) == KING_RANK:
            return False
        parents = {(card ^ kind) + 4 for kind in self.rules.parent_kinds}
        held, free = self._open(found)
        are_open = [parent for parent in parents if parent in free or parent in held]
        return any(self.can_be_bared(found, parent) for parent in are_open)

    def is_won(self, found: Class) -> bool:
        """Return True if all cards can go home one after the other.

        No card is covered, and each card of the stock, if there is one, can be turned up.
        """
        return not self.covered(found) and (not found.stock or self.free_stock)

    # Moves.

    def moves(
        self, found: Class, left_out: frozenset[LeftOut] = EVERY_RULE
    ) -> list[tuple[ClassMove, Class]]:
        """Return the moves of a class, and where they lead, but for those that rules leave out."""
        every = list(self._moves(found))
        if LeftOut.SAFE_HOME in left_out:
            safe = [one for one in every if self._is_safe_move(found, one[0])]
            if safe:
                return [min(safe, key=lambda one: (one[0].source == "stock", one[0].card))]
        return [one for one in every if not self._is_left_out(found, one[0], left_out)]

    def _is_left_out(self, found: Class, move: ClassMove, left_out: frozenset[LeftOut]) -> bool:
        """Return True if a rule leaves a move out."""
        if move.source == "home" and LeftOut.NO_SAFE_RETURN in left_out:
            below = _raised(found.foundations, suit(move.card), -1)
            return is_safe_home(self.rules, move.card, below, self.policy)
        if move.source == "held" and move.target == "card" and LeftOut.USEFUL_SPACE in left_out:
            kings = sum(rank(card) == KING_RANK for card in self.free(found))
            last = found.counts[self.held(found)[move.card]] == 1
            return last and self.spaces(found) + kings >= 4
        return False

    def _is_safe_move(self, found: Class, move: ClassMove) -> bool:
        """Return True if a move home takes nothing away."""
        in_sight = move.source in ("held", "free") or self.free_stock
        safe = is_safe_home(self.rules, move.card, found.foundations, self.policy)
        return move.target == "home" and in_sight and safe

    def _moves(self, found: Class) -> Iterator[tuple[ClassMove, Class]]:
        """Yield all moves, and where they lead."""
        held, free = self._open(found)
        space = self.spaces(found) > 0
        for card in sorted({*held, *free}):
            source: Literal["held", "free"] = "held" if card in held else "free"
            counts = self._without(found.counts, held[card]) if card in held else found.counts
            if self._is_next_home(found, card) and self.can_be_bared(found, card):
                heights = _raised(found.foundations, suit(card), 1)
                yield (
                    ClassMove(card, source, "home"),
                    found._replace(counts=counts, foundations=heights),
                )
            if card in held and self.has_gap(found, card):
                yield ClassMove(card, "held", "card"), found._replace(counts=counts)
            if card in held and space and rank(card) == KING_RANK:
                yield ClassMove(card, "held", "space"), found._replace(counts=counts)
        if self.rules.removable:
            yield from self._returns(found, space)
        yield from self._plays(found, space)

    def _returns(self, found: Class, space: bool) -> Iterator[tuple[ClassMove, Class]]:
        """Yield the moves from foundations."""
        kept = self.deal.kept(self.rules)
        for index, height in enumerate(found.foundations):
            card = 4 * (height - 1) + index
            if height > kept and (self.has_gap(found, card) or (space and height == KING_RANK)):
                after = found._replace(foundations=_raised(found.foundations, index, -1))
                target: Literal["card", "space"] = "space" if height == KING_RANK else "card"
                yield ClassMove(card, "home", target), after

    def _plays(self, found: Class, space: bool) -> Iterator[tuple[ClassMove, Class]]:
        """Yield the moves from the stock."""
        for number, turns in self._turned(found):
            card = found.stock[number - 1]
            left = found.stock[: number - 1] + found.stock[number:]
            if self._is_next_home(found, card):
                heights = _raised(found.foundations, suit(card), 1)
                yield (
                    ClassMove(card, "stock", "home"),
                    self._made(found.counts, heights, left, number - 1, turns),
                )
            if self.has_gap(found, card) or (space and rank(card) == KING_RANK):
                target: Literal["card", "space"] = "space" if rank(card) == KING_RANK else "card"
                yield (
                    ClassMove(card, "stock", target),
                    self._made(found.counts, found.foundations, left, number - 1, turns),
                )

    def _turned(self, found: Class) -> list[tuple[int, int | None]]:
        """Return how many cards may be in the waste when its last is played, and the turns left.

        Where a number is possible in this pass and in the next, only this one is listed.
        """
        size, draw = len(found.stock), max(self.rules.draw, 1)
        now = [*range(found.waste, size, draw), size] if size else []
        then = [*range(draw, size, draw), size] if size else []
        result: dict[int, int | None] = {number: found.turns for number in now if number}
        if found.turns != 0:
            later = None if found.turns is None else found.turns - 1
            result = {**dict.fromkeys(then, later), **result}
        return sorted(result.items())

    def _without(self, counts: tuple[int, ...], index: int) -> tuple[int, ...]:
        """Return the counts after the held card of a column has left."""
        left = counts[index] - 1
        if left == 1 and rank(self.columns[index][0]) == KING_RANK:
            left = 0
        return (*counts[:index], left, *counts[index + 1 :])

    def _is_next_home(self, found: Class, card: int) -> bool:
        """Return True if its foundation waits for a card."""
        return found.foundations[suit(card)] == rank(card) - 1


def _raised(foundations: Heights, index: int, by: int) -> Heights:
    """Return the heights after cards have gone to a foundation, or come from there."""
    heights = list(foundations)
    heights[index] += by
    return heights[0], heights[1], heights[2], heights[3]
