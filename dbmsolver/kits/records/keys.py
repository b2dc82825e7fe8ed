"""Records of dominating positions as the kernels see them, and back."""

from __future__ import annotations

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import (
    Record,
    columns_are_slots,
    make_record,
    plain_record,
    slot_cards,
)
from dbmsolver.game.kinds import Policy
from dbmsolver.game.position import Position
from dbmsolver.kernels.samples import NUMBER, WORD, WORDS, Call
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.cards.tables import PLACE_BOTTOM, PLACE_FREECELL
from dbmsolver.kits.states import State, StateCodec, pile_on
from dbmsolver.results import Method


class RecordKeys(StateCodec):
    """The records of one deal; ``root`` is the deal's own.

    A record is written like a state: cards at the bottom of stuck columns, and slot cards, have the
    place value freecell, those of ``fix`` the place value bottom.  Without freecells all of them
    have the value bottom.  Where empty columns take kings only, a king at the bottom of a column
    has the value bottom, too.
    """

    method: Method = Method.DOMINATING
    closed_as_records = True

    def __init__(self, deal: Deal, policy: Policy) -> None:
        import dbmsolver.kits.records.hooks  # noqa: F401  # tables of cards are for positions, too

        super().__init__(deal, policy)
        self.code_type = np.uint8
        self.codes = 256
        self.policy = policy
        self._in_slots = columns_are_slots(self.rules)
        self.root = self.state(deal.position)
        self.root_code = 0  # it has no parent

    def dive_kernels(self) -> list[Call]:
        """Return the kernels that expand records."""
        from dbmsolver.kits.records.dominance import expand_record, normal_record, successors
        from dbmsolver.kits.records.macros import make_scratch

        return [
            (expand_record, (self.tables, self.sets, WORD, WORD, WORD, make_scratch())),
            (normal_record, (self.tables, *[WORD] * 4, WORDS)),
            (successors, (self.tables, *[WORD] * 3, make_scratch())),
        ]

    def survey_kernels(self) -> list[Call]:
        """Return the kernels that dive for many deals."""
        from dbmsolver.kits.records.dive import make_diving
        from dbmsolver.kits.records.dives_of_deals import LaidDeal, dive_deals, own_tables

        row, rows = np.empty((1, 5), np.int64), np.empty((1, 1, 3), np.uint64)
        laid = LaidDeal(np.empty((1, CARDS), np.uint8), np.empty((1, 9), np.uint8))
        tables, root = own_tables(self.tables), np.empty(5, np.uint64)
        arguments = (tables, make_diving(1), root, laid, NUMBER, row, row, rows, True)
        return [(dive_deals, arguments)]

    def state(self, position: Position) -> State:
        """Return the state of the normalised record that covers a position.

        InputError if no game from this deal can reach that position.
        """
        return self.normal(plain_record(position, self.rules))

    def normal(self, record: Record) -> State:
        """Return the normal form of a record, by the kernel."""
        # Imported late: a search of every position does without the kernels of records.
        from dbmsolver.kits.records.dominance import normal_record

        state = self.state_of(record)
        fix = sum(1 << card for card in record.fix)
        found = np.zeros(5, np.uint64)
        words = (state.signature, state.off, state.low & ~fix, fix)
        normal_record(self.tables, *map(np.uint64, words), found)
        return State(int(found[0]), int(found[1]), int(found[2]), 0)

    def state_of(self, record: Record) -> State:
        """Return a record as it is; InputError if no game from this deal can reach it."""
        places: dict[int, int] = {}
        empty = PLACE_FREECELL if self.rules.freecells else PLACE_BOTTOM
        for column in record.columns:
            places |= self._places_in_column(column)
        for card in slot_cards(record):
            places[card] = PLACE_BOTTOM if card in record.fix else empty
        if self._in_slots:
            for card, place in places.items():
                if place == PLACE_BOTTOM and card not in record.fix:
                    places[card] = empty
        return self._state(record.foundations, places)

    def record(self, state: State) -> Record:
        """Return the record of a state."""
        heights = self.heights(state)
        above, bottoms, cells = self._lying(state, heights)
        starts = [*bottoms, *cells] if self._in_slots else bottoms
        columns = [pile_on(card, above) for card in starts]
        alone = {column[0] for column in columns if len(column) == 1}
        fix = {card for card in alone if state.low >> card & 1}
        hearts, spades, diamonds, clubs = heights
        return make_record((hearts, spades, diamonds, clubs), columns, fix, self.rules)

    def position(self, state: State) -> Position:
        """Return one of the positions that a record stands for.

        Slot cards lie in freecells first, those of ``fix`` in columns.
        """
        record = self.record(state)
        slots = [card for card in slot_cards(record) if card not in record.fix]
        cells = slots[: self.rules.freecells]
        alone = [*sorted(record.fix), *slots[self.rules.freecells :]]
        piles = [*record.columns, *((card,) for card in alone)]
        empty = (None,) * (self.rules.freecells - len(cells))
        return Position(self._arrange(piles), (*cells, *empty), record.foundations)
