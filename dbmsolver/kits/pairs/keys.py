"""Keys of pairing games: from positions to the words that the kernels count with, and back.

What a key holds is said in :mod:`dbmsolver.kits.pairs.moves`. It is relative to a deal: the removed
cards of a position that a key stands for are those of the deal, and all that it does not have any
more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.moves import REMOVED, Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kernels.states import Words
from dbmsolver.kits.cards.tables import PLACE_HOME
from dbmsolver.kits.leaving import LeavingKeys
from dbmsolver.kits.pairs.moves import (
    FIRST,
    KING,
    KINGS,
    OVER,
    TURNED,
    WON,
    PairTables,
    make_tables,
)
from dbmsolver.kits.states import TURN, Field, State, Step
from dbmsolver.results import Question

PAIRED = 64
"""The place value of a card that is removed with another, less the number of that one."""
_NO_KEY = "is not the key of a position"


class PairKeys(LeavingKeys):
    """The keys of one deal of a pairing game; ``root`` is the deal's own state.

    ``tables`` is what kernels use. For a shortest solution states have layers.
    """

    def __init__(self, deal: Deal, question: Question = Question.PROVE) -> None:
        self.deal = deal
        self.rules: Rules = deal.rules
        self.measure = Measure(deal.rules, "none", "turns")
        self.code_type = np.uint8
        self.codes = FIRST + 1
        dealt = deal.position
        self._own = dealt
        self._held = (*dealt.waste, *dealt.stock)
        self._turns = dealt.turns or 0
        # Kernels take the tables of each kind of state, by their class.
        self.tables: PairTables = make_tables(  # type: ignore[assignment]
            dealt.columns,
            self._held,
            dealt.lowest,
            self._turns,
            self.rules.free_stock,
            self.rules.pairs == "all",
            question == Question.SOLVE,
        )
        t = self.tables
        columns = sum(
            len(column) << int(s) for column, s in zip(dealt.columns, t.shifts, strict=True)
        )
        self.least = int(t.least[columns])
        held = len(self._held)
        self._most_layers = t.in_columns + held + (self._turns + 1) * held
        self.most_moves = self._most_layers + self._turns
        self.places = t.columns + 2
        self.locked = 0
        self.goal = int(WON)
        self.last_stratum = self.won_from = t.last
        self.root_code = FIRST
        self.root = self.state(dealt)

    def step(self, state: State, code: int) -> Step:
        """Return the move that led to a state, by its parent-move code."""
        return self._step(code)

    def step_of(self, position: Position, move: Move) -> Step:
        """Return the step of a move: a card, and its partner's place value; or a turn."""
        if move.destination != REMOVED:
            return 0, TURN
        return move.card, PLACE_HOME if move.other is None else PAIRED + move.other

    def steps_of_dive(self, path: Sequence[int]) -> list[Step]:
        """Return the steps of a dive that has found a solution, by its codes."""
        return [self._step(int(code)) for code in path]

    def _step(self, code: int) -> Step:
        if code in (TURNED, OVER):
            return 0, TURN
        number, lowest = code >> 1, self.tables.lowest
        if number >= KINGS:
            return 4 * (KING - 1) + number - KINGS, PLACE_HOME
        card = (number >> 2) + 4 * (lowest - 1)
        return card, PAIRED + 4 * (10 + lowest - card // 4) + (number & 3)

    def state(self, position: Position, layer: int | None = None) -> State:
        """Return the state of a position; InputError if no game from this deal can reach it.

        Where states have layers, its own is that of the deal unless another is given.
        """
        public, bits = self.encode(position), int(self.tables.key_bits)
        signature = public >> bits
        if position.is_goal():
            signature |= self.goal
        if self.tables.layered:
            signature |= (self.least if layer is None else layer) << int(self.tables.layer_shift)
        return State(signature, public & (1 << bits) - 1, 0, 0)

    def states(self, position: Position) -> Iterator[State]:
        """Yield each state as which a search may close a position.

        If states have layers, there is one for each layer, as a position does not tell how often
        the stock has been turned.
        """
        last = self._most_layers if self.tables.layered else self.least
        for layer in range(self.least, last + 1):
            yield self.state(position, layer)

    def counted_fields(self) -> Iterator[tuple[Field, int]]:
        """Yield the columns; where states have layers, the layer is a field, too."""
        t = self.tables
        for shift, mask, dealt in zip(t.shifts, t.masks, t.dealt, strict=True):
            yield Field(int(shift), int(mask)), int(dealt)

    def most_in_fields(self) -> list[tuple[int, int, int]]:
        """Return (shift, mask, largest value) of each field of a signature."""
        fields, most = super().most_in_fields(), self._most_layers
        if self.tables.layered:
            fields.append((int(self.tables.layer_shift), (1 << most.bit_length()) - 1, most))
        return fields

    def are_keys(self, keys: Words) -> bool:
        """Return True if kernels can work with local keys that have no bits too many."""
        t = self.tables
        number = keys & t.at_mask
        left = keys >> t.left_shift
        has_top = (left << np.uint64(1)) >> number & np.uint64(1) == 1
        turns = (keys >> t.turns_shift) & t.turns_mask
        fits = (number == 0) | has_top
        return bool((fits & (turns <= np.uint64(t.turns))).all())

    def encode(self, position: Position) -> int:
        """Return the public key of a position; InputError if no game from the deal reaches it."""
        dealt, t = self._own, self.tables
        if not position.is_like(dealt) or position.foundations != dealt.foundations:
            raise InputError("the position is not of this deal's deck")
        public = 0
        for index, (column, own) in enumerate(zip(position.columns, dealt.columns, strict=True)):
            if own[: len(column)] != column:
                raise InputError(
                    f"column {index + 1}: its cards lie otherwise than they were dealt"
                )
            public |= len(column) << int(t.shifts[index])
        held = (*position.waste, *position.stock)
        numbers = [self._held.index(card) for card in held if card in self._held]
        if len(numbers) != len(held) or any(one > two for one, two in pairwise(numbers)):
            raise InputError("stock and waste lie otherwise than they were dealt")
        turned = self._turns - (position.turns or 0)
        if not 0 <= turned <= self._turns:
            raise InputError(f"the waste may be turned over {self._turns} times after this deal")
        if not set(dealt.removed) <= set(position.removed):
            raise InputError("a card is not removed that is in the deal")
        number = numbers[len(position.waste) - 1] + 1 if position.waste else 0
        key = sum(1 << one for one in numbers) << int(t.left_shift)
        key |= number | turned << int(t.turns_shift)
        return key | public << int(t.key_bits)

    def position(self, state: State) -> Position:
        """Return the position of a state."""
        t = self.tables
        columns = state.signature & int(t.columns_mask)
        return self.decode(state.off | columns << int(t.key_bits))

    def decode(self, key: int) -> Position:
        """Return the position of a public key; InputError if it is not the key of one."""
        t, dealt = self.tables, self._own
        columns, rest = key >> int(t.key_bits), key & (1 << int(t.key_bits)) - 1
        if columns > int(t.columns_mask):
            raise InputError(f"key {key} {_NO_KEY}")
        lengths = [
            columns >> int(shift) & int(mask) for shift, mask in zip(t.shifts, t.masks, strict=True)
        ]
        number, left = rest & int(t.at_mask), rest >> int(t.left_shift)
        turned = rest >> int(t.turns_shift) & int(t.turns_mask)
        numbers = [n for n in range(1, len(self._held) + 1) if left >> n - 1 & 1]
        if turned > self._turns or (number and number not in numbers):
            raise InputError(f"key {key} {_NO_KEY}")
        waste = tuple(self._held[n - 1] for n in numbers if n <= number)
        stock = tuple(self._held[n - 1] for n in numbers if n > number)
        kept = tuple(column[:length] for column, length in zip(dealt.columns, lengths, strict=True))
        gone = set(self._held).union(*dealt.columns) - {*waste, *stock}.union(*kept)
        position = dealt.rearranged(
            columns=kept,
            waste=waste,
            stock=stock,
            turns=self._turns - turned,
            removed=(*dealt.removed, *sorted(gone)),
        )
        try:
            position.validate(self.rules)
        except InputError:
            raise InputError(f"key {key} {_NO_KEY}") from None
        if tuple(map(len, kept)) != tuple(lengths):
            raise InputError(f"key {key} {_NO_KEY}")
        return position
