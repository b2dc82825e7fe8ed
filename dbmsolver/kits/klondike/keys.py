"""Keys of Klondike and its relatives: from positions to the words of kernels, and back.

What the words hold is said in :mod:`dbmsolver.kits.klondike.tables`. They are relative to a deal. A
key is one integer, word 0 its lowest 64 bits.

Where the deal gives the base of the foundations, the cards of words and codes are those that cards
count as (:mod:`dbmsolver.game.bases`). So kernels have the base as the lowest rank, whichever it
is. Positions and steps have cards as people see them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS, card_name, rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.turns import turns_to
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_HOME
from dbmsolver.kits.klondike.check import Arranging, find_wrong
from dbmsolver.kits.klondike.make_tables import bound_tables_of, tables_of
from dbmsolver.kits.klondike.tables import (
    ALL_COUNT,
    BOTTOM,
    DEALT,
    HOME,
    NONE_COUNT,
    NOT_IN_COLUMN,
    ON_NOTHING,
    OVER,
    PER_WORD,
    TURNS_COUNT,
    TURNS_SHIFT,
    WASTE_SHIFT,
    Words,
)
from dbmsolver.kits.states import Step
from dbmsolver.kits.turning import step_of
from dbmsolver.results import Method, Question

COUNTED: dict[Metric, int] = {"plays": NONE_COUNT, "turns": TURNS_COUNT, "runs": ALL_COUNT}
"""The turns that cost a move, for each metric."""


class PatienceKeys:
    """The keys of one deal of a game of Klondike's kind.

    ``metric`` says whether turning the stock counts as moves. Where a proof is asked for
    (``question``), it costs nothing all the same. ``root`` is the deal's own key, ``goal`` that of
    a won position; ``tables`` is what kernels use.
    """

    method: Method = Method.EVERY_POSITION

    def __init__(self, deal: Deal, policy: Policy, metric: Metric, question: Question) -> None:
        self.deal = deal
        self.rules: Rules = deal.rules
        self.policy = policy
        self.measure = measure_of(deal.rules, policy, metric)
        position = deal.position
        self._dealt = position
        self.base = position.base
        self.stock = self._counted(position.waste, position.stock)
        self.reserve = self._counted(position.reserve)
        self.question = question
        counted = COUNTED[metric] if question == Question.SOLVE else NONE_COUNT
        brief = question == Question.SOLVE
        self.tables = tables_of(position, deal.rules, policy, counted, brief)
        self.bounds = bound_tables_of(self.tables)
        self.arranging = Arranging(
            stock=np.uint64(sum(1 << card for card in self.tables.stock.tolist())),
            reserve=np.array(self.reserve, np.int64),
            turns=position.turns or 0,
        )
        self.root = self.encode(position)
        self.goal = sum(
            HOME << 64 * (card // PER_WORD) + 3 * (card % PER_WORD) for card in range(CARDS)
        )

    @property
    def last_stratum(self) -> int:
        """The stratum in which all cards have left stock and reserve, and none lies face down."""
        return int((self.tables.bits >= 0).sum())

    @cached_property
    def least(self) -> int:
        """The lower bound of the deal's position: no solution has fewer moves."""
        from dbmsolver.kits.klondike.bound import bound_of, make_weights
        from dbmsolver.kits.klondike.tables import make_board

        root = self.words(self.root)
        return int(bound_of(self.tables, self.bounds, root, make_board(), make_weights()))

    def step_of(self, position: Position, move: Move) -> Step:
        """Return the step of a move from a position: a card and its place value, or a turn."""
        return step_of(position, move, self.rules)

    # Positions.

    def encode(self, position: Position) -> int:
        """Return the key of a position; InputError if no game from this deal can reach it."""
        if not position.is_like(self._dealt):
            raise InputError("the position is of another kind of game, expected one of Klondike's")
        if position.base != self.base:
            raise InputError("the position has another base than the deal")
        held = self._counted(position.waste, position.stock, position.reserve)
        digits = dict.fromkeys(held, DEALT)
        for index, height in enumerate(position.foundations):
            digits |= {4 * r + index: HOME for r in range(height)}
        for index, cards in enumerate(position.columns):
            column = self._counted(cards)
            for depth, card in enumerate(column):
                under = column[depth - 1] if depth else ON_NOTHING
                digits[card] = self._digit(card, under, depth <= position.hidden[index])
        waste, size = len(position.waste), len(position.waste) + len(position.stock)
        if self._is_free_waste(waste, size):
            waste = 0
        words = [0, 0, waste << WASTE_SHIFT | (position.turns or 0) << TURNS_SHIFT]
        for card, digit in digits.items():
            words[card // PER_WORD] |= digit << 3 * (card % PER_WORD)
        key = self.key_of(words)
        shown = self._read(key)
        same = shown.canonical() == position.canonical()
        if self.tables.free and not same:
            left = (*position.waste, *position.stock)
            same = left == (*shown.waste, *shown.stock) and (
                shown.rearranged(waste=(), stock=()).canonical()
                == position.rearranged(waste=(), stock=()).canonical()
            )
        if not same:
            raise InputError("no game from the deal comes to this position")
        return key

    def _digit(self, card: int, under: int, was_hidden: bool) -> int:
        """Return the digit of a card that lies on ``under``, a card or nothing.

        ``was_hidden`` says whether ``under`` lies face down. InputError if the card cannot lie
        there.
        """
        t = self.tables
        stayed = under == ON_NOTHING or was_hidden or not t.hidden[under]
        if int(t.under[card]) == under and stayed:
            return DEALT
        if under == ON_NOTHING:
            return BOTTOM
        for number, parent in enumerate(t.parents[card].tolist()):
            if parent == under:
                return int(number + 1)
        names = [card_name(self.base.card(one)) for one in (card, under)]
        raise InputError(f"{names[0]} lies on {names[1]}, as it was neither dealt nor may be put")

    def decode(self, key: int) -> Patience:
        """Return the position of a key; InputError if it is the key of none.

        A column whose deepest card began a column of the deal stands where that one stood. The
        others take the places that are left.
        """
        position = self._read(key)
        with suppress(InputError):
            if self.encode(position) == key:
                return position
        raise InputError(f"key {key} is not the key of a position")

    def _read(self, key: int) -> Patience:
        """Return a position with the digits of a key; InputError if there is none.

        The position's own key may be another one: digits that nobody writes are read as well.
        """
        t, wrong = self.tables, InputError(f"key {key} is not the key of a position")
        digits = self._digits(key)
        heights, under = [0, 0, 0, 0], {}
        for card, digit in enumerate(digits):
            if digit == HOME:
                if heights[suit(card)] != rank(card) - 1:
                    raise wrong
                heights[suit(card)] += 1
            elif digit == DEALT:
                if int(t.under[card]) != NOT_IN_COLUMN:
                    under[card] = int(t.under[card])
                elif card not in self.stock and card not in self.reserve:
                    raise wrong
            elif digit == BOTTOM:
                under[card] = ON_NOTHING
            elif digit > BOTTOM or int(t.parents[card, digit - 1]) < 0:
                raise wrong
            else:
                under[card] = int(t.parents[card, digit - 1])
        above = {other: card for card, other in under.items() if other != ON_NOTHING}
        bottoms = [card for card, other in under.items() if other == ON_NOTHING]
        if len(above) + len(bottoms) != len(under) or len(bottoms) > self.rules.columns:
            raise wrong
        piles = self._arranged([_pile(card, above) for card in bottoms])
        hidden = tuple(self._face_down(pile, digits) for pile in piles)
        columns = tuple(tuple(map(self.base.card, pile)) for pile in piles)
        left = [self.base.card(card) for card in self.stock if digits[card] == DEALT]
        held = [self.base.card(card) for card in self.reserve if digits[card] == DEALT]
        if any(digits[card] != DEALT for card in self.reserve[: len(held)]):
            raise wrong
        if held and len(bottoms) < self.rules.columns:
            raise wrong
        third = key >> 128
        waste, turns = third >> WASTE_SHIFT & 63, third >> TURNS_SHIFT & 63
        most = self._dealt.turns or 0
        placed = sum(map(len, columns)) == len(under)
        if waste > len(left) or turns > most or not placed:
            raise wrong
        hearts, spades, diamonds, clubs = heights
        return Patience(
            columns,
            (),
            (hearts, spades, diamonds, clubs),
            stock=tuple(left[waste:]),
            waste=tuple(left[:waste]),
            hidden=hidden,
            turns=None if self._dealt.turns is None else turns,
            base=self.base,
            reserve=tuple(held),
        )

    def _counted(self, *cards: Iterable[int]) -> list[int]:
        """Return the cards that these count as where ranks count from the base."""
        return [self.base.counted(card) for some in cards for card in some]

    def card_of(self, code: int) -> int:
        """Return the card that was moved, by a parent-move code."""
        return self.base.card(code & 63)

    def _digits(self, key: int) -> list[int]:
        words = [key >> 64 * word & (1 << 64) - 1 for word in range(3)]
        return [words[card // PER_WORD] >> 3 * (card % PER_WORD) & 7 for card in range(CARDS)]

    def _face_down(self, column: tuple[int, ...], digits: list[int]) -> int:
        down = 0
        for depth, card in enumerate(column[:-1]):
            upper = column[depth + 1]
            if self.tables.hidden[card] and not digits[upper]:
                down = depth + 1
        return down

    def _arranged(self, piles: list[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
        """Return all columns, each where the column of its deepest card stood in the deal.

        Other columns take the places that are left.
        """
        columns: list[tuple[int, ...]] = [()] * self.rules.columns
        dealt = self._dealt.columns
        homes = {self.base.counted(cards[0]): index for index, cards in enumerate(dealt) if cards}
        rest = []
        for pile in piles:
            if pile[0] in homes:
                columns[homes[pile[0]]] = pile
            else:
                rest.append(pile)
        for pile in rest:
            columns[columns.index(())] = pile
        return tuple(columns)

    def _is_free_waste(self, waste: int, cards: int) -> bool:
        t = self.tables
        return bool(t.free) and (waste % t.draw == 0 or waste == cards)

    def before_turning(self, position: Position) -> Iterator[int]:
        """Yield the keys of positions from which turning the stock alone leads to a position."""
        left = (*position.waste, *position.stock)
        most = self._dealt.turns
        later = [position.turns] if most is None else range(position.turns or 0, most + 1)
        for turns in later:
            for waste in range(len(left) + 1):
                start = position.rearranged(waste=left[:waste], stock=left[waste:], turns=turns)
                if turns_to(start, position, self.rules) is not None:
                    yield self.encode(start)

    def is_won(self, key: int) -> bool:
        """Return True if all cards are home."""
        return key & (1 << 158) - 1 == self.goal

    # Steps and parents.

    def parent(self, key: int, code: int) -> int:
        """Return the key of a state's parent, by the parent-move code."""
        card, digit, waste = code & 63, code >> 6 & 7, code >> 9 & 63
        over = bool(code & OVER)
        if over and not (digit == DEALT and card in self.stock):
            digits = self._digits(key)
            for filler in (one for one in self.reserve if digits[one] != DEALT):
                key &= ~(7 << 64 * (filler // PER_WORD) + 3 * (filler % PER_WORD))
                break
            over = False
        shift = 64 * (card // PER_WORD) + 3 * (card % PER_WORD)
        key = key & ~(7 << shift) | digit << shift
        turns = (key >> 128 >> TURNS_SHIFT & 63) + over
        low = key & (1 << 128 + WASTE_SHIFT) - 1
        return low | waste << 128 + WASTE_SHIFT | turns << 128 + TURNS_SHIFT

    def place(self, key: int, code: int) -> int:
        """Return the place value that the card of a code has in a state, as in a step."""
        card = code & 63
        digit = key >> 64 * (card // PER_WORD) + 3 * (card % PER_WORD) & 7
        kinds = self.rules.parent_kinds
        if digit == HOME:
            return PLACE_HOME
        if digit == BOTTOM or (digit == DEALT and int(self.tables.under[card]) == ON_NOTHING):
            return PLACE_BOTTOM
        if digit == DEALT:
            return kinds.index((card ^ int(self.tables.under[card])) & 3)
        return digit - 1

    def are_states(self, words: Words) -> bool:
        """Return True if all words (uint64[*, 3]) can be states.

        Kernels index arrays by what the words hold, and check nothing.
        """
        under = np.empty(CARDS, np.int64)
        return int(find_wrong(self.tables, self.arranging, words, under)) < 0

    def words(self, key: int) -> Words:
        """Return the three words (uint64[3]) of a key."""
        mask = (1 << 64) - 1
        return np.array([key & mask, key >> 64 & mask, key >> 128], np.uint64)

    def key_of(self, words: Words | Sequence[int]) -> int:
        """Return the key of three words."""
        first, second, third = map(int, words)
        return first | second << 64 | third << 128


def _pile(bottom: int, above: dict[int, int]) -> tuple[int, ...]:
    pile = [bottom]
    while pile[-1] in above:
        pile.append(above[pile[-1]])
    return tuple(pile)
