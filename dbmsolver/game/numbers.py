"""Numbers of deals, and the way in which each program shuffles a deck for one.

=================  ================================================================================
`microsoft`        Microsoft's FreeCell, continued above 2^31 as FreeCell Pro does
`pysolfc`          PySolFC's own numbers: those of Microsoft below 32000, else the Mersenne twister
`pysol`            PySol's and pysol-cards' older ones: above 32000 a generator of 64 bits
`solvitaire`       Solvitaire's seeds, as of its option --random
`klondike-solver`  Klondike-Solver's and KSolve's `Game: N`
`ksolve`           KSolve's `Ran: N`, as a compiler of GCC 11 or later builds it
=================  ================================================================================

A shuffle returns the cards in the order in which they are dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

from dbmsolver.errors import InputError

Numbers = Literal["microsoft", "pysolfc", "pysol", "solvitaire", "klondike-solver", "ksolve"]
NUMBERS: tuple[Numbers, ...] = get_args(Numbers)

MAX_NUMBER = 2**33 - 1
"""The last number that FreeCell Pro deals."""

DECK = tuple((r << 2) + s for r in range(13) for s in (3, 2, 0, 1))
"""Microsoft's deck before it is shuffled: suits in the order C D H S within a rank."""
_PYSOL_DECK = tuple((r << 2) + s for s in (3, 1, 0, 2) for r in range(13))
"""One suit after the other: C S H D."""
_KLONDIKE_DECK = tuple((r << 2) + s for s in (3, 2, 1, 0) for r in range(13))
"""One suit after the other: C D S H."""
_SOLVITAIRE_DECK = tuple((r << 2) + s for r in range(13) for s in (3, 0, 1, 2))
"""Suits in the order C H S D within a rank."""

_WORD = 0xFFFFFFFF
_FIRST_OF_PYSOL = 32000


class _Kind(NamedTuple):
    shuffle: Callable[[int], list[int]]
    first: int
    last: int


def shuffled(number: int, numbers: Numbers) -> list[int]:
    """Return the deck that a program deals for a number, or raise InputError for no such number."""
    kind = _KINDS[numbers]
    if not kind.first <= number <= kind.last:
        expected = f"expected a number from {kind.first} to {kind.last}"
        if numbers == "microsoft":
            expected += ", or -1 or -2"
        else:
            expected += f", as of {numbers}"
        raise InputError(f"no such number, {expected}", f"deal {number}")
    return kind.shuffle(number)


def shuffled_packs(number: int, deck: Sequence[int], numbers: Numbers) -> list[int]:
    """Return another deck than one of 52 different cards, as PySolFC shuffles it for a number.

    ``deck`` is as it lies at first, suit after suit. A deck of 52 cards is put into the order that
    Microsoft has. InputError for no such number.
    """
    kind = _KINDS[numbers]
    if not kind.first <= number <= kind.last:
        expected = f"expected a number from {kind.first} to {kind.last}"
        raise InputError(f"no such number, {expected}", f"deal {number}")
    if numbers == "pysolfc" and number >= _FIRST_OF_PYSOL:
        from random import Random

        return _drawn(deck, Random(number).random)
    left = list(deck)
    if len(left) == len(DECK):
        left = [left[place + suit] for place in range(13) for suit in (0, 39, 26, 13)]
    return _drawn_by_microsoft(number, left)


def first_and_last(numbers: Numbers) -> tuple[int, int]:
    """Return the least and the greatest number that a program deals, but for -1 and -2."""
    kind = _KINDS[numbers]
    return kind.first, kind.last


def _microsoft(number: int) -> list[int]:
    """Return the cards in the order in which Microsoft's FreeCell deals them.

    The generator is that of Microsoft's C library. Its seed has 32 bits, of which the top one
    makes no difference to its 15 bits of output: numbers up to 2^31. FreeCell Pro tells apart
    2^31 to 2^32 by setting the 16th bit of the output, and continues to 2^33 with all 16 bits of
    the generator's upper half, plus one.
    """
    return _drawn_by_microsoft(number, list(DECK))


def _drawn_by_microsoft(number: int, left: list[int]) -> list[int]:
    """Return the cards of a deck in the order in which Microsoft's generator draws them."""
    state = number
    dealt = []
    while left:
        state = (state * 214013 + 2531011) & _WORD
        if number < 2**31:
            value = state >> 16 & 0x7FFF
        elif number < 2**32:
            value = state >> 16 | 0x8000
        else:
            value = (state >> 16) + 1
        chosen = value % len(left)
        left[chosen], left[-1] = left[-1], left[chosen]
        dealt.append(left.pop())
    return dealt


