"""Positions of Klondike and its relatives as states of a search, their keys, and back.

What the words of a position hold is said in :mod:`dbmsolver.kits.klondike.tables`; they are the
planes of a state. They are relative to a deal. A key is one integer, word 0 its lowest 64 bits.

Where the deal gives the base of the foundations, the cards of words and codes are those that cards
count as (:mod:`dbmsolver.game.bases`). So kernels have the base as the lowest rank, whichever it
is. Positions and steps have cards as people see them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS, card_name, rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.turns import turns_to
from dbmsolver.kernels.layout import PLANES
from dbmsolver.kernels.samples import NUMBER, NUMBERS, STATES, WORD, WORDS, Call
from dbmsolver.kernels.states import Words, WordSets
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_HOME
from dbmsolver.kits.klondike.check import Arranging, find_wrong
from dbmsolver.kits.klondike.class_distances import (
    ClassDistances,
    list_signature,
    measure_signature,
    number_of_signature,
)
from dbmsolver.kits.klondike.classes import class_progress
from dbmsolver.kits.klondike.distances import listed_keys, no_distances
from dbmsolver.kits.klondike.layers import LayerBounds
from dbmsolver.kits.klondike.make_tables import bound_tables_of, tables_of
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.strata import WON
from dbmsolver.kits.klondike.strata import signatures as signatures_of
from dbmsolver.kits.klondike.tables import (
    ALL_COUNT,
    AT_BOTTOM,
    BOTTOM,
    DEALT,
    ELSEWHERE,
    HOME,
    NO_PARENT,
    NONE_COUNT,
    ON_NOTHING,
    OVER,
    PER_WORD,
    TURNS_COUNT,
    TURNS_SHIFT,
    WASTE_SHIFT,
    make_board,
    make_found,
)
from dbmsolver.kits.klondike.words import StrataTables, make_tables
from dbmsolver.kits.states import State, StateCodec, Step, Walk, pile_on
from dbmsolver.results import Question

COUNTED: dict[Metric, int] = {"plays": NONE_COUNT, "turns": TURNS_COUNT, "runs": ALL_COUNT}
"""The turns that cost a move, for each metric."""


class PatienceKeys(StateCodec):
    """The keys of one deal of a game of Klondike's kind.

    ``metric`` says whether turning the stock counts as moves. Where a proof is asked for
    (``question``), it costs nothing all the same. ``root`` is the deal's own state, ``goal`` the
    signature of a win. ``tables`` is what kernels use, ``game`` the part of it that moves need.
    """

    closed_as_records = True
    sets = WordSets(WORD, WORD)

    def __init__(self, deal: Deal, policy: Policy, metric: Metric, question: Question) -> None:
        self.deal = deal
        self.rules: Rules = deal.rules
        self.measure = measure_of(deal.rules, policy, metric)
        self.code_type = np.uint16
        self.codes = 1 << 16
        position = deal.position
        self._own = position
        self.base = position.base
        self.columns = tuple(tuple(self._counted(column)) for column in position.columns)
        self.stock = self._counted(position.waste, position.stock)
        self.reserve = self._counted(position.reserve)
        brief = question == Question.SOLVE
        counted = COUNTED[metric] if brief else NONE_COUNT
        self.game = tables_of(position, deal.rules, policy, counted, brief)
        # Kernels take the tables of each kind of state, by their class.
        self.tables: StrataTables = make_tables(self.game)  # type: ignore[assignment]
        self.arranging = Arranging(
            stock=np.uint64(sum(1 << card for card in self.game.stock.tolist())),
            reserve=np.array(self.reserve, np.int64),
            turns=position.turns or 0,
        )
        self.bounds = LayerBounds(bound_tables_of(self.game), no_distances())
        self.locked = 0
        self.goal = int(WON)
        self.last_stratum = self.won_from = self.tables.last
        self.root = self.state(position)
        self.root_code = NO_PARENT

    def with_distances(self, distances: ClassDistances) -> PatienceKeys:
        """Return the same keys, with the distances of the deal's classes as part of the bound."""
        found = copy(self)
        found.least = self.least  # that of positions: it is told without distances, too
        found.bounds = self.bounds._replace(classes=distances)
        return found

    def own_kernels(self) -> list[Call]:
        """Return the kernels that check blocks, and look positions up."""
        return [
            (signatures_of, (self.tables, STATES, WORDS)),
            (find_wrong, (self.game, self.arranging, STATES, NUMBERS)),
        ]

    def listing_kernels(self) -> list[Call]:
        """Return the kernels that list all classes of the deal and measure their distances."""
        t, distances = listed_keys(self.deal).tables, no_distances()
        return [
            (list_signature, (t, WORD, WORDS)),
            (measure_signature, (distances, WORD, WORDS)),
            (number_of_signature, (distances, WORD)),
            (class_progress, (t, WORD, NUMBER)),
        ]

    # Positions.

    def state(self, position: Position) -> State:
        """Return the state of a position; InputError if no game from this deal can reach it."""
        if not position.is_like(self._own):
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
        if self.game.free and (waste % self.game.draw == 0 or waste == size):
            waste = 0
        state = self._state_of([digits[card] for card in range(CARDS)], waste, position.turns or 0)
        shown = self._read(state)
        same = shown.canonical() == position.canonical()
        if self.game.free and not same:
            left = (*position.waste, *position.stock)
            same = left == (*shown.waste, *shown.stock) and (
                shown.rearranged(waste=(), stock=()).canonical()
                == position.rearranged(waste=(), stock=()).canonical()
            )
        if not same:
            raise InputError("no game from the deal comes to this position")
        return state

    def _digit(self, card: int, under: int, was_hidden: bool) -> int:
        """Return the digit of a card that lies on ``under``, a card or nothing.

        ``was_hidden`` says whether ``under`` lies face down. InputError if the card cannot lie
        there.
        """
        t = self.game
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

    def encode(self, position: Position) -> int:
        """Return the key of a position; InputError if no game from this deal can reach it."""
        return key_of(self.state(position)[1:])

    def decode(self, key: int) -> Patience:
        """Return the position of a key; InputError if it is the key of none.

        A column whose deepest card began a column of the deal stands where that one stood. The
        others take the places that are left.
        """
        with suppress(InputError):
            position = self._read(State(0, *words_of(key)))
            if self.encode(position) == key:
                return position
        raise InputError(f"key {key} is not the key of a position")

    def position(self, state: State) -> Position:
        """Return the position of a state."""
        return self.decode(key_of(state[1:]))

    def _read(self, state: State) -> Patience:
        """Return a position with the digits of a state; InputError if there is none.

        The position's own state may be another one: digits that nobody writes are read as well.
        """
        wrong = InputError("the number is not the key of a position")
        digits = _digits(state)
        heights, under = [0, 0, 0, 0], {}
        for card, digit in enumerate(digits):
            on = int(self.game.lies_on[card, digit])
            if digit == HOME:
                if heights[suit(card)] != rank(card) - 1:
                    raise wrong
                heights[suit(card)] += 1
            elif on != ELSEWHERE:
                under[card] = on
            elif digit != DEALT or (card not in self.stock and card not in self.reserve):
                raise wrong
        above = {other: card for card, other in under.items() if other != AT_BOTTOM}
        bottoms = [card for card, other in under.items() if other == AT_BOTTOM]
        if len(above) + len(bottoms) != len(under) or len(bottoms) > self.rules.columns:
            raise wrong
        piles = self._arrange([pile_on(card, above) for card in bottoms])
        hidden = tuple(self._face_down(pile, digits) for pile in piles)
        columns = tuple(tuple(map(self.base.card, pile)) for pile in piles)
        left = [self.base.card(card) for card in self.stock if digits[card] == DEALT]
        held = [self.base.card(card) for card in self.reserve if digits[card] == DEALT]
        if any(digits[card] != DEALT for card in self.reserve[: len(held)]):
            raise wrong
        if held and len(bottoms) < self.rules.columns:
            raise wrong
        waste, turns = state.high >> WASTE_SHIFT & 63, state.high >> TURNS_SHIFT & 63
        placed = sum(map(len, columns)) == len(under)
        if waste > len(left) or turns > self.arranging.turns or not placed:
            raise wrong
        hearts, spades, diamonds, clubs = heights
        return Patience(
            columns,
            (),
            (hearts, spades, diamonds, clubs),
            stock=tuple(left[waste:]),
            waste=tuple(left[:waste]),
            hidden=hidden,
            turns=None if self._own.turns is None else turns,
            base=self.base,
            reserve=tuple(held),
        )

    def _counted(self, *cards: Iterable[int]) -> list[int]:
        """Return the cards that these count as where ranks count from the base."""
        return [self.base.counted(card) for some in cards for card in some]

    def _face_down(self, column: tuple[int, ...], digits: list[int]) -> int:
        down = 0
        for depth, card in enumerate(column[:-1]):
            upper = column[depth + 1]
            if self.game.hidden[card] and not digits[upper]:
                down = depth + 1
        return down

    def states(self, position: Position) -> Iterator[State]:
        """Yield each state from which a position is reached by nothing but turns of the stock.

        Raise InputError if no game from this deal can reach the position.
        """
        self.state(position)
        left = (*position.waste, *position.stock)
        most = self._own.turns
        later = [position.turns] if most is None else range(position.turns or 0, most + 1)
        for turns in later:
            for waste in range(len(left) + 1):
                start = position.rearranged(waste=left[:waste], stock=left[waste:], turns=turns)
                if turns_to(start, position, self.rules) is not None:
                    yield self.state(start)

    def walk(self) -> Walk:
        """Return the random games by which closed states are tried, of the search's own moves.

        Which moves a search for a shortest solution leaves out depends on what its states stand
        for.
        """
        board, found = make_board(), make_found()

        def following(words: Words) -> list[Words]:
            count = moves_of(self.game, words, board, found)
            return list(found.words[:count].copy())

        return Walk(
            np.array(self.root[1:], np.uint64),
            following,
            lambda words: [self._of_words(words)],
            away="a position {} plays from the deal",
        )

    # Steps and parents.

    def step(self, state: State, code: int) -> Step:
        """Return the play that led to a state, by its parent-move code: a card and its place."""
        card = code & 63
        digit = _digits(state)[card]
        place, under = PLACE_BOTTOM, int(self.game.lies_on[card, digit])
        kind = (card ^ under) & 3
        if digit == HOME:
            place = PLACE_HOME
        elif under != AT_BOTTOM and kind in self.rules.parent_kinds:  # else no move leads there
            place = self.rules.parent_kinds.index(kind)
        return self.base.card(card), place

    def parent(self, state: State, code: int) -> State:
        """Return the state before the play of a parent-move code."""
        card, digit, waste = code & 63, code >> 6 & 7, code >> 9 & 63
        digits, turns = _digits(state), state.high >> TURNS_SHIFT & 63
        if code & OVER and digit == DEALT and card in self.stock:
            turns += 1
        elif code & OVER:
            for filler in (one for one in self.reserve if digits[one] != DEALT):
                digits[filler] = DEALT
                break
        digits[card] = digit
        return self._state_of(digits, waste, turns)

    def _state_of(self, digits: Sequence[int], waste: int, turns: int) -> State:
        """Return the state with these digits of all cards."""
        words = [0, 0, waste << WASTE_SHIFT | turns << TURNS_SHIFT]
        for card, digit in enumerate(digits):
            words[card // PER_WORD] |= digit << 3 * (card % PER_WORD)
        return self._of_words(np.array(words, np.uint64))

    def _of_words(self, words: Words) -> State:
        """Return the state with these three words."""
        return State(int(self._signatures(words)[0]), *words.tolist())

    def are_signatures(self, signatures: Words) -> bool:
        """Return True: the local keys tell what the signatures are."""
        return True

    def are_keys(self, keys: Words) -> bool:
        """Return True if all local keys (uint64[*]) can be states.

        Kernels index arrays by what the words hold, and check nothing.
        """
        under = np.empty(CARDS, np.int64)
        return int(find_wrong(self.game, self.arranging, keys.reshape(-1, PLANES), under)) < 0

    def have_signatures(self, keys: Words, signatures: Words, counts: NDArray[np.int64]) -> bool:
        """Return False if a local key has another signature than its run."""
        return bool((self._signatures(keys) == np.repeat(signatures, counts)).all())

    def _signatures(self, keys: Words) -> Words:
        """Return the signature of each of some local keys."""
        words = keys.reshape(-1, PLANES)
        found = np.zeros(words.shape[0], np.uint64)
        signatures_of(self.tables, words, found)
        return found


def _digits(state: State) -> list[int]:
    """Return the digits of all cards."""
    words = state[1:]
    return [words[card // PER_WORD] >> 3 * (card % PER_WORD) & 7 for card in range(CARDS)]


def key_of(words: Sequence[int]) -> int:
    """Return the key of three words."""
    first, second, third = map(int, words)
    return first | second << 64 | third << 128


def words_of(key: int) -> tuple[int, int, int]:
    """Return the three words of a key."""
    mask = (1 << 64) - 1
    return key & mask, key >> 64 & mask, key >> 128
