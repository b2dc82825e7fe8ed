"""Public keys: there and back, and a move adds a constant to them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from helpers.support import COMING_BACK, EVERY_FAMILY, Game, core_successors, random_game
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.bases import Base
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.states import CARDS
from dbmsolver.kits.cards.tables import (
    PLACE_BOTTOM,
    PLACE_FREECELL,
    PLACE_HOME,
    PLACE_LOCKED,
    POLICY_HORNE,
    POLICY_MAX,
    POLICY_NONE,
    POLICY_PLAYED_WKR,
    POLICY_WKR,
)
from dbmsolver.kits.states import State, StateCodec

SEEDS = given(seed=st.integers(0, 2**32))


def key_of_words(game: Game, words: list[int]) -> int:
    """word1 * (range of word0) + word0, and so on; each word in its range."""
    key = 0
    for word, size in zip(reversed(words), reversed(game.codec.deal_tables.ranges), strict=True):
        assert 0 <= word < size
        key = key * size + word
    return key


def beneath(position: Position) -> dict[int, int | None]:
    """Return the card that each card in a column lies on; None at the bottom."""
    return {
        card: column[depth - 1] if depth else None
        for column in position.columns
        for depth, card in enumerate(column)
    }


def places(game: Game, state: State) -> list[int]:
    """Place value of each card, as seen in the readable position."""
    position, as_dealt = game.codec.position(state).turned(), beneath(game.start.turned())
    values = [PLACE_HOME] * CARDS
    for card in position.freecells:
        if card is not None:
            values[card] = PLACE_FREECELL
    for card, parent in beneath(position).items():
        if game.codec.tables.dealt_place[card] == PLACE_LOCKED and as_dealt[card] == parent:
            values[card] = PLACE_LOCKED
        elif parent is None:
            values[card] = PLACE_BOTTOM
        else:
            number = game.rules.parent_number(card, parent, position.lowest)
            assert number is not None
            values[card] = number
    return values


def heights(state: State) -> list[int]:
    return [state.signature >> 4 * suit & 15 for suit in range(4)]


@EVERY_FAMILY
@SEEDS
@settings(max_examples=5, deadline=None)
def test_positions_states_and_keys_round_trip(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    for position in game.walk(60)[::4]:
        state = game.codec.state(position)
        again = game.codec.position(state)
        again.validate(rules)
        assert again.canonical() == position.canonical()
        assert game.codec.state(again) == state
        key = game.codec.encode(position)
        assert 0 <= key < math.prod(game.codec.deal_tables.radices)
        assert game.codec.decode(key).canonical() == position.canonical()


@EVERY_FAMILY
@SEEDS
@settings(max_examples=3, deadline=None)
def test_keys_tell_positions_apart(rules: Rules, seed: int) -> None:
    """One position, one key, whatever the order of columns and freecells."""
    game = random_game(rules, seed)
    seen = {}
    for position in game.walk(50):
        for _, successor in position.successors(rules, game.policy):
            key = game.codec.encode(successor)
            state = game.codec.state(successor)
            assert seen.setdefault(successor.canonical(), (key, state)) == (key, state)
    assert len({key for key, _ in seen.values()}) == len(seen)
    assert len({state for _, state in seen.values()}) == len(seen)


def moved_anywhere(position: Position) -> Iterator[Position]:
    """Yield positions in which the last card of a column lies elsewhere, by no rule."""
    for index, column in enumerate(position.columns):
        if not column:
            continue
        rest = (*position.columns[:index], column[:-1], *position.columns[index + 1 :])
        for other, there in enumerate(rest):
            if other != index:
                columns = (*rest[:other], (*there, column[-1]), *rest[other + 1 :])
                yield replace(position, columns=columns)
        if None in position.freecells:
            cells = list(position.freecells)
            cells[cells.index(None)] = column[-1]
            yield replace(position, columns=rest, freecells=tuple(cells))


@EVERY_FAMILY
@SEEDS
@settings(max_examples=3, deadline=None)
def test_a_position_that_no_game_reaches_has_no_key_of_another(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    for position in game.walk(12)[::4]:
        for other in moved_anywhere(position):
            try:
                key = game.codec.encode(other)
            except InputError:
                continue
            assert game.codec.decode(key).canonical() == other.canonical()


@pytest.mark.parametrize(("game", "kind"), [("golf", "one pile"), ("pyramid", "pairs")])
def test_games_whose_cards_only_leave_have_other_keys(game: str, kind: str) -> None:
    said = f"not possible in {game}, a game of {kind}: expected a game with foundations"
    with pytest.raises(UsageError, match=said):
        StateCodec(Deal.from_number(1, GAMES[game]), "none")


def test_a_position_with_another_base_has_no_key() -> None:
    """All ranks are raised by one, so that cards lie on each other as they do in the deal."""
    deal = Deal.from_number(1, GAMES["penguin"])
    codec, start = StateCodec(deal, "wkr"), deal.position
    other = replace(
        start,
        columns=tuple(tuple((card + 4) % CARDS for card in column) for column in start.columns),
        base=start.base._replace(rank=start.base.rank % 13 + 1),
    )
    other.validate(deal.rules)
    assert other.turned().columns == start.turned().columns
    for key in (codec.encode, codec.state):
        key(start)
        with pytest.raises(InputError, match="foundations begin with another rank"):
            key(other)


@EVERY_FAMILY
@SEEDS
@settings(max_examples=10, deadline=None)
def test_the_start_has_digits_0(rules: Rules, seed: int) -> None:
    """All cards where they were dealt: nothing but the foundations is left in the key."""
    game = random_game(rules, seed)
    weights = game.codec.deal_tables.weights[:4]
    expected = sum(h * w for h, w in zip(game.start.foundations, weights, strict=True))
    assert game.codec.encode(game.start) == expected
    assert game.codec.state(game.start) == game.codec.root


@EVERY_FAMILY
@SEEDS
@settings(max_examples=3, deadline=None)
def test_a_move_adds_a_constant(rules: Rules, seed: int) -> None:
    """The key of a successor is the parent's plus what the tables say of the card moved."""
    game = random_game(rules, seed)
    t = game.codec.tables
    for position in game.walk(60)[::4]:
        before = game.codec.state(position)
        base = words_of_state(game, before)
        assert key_of_words(game, base.tolist()) == game.codec.encode(position)
        for after, code in core_successors(game.codec, before)[0]:
            card, old = int(t.code_card[code]), int(t.code_place[code])
            suit, new = card & 3, places(game, after)[card]
            words = base - t.digit_words[8 * card + old] + t.digit_words[8 * card + new]
            words += t.height_words[suit, heights(after)[suit]]
            words -= t.height_words[suit, heights(before)[suit]]
            assert (words == words_of_state(game, after)).all()
            key = key_of_words(game, words.tolist())
            assert key == game.codec.encode(game.codec.position(after))


