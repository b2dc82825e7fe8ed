"""Records of dominating positions as states: which one stands for a position, and a position it stands for."""

from __future__ import annotations

import numpy as np

from dbmsolver.cards import CARDS
from dbmsolver.core import tables as core
from dbmsolver.core.dominance import normal_record
from dbmsolver.deals import Deal
from dbmsolver.keys import Keys, State
from dbmsolver.position import Position
from dbmsolver.rules import Policy


class RecordKeys(Keys):
    """The keys of a deal's records; ``root`` is the record of the deal."""

    method = "dominating"

    def __init__(self, deal: Deal, policy: Policy) -> None:
        super().__init__(deal, policy)
        self.code_type = np.uint8
        self.root = self.state(deal.position)

    @property
    def root_code(self) -> int:
        """The deal's record has no parent."""
        return 0

    def state(self, position: Position) -> State:
        """The normal record that covers a position; InputError if no game from this deal can reach that."""
        plain = super().state(position)
        off, low = plain.off, plain.low
        fix = 0
        if self.rules.freecells:
            full = None not in position.freecells and () not in position.columns
            alone = sum(1 << column[0] for column in position.columns if len(column) == 1)
            fix = off & alone if full else 0
            low &= ~off
        found = np.zeros(3, np.uint64)
        words = (plain.signature, off, low, fix)
        normal_record(self.tables, *map(np.uint64, words), found)
        return State(*map(int, found), 0)

    def position(self, state: State) -> Position:
        """A position that the record stands for: slot cards in freecells first, those of ``fix`` in columns."""
        covered = self._covered(state)
        low = state.low & ~state.off
        slots = []
        fixed = []
        bottoms = 0
        for card in range(CARDS):
            if not state.off >> card & 1:
                continue
            if covered >> card & 1:
                bottoms |= 1 << card
            elif self.rules.freecells and state.low >> card & 1:
                fixed.append(card)
            else:
                slots.append(card)
        in_columns = fixed + slots[self.rules.freecells :]
        for card in in_columns:
            bottoms |= 1 << card
        return super().position(State(state.signature, state.off, low | bottoms, 0))

    def _covered(self, state: State) -> int:
        """The cards that something lies on."""
        covered = 0
        for card in range(CARDS):
            height = (state.signature >> (4 * (card & 3))) & 15
            if card // 4 < height:
                continue
            place = self.place(state, card)
            if place == core.PLACE_LOCKED:
                under = self._under[card]
                covered |= 1 << under if under is not None else 0
            elif place < core.PLACE_FREECELL:
                covered |= 1 << ((card ^ self.kinds[place]) + 4)
        return covered
