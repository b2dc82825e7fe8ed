"""Keys, moves and codes of games whose cards only leave, as their check has them, against rules."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import pair_games, pile_games
from helpers.verifier import Costs, Expanded, block_of, expand_one, read_rows

from dbmsolver.errors import InputError
from dbmsolver.game.cards import rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.pairs.keys import PairKeys
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.results import Question
from dbmsolver.storage.records import layer_and_stratum
from dbmsolver.verify.kernels.errors import BAD_CODE, OTHER_LAYER, TOO_WIDE
from dbmsolver.verify.keys import least_of
from dbmsolver.verify.leaving_format import fields_of, keys_of_leaving

LAYER = 20
MOST = 150
KINDS = ["pile", "pairs"]


def deals(kind: str) -> Iterator[Deal]:
    """Yield small decks."""
    for seed in range(8):
        random = Random(seed)
        if kind == "pairs":
            yield pair_games.small_deck(random)
        else:
            yield pile_games.small_deck(random.choice(pile_games.PILE_GAMES), random)


def positions_of(deal: Deal) -> list[Position]:
    """Return positions that can be reached, the nearest first, and are not won."""
    found = {deal.position.canonical(): deal.position}
    for position in found.values():
        if len(found) > MOST:
            break
        news = [after for _, after in position.successors(deal.rules, "none")]
        new = {after.canonical(): after for after in news if not after.is_goal()}
        if new.keys() - found.keys():
            found |= {key: after for key, after in new.items() if key not in found}
            return positions_from(deal, found)
    return list(found.values())


def positions_from(deal: Deal, found: dict[Any, Position]) -> list[Position]:
    """Return the positions found, and what follows from them."""
    waiting = list(found.values())
    while waiting and len(found) < MOST:
        for _, after in waiting.pop(0).successors(deal.rules, "none"):
            if after.canonical() not in found and not after.is_goal():
                found[after.canonical()] = after
                waiting.append(after)
    return list(found.values())


def keys_of(deal: Deal) -> Any:
    return PileKeys(deal) if deal.rules.has_pile else PairKeys(deal)


def fewest_removals(deal: Deal, position: Position) -> int:
    """Return the kings of the pyramid, and of two ranks that make pairs the larger number."""
    lowest = min(deal.position.foundations)
    ranks = [rank(card) - 1 for column in position.columns for card in column]
    total = ranks.count(12)
    for low in range(lowest, 12):
        high = 11 + lowest - low
        if low < high:
            total += max(ranks.count(low), ranks.count(high))
        elif low == high:
            total += -(-ranks.count(low) // 2)
    return total


def rise(deal: Deal, move: Move, before: Position, after: Position) -> int:
    """Return how many layers a move leads up in a search for a shortest solution."""
    turned = "stock" in (move.source.kind, move.destination.kind)
    if deal.rules.has_pile:
        return int(turned)
    if move.destination.kind == "removed":
        if deal.rules.pairs == "all":
            return 0
        return 1 + fewest_removals(deal, after) - fewest_removals(deal, before)
    return int(move.source.kind == "stock")


def code_of(deal: Deal, move: Move, before: Position) -> int:
    """Return the parent-move code of a move."""
    if deal.rules.has_pile:
        return before.pile[-1] if before.pile else 52
    assert isinstance(before, Pairing)
    if move.destination.kind != "removed":
        return 200 if move.source.kind == "stock" else 201
    lowest = min(deal.position.foundations)
    cards = [move.card] if move.other is None else sorted((move.card, move.other))
    of_stock = any(card in before.stock for card in cards)
    of_waste = any(card in before.waste for card in cards)
    half = 96 + suit(cards[0])
    if len(cards) == 2:
        half = 4 * (cards[0] - 4 * lowest) + suit(cards[1])
    return 2 * half + (of_stock and not of_waste)


def layer_of(form: Any, deal: Deal, position: Position) -> int:
    """Return a layer that a position can be of; 0 in a proof."""
    if not form.tables.turns_count:
        return 0
    turned = len(deal.position.stock) - len(position.stock)
    return least_of(form) + turned if deal.rules.has_pile else LAYER


def expanded(form: Any, key: int, layer: int, **options: Any) -> Expanded:
    """Return what the kernel finds out about a position."""
    words, table = (key, layer if form.form.tells_layer else 0, 0, 0), form.make_table()
    return expand_one(form.tables, words, costs=Costs(layer, layer, 999), table=table, **options)


@pytest.mark.parametrize("layered", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_moves(kind: str, layered: bool) -> None:
    """The same moves as by the rules, with their codes and layers."""
    seen = 0
    for deal in deals(kind):
        form, own = keys_of_leaving(deal, layered), keys_of(deal)
        for position in positions_of(deal):
            expected, layer = set(), layer_of(form, deal, position)
            for move, after in position.successors(deal.rules, "none"):
                up = layer + layered * rise(deal, move, position, after)
                row = (own.encode(after), up if form.form.tells_layer else 0, 0, 0)
                expected.add((row, up, code_of(deal, move, position)))
            found = expanded(form, own.encode(position), layer)
            assert found.error == 0
            ours = list(zip(found.successors, found.made, found.codes, strict=True))
            assert set(ours) == expected and len(ours) == len(expected)
            seen += len(ours)
            if layered and kind == "pile":
                assert expanded(form, own.encode(position), layer + 1).error == OTHER_LAYER
    assert seen > 200


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_deal_has_its_code(kind: str) -> None:
    for deal in deals(kind):
        form = keys_of_leaving(deal, False)
        own, key = form.root, form.root[0]
        for code in (form.root_code, 0, 255):
            for root in (own, (key, 0, 1, 0)):
                fits = (code == form.root_code) == (root == own)
                found = expanded(form, key, 0, code=code, root=root, root_code=form.root_code)
                assert found.error == (0 if fits else BAD_CODE)


def can_be(deal: Deal, own: Any, word: int) -> bool:
    """Return True if a word says where each card of the deal is.

    Of a pyramid it need not be so that those that are gone make pairs.
    """
    position = deal.position
    if not isinstance(position, Pairing):
        try:
            return bool(own.encode(own.decode(word)) == word)
        except InputError:
            return False
    size = len(position.waste) + len(position.stock)
    assert position.turns is not None
    most = (size, position.turns, (1 << size) - 1, *map(len, position.columns))
    fields = []
    for largest in most:
        width = largest.bit_length()
        fields.append(word & (1 << width) - 1)
        word >>= width
    number, _, held, *left = fields
    fits = word == 0 and all(field <= largest for field, largest in zip(fields, most, strict=True))
    return (
        fits and left == sorted(left, reverse=True) and (not number or held >> number - 1 & 1 == 1)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_words_that_are_positions(kind: str) -> None:
    """With a bit or two changed a key is that of a position, or not."""
    outcomes = []
    for deal in deals(kind):
        random, form, own = Random(kind), keys_of_leaving(deal, False), keys_of(deal)
        words = []
        for position in positions_of(deal)[:40]:
            for _ in range(6):
                word = own.encode(position)
                for _ in range(random.randint(1, 2)):
                    word ^= 1 << random.randrange(random.choice((8, 30, 64)))
                words.append(word)
        for word in words:
            expected = can_be(deal, own, word)
            assert (fields_of(form.tables, word) is not None) == expected, (deal, hex(word))
            outcomes.append(expected)
    assert 50 < sum(outcomes) < len(outcomes) - 50


@pytest.mark.parametrize("kind", KINDS)
def test_the_deal(kind: str) -> None:
    for deal in deals(kind):
        own = keys_of(deal)
        for layered in (False, True):
            if deal.rules.has_pile:
                least = sum(map(len, deal.position.columns))
            elif deal.rules.pairs == "pyramid":
                least = fewest_removals(deal, deal.position)
            else:
                position = deal.position
                assert isinstance(position, Pairing)
                cards = [*position.waste, *position.stock, *sum(position.columns, ())]
                kings = sum(rank(card) == 13 for card in cards)
                least = (len(cards) - kings) // 2 + kings
            keys, key = keys_of_leaving(deal, layered), own.encode(deal.position)
            assert keys.root_made == least_of(keys) == least * layered
            assert keys.root == (key, least * layered * deal.rules.has_pairs, 0, 0)


def local_bits(own: Any, deal: Deal) -> int:
    """Return the bits of a local key: those of a key, but for the signature's."""
    if deal.rules.has_pairs:
        size = len(own.decode(own.encode(deal.position)).stock) + len(deal.position.waste)
        return int(size.bit_length() + deal.position.turns.bit_length() + size)
    lengths = [len(column) for column in deal.position.columns]
    most = 1 << (17 if deal.position.stock else 21)
    first = next(n for n in range(99) if prod(length + 1 for length in lengths[n:]) <= most)
    return 6 + sum(length.bit_length() for length in lengths[first:])


