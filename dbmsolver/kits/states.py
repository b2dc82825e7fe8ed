"""Positions, states and keys: from what people read to what the kernels count with, and back.

A state is ``(signature, off, low, high)`` (:mod:`dbmsolver.kits.cards.tables`); the public key is
one integer, ``word1 * (range of word0) + word0``, of about 124 bits in FreeCell. Both are relative
to a deal: "where it was dealt" is where the card lies in the position that a search starts from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Build, Fill, Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import counts_as_play
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.kernels.samples import NUMBER, WORD, Call
from dbmsolver.kernels.states import CARDS, SUITS
from dbmsolver.kits.cards import tables
from dbmsolver.kits.deal_tables import make_deal_tables
from dbmsolver.results import Method

_BUILDS: dict[Build, int] = {
    "alternate": tables.BUILD_ALTERNATE,
    "suit": tables.BUILD_SUIT,
    "any": tables.BUILD_ANY,
    "none": tables.BUILD_NONE,
    "suit-both": tables.BUILD_SUIT_BOTH,
}
_FILLS: dict[Fill, int] = {
    "none": tables.FILL_NONE,
    "kings": tables.FILL_KINGS,
    "any": tables.FILL_ANY,
}
_POLICIES: dict[Policy, int] = {
    "none": tables.POLICY_NONE,
    "horne": tables.POLICY_HORNE,
    "wkr": tables.POLICY_WKR,
    "max": tables.POLICY_MAX,
}


class Field(NamedTuple):
    """The field of a number in a signature: ``(signature >> shift) & mask``."""

    shift: int
    mask: int


Step = tuple[int, int]
"""A move of a solution: a card, and the place value that it gets."""
TURN = tables.PLACE_LOCKED
"""The place value of a step that turns cards of the stock, or the waste; its card is 0."""


class State(NamedTuple):
    """A state as the kernels see it: signature and three planes, as plain integers."""

    signature: int
    off: int
    low: int
    high: int


class Walk(NamedTuple):
    """The rules of random games that try whether a search has closed all that it had to.

    They go through positions, or through classes that stand for several positions.
    """

    root: Any
    """The position or class of the deal, in which each game begins."""
    following: Callable[[Any], list[Any]]
    """Returns the positions or classes that the moves from one lead to."""
    states: Callable[[Any], Iterable[State]]
    """Returns the states of a position or class. It is closed if one of these is."""
    dealt: str = "the deal"
    """The words for the root in a message."""
    away: str = "a position {} moves from the deal"
    """The words for any other, with a place for the number of moves."""
    passed: str = "from the deal stay among the closed states"
    """The words after "random games" if all games met closed states only."""


class StateCodec:
    """The keys of one deal, as its moves are measured; None stands for the usual metric.

    ``deal_tables`` holds what keys are made of, ``tables`` the part of it that kernels use.
    ``root`` is the deal's own state, ``goal`` the signature with all cards home, ``last_stratum``
    the stratum of the goal, ``locked`` the number of locked cards in the deal, ``code_type`` the
    type of parent-move codes, ``codes`` how many there are, ``measure`` says what a move is. Only
    solvable deals reach the stratum ``won_from``.
    Kernels have cards as they count from the ``base`` of the deal (:mod:`dbmsolver.game.bases`);
    positions, moves and steps have them as they are. ``columns`` are those of the deal as kernels
    have them.
    """

    method: Method = Method.EVERY_POSITION
    closed_as_records: bool = False
    """True if the kernels of records close its states: a move may lead to any later signature."""
    worth_a_batch: int = 256
    """Candidates that are worth a piece of work for a thread."""
    layered_strata: bool = False
    """True if the stratum of a signature may have a layer in its upper bits."""

    def __init__(self, deal: Deal, policy: Policy, metric: Metric | None = None) -> None:
        if deal.rules.only_leave:
            kind = "one pile" if deal.rules.has_pile else "pairs"
            raise UsageError(
                f"not possible in {deal.rules.name}, a game of {kind}: "
                "expected a game with foundations"
            )
        self.deal = deal
        self.rules: Rules = deal.rules
        self.measure = measure_of(deal.rules, policy, metric)
        self.base = deal.position.base
        position = deal.position.turned()
        self.columns = position.columns
        self.kinds = self.rules.parent_kinds
        run_kinds = {"single": 0, "suit-runs": 1, "runs": len(self.kinds)}
        takes_back = self.rules.takes_back
        by_room, free = self.measure.by_room, self.measure.has_free_moves
        # No move is forced where only whole suits go home, or cards come back.
        follows = _POLICIES["none" if self.rules.whole_suits or takes_back else policy]
        if free and policy == "wkr":
            follows = tables.POLICY_PLAYED_WKR
        self.deal_tables = make_deal_tables(
            tables.Game(
                columns=self.rules.columns,
                freecells=0 if self.rules.reserve else self.rules.freecells,
                build=_BUILDS[self.rules.build],
                kinds=self.kinds,
                rises=self.rules.parent_rises,
                parents=self.rules.parents(self.base.lowest),
                fill=_FILLS[self.rules.fill],
                policy=follows,
                runs=len(self.kinds) if by_room else run_kinds[self.rules.moves],
                whole_suits=self.rules.whole_suits,
                room=by_room,
                free=free,
                removable=takes_back,
                kept_rank=self.rules.kept_rank if takes_back else 0,
                round_from=self.base.lowest if self.rules.base == "round" else 0,
            ),
            position.columns,
            [card for card in position.freecells if card is not None],
            position.foundations,
        )
        self.tables = self.deal_tables.tables
        self.codes = int(self.tables.code_card.size)
        self.code_type = np.uint8 if self.deal_tables.code_bits == 8 else np.uint16
        dealt = [int(place) for place in self.tables.dealt_place]
        self.locked = dealt.count(tables.PLACE_LOCKED)
        self.goal = 0xDDDD
        self.last_stratum = CARDS + self.locked
        self.won_from = self.last_stratum - 1  # one move leads from there to the goal
        self.root = State(self.deal_tables.signature, *self.deal_tables.planes)
        self._dealt = dealt
        self._release: list[int] = self.tables.release.tolist()
        self._place_planes: list[list[int]] = self.tables.place_planes.tolist()
        self._under: dict[int, int | None] = {}
        self._column: dict[int, int] = {}
        for index, column in enumerate(position.columns):
            for depth, card in enumerate(column):
                self._under[card] = column[depth - 1] if depth else None
                self._column[card] = index

    @cached_property
    def bounds(self) -> Any:
        """The tables of the lower bound on the moves to come."""
        from dbmsolver.kernels.hooks import make_bound_tables

        return make_bound_tables(self.tables, self.columns)

    def make_space(self, candidates: int) -> Any:
        """Return a thread's scratch memory for closing states.

        It has room for ``candidates`` candidates that leave a signature.
        """
        if self.closed_as_records:
            from dbmsolver.kernels.record_groups import make_record_space

            return make_record_space(self.tables, candidates)
        from dbmsolver.kits.cards.groups import make_position_space

        return make_position_space(candidates)

    @cached_property
    def least(self) -> int:
        """The lower bound of the deal's position: no solution has fewer moves."""
        from dbmsolver.kernels.layers import insert_candidates
        from dbmsolver.kernels.meta import BOUND_MASK, BOUND_SHIFT, META
        from dbmsolver.kernels.shards import BUFFER, NO_CEILING, ROW, make_shard, read_rows

        shard = make_shard(self.tables, 2 * BUFFER, 2 * BUFFER, 2 * BUFFER)
        root = np.zeros((1, ROW), np.uint64)
        root[0] = [*self.root, self.root_code]
        # All of the bound is worked out for what a layer this high holds.
        insert_candidates(self.tables, self.bounds, shard, NO_CEILING, 1, self.locked, root, 0)
        read_rows(self.tables, shard.rows, np.zeros(1, np.uint32), root)
        return int(root[0, META] >> BOUND_SHIFT & BOUND_MASK)

    @cached_property
    def sets(self) -> Any:
        """Sample data of a signature: kernels are compiled for the type that it has."""
        from dbmsolver.kits.cards.expand import Sets

        return Sets(WORD, WORD, WORD, WORD, WORD, NUMBER)

    def own_kernels(self) -> list[Call]:
        """Return the kernels that searches over states of this kind use, and no others do."""
        from dbmsolver.kernels.hooks import undo_code

        return [(undo_code.of(self.tables), (self.tables, *[WORD] * 4, NUMBER))]

    def dive_kernels(self) -> list[Call]:
        """Return the kernels that dives through states of this kind use, and no others do."""
        return []

    def counting_kernels(self) -> list[Call]:
        """Return the kernels that count and list all shortest solutions, if that is possible."""
        from dbmsolver.kits.cards.ahead import of_counting

        return of_counting(self.tables, self.columns) if self.rules.family == "cards" else []

    def parent(self, state: State, code: int) -> State:
        """Return the state before the move of a parent-move code."""
        from dbmsolver.kernels.hooks import undo_code

        words = undo_code(self.tables, *(np.uint64(value) for value in state), code)
        return State(*(int(value) for value in words))

    def card(self, card: int) -> int:
        """Return the card that a kernel's card stands for."""
        return self.base.card(card)

    def step(self, state: State, code: int) -> Step:
        """Return the move that led to a state, by its parent-move code: a card and its place."""
        card = int(self.tables.code_card[code])
        return self.card(card), self.place(state, card)

    def step_of(self, position: Position, move: Move) -> Step:
        """Return the step of a move: the card, and the number of its new place, or a turn."""
        kind, index = move.destination
        if kind in ("foundation", "pile"):
            return move.card, tables.PLACE_HOME
        if not counts_as_play(move):
            return 0, TURN
        if kind == "freecell":
            return move.card, tables.PLACE_FREECELL
        column = position.columns[index]
        if not column:
            return move.card, tables.PLACE_BOTTOM
        child, under = position.counted(move.card), position.counted(column[-1])
        number = self.rules.parent_number(child, under, position.lowest)
        assert number is not None
        return move.card, number

    def goal_state(self, signature: int, key: NDArray[np.uint64]) -> State:
        """Return the won state with this signature and local key."""
        return State(signature, *[*key.tolist(), 0, 0][:3])

    def before_goal(self, signatures: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Return those of some signatures that are not of won states."""
        found: NDArray[np.uint64] = signatures[signatures != np.uint64(self.goal)]
        return found

    @cached_property
    def root_code(self) -> int:
        """A parent-move code for the deal itself, which has no parent.

        It names a card already home, or else one that is covered. The search never moves the card
        moved last, so it must not be one that could move.
        """
        position = self.deal.position.turned()
        if self.rules.has_runs or self.measure.by_room:
            return self.tables.code_card.size - 1  # what is covered may move there
        for suit, height in enumerate(position.foundations):
            # The only card of a foundation may come back from there.
            if height > (self.rules.takes_back and not self.rules.kept_rank):
                return int(self.tables.codes[8 * suit + self._dealt[suit]])
        column = max(position.columns, key=len)
        card = column[0]
        return int(self.tables.codes[8 * card + self._dealt[card]])

    def state(self, position: Position) -> State:
        """Return the state of a position; InputError if no game from this deal can reach it."""
        return self._state(position.foundations, self._places(position))

    def states(self, position: Position) -> Iterator[State]:
        """Yield each state as which a search may close a position; InputError as for `state`."""
        yield self.state(position)

    def walk(self) -> Walk:
        """Return the random games by which closed states are tried."""
        measure = self.measure
        return Walk(
            self.deal.position,
            lambda at: [after for _, after in measure.successors(at)],
            self.states,
        )

    def _state(self, heights: Sequence[int], places: Mapping[int, int]) -> State:
        """Return the state with these foundation heights and place values of the other cards."""
        places = dict(places)
        if self.rules.takes_back and min(heights) < 13:
            kept = self.rules.kept_rank
            for card in range(4 * kept, CARDS):
                if card // 4 < heights[card % 4]:
                    places[card] = tables.PLACE_HOME
            heights = (kept,) * 4
        signature = sum(height << (4 * suit) for suit, height in enumerate(heights))
        off, low, high = 0, 0, 0
        off_bits, low_bits, high_bits = self._place_planes
        for card, place in places.items():
            if place == tables.PLACE_LOCKED:
                signature += self._release[card]
                continue
            off |= off_bits[place] << card
            low |= low_bits[place] << card
            high |= high_bits[place] << card
        return State(signature, off, low, high)

    def _places(self, position: Position) -> dict[int, int]:
        """Return the place value of each card in a freecell or a column.

        Cards are numbered from the base, as in keys. InputError if the position's foundations begin
        with another rank than the deal's, or if no game from the deal can reach it.
        """
        if position.base != self.base:
            raise InputError("foundations begin with another rank than in the deal")
        position, places = position.turned(), dict[int, int]()
        for cell in position.freecells:
            if cell is not None:
                if self.rules.reserve and self._dealt[cell] != tables.PLACE_FREECELL:
                    text = (
                        f"{card_name(self.card(cell))} lies in the reserve, where it was not dealt"
                    )
                    raise InputError(text)
                places[cell] = tables.PLACE_FREECELL
        for index, column in enumerate(position.columns):
            places |= self._places_in_column(column, f"column {index + 1}")
        return places

    def _places_in_column(self, column: Sequence[int], where: str = "a column") -> dict[int, int]:
        """Return the place value of each card of a column.

        InputError for a card that lies where no game from the deal puts it.
        """
        places: dict[int, int] = {}
        as_dealt, under = True, None
        for card in column:
            # Locked is what lies as it was dealt, with all that is under it.
            as_dealt &= self._under.get(card, -1) == under
            locked = as_dealt and self._dealt[card] == tables.PLACE_LOCKED
            places[card] = tables.PLACE_LOCKED if locked else self._loose_place(card, under, where)
            under = card
        return places

    def _loose_place(self, card: int, under: int | None, where: str) -> int:
        """Return the place value of a card at the bottom of a column, or on a card."""
        if under is None:
            if self.rules.can_fill(card):
                return tables.PLACE_BOTTOM
        elif (number := self.rules.parent_number(card, under, self.base.lowest)) is not None:
            return number
        place = "at the bottom" if under is None else f"on {card_name(self.card(under))}"
        raise InputError(
            f"{where}: {card_name(self.card(card))} lies {place}, where no move can put it and "
            "where it was not dealt"
        )

    def position(self, state: State) -> Position:
        """Return a position of a state.

        Columns that still have the bottom card they were dealt keep their place.
        """
        heights = self.heights(state)
        above, bottoms, cells = self._lying(state, heights)
        piles = self._arrange([pile_on(card, above) for card in bottoms])
        columns = tuple(tuple(map(self.card, pile)) for pile in piles)
        empty = [None] * (self.rules.freecells - len(cells))
        freecells = (*map(self.card, cells), *empty)
        return Position(
            columns=columns,
            freecells=freecells,
            foundations=(heights[0], heights[1], heights[2], heights[3]),
            base=self.base,
        )

    def _lying(
        self, state: State, heights: Sequence[int]
    ) -> tuple[dict[int, int], list[int], list[int]]:
        """Return the card on each card, the bottom cards of columns, and those in freecells."""
        above: dict[int, int] = {}
        cells: list[int] = []
        bottoms: list[int] = []
        for card in range(CARDS):
            if card // 4 < heights[card % 4]:
                continue
            place = self.place(state, card)
            under: int | None
            if place == tables.PLACE_FREECELL:
                cells.append(card)
                continue
            if place == tables.PLACE_LOCKED:
                under = self._under[card]
            elif place == tables.PLACE_BOTTOM:
                under = None
            else:
                under = self.rules.parent(card, place, self.base.lowest)
            if under is None:
                bottoms.append(card)
            else:
                above[under] = card
        return above, bottoms, cells

    def most_in_fields(self) -> list[tuple[int, int, int]]:
        """Return (shift, mask, largest value) of each field of a signature."""
        counted = ((*field, most) for field, most in self.counted_fields())
        return [*((*field, 13) for field in self.rising()), *counted]

    def are_signatures(self, signatures: NDArray[np.uint64]) -> bool:
        """Return True if no field of these signatures is larger than any state has it."""
        before_goal = self.before_goal(signatures)
        used = 0
        for shift, mask, most in self.most_in_fields():
            used |= mask << shift
            if (((before_goal >> np.uint64(shift)) & np.uint64(mask)) > np.uint64(most)).any():
                return False
        return not (before_goal & ~np.uint64(used)).any()

    def are_keys(self, keys: NDArray[np.uint64]) -> bool:
        """Return True if kernels can work with local keys that have no bits too many."""
        return True

    def have_signatures(
        self, keys: NDArray[np.uint64], signatures: NDArray[np.uint64], counts: NDArray[np.int64]
    ) -> bool:
        """Return False if a local key contains another signature than its run has.

        Run i holds the next ``counts[i]`` keys, and has ``signatures[i]``. Keys of most kinds
        contain no signature: then return True.
        """
        return True

    def rising(self) -> list[Field]:
        """Return the fields of a signature that no move makes less: heights of foundations."""
        return [Field(4 * suit, 15) for suit in range(SUITS)]

    def falling(self) -> list[Field]:
        """Return the fields of a signature that no move makes more."""
        return [field for field, _ in self.counted_fields()]

    def counted_fields(self) -> Iterator[tuple[Field, int]]:
        """Yield each field of a signature that no move makes more, with its largest value.

        Each is the number of locked cards of a column.
        """
        t, dealt = self.tables, self.deal_tables.signature
        for shift, mask in zip(t.column_shift.tolist(), t.column_mask.tolist(), strict=True):
            yield Field(shift, mask), dealt >> shift & mask

    def heights(self, state: State) -> tuple[int, ...]:
        """Return the foundation heights of a state."""
        heights = [(state.signature >> (4 * suit)) & 15 for suit in range(4)]
        if self.rules.takes_back:
            home = state.off & state.high
            for suit in range(4):
                heights[suit] += sum(home >> card & 1 for card in range(suit, CARDS, 4))
        return tuple(heights)

    def place(self, state: State, card: int) -> int:
        """Return the place value of a card, as kernels have it."""
        if card // 4 < (state.signature >> (4 * (card % 4))) & 15:
            return tables.PLACE_HOME
        release = self._release[card]
        if self._dealt[card] == tables.PLACE_LOCKED:
            shift = release.bit_length() - 1
            column = self._column[card]
            left = (state.signature >> shift) & int(self.tables.column_mask[column])
            if (int(self.tables.locked[column, left]) >> card) & 1:
                return tables.PLACE_LOCKED
        bits = [(plane >> card) & 1 for plane in (state.off, state.low, state.high)]
        if bits[0]:
            return tables.PLACE_HOME if bits[2] else tables.PLACE_FREECELL + bits[1]
        return bits[1] + 2 * bits[2]

    def _arrange(self, piles: list[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
        """Return all columns, each where the column of its deepest card stood in the deal.

        Other columns take the places that are left.
        """
        columns: list[tuple[int, ...]] = [()] * self.rules.columns
        homes = {column[0]: index for index, column in enumerate(self.columns) if column}
        rest = []
        for pile in piles:
            if pile[0] in homes:
                columns[homes[pile[0]]] = pile
            else:
                rest.append(pile)
        for index in range(len(columns)):
            if not columns[index] and rest:
                columns[index] = rest.pop(0)
        return tuple(columns)

    def encode(self, position: Position) -> int:
        """Return the public key of a position; InputError if no game from this deal reaches it."""
        places = self._places(position)
        public = self.deal_tables
        for card in places.keys() - set(public.digit_cards):
            if places[card] != self._dealt[card]:
                raise InputError(
                    f"{card_name(self.card(card))} lies where it was not dealt, and where no move "
                    "puts it before it goes home"
                )
        words = [0] * len(public.ranges)
        for suit, height in enumerate(position.foundations):
            words[public.word_of[suit]] += height * public.weights[suit]
        for number, (card, values) in enumerate(
            zip(public.digit_cards, public.digit_places, strict=True), start=SUITS
        ):
            if card in places:
                digit = values.index(places[card])  # 0, as dealt, wins
                words[public.word_of[number]] += digit * public.weights[number]
        key = 0
        for word, size in zip(reversed(words), reversed(public.ranges), strict=True):
            key = key * size + word
        return key

    def decode(self, key: int) -> Position:
        """Return the position of a public key; InputError if it is not the key of one."""
        public = self.deal_tables
        total = math.prod(public.ranges)
        if not 0 <= key < total:
            raise InputError(f"key {key} is out of range, expected 0 to {total - 1}")
        words = []
        rest = key
        for size in public.ranges:
            rest, word = divmod(rest, size)
            words.append(word)
        digits = [
            words[public.word_of[number]] // public.weights[number] % radix
            for number, radix in enumerate(public.radices)
        ]
        position = self._position_of_digits(digits)
        try:
            position.validate(self.rules)
            if self.encode(position) != key:
                raise InputError("its digits contradict each other")
        except InputError as error:
            raise InputError(f"key {key} is not the key of a position ({error})") from error
        return position

    def _position_of_digits(self, digits: list[int]) -> Position:
        public = self.deal_tables
        heights = digits[:SUITS]
        places = dict(enumerate(self._dealt))
        for card, values, digit in zip(
            public.digit_cards, public.digit_places, digits[SUITS:], strict=True
        ):
            places[card] = values[digit]
        away = {card: place for card, place in places.items() if card // 4 >= heights[card % 4]}
        try:
            return self.position(self._state(heights, away))
        except (KeyError, IndexError, RecursionError, ValueError) as error:
            raise InputError("the number is not the key of a position") from error


def pile_on(bottom: int, above: Mapping[int, int]) -> tuple[int, ...]:
    """Return a column by its bottom card, and the card that lies on each card."""
    pile = [bottom]
    while pile[-1] in above:
        pile.append(above[pile[-1]])
    return tuple(pile)
