"""Classes of positions of Klondike as the kernels see them, and back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InputError
from dbmsolver.game.cards import CARDS
from dbmsolver.game.class_paths import moves_along
from dbmsolver.game.classes import EVERY_RULE, Class, Classes, LeftOut
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.kernels.samples import NUMBER, STATES, WORD, WORDS, Call
from dbmsolver.kits.cards.tables import (
    BUILD_ALTERNATE,
    BUILD_SUIT,
    POLICY_HORNE,
    POLICY_NONE,
    POLICY_WKR,
)
from dbmsolver.kits.klondike import class_tables
from dbmsolver.kits.klondike.class_tables import (
    HEIGHT_BITS,
    WASTE_BITS,
    WON,
    ClassSets,
    ClassTables,
)
from dbmsolver.kits.klondike.classes import can_be_keys, class_progress, class_sets, expand_class
from dbmsolver.kits.states import Field, State, StateCodec, Walk
from dbmsolver.results import Method

_SUITS = 4
_MOST_CARDS = 64
_FLAGS = {
    LeftOut.SAFE_HOME: class_tables.SAFE_HOME,
    LeftOut.NO_SAFE_RETURN: class_tables.NO_SAFE_RETURN,
    LeftOut.USEFUL_SPACE: class_tables.USEFUL_SPACE,
}
_POLICIES: dict[Policy, int] = {"none": POLICY_NONE, "horne": POLICY_HORNE, "wkr": POLICY_WKR}


class ClassKeys(StateCodec):
    """The classes of one deal; ``root`` is the deal's own, ``goal`` the signature of a win.

    ``tables`` is what kernels use, ``locked`` the number of cards that lie where they were dealt.
    """

    closed_as_records = True
    sets = ClassSets(WORD, WORD, WORD, WORD, WORD, NUMBER)

    def __init__(
        self,
        deal: Deal,
        policy: Policy,
        left_out: Collection[LeftOut] = EVERY_RULE,
        method: Method = Method.CLASSES,
    ) -> None:
        self.method = method
        self.deal = deal
        self.rules = deal.rules
        self.measure = measure_of(deal.rules, policy, None)
        self.code_type = np.uint8
        self.codes = 256
        self.policy = policy
        self.classes = Classes(self._searched(deal.position), deal.rules, self.policy)
        # Kernels take the tables of each kind of state, by their class.
        self.tables: ClassTables = make_class_tables(  # type: ignore[assignment]
            self.classes, left_out
        )
        self.locked = sum(map(len, self.classes.columns))
        self.goal = int(WON)
        self.last_stratum = self.won_from = self.locked + 1
        self.root_code = 0  # it has no parent
        self.root = self.state_of(self.classes.root)

    def own_kernels(self) -> list[Call]:
        """Return the kernels that expand classes, and check blocks."""
        return [
            (expand_class, (self.tables, self.sets, WORD, STATES)),
            (class_sets, (self.tables, WORD)),
            (class_progress, (self.tables, WORD, NUMBER)),
            (can_be_keys, (self.tables, WORDS, NUMBER)),
        ]

    def state(self, position: Position) -> State:
        """Return the class of a position; InputError if no game from this deal reaches it."""
        return self.state_of(self.classes.class_of(self._searched(position)))

    def _searched(self, position: Position) -> Position:
        """Return the position with as many passes as the search allows."""
        any_passes = self.method == Method.CLASSES_ANY_PASSES
        return position.without_turn_limit() if any_passes else position

    def state_of(self, found: Class) -> State:
        """Return the words of a class."""
        t = self.tables
        if self.classes.is_won(found):
            return State(self.goal, 0, 0, 0)
        shifts = t.column_shift.tolist()
        signature = sum(count << shift for count, shift in zip(found.counts, shifts, strict=True))
        left = set(found.stock)
        key = sum(1 << i for i, card in enumerate(self.classes.stock) if card in left)
        for suit, height in enumerate(found.foundations):
            key |= height << int(t.height_shift) + HEIGHT_BITS * suit
        key |= found.waste << int(t.waste_shift)
        key |= (found.turns or 0) << int(t.turns_shift)
        return State(signature, key, 0, 0)

    def walk(self) -> Walk:
        """Return the random games by which closed classes are tried."""
        return Walk(
            self.classes.root,
            lambda found: [after for _, after in self.classes.moves(found)],
            lambda found: [self.state_of(found)],
            "the deal's",
            "a class {} moves from the deal's",
            "over classes stay among the closed classes",
        )

    def class_of(self, state: State) -> Class:
        """Return the class of a state that is not won."""
        t, key = self.tables, state.off
        pairs = zip(t.column_shift.tolist(), t.column_mask.tolist(), strict=True)
        counts = tuple(state.signature >> shift & mask for shift, mask in pairs)
        hearts, spades, diamonds, clubs = (
            key >> int(t.height_shift) + HEIGHT_BITS * suit & 15 for suit in range(_SUITS)
        )
        return Class(
            counts,
            (hearts, spades, diamonds, clubs),
            tuple(card for i, card in enumerate(self.classes.stock) if key >> i & 1),
            key >> int(t.waste_shift) & 63,
            key >> int(t.turns_shift) if t.limited else None,
        )

    def moves_along(self, states: Sequence[State]) -> tuple[list[Move], Position]:
        """Return legal moves from the deal along a path of classes, and where they lead.

        All cards go home at the end if the last class is won. ValueError if a class does not
        follow from the one before it.
        """
        won = self.goal
        path = [None if one.signature == won else self.class_of(one) for one in states]
        return moves_along(self.classes, path)

    def are_keys(self, keys: NDArray[np.uint64]) -> bool:
        """Return True if kernels can work with local keys that have no bits too many."""
        return bool(can_be_keys(self.tables, keys, self.classes.deal.turns or 0))

    def rising(self) -> list[Field]:
        """Return the fields of a signature that no move makes less: none."""
        return []

    def counted_fields(self) -> Iterator[tuple[Field, int]]:
        """Yield the fields that no move makes more, but for a win's, and their largest values."""
        t = self.tables
        pairs = zip(t.column_shift.tolist(), t.column_mask.tolist(), strict=True)
        for field, column in zip(pairs, self.classes.columns, strict=True):
            yield Field(*field), len(column)


