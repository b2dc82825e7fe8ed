"""Keys of games of one pile: from positions to the words that the kernels count with, and back.

What a key holds is said in :mod:`dbmsolver.kits.pile.moves`. It is relative to a deal: the pile of
a position that a key stands for holds what the columns and the stock have lost since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS, card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.one_pile import OnePile
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kernels.states import Words
from dbmsolver.kits.cards.tables import PLACE_HOME
from dbmsolver.kits.leaving import LeavingKeys
from dbmsolver.kits.pile.moves import (
    NO_PARENT,
    NOTHING,
    TOP,
    TOP_BITS,
    WON,
    PileTables,
    key_of,
    make_tables,
    take_key,
)
from dbmsolver.kits.states import Field, State, Step
from dbmsolver.results import Question


@lru_cache
def _followers(rules: Rules, lowest: int) -> tuple[int, ...]:
    """Return, for each card on top of the pile, the set of cards that may be put on it."""
    return tuple(
        sum(1 << card for card in range(CARDS) if rules.follows(card, top, lowest))
        for top in range(CARDS)
    )


class PileKeys(LeavingKeys):
    """The keys of one deal of a game of one pile; ``root`` is the deal's own state.

    ``tables`` is what kernels use. For a shortest solution states have layers; ``most`` is as in
    :func:`~dbmsolver.kits.pile.moves.make_tables`.
    """

    def __init__(
        self, deal: Deal, question: Question = Question.PROVE, most: int | None = None
    ) -> None:
        self.deal = deal
        self.rules: Rules = deal.rules
        self.measure = Measure(deal.rules, "none", "cards")
        self.code_type = np.uint8
        self.codes = NO_PARENT + 1
        position = deal.position
        assert position.pile is not None
        self._pile = position.pile
        lowest = 1 + min(position.foundations)
        follows = _followers(self.rules, lowest)
        everything = (1 << CARDS) - 1
        layered = question == Question.SOLVE
        # Kernels take the tables of each kind of state, by their class.
        self.tables: PileTables = make_tables(  # type: ignore[assignment]
            position.columns, position.stock, [*follows, everything], layered, most
        )
        self.least = self.tables.in_columns  # each card in a column makes one move
        self.most_moves = CARDS
        self.places = self.tables.columns
        self.locked = 0
        self.goal = int(WON)
        self.last_stratum = self.won_from = self.tables.last
        self.root_code = NO_PARENT
        self.root = self.state(position)

    def steps_of_dive(self, path: Sequence[int]) -> list[Step]:
        """Return the steps of a dive that has found a solution, by the cards it has played."""
        return [(int(card), PLACE_HOME) for card in path]

    def step(self, state: State, code: int) -> Step:
        """Return the move that led to a state: the card on top has gone to the pile."""
        return state.off & TOP, PLACE_HOME

    def state(self, position: Position) -> State:
        """Return the state of a position; InputError if no game from this deal can reach it."""
        public = self.encode(position)
        t, cut = self.tables, int(self.tables.cut)
        signature = (public & (1 << cut) - 1) >> TOP_BITS
        if not public >> int(t.shifts[0]):
            signature |= self.goal
        return State(signature, public & TOP | public >> cut << TOP_BITS, 0, 0)

    def counted_fields(self) -> Iterator[tuple[Field, int]]:
        """Yield the stock and the first columns: cards left, and as many as the deal has."""
        t = self.tables
        for place in (t.columns, *range(t.first)):
            field = Field(int(t.shifts[place]) - TOP_BITS, int(t.masks[place]))
            yield field, int(t.dealt[place])

    def are_keys(self, keys: Words) -> bool:
        """Return True if kernels can work with local keys that have no bits too many."""
        t = self.tables
        good = bool(((keys & np.uint64(TOP)) <= NOTHING).all())
        for place in range(t.first, t.columns):
            shift = t.shifts[place] - t.cut + np.uint64(TOP_BITS)
            good &= not (((keys >> shift) & t.masks[place]) > np.uint64(t.dealt[place])).any()
        return good

    def encode(self, position: Position) -> int:
        """Return the public key of a position; InputError if no game from the deal reaches it."""
        dealt = self.deal.position
        if position.pile is None or position.foundations != dealt.foundations:
            raise InputError("the position is not of this deal's deck")
        # Columns may stand in another order: those that have cards are known by these.
        ours = {column[0]: index for index, column in enumerate(dealt.columns) if column}
        lengths = [0] * len(dealt.columns)
        for number, column in enumerate(position.columns, start=1):
            if not column:
                continue
            index = ours.get(column[0], -1)
            if index < 0 or dealt.columns[index][: len(column)] != column:
                raise InputError(f"column {number}: its cards lie otherwise than they were dealt")
            lengths[index] = len(column)
        left = len(position.stock)
        if dealt.stock[len(dealt.stock) - left :] != position.stock:
            raise InputError("the stock lies otherwise than it was dealt")
        top = position.pile[-1] if position.pile else NOTHING
        if not self._may_be_on_top(lengths, left, top):
            raise InputError(f"no game from the deal comes to {card_name(top)} on top of the pile")
        return key_of(self.tables, lengths, left, top)

    def position(self, state: State) -> Position:
        """Return a position of a state."""
        t = self.tables
        above = state.off >> TOP_BITS << int(t.cut)
        shared = (state.signature & ~self.goal) << TOP_BITS
        return self.decode(state.off & TOP | shared | above)

    def decode(self, key: int) -> Position:
        """Return a position of a public key; InputError if it is not the key of one.

        Under the card on top, the pile's cards lie in the order of the deck.
        """
        dealt, no_key = self.deal.position, f"key {key} is not the key of a position"
        if key >= 1 << 64:
            raise InputError(no_key)
        lengths, left, top = take_key(self.tables, key)
        fits = left <= len(dealt.stock) and all(
            length <= len(column) for length, column in zip(lengths, dealt.columns, strict=True)
        )
        is_one = fits and key_of(self.tables, lengths, left, top) == key
        if not is_one or not self._may_be_on_top(lengths, left, top):
            raise InputError(no_key)
        below = sorted(set(self._piled(lengths, left)) - {top})
        return OnePile(
            tuple(column[:length] for column, length in zip(dealt.columns, lengths, strict=True)),
            (),
            dealt.foundations,
            pile=(*below, *([] if top == NOTHING else [top])),
            stock=dealt.stock[len(dealt.stock) - left :],
        )

    def _piled(self, lengths: list[int], left: int) -> list[int]:
        """Return the cards on the pile."""
        dealt = self.deal.position
        cards = [*self._pile, *dealt.stock[: len(dealt.stock) - left]]
        for column, length in zip(dealt.columns, lengths, strict=True):
            cards += column[length:]
        return cards

    def _may_be_on_top(self, lengths: list[int], left: int, top: int) -> bool:
        """Return True if the card can be the last one that went to the pile.

        It is the last card of the deal's pile before the first move, and later one that a column or
        the stock has lost last.
        """
        dealt = self.deal.position
        turned = len(dealt.stock) - left
        last = [dealt.stock[turned - 1]] if turned else []
        for column, length in zip(dealt.columns, lengths, strict=True):
            last += column[length : length + 1]
        return top in (last or [self._pile[-1] if self._pile else NOTHING])
