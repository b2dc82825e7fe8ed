"""Keys of games of one pile: against the positions of games played at random."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from random import Random

import numpy as np
import pytest
from helpers.kernels import pile_successors
from helpers.pile_games import PILE_GAMES, small_deck

from dbmsolver.errors import InputError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.digest import digest_runs, hash_words
from dbmsolver.kernels.hooks import undo_code
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.kits.pile.moves import MOST_LENGTHS, NO_PARENT, NOTHING, TOP
from dbmsolver.kits.states import State
from dbmsolver.results import Method, Question
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.intake import Intake
from dbmsolver.storage.records import BlockKey, closed_key, layer_and_stratum

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
        assert keys.method == Method.EVERY_POSITION
        assert keys.measure == Measure(deal.rules, "none", "cards")
        assert keys.least == sum(map(len, deal.position.columns))
        positions = played(deal, random)
        found = [keys.encode(position) for position in positions]
        for key, position in zip(found, positions, strict=True):
            again = keys.decode(key)
            assert (again.columns, again.stock) == (position.columns, position.stock)
            assert again.foundations == position.foundations
            assert sorted(again.pile or ()) == sorted(position.pile or ())
            assert top_of(again) == top_of(position)
            turned = replace(position, columns=position.columns[::-1])
            filled = [column for column in position.columns if column]
            assert keys.encode(turned) == key or not filled
        assert len(set(found)) == len(found)


def codecs(deal: Deal) -> Iterator[PileKeys]:
    """Yield the keys of a deal for both questions, with few columns in the signature and many."""
    for question in Question:
        for most in (1, 8, MOST_LENGTHS[True]):
            keys = PileKeys(deal, question, most)
            lengths = [len(column) + 1 for column in deal.position.columns]
            first = keys.tables.first
            assert prod(lengths[first:]) <= most
            assert not first or prod(lengths[first - 1 :]) > most
            yield keys


def test_states_of_games_that_are_played() -> None:
    """Signature, key and stratum of each position, and the way back by its code."""
    random = Random(19)
    for deal in games(20):
        positions = played(deal, random)
        for keys in codecs(deal):
            assert keys.root == keys.state(deal.position)
            states = [keys.state(position) for position in positions]
            columns = deal.position.columns
            inside = {column[0] for column in columns[: keys.tables.first] if column}
            for state, position in zip(states, positions, strict=True):
                assert (
                    keys.position(state).canonical()
                    == keys.decode(keys.encode(position)).canonical()
                )
                turned = len(deal.position.stock) - len(position.stock)
                left = {column[0]: len(column) for column in position.columns if column}
                gone = sum(len(c) - left.get(c[0], 0) for c in columns if c and c[0] in inside)
                layer = keys.least + turned if keys.tables.layered else 0
                place = int(
                    progress_of(keys.tables, np.array([state.signature], np.uint64), keys.locked)[0]
                )
                if position.is_goal():
                    assert place == keys.last_stratum
                else:
                    assert layer_and_stratum(place) == (layer, turned + gone)
                    assert place < keys.last_stratum
            for before, after, position in zip(states, states[1:], positions, strict=False):
                words = (np.uint64(word) for word in after)
                assert undo_code(keys.tables, *words, top_of(position)) == before
                assert keys.step(after, top_of(position))[0] == after.off & TOP


def test_kernels_agree_with_the_readable_model() -> None:
    random = Random(21)
    found = np.zeros((64, 5), np.uint64)
    for deal in games(22):
        positions = played(deal, random)
        for keys in codecs(deal):
            position = random.choice(positions)
            state = keys.state(position)
            if position.is_goal():
                continue
            words = np.uint64(state.signature), np.uint64(state.off)
            count = int(pile_successors(keys.tables, *words, found))
            expected = {keys.state(after) for _, after in position.successors(deal.rules, "none")}
            listed = [State(*row[:3], 0) for row in found[:count].tolist()]
            assert len(listed) == len(set(listed)) and set(listed) == expected


def test_digests_do_not_depend_on_what_the_signature_holds() -> None:
    random = Random(23)
    for deal in games(24):
        positions = played(deal, random)
        keys = PileKeys(deal)
        expected = hash_words(np.uint64(keys.encode(positions[-1])), *[np.uint64(0)] * 2, 2)
        for codec in codecs(deal):
            state = codec.state(positions[-1])
            one = np.array([1], np.int64)
            signature, key = (np.array([word], np.uint64) for word in state[:2])
            assert digest_runs(codec.tables, signature, one, key, 1) == expected


def test_positions_of_other_deals() -> None:
    random = Random(9)
    refused = set()
    for deal in games(10):
        keys = PileKeys(deal)
        position = random.choice(played(deal, random))
        columns, stock, pile = position.columns, position.stock, position.pile or ()
        full = [index for index, column in enumerate(columns) if len(column) > 1]
        wrong = [
            Position(columns, (), position.foundations),
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
    assert outcomes == {True, False}


def block_of(keys: PileKeys, state: State) -> tuple[bytes, Runs]:
    """Return a block with one state, and the key of its record."""
    signature = np.array([state.signature], np.uint64)
    place = int(progress_of(keys.tables, signature, keys.locked)[0])
    layer, stratum = layer_and_stratum(max(place, 0) & 0xFFFFFFFF)
    record = closed_key(b"C", BlockKey(layer, stratum, state.signature, state.signature, 1))
    codes = np.full(1, NO_PARENT, np.uint8)
    runs = Runs(signature, np.ones(1, np.int64), np.array([state.off], np.uint64), codes, 1)
    return record, runs


def is_taken(keys: PileKeys, record: bytes, runs: Runs) -> bool:
    try:
        Intake(keys)(record, runs, "here")
    except StoreError as error:
        assert "the block is wrong: " in str(error)
        return False
    return True


def test_states_that_kernels_may_not_see() -> None:
    """The intake takes what kernels can work with, and refuses what would lead them astray."""
    for deal in games(13):
        for keys in codecs(deal):
            t, root = keys.tables, keys.root
            record, runs = block_of(keys, root)
            assert is_taken(keys, record, runs)
            for place in range(t.columns + 1):
                in_signature = place < t.first or place == t.columns
                shift = int(t.shifts[place]) - (6 if in_signature else int(t.cut) - 6)
                for length in range(int(t.masks[place]) + 1):
                    word = root.signature if in_signature else root.off
                    word = word & ~(int(t.masks[place]) << shift) | length << shift
                    other = (
                        root._replace(signature=word) if in_signature else root._replace(off=word)
                    )
                    assert is_taken(keys, *block_of(keys, other)) == (length <= t.dealt[place])
            used = int(t.varying[0])
            for bit in range(64):
                if not used >> bit & 1:
                    other = root._replace(off=root.off ^ 1 << bit)
                    assert not is_taken(keys, *block_of(keys, other))
            for top in range(64):
                other = root._replace(off=root.off & ~TOP | top)
                assert is_taken(keys, *block_of(keys, other)) == (top <= NOTHING)
            for code in (NO_PARENT - 1, NO_PARENT, NO_PARENT + 1, 255):
                runs.codes[0] = code
                assert is_taken(keys, record, runs) == (code <= NO_PARENT)
            runs = replace(runs, codes=np.zeros(1, np.uint16))
            assert not is_taken(keys, record, runs)
            layer, stratum = (int.from_bytes(record[at : at + 2], "big") for at in (1, 3))
            for other_place in ((layer + 1, stratum), (layer, stratum + 1)):
                moved = record[:1] + b"".join(n.to_bytes(2, "big") for n in other_place)
                assert not is_taken(keys, moved + record[5:], block_of(keys, root)[1])


def test_codes_that_lead_nowhere() -> None:
    """No state is before one whose card on top lay in the pile of the deal, or is none."""
    for deal in games(25):
        keys = PileKeys(deal)
        words = [np.uint64(word) for word in keys.root]
        for top in {*(deal.position.pile or ()), NOTHING}:
            words[1] = np.uint64(keys.root.off & ~TOP | top)
            assert undo_code(keys.tables, *words, 0) == (keys.goal, 0, 0, 0)


def test_a_deal_whose_pile_has_several_cards() -> None:
    rules = GAMES["golf"]
    start = Deal.from_number(3, rules).position
    _, later = next(iter(start.successors(rules, "none")))
    assert later.pile is not None and len(later.pile) == 2
    keys = PileKeys(Deal(later, rules))
    assert keys.decode(keys.encode(later)).pile == later.pile
    with pytest.raises(InputError, match=f"key {1 << 64} is not the key of a position"):
        keys.decode(1 << 64)