@pytest.mark.parametrize("question", list(Question))
@pytest.mark.parametrize("game", ["golf", "black_hole", "all_in_a_row", "pyramid"])
def test_blocks_are_read(game: str, question: Question) -> None:
    """States of whole decks, as the search writes them: their keys, and where they belong."""
    deal, random = Deal.from_number(5, GAMES[game]), Random(game)
    layered = question is Question.SOLVE
    form = keys_of_leaving(deal, layered)
    own = (PileKeys if deal.rules.has_pile else PairKeys)(deal, question)
    position = deal.position
    while moves := position.moves(deal.rules):
        state, key = own.state(position), own.encode(position)
        signature = np.array([state.signature], np.uint64)
        place = int(progress_of(own.tables, signature, 0)[0])
        layer, stratum = layer_and_stratum(place)
        assert form.form.progress(signature).tolist() == [stratum]
        told = layer if deal.rules.has_pairs else 0
        block = block_of(state.signature, [state.off])
        assert read_rows(form.form, block, layer) == (0, [(key, told, 0, 0)])
        if layered:
            assert expanded(form, key, layer).error == 0
        if deal.rules.has_pairs:
            assert read_rows(form.form, block, layer + 1)[0] == TOO_WIDE
        # Beyond the local key's own bits there are none.
        for bit in range(state.off.bit_length(), 64):
            wide = block_of(state.signature, [state.off | 1 << bit])
            error, _ = read_rows(form.form, wide, layer)
            assert error == (TOO_WIDE if bit >= local_bits(own, deal) else 0)
        position = position.apply(random.choice(moves))
        if position.is_goal():
            break
