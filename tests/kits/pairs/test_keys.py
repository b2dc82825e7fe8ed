"""Keys of pairing games: against games played at random, and numbers that are no keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from helpers.pair_games import PAIR_GAMES, small_deck

from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.cards.tables import PLACE_HOME
from dbmsolver.kits.pairs.keys import PAIRED, PairKeys
from dbmsolver.kits.states import TURN
from dbmsolver.results import Question


def games(seed: str) -> Iterator[Deal]:
    """Yield small decks, and whole ones."""
    random = Random(seed)
    for _ in range(40):
        yield small_deck(random)
    for game in PAIR_GAMES:
        yield Deal.from_number(random.randint(1, 10**6), GAMES[game])


def played(deal: Deal, random: Random) -> list[Pairing]:
    """Return the positions of one game to its end, or to its hundredth move."""
    position = deal.position
    assert isinstance(position, Pairing)
    positions = [position]
    while len(positions) < 100 and (moves := position.moves(deal.rules)):
        position = position.apply(random.choice(moves))
        positions.append(position)
    return positions


def test_keys_of_games_that_are_played() -> None:
    random, turned = Random(3), 0
    for deal in games("played"):
        keys = PairKeys(deal)
        positions = played(deal, random)
        found = [keys.encode(position) for position in positions]
        for key, position in zip(found, positions, strict=True):
            assert keys.decode(key).canonical() == position.canonical()
            assert keys.decode(key).turns == position.turns
            assert keys.position(keys.state(position)).canonical() == position.canonical()
            turned += position.turns != positions[0].turns
        assert len(set(found)) == len({position.canonical() for position in positions})
    assert turned > 50


def test_any_number_is_a_position_or_an_error() -> None:
    random, outcomes = Random(11), {True: 0, False: 0}
    for deal in games("numbers"):
        keys = PairKeys(deal)
        bits = int(keys.tables.key_bits) + int(keys.tables.columns_mask).bit_length()
        for position in played(deal, random)[::3]:
            key = keys.encode(position)
            for bit in random.sample(range(bits), min(bits, 8)):
                wrong = key ^ 1 << bit
                try:
                    read = keys.decode(wrong)
                except InputError as error:
                    assert str(error) == f"key {wrong} is not the key of a position"
                    outcomes[False] += 1
                else:
                    read.validate(deal.rules)
                    assert keys.encode(read) == wrong
                    outcomes[True] += 1
        for wrong in (keys.encode(deal.position) | 1 << bits, 1 << bits + 70):
            with pytest.raises(InputError, match=f"key {wrong} is not the key of a position"):
                keys.decode(wrong)
    assert min(outcomes.values()) > 100


def test_lengths_and_fields() -> None:
    """A card leaves by one move; the stock is turned a card at a time in each pass."""
    for deal in games("lengths"):
        dealt = deal.position
        assert isinstance(dealt, Pairing) and dealt.turns is not None
        held, turns = len(dealt.waste) + len(dealt.stock), dealt.turns
        layers = sum(map(len, dealt.columns)) + held + (turns + 1) * held
        for question in Question:
            keys = PairKeys(deal, question)
            assert keys.most_moves == layers + turns
            columns = [
                (int(shift), int(mask), len(column))
                for shift, mask, column in zip(
                    keys.tables.shifts, keys.tables.masks, dealt.columns, strict=True
                )
            ]
            layer = (int(keys.tables.layer_shift), (1 << layers.bit_length()) - 1, layers)
            asked = question == Question.SOLVE
            assert keys.most_in_fields() == [*columns, *([layer] if asked else [])]


def test_turns_that_the_deal_does_not_leave() -> None:
    deal = Deal.from_number(1, replace(GAMES["pyramid"], passes=3))
    keys, start = PairKeys(deal), deal.position
    assert isinstance(start, Pairing) and start.turns == 2
    for turns in (3, -1):
        with pytest.raises(InputError, match="the waste may be turned over 2 times after this de"):
            keys.encode(replace(start, turns=turns))


def test_steps_of_moves() -> None:
    """A king goes alone, other cards with another one, and a turn is of no card."""
    random, seen = Random(5), set()
    for deal in games("places"):
        keys = PairKeys(deal)
        for position in played(deal, random):
            for move in position.moves(deal.rules):
                if move.destination.kind != "removed":
                    expected, card = TURN, 0
                elif move.other is None:
                    expected, card = PLACE_HOME, move.card
                else:
                    expected, card = PAIRED + move.other, move.card
                assert keys.step_of(position, move) == (card, expected)
                seen.add(min(expected, PAIRED))
    assert seen == {TURN, PLACE_HOME, PAIRED}
