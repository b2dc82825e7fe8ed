"""Keys, moves and codes of games whose cards only leave, as their check has them, against rules."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import pair_games, pile_games

from dbmsolver.core.runs import progress_of
from dbmsolver.errors import InputError
from dbmsolver.game.cards import rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.keys.pairs import PairKeys
from dbmsolver.keys.piles import PileKeys
from dbmsolver.results import Question
from dbmsolver.storage.records import layer_and_stratum
from dbmsolver.verify.kernels.blocks import Body
from dbmsolver.verify.pair_format import PairFormat
from dbmsolver.verify.pile_format import PileFormat

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


def form_of(deal: Deal, layered: bool) -> Any:
    return (PileFormat if deal.rules.has_pile else PairFormat)(deal, layered)


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


def turned_round(deal: Deal, code: int) -> list[int]:
    """Return codes that name the cards of a pair in the other order, and a card with itself."""
    lowest, half = min(deal.position.foundations), code >> 1
    low = (half >> 2) + 4 * lowest
    high = 4 * (11 + lowest - low // 4) + (half & 3)
    return [
        code & 1 | 2 * (4 * (card - 4 * lowest) + suit(other))
        for card, other in ((high, low), (low, low), (high, high))
        if card - 4 * lowest < 24
    ]


def apart(form: Any, words: list[int]) -> tuple[Any, Any]:
    keys = np.array(words, np.uint64)
    return keys, form.take_apart(keys)


@pytest.mark.parametrize("layered", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_moves(kind: str, layered: bool) -> None:
    """The same moves as by the rules, with their layers and strata."""
    seen = 0
    for deal in deals(kind):
        form, own = form_of(deal, layered), keys_of(deal)
        positions = positions_of(deal)
        words = [own.encode(position) for position in positions]
        expected = []
        for word, position in zip(words, positions, strict=True):
            for move, after in position.successors(deal.rules, "none"):
                layer = LAYER + layered * rise(deal, move, position, after)
                expected.append((word, own.encode(after), layer))
        keys, fields = apart(form, words)
        found = []
        for moved in form.successors(keys, fields, LAYER):
            found += zip(
                moved.keys.tolist(), moved.others.tolist(), moved.layers.tolist(), strict=True
            )
            strata = [form.strata(form.take_apart(part)) for part in (moved.keys, moved.others)]
            assert (strata[1] - strata[0] == moved.strata).all()
            assert 0 <= moved.strata <= form.far
        assert sorted(found) == sorted(set(expected))
        seen += len(found)
        assert not form.are_won(fields).any()
    assert seen > 200


@pytest.mark.parametrize("layered", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_codes(kind: str, layered: bool) -> None:
    """A code leads back by a move that the rules allow, and every move has its code."""
    right = wrong = 0
    for deal in deals(kind):
        random = Random(kind)
        form, own = form_of(deal, layered), keys_of(deal)
        moves = [
            (own.encode(after), code_of(deal, move, before), own.encode(before), LAYER - up)
            for before in positions_of(deal)
            for move, after in before.successors(deal.rules, "none")
            for up in [layered * rise(deal, move, before, after)]
        ]
        codes = sorted({code for _, code, _, _ in moves})
        # 201: the waste has never been turned over.
        for code in (53, 54, 63, 255) if kind == "pile" else (201, 202, 203, 255):
            assert parents_of(form, moves[0][0], code) == []
        if isinstance(deal.position, Pairing) and not deal.position.waste:  # nothing was turned
            assert parents_of(form, own.encode(deal.position), 200) == []
        for word, code, parent, layer in random.sample(moves, min(len(moves), 25)):
            assert (parent, layer) in parents_of(form, word, code)
            right += 1
            others = [random.choice(codes) ^ 1, random.choice(codes), code ^ 1]
            if kind == "pairs" and code < 192:
                others += turned_round(deal, code)
            other = random.choice(others)
            for parent, layer in parents_of(form, word, other):
                before = form.position(parent)
                if before is None or before.is_goal():
                    continue
                ways = {
                    (own.encode(after), code_of(deal, move, before), LAYER - up)
                    for move, after in before.successors(deal.rules, "none")
                    for up in [layered * rise(deal, move, before, after)]
                }
                assert (word, other, layer) in ways
                break
            else:
                wrong += 1
    assert right > 100 and wrong > 50


def parents_of(form: Any, word: int, code: int) -> list[tuple[int, int]]:
    """Return the parents of a key by a code, and their layers; none if the code is refused."""
    keys, fields = apart(form, [word])
    found = []
    wrong, parents = form.parents(keys, fields, np.array([code]), LAYER)
    if wrong[0]:
        return []
    for moved in parents:
        assert (moved.keys == word).all()
        found += zip(moved.others.tolist(), moved.layers.tolist(), strict=True)
        if moved.others.size and form.position(int(moved.others[0])) is not None:
            strata = form.strata(form.take_apart(moved.others))
            assert (form.strata(fields) - strata == moved.strata).all()
    assert len(found) == 1
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_code_that_is_wrong_is_told_apart(kind: str) -> None:
    """Among states with right codes only those with wrong ones are told."""
    for deal in deals(kind):
        form, own = form_of(deal, True), keys_of(deal)
        moves = {
            own.encode(after): code_of(deal, move, before)
            for before in positions_of(deal)
            for move, after in before.successors(deal.rules, "none")
        }
        keys, fields = apart(form, list(moves))
        codes = np.array(list(moves.values()))
        spoilt = np.arange(codes.size) % 3 == 1
        for number in (255, form.first_code, form.first_code + 1):
            wrong, _ = form.parents(keys, fields, np.where(spoilt, number, codes), LAYER)
            assert (wrong == spoilt).all()


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
        random, form, own = Random(kind), form_of(deal, False), keys_of(deal)
        words = []
        for position in positions_of(deal)[:40]:
            for _ in range(6):
                word = own.encode(position)
                for _ in range(random.randint(1, 2)):
                    word ^= 1 << random.randrange(random.choice((8, 30, 64)))
                words.append(word)
        keys, fields = apart(form, words)
        for word, is_position in zip(words, form.are_positions(keys, fields), strict=True):
            expected = can_be(deal, own, word)
            assert bool(is_position) == expected, (deal, hex(word))
            outcomes.append(expected)
    assert 50 < sum(outcomes) < len(outcomes) - 50


@pytest.mark.parametrize("kind", KINDS)
def test_the_deal(kind: str) -> None:
    for deal in deals(kind):
        own = keys_of(deal)
        for layered in (False, True):
            form = form_of(deal, layered)
            assert form.root == own.encode(deal.position)
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
            assert (form.least, form.root_layer) == (least, least * layered)


def body_of(words: list[int]) -> Body:
    """Return the body of a block with these local keys, of one signature or of several."""
    planes = np.array([words], np.uint64).view(np.uint8).reshape(-1, 8).T
    return Body(1, len(words), planes.ravel().copy(), np.zeros(len(words), np.uint16))


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
    form = form_of(deal, layered)
    own = (PileKeys if deal.rules.has_pile else PairKeys)(deal, question)
    position = deal.position
    while moves := position.moves(deal.rules):
        state, key = own.state(position), own.encode(position)
        signature = np.array([state.signature], np.uint64)
        place = int(progress_of(own.tables, signature, 0)[0])
        layer, stratum = layer_and_stratum(place)
        _, fields = apart(form, [key])
        assert form.strata(fields).tolist() == [stratum]
        if layered:
            assert form.are_of_layer(fields, layer).all()
            assert not (deal.rules.has_pile and form.are_of_layer(fields, layer + 1).any())
        one, layer = np.array([1], np.int64), layer if deal.rules.has_pairs else 0
        found = form.read(signature, one, body_of([state.off]), layer)
        assert found is not None and found.tolist() == [key]
        bits = state.off.bit_length()
        # Beyond the local key's own bits there are none.
        for bit in range(bits, 64):
            wide = form.read(signature, one, body_of([state.off | 1 << bit]), layer)
            assert (wide is None) == (bit >= local_bits(own, deal))
        position = position.apply(random.choice(moves))
        if position.is_goal():
            break