def words_of_state(game: Game, state: State) -> np.ndarray:
    """Return the public key's words, summed up from the tables."""
    t = game.codec.tables
    words = sum(t.digit_words[8 * card + place] for card, place in enumerate(places(game, state)))
    for suit, height in enumerate(heights(state)):
        words = words + t.height_words[suit, height]
    return np.asarray(words)


@pytest.mark.parametrize("policy", ["wkr", "horne"])
def test_size_of_the_key_in_freecell(policy: Policy) -> None:
    codec = StateCodec(Deal.from_number(1, GAMES["freecell"]), policy).deal_tables
    assert math.log2(math.prod(codec.radices)) == pytest.approx(123.73, abs=0.005)
    assert len(codec.ranges) == 2
    assert len(codec.tables.code_card) == 236
    assert codec.code_bits == 8


@EVERY_FAMILY
@SEEDS
@settings(max_examples=3, deadline=None)
def test_words_hold_their_digits(rules: Rules, seed: int) -> None:
    codec = random_game(rules, seed).codec.deal_tables
    assert 2 <= len(codec.ranges) <= 3
    assert all(0 < size <= 1 << 64 for size in codec.ranges)
    assert math.prod(codec.ranges) == math.prod(codec.radices)
    assert len(codec.tables.code_card) <= 1 << codec.code_bits


