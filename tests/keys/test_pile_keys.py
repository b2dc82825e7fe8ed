"""Keys of games of one pile: against the positions of games played at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers.pile_games import PILE_GAMES, small_deck

from dbmsolver.core.pile import NO_PARENT, NOTHING, TOP
from dbmsolver.errors import InputError
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.keys.piles import PileKeys
from dbmsolver.results import Method

DECKS = 12


def games(seed: int) -> Iterator[Deal]:
    """Yield deals of all games: small decks, and whole ones."""
    random = Random(seed)
    for game in PILE_GAMES:
        for _ in range(DECKS):
            yield small_deck(game, random)
        yield Deal.from_number(random.randint(1, 10**6), GAMES[game])


def played(deal: Deal, random: Random) -> list[Position]:
    """Return the positions of one game to its end."""
    positions = [deal.position]
    while moves := positions[-1].moves(deal.rules):
        positions.append(positions[-1].apply(random.choice(moves)))
    return positions


def top_of(position: Position) -> int:
    return position.pile[-1] if position.pile else NOTHING


def test_keys_of_games_that_are_played() -> None:
    random = Random(7)
    for deal in games(8):
        keys = PileKeys(deal)
        assert (keys.root, keys.method) == (keys.encode(deal.position), Method.EVERY_POSITION)
        assert keys.measure == Measure(deal.rules, "none", "cards")
        in_columns = sum(map(len, deal.position.columns))
        cards = in_columns + len(deal.position.stock) + len(deal.position.pile or ())
        assert (keys.dealt, keys.in_columns) == (len(deal.position.pile or ()), in_columns)
        assert keys.last_stratum == cards
        positions = played(deal, random)
        found = [keys.encode(position) for position in positions]
        words = np.array(found, np.uint64)
        piled = [len(position.pile or ()) for position in positions]
        assert keys.strata(words).tolist() == piled
        left = [sum(map(len, position.columns)) for position in positions]
        expected = [made + cards for made, cards in enumerate(left)]
        assert keys.layers(words).tolist() == expected
        assert keys.problem(words, np.zeros(words.size, np.uint8)) is None
        for key, position in zip(found, positions, strict=True):
            again = keys.decode(key)
            assert (again.columns, again.stock) == (position.columns, position.stock)
            assert again.foundations == position.foundations
            assert sorted(again.pile or ()) == sorted(position.pile or ())
            assert top_of(again) == top_of(position)
            turned = replace(position, columns=position.columns[::-1])
            filled = [column for column in position.columns if column]
            assert keys.encode(turned) == key or not filled
        for before, after, position in zip(found, found[1:], positions, strict=False):
            assert keys.parent(after, top_of(position)) == before
        assert len(set(found)) == len(found)


def test_positions_of_other_deals() -> None:
    random = Random(9)
    refused = set()
    for deal in games(10):
        keys = PileKeys(deal)
        position = random.choice(played(deal, random))
        columns, stock, pile = position.columns, position.stock, position.pile or ()
        full = [index for index, column in enumerate(columns) if len(column) > 1]
        wrong = [
            replace(position, pile=None),
            replace(position, foundations=(0, 1, 2, 3)),
            replace(position, pile=(*pile, columns[full[0]][0])) if full else None,
            replace(position, stock=stock[1:] + stock[:1]) if len(stock) > 1 else None,
            replace(position, stock=(*stock, 51)) if not deal.position.stock else None,
        ]
        if full:
            index = random.choice(full)
            reversed_column = tuple(reversed(columns[index]))
            wrong.append(
                replace(
                    position, columns=(*columns[:index], reversed_column, *columns[index + 1 :])
                )
            )
        for number, other in enumerate(wrong):
            if other is not None:
                with pytest.raises(InputError):
                    keys.encode(other)
                refused.add(number)
    assert refused == {0, 1, 2, 3, 4, 5}


def test_cards_on_top_of_the_pile() -> None:
    """The last card that went there: one that its column, or the stock, has lost last."""
    random = Random(14)
    for deal in games(15):
        keys = PileKeys(deal)
        dealt = deal.position
        position = random.choice(played(deal, random))
        lost = []
        for column in dealt.columns:
            left = next((one for one in position.columns if one[:1] == column[:1]), ())
            lost += column[len(left) :][:1]
        turned = dealt.stock[: len(dealt.stock) - len(position.stock)]
        lost += turned[-1:]
        if not lost:
            lost = list(dealt.pile or ())[-1:]
        for top in range(52):
            other = replace(position, pile=(*(position.pile or ()), top))
            if top in lost:
                assert keys.decode(keys.encode(other)).pile[-1] == top  # type: ignore[index]
            else:
                with pytest.raises(InputError, match="on top of the pile"):
                    keys.encode(other)


def test_what_may_follow() -> None:
    """Anything on an empty pile; else a card next in rank, round the ranks of the deck or not."""
    for deal in games(16):
        keys = PileKeys(deal)
        lowest = 1 + deal.position.foundations[0]
        whole = set(range(52))
        for top in range(4 * lowest - 4, 52):
            ranks = {top // 4 - 1, top // 4 + 1}
            if deal.rules.pile == "wrap":
                ranks = {lowest - 1 + (rank - lowest + 1) % (14 - lowest) for rank in ranks}
            found = int(keys.tables.follows[top])
            deck = {card for card in whole if card // 4 >= lowest - 1}
            assert {card for card in deck if found >> card & 1} == {
                card for card in deck if card // 4 in ranks
            }
        assert int(keys.tables.follows[NOTHING]) == (1 << 52) - 1


def test_the_column_that_is_not_of_the_deal() -> None:
    random = Random(17)
    for deal in games(18):
        keys, columns = PileKeys(deal), list(deal.position.columns)
        index = random.randrange(len(columns))
        if len(columns[index]) > 1:
            columns[index] = (*columns[index][:-1], columns[index][0])
            other = replace(deal.position, columns=tuple(columns))
            with pytest.raises(InputError, match=rf"column {index + 1}: "):
                keys.encode(other)


def test_what_is_no_key() -> None:
    """All words with one bit changed are either keys of positions, whose key they are, or none."""
    random = Random(11)
    outcomes = set()
    for deal in games(12):
        keys = PileKeys(deal)
        key = keys.encode(random.choice(played(deal, random)))
        for bit in range(66):
            other = key ^ (1 << bit)
            try:
                position = keys.decode(other)
            except InputError:
                outcomes.add(False)
                continue
            assert keys.encode(position) == other
            outcomes.add(True)
            codes = np.full(1, NO_PARENT, np.uint8)
            assert keys.problem(np.array([other], np.uint64), codes) is None
    assert outcomes == {True, False}


def test_states_that_kernels_may_not_see() -> None:
    codes = np.full(3, NO_PARENT, np.uint8)
    for deal in games(13):
        keys = PileKeys(deal)
        words = np.full(3, keys.root, np.uint64)
        assert keys.problem(words, codes) is None
        lengths = [*map(len, deal.position.columns), len(deal.position.stock)]
        used = TOP
        for place, most in enumerate(lengths):
            shift, mask = int(keys.tables.shifts[place]), int(keys.tables.masks[place])
            used |= mask << shift
            for length in range(mask + 1):
                other = words.copy()
                other[1] = (keys.root & ~(mask << shift)) | (length << shift)
                assert (keys.problem(other, codes) is None) == (length <= most)
        for bit in range(64):
            other = words.copy()
            other[2] ^= np.uint64(1 << bit)
            if not used >> bit & 1:
                assert keys.problem(other, codes) == "keys that cannot be"
        for top in range(64):
            other = words.copy()
            other[0] = (keys.root & ~TOP) | top
            assert (keys.problem(other, codes) is None) == (top <= NOTHING)
        for code in (NO_PARENT - 1, NO_PARENT, NO_PARENT + 1, 255):
            said = keys.problem(words, np.array([0, code, 0], np.uint8))
            assert (said is None) == (code <= NO_PARENT)
            assert said in (None, "parent-move codes that cannot be")
        assert keys.problem(words, codes.astype(np.uint16)) == "parent-move codes that cannot be"