def _pysolfc(number: int) -> list[int]:
    """Deal PySolFC's numbers: above those of Microsoft they are seeds of Python's generator."""
    if number < _FIRST_OF_PYSOL:
        return _microsoft(number)
    from random import Random  # here: most runs deal no such number

    generator = Random(number)
    return _drawn(_PYSOL_DECK, generator.random)


def _pysol(number: int) -> list[int]:
    """Deal PySol's older numbers: a linear generator of 64 bits, of which 31 are taken."""
    if number <= _FIRST_OF_PYSOL:
        return _microsoft(number)
    state = number

    def following() -> float:
        nonlocal state
        state = (state * 6364136223846793005 + 1) % 2**64
        return (state >> 21 & 0x7FFFFFFF) / 2**31

    return _drawn(_PYSOL_DECK, following)


def _drawn(deck: Sequence[int], following: Callable[[], float]) -> list[int]:
    """Return cards one by one, each chosen by a number from 0 to 1 among those that are left."""
    cards = list(deck)
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(following() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return cards[::-1]


def _solvitaire(number: int) -> list[int]:
    """Deal Solvitaire's seeds: the Mersenne twister, its range cut into equal parts.

    The cards are dealt from the end of the deck.
    """
    words = _twister(number)
    cards = list(_SOLVITAIRE_DECK)
    for last in range(len(cards) - 1, 0, -1):
        part = (_WORD + 1) // (last + 1)
        chosen = words() // part
        while chosen > last:
            chosen = words() // part
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return cards[::-1]


def _ksolve(number: int) -> list[int]:
    """Deal `Ran: N` of KSolve: the Mersenne twister, its words multiplied to a range."""
    words = _twister(number)
    cards = list(_KLONDIKE_DECK)
    for first in range(len(cards) - 2):
        size = len(cards) - first
        product = words() * size
        while product & _WORD < (_WORD + 1) % size:
            product = words() * size
        chosen = first + (product >> 32)
        cards[first], cards[chosen] = cards[chosen], cards[first]
    return cards


def _klondike_solver(number: int) -> list[int]:
    """Deal `Game: N` of Klondike-Solver: 269 pairs of places, whose cards are exchanged."""
    words = _mixed_words(number)
    cards = list(_KLONDIKE_DECK)
    for _ in range(269):
        one, other = words() % 52, words() % 52
        cards[one], cards[other] = cards[other], cards[one]
    return cards


def _mixed_words(seed: int) -> Callable[[], int]:
    """Return the generator of Klondike-Solver: numbers of 31 bits from three words of 32."""
    mix, twist, value = 51651237, 895213268, seed

    def advance() -> int:
        nonlocal mix, twist, value
        first = twist - mix & _WORD
        first ^= twist ^ value ^ mix
        mix ^= twist ^ value
        value ^= twist - mix & _WORD
        twist ^= value ^ first
        shifted = (mix >> 16 | (0xFFFF0000 if mix >> 31 else 0)) ^ (twist << 7 & _WORD)
        value ^= shifted ^ (first << 8 & _WORD)
        return value & 0x7FFFFFFF

    for _ in range(50):
        advance()
    value = 0x9417B3AF ^ seed ^ seed >> 15
    for _ in range(950):
        advance()
    return advance


def _twister(seed: int) -> Callable[[], int]:
    """Return the words of 32 bits of the Mersenne twister, as C++ seeds it with one word."""
    words = [seed & _WORD]
    for place in range(1, 624):
        last = words[-1]
        words.append((1812433253 * (last ^ last >> 30) + place) & _WORD)
    from random import Random

    generator = Random()
    generator.setstate((3, (*words, 624), None))
    return lambda: generator.getrandbits(32)


_KINDS: dict[Numbers, _Kind] = {
    "microsoft": _Kind(_microsoft, 1, MAX_NUMBER),
    "pysolfc": _Kind(_pysolfc, 1, 10**20),
    "pysol": _Kind(_pysol, 1, 2**64 - 1),
    "solvitaire": _Kind(_solvitaire, 0, 2**31 - 1),
    "klondike-solver": _Kind(_klondike_solver, 0, 2**31 - 1),
    "ksolve": _Kind(_ksolve, 0, 2**31 - 1),
}
