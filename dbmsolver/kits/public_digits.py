"""The public key of a deal: its digits, and what a move adds to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dbmsolver.kernels.states import CARDS, SUITS, Words
from dbmsolver.kits.cards.tables import PLACE_HOME, PLACE_LOCKED, PLACES, Game
from dbmsolver.kits.places import ace_is_forced, place_values


def public_digits(game: Game, dealt: list[int]) -> dict[str, Any]:
    """Return the digits of the public key, with their radices and weights.

    A radix follows from the rules and the rank alone.
    """
    digit_cards, digit_places, radices = [], [], [14] * SUITS
    for card in range(CARDS):
        if ace_is_forced(game, card):
            places: list[int] = []
        else:
            places = sorted(place_values(game, card, PLACE_HOME))
        if places:
            digit_cards.append(card)
            digit_places.append((dealt[card], *places))
            radices.append(1 + len(places))
    # At least two words, at most three: 7**48 * 6**4 * 14**4 < 2**192.
    word_of, weights, ranges = [], [], [1]
    for radix in radices:
        if ranges[-1] * radix > 1 << 64:
            ranges.append(1)
        word_of.append(len(ranges) - 1)
        weights.append(ranges[-1])
        ranges[-1] *= radix
    if len(ranges) == 1:
        ranges.append(1)
    return {
        "radices": tuple(radices),
        "digit_cards": tuple(digit_cards),
        "digit_places": tuple(digit_places),
        "word_of": tuple(word_of),
        "weights": tuple(weights),
        "ranges": tuple(ranges),
    }


def public_contributions(game: Game, public: dict[str, Any]) -> tuple[Words, Words]:
    """Return the words that place values and foundation heights add to a key.

    A card that is home and may come back adds one to the height of its foundation. Returns
    `Tables.digit_words` and `Tables.height_words`.
    """
    words = len(public["ranges"])
    digits = np.zeros((CARDS * PLACES, words), np.uint64)
    heights = np.zeros((SUITS, 14, words), np.uint64)
    for index, radix in enumerate(public["radices"]):
        word, weight = public["word_of"][index], public["weights"][index]
        if index < SUITS:
            heights[index, :, word] = [height * weight for height in range(radix)]
            continue
        card, places = public["digit_cards"][index - SUITS], public["digit_places"][index - SUITS]
        for place in places:
            digits[card * PLACES + place, word] = places.index(place) * weight
    if game.removable:
        for card in range(CARDS):
            digits[card * PLACES + PLACE_HOME] = heights[card % SUITS, 1]
    return digits, heights


def rank_contributions(digit_words: Words, plane_bits: Words, planes: int) -> Words:
    """Return the public key's words of all four cards of a rank at once.

    They are indexed by four bits of each plane.
    """
    index = np.arange(1 << (4 * planes))
    result = np.zeros((13, index.size, digit_words.shape[1]), np.uint64)
    place_of_bits = np.zeros(8, np.int64)
    for place in (*range(PLACE_LOCKED), PLACE_HOME):
        bits = [int(plane_bits[plane, place]) for plane in range(3)]
        if any(bits) or place == 0:
            place_of_bits[bits[0] + 2 * bits[1] + 4 * bits[2]] = place
    by_suit = digit_words.reshape(13, SUITS, PLACES, -1)
    for suit in range(SUITS):
        bits = sum(((index >> (4 * plane + suit)) & 1) << plane for plane in range(planes))
        result += np.take(by_suit[:, suit], place_of_bits[bits], axis=1)
    return result


def parent_move_codes(
    game: Game, public: dict[str, Any], dealt: list[int]
) -> tuple[NDArray[np.uint16], NDArray[np.uint8], NDArray[np.uint8]]:
    """Assign numbers to the pairs (card moved, digit before): 236 in FreeCell.

    Returns the number of each pair, and the card and the digit of each number.
    """
    places_of = dict(zip(public["digit_cards"], public["digit_places"], strict=True))
    codes = [0xFFFF] * (CARDS * PLACES)
    code_card, code_place = [], []
    for card in range(CARDS):
        comes_back = game.removable and card // SUITS >= game.kept_rank
        for place in (*places_of.get(card, (dealt[card],)), *[PLACE_HOME] * comes_back):
            if codes[card * PLACES + place] == 0xFFFF:
                codes[card * PLACES + place] = len(code_card)
            code_card.append(card)
            code_place.append(place)
    numbers = np.array(codes, np.uint16)
    return numbers, np.array(code_card, np.uint8), np.array(code_place, np.uint8)