@EVERY_FAMILY
@SEEDS
@settings(max_examples=8, deadline=None)
def test_any_number_is_a_position_or_an_error(rules: Rules, seed: int) -> None:
    """Digits that contradict each other are found out."""
    game = random_game(rules, seed)
    codec = game.codec.deal_tables
    total = math.prod(codec.ranges)
    near = [
        game.codec.encode(position) + sign * weight
        for position in game.walk(5)
        for sign in (1, -1)
        for weight in game.random.sample(codec.weights, 5)
    ]
    for key in [game.random.randrange(total), *near]:
        if not 0 <= key < total:
            continue
        try:
            position = game.codec.decode(key)
        except InputError:
            continue
        position.validate(rules)
        assert game.codec.encode(position) == key
    for key in (-1, total):
        said = f"key {key} is out of range, expected 0 to {total - 1}"
        with pytest.raises(InputError, match=said):
            game.codec.decode(key)


@EVERY_FAMILY
@SEEDS
@settings(max_examples=10, deadline=None)
def test_locked_cards_are_those_no_move_could_put_there(rules: Rules, seed: int) -> None:
    game = random_game(rules, seed)
    dealt = game.codec.tables.dealt_place
    start = game.start.turned()
    for column in start.columns:
        for depth, card in enumerate(column):
            under = column[depth - 1] if depth else None
            possible = rules.can_fill(card)
            if under is not None:
                possible = start.can_stack(card, under, rules)
            forced = not (rules.whole_suits or rules.takes_back or rules.base == "round")
            if card >> 2 == 0 and game.policy != "none" and forced:
                possible = False  # aces go home the moment they are free
            assert (dealt[card] == PLACE_LOCKED) == (not possible)


@pytest.mark.parametrize(
    ("policy", "metric", "expected"),
    [
        ("wkr", "cards", POLICY_WKR),
        ("wkr", "runs", POLICY_WKR),
        ("wkr", "moves", POLICY_PLAYED_WKR),
        ("horne", "moves", POLICY_HORNE),
        ("max", "moves", POLICY_MAX),
        ("none", "moves", POLICY_NONE),
    ],
)
def test_moves_home_are_those_of_programs_where_they_are_free(
    policy: Policy, metric: Metric, expected: int
) -> None:
    assert StateCodec(Deal.from_number(1), policy, metric).tables.policy == expected


@pytest.mark.parametrize("rules", [GAMES["simple_simon"], *COMING_BACK])
def test_no_move_home_is_forced_for_whole_suits_and_cards_that_come_back(rules: Rules) -> None:
    for policy in ("horne", "wkr"):
        assert StateCodec(Deal.from_number(1, rules), policy).tables.policy == POLICY_NONE


def left_of(heights: list[int], columns: int, alone: int | None = None) -> Position:
    """Return a position with the cards that are not home in as many columns.

    The cards lie from king to ace. The first column is empty, or has one card.
    """
    rest = [card for card in range(CARDS) if card >> 2 >= heights[card & 3] and card != alone]
    piles = [
        tuple(sorted(rest[index :: columns - 1], reverse=True)) for index in range(columns - 1)
    ]
    first = () if alone is None else (alone,)
    home = heights[0], heights[1], heights[2], heights[3]
    return Position((first, *piles), (None, None), home)


@pytest.mark.parametrize(
    ("rules", "heights", "card"),
    [
        (GAMES["freecell"], [0, 1, 1, 2], 1),
        (GAMES["freecell"], [0, 0, 0, 0], None),
        (COMING_BACK[0], [0, 1, 2, 1], 2),
        (COMING_BACK[0], [0, 1, 1, 1], None),
    ],
)
def test_the_code_of_a_deal_names_a_card_that_cannot_move(
    rules: Rules, heights: list[int], card: int | None
) -> None:
    """It names an ace under other cards of its foundation, or alone if it cannot come back.

    Else it names the deepest card of a longest column.
    """
    rules = replace(rules, columns=7, freecells=2)
    for alone in (None, 51):
        start = left_of(heights, 7, alone)
        codec = StateCodec(Deal(start, rules), "none")
        named = int(codec.tables.code_card[codec.root_code])
        assert named == (start.columns[1][0] if card is None else card)
        assert max(map(len, start.columns)) == len(start.columns[1])