def make_class_tables(classes: Classes, left_out: Collection[LeftOut]) -> ClassTables:
    """Make the kernels' tables of a deal, with rules that leave out moves."""
    columns, cards = classes.columns, len(classes.stock)
    counts = max(map(len, columns), default=0) + 1
    shifts, masks, shift = [], [], 0
    for column in columns:
        bits = len(column).bit_length()
        shifts.append(min(shift, 62))
        masks.append((1 << bits) - 1)
        shift += bits
    if shift > 63:
        raise InputError("the columns of this deal need more bits than a signature has")
    locked = [[_set(column[:count]) for count in range(counts)] for column in columns]
    covered = [[_set(column[: max(count - 1, 0)]) for count in range(counts)] for column in columns]
    held = [
        [_set(column[count - 1 : count]) if count else 0 for count in range(counts)]
        for column in columns
    ]
    release = [0] * CARDS
    for column, place in zip(columns, shifts, strict=True):
        for depth, card in enumerate(column):
            is_on_king = depth == 1 and column[0] >> 2 == 12
            release[card] = (2 if is_on_king else 1) << place
    stock_bit = [0] * CARDS
    for number, card in enumerate(classes.stock):
        stock_bit[card] = 1 << number
    turn_bits = (classes.deal.turns or 0).bit_length()
    waste_shift = cards + _SUITS * HEIGHT_BITS
    key_bits = waste_shift + WASTE_BITS + turn_bits
    kept = classes.deal.kept(classes.rules) if classes.rules.removable else CARDS
    return ClassTables(
        columns=len(columns),
        varying=_words([(1 << key_bits) - 1, 0, 0]),
        column_shift=_words(shifts),
        column_mask=_words(masks),
        locked=_words(locked),
        covered=_words(covered),
        held=_words(held),
        release=_words(release),
        home=_words([[_set(range(s, 4 * h, 4)) for h in range(14)] for s in range(_SUITS)]),
        stock_bit=_words(stock_bit),
        stock_sets=_words(list(_stock_sets(classes.stock))),
        turned=_words(_turned(max(classes.rules.draw, 1))),
        stock_mask=np.uint64((1 << cards) - 1),
        height_shift=np.uint64(cards),
        waste_shift=np.uint64(waste_shift),
        turns_shift=np.uint64(min(waste_shift + WASTE_BITS, 63)),
        draw=max(classes.rules.draw, 1),
        free_stock=classes.free_stock,
        limited=classes.deal.turns is not None,
        returning=np.uint64(_set(range(_SUITS * kept, CARDS))),
        left_out=sum(_FLAGS[rule] for rule in left_out),
        policy=_POLICIES[classes.policy],
        build=BUILD_SUIT if classes.rules.build == "suit" else BUILD_ALTERNATE,
    )


def _words(numbers: object) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    return np.array(numbers, np.uint64)


def _set(cards: Collection[int]) -> int:
    """Return a set of cards as bits."""
    return sum(1 << card for card in cards)


def _stock_sets(stock: tuple[int, ...]) -> Iterator[list[int]]:
    """Yield for each byte of the key's first field the cards of each value."""
    for first in range(0, max(len(stock), 1), 8):
        sets = [0]
        for number in range(8):
            bit = 1 << stock[first + number] if first + number < len(stock) else 0
            sets += [cards | bit for cards in sets]
        yield sets


@cache
def _turned(draw: int) -> tuple[list[int], ...]:
    """Return for each number in the waste and number left what the number can become."""
    return tuple(
        [
            _set({*range(waste, left, draw), left} - {0}) if waste <= left else 0
            for left in range(_MOST_CARDS)
        ]
        for waste in range(_MOST_CARDS)
    )