def test_the_code_of_a_deal_with_runs_names_no_card_that_moves() -> None:
    """It is the last one, as a covered card may move with the run on it."""
    for rules, metric in ((GAMES["freecell"], "runs"), (GAMES["relaxed_freecell"], None)):
        start = left_of([1, 1, 1, 1], rules.columns)
        deal = Deal(replace(start, freecells=(None,) * rules.freecells), rules)
        codec = StateCodec(deal, "none", metric)  # type: ignore[arg-type]
        assert codec.root_code == codec.codes - 1


@EVERY_FAMILY
def test_won_positions_are_the_goal(rules: Rules) -> None:
    game = random_game(rules, 1)
    won = replace(
        game.start,
        columns=((),) * rules.columns,
        freecells=(None,) * rules.freecells,
        foundations=(13, 13, 13, 13),
    )
    assert game.codec.state(won) == (game.codec.goal, 0, 0, 0)


@pytest.mark.parametrize("number", [1, 3])
def test_cards_that_no_move_puts_there_are_named(number: int) -> None:
    """Cards have their own names where kernels count them from a base."""
    deal = Deal.from_number(1, GAMES["penguin"])
    codec, start = StateCodec(deal, "wkr"), deal.position
    assert start.base.rank != 1
    last = start.columns[6][-1]
    for column, place in (
        ((*start.columns[number - 1], last), f"on {card_name(start.columns[number - 1][-1])}"),
        ((last,), "at the bottom"),
    ):
        columns = [*start.columns[:6], start.columns[6][:-1]]
        columns[number - 1] = column
        said = f"column {number}: {card_name(last)} lies {place}, where no move can put it and"
        with pytest.raises(InputError, match=said):
            codec.encode(replace(start, columns=tuple(columns)))


def test_a_last_rank_on_the_base_of_a_short_deck() -> None:
    """The base takes it in keys, too, as columns go round."""
    rules = GAMES["penguin"]
    base = Base(12, 11)
    cards = [base.card(card) for card in range(40, CARDS)]
    assert sorted(map(card_name, cards))[:3] == ["JC", "JD", "JH"]
    king, lowest = 48, 40  # the last rank of hearts, and their base, as they count
    rest = [card for card in range(40, CARDS) if card not in (king, lowest)]
    columns = ((base.card(lowest),), tuple(map(base.card, (*rest, king))), *((),) * 5)
    start = Position(columns, (None,) * 7, (10, 10, 10, 10), base=base)
    start.validate(rules)
    codec = StateCodec(Deal(start, rules), "none")
    after = replace(
        start,
        columns=(tuple(map(base.card, (lowest, king))), tuple(map(base.card, rest)), *((),) * 5),
    )
    assert after in [found for _, found in start.successors(rules, "none")]
    assert codec.decode(codec.encode(after)) == after
    assert codec.position(codec.state(after)) == after


@EVERY_FAMILY
@SEEDS
@settings(max_examples=3, deadline=None)
def test_columns_of_a_position_that_is_read(rules: Rules, seed: int) -> None:
    """Columns with the bottom card that they were dealt stand there; others fill places left.

    The others go from left to right, as their bottom cards count.
    """
    game = random_game(rules, seed)
    dealt = {column[0]: place for place, column in enumerate(game.start.columns) if column}
    for position in game.walk(60)[::4]:
        read = game.codec.decode(game.codec.encode(position))
        others = []
        for place, column in enumerate(read.columns):
            home = dealt.get(column[0], -1) if column else -1
            assert home in (-1, place)
            if column and home < 0:
                others.append(position.counted(column[0]))
        assert others == sorted(others)
        free = [place for place, column in enumerate(read.columns) if not column]
        last = max((p for p, c in enumerate(read.columns) if c and c[0] not in dealt), default=-1)
        assert not free or free[0] > last


def test_fields_and_won_signatures() -> None:
    """A foundation has thirteen cards at most, a column as many as are locked in the deal."""
    codec = StateCodec(Deal.from_number(1), "wkr")
    fields = codec.most_in_fields()
    assert fields[:4] == [(4 * suit, 15, 13) for suit in range(4)]
    assert sum(most for _, _, most in fields[4:]) == codec.locked
    signatures = np.array([codec.root.signature, codec.goal, 5], np.uint64)
    assert codec.before_goal(signatures).tolist() == [codec.root.signature, 5]
