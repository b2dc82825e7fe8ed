"""The books of a proof: sums of numbers and hashes, and every difference that they must tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from dbmsolver.errors import InternalError
from dbmsolver.search.tallies import NOTHING, Books, Tally, total, weigh, weigh_one

WORD = 1 << 64


def hash_of(signature: int) -> int:
    """Return the hash of one signature, in whole numbers."""
    first = (signature ^ signature >> 31) * 0x9E3779B97F4A7C15 % WORD
    return (first ^ first >> 31) * 0xBF58476D1CE4E5B9 % WORD


def array(*signatures: int) -> np.ndarray:
    return np.array(signatures, np.uint64)


def counted(*counts: int) -> np.ndarray:
    return np.array(counts, np.int64)


def test_a_tally_is_a_number_and_a_sum_of_hashes() -> None:
    random = Random(1)
    signatures = [0, 1, WORD - 1, *(random.getrandbits(64) for _ in range(40))]
    counts = [random.randrange(1, 1 << 40) for _ in signatures]
    hashes = [hash_of(one) for one in signatures]
    weighed = sum(count * one for count, one in zip(counts, hashes, strict=True)) % WORD
    assert weigh(array(*signatures), counted(*counts)) == Tally(sum(counts), weighed)
    assert weigh(array(*signatures)) == Tally(len(signatures), sum(hashes) % WORD)
    for signature, count in zip(signatures, counts, strict=True):
        assert weigh_one(signature, count) == Tally(count, count * hash_of(signature) % WORD)
    assert weigh(array()) == weigh(array(), counted()) == NOTHING == Tally(0, 0)


def test_signatures_that_are_alike_weigh_differently() -> None:
    """One bit more or less, and signatures of which another sum is the same."""
    ones = [weigh_one(1 << bit, 1).sum for bit in range(64)]
    assert len(set(ones)) == 64
    assert weigh(array(1, 4)) != weigh(array(2, 3))
    assert weigh(array(1, 2, 3)) != weigh(array(0, 2, 4))
    assert weigh(array(5, 6), counted(1, 2)) != weigh(array(5, 6), counted(2, 1))


def test_tallies_are_added_and_taken_away() -> None:
    low, high = Tally(3, 5), Tally(2, WORD - 1)
    assert low.plus(high) == high.plus(low) == Tally(5, 4)
    assert low.minus(high) == Tally(1, 6)
    assert high.minus(low) == Tally(-1, WORD - 6)
    assert low.plus(high).minus(high) == low
    assert total([low, high, low]) == Tally(8, 9)
    assert total([]) == NOTHING


@pytest.mark.parametrize("one", [NOTHING, Tally(7, 0xAB), Tally(1 << 50, WORD - 1)])
def test_tallies_are_kept_in_the_manifest(one: Tally) -> None:
    written = one.to_json()
    assert written == [one.states, f"{one.sum:016x}"]
    assert Tally.from_json(written) == one


SIGNATURES, COUNTS = array(10, 20, 30), counted(3, 1, 2)


def stratum(*, made: bool = True, out: bool = True, done: bool = True) -> Books:
    """Books of one stratum; what is not done is left out."""
    books = Books()
    if made:
        books.make(weigh(SIGNATURES, COUNTS))
    books.open_stratum(weigh(SIGNATURES, COUNTS))
    books.hand_out(SIGNATURES[:2], COUNTS[:2])
    if out:
        books.hand_out(SIGNATURES[2:], COUNTS[2:])
    books.done([20, 10])
    if done:
        books.done([30])
    return books


def test_books_that_balance() -> None:
    books = stratum()
    books.make(weigh_one(40, 5))
    books.close_stratum(weigh(SIGNATURES, COUNTS))
    assert books.pending == weigh_one(40, 5)
    books.compare(weigh_one(40, 5))
    books.take(weigh_one(40, 2))
    books.compare(weigh_one(40, 3))
    books.take(weigh_one(40, 3))
    books.compare(NOTHING)


def test_a_stratum_begins_anew() -> None:
    """Candidates that an earlier one left open are not the next one's."""
    books = stratum(out=False, done=False)
    books.open_stratum(NOTHING)
    books.close_stratum(NOTHING)


def close(books: Books) -> None:
    books.close_stratum(weigh(SIGNATURES, COUNTS))


FAULTS: list[tuple[str, Callable[[], None]]] = [
    ("2 candidates were not given to a worker", lambda: close(stratum(out=False))),
    ("1 signatures were not closed", lambda: close(stratum(done=False))),
    (
        "6 states are not pending",
        lambda: (close(books := stratum(made=False)), books.compare(NOTHING))[1],
    ),
]


@pytest.mark.parametrize(("said", "close_them"), FAULTS)
def test_what_is_missing_is_told(said: str, close_them: Callable[[], None]) -> None:
    with pytest.raises(InternalError, match=f"internal check failed: {said}"):
        close_them()


def test_as_many_but_not_the_same() -> None:
    """The numbers agree: only the hashes tell."""
    with pytest.raises(
        InternalError, match="others have come in their place: candidates were not given"
    ):
        books = Books()
        books.open_stratum(weigh_one(10, 4))
        books.hand_out(array(11), counted(4))
        books.done([11])
        books.close_stratum(NOTHING)
    with pytest.raises(
        InternalError, match="others have come in their place: signatures were not closed"
    ):
        books = Books()
        books.open_stratum(weigh_one(10, 4))
        books.hand_out(array(10), counted(4))
        books.done([11])
        books.close_stratum(NOTHING)
    with pytest.raises(
        InternalError, match="others have come in their place: pending states were lost"
    ):
        books = Books()
        books.make(weigh_one(10, 4))
        books.compare(weigh_one(11, 4))


def test_other_numbers_with_the_same_hash() -> None:
    """The hashes agree, as that of signature 0 is 0: only the numbers tell."""
    books = Books()
    books.make(weigh_one(0, 4))
    with pytest.raises(InternalError, match=r"1 pending states were lost \(hash 0{16}\)"):
        books.compare(weigh_one(0, 3))


@dataclass
class Packable:
    tally: Tally


def test_duplicates_that_sorting_drops_are_pending_no_more() -> None:
    candidates = [Packable(weigh_one(10, 4)), Packable(weigh_one(20, 6))]
    books = Books()
    for one in candidates:
        books.make(one.tally)
    books.make(weigh_one(30, 1))
    with books.packing(one for one in candidates):
        candidates[0].tally = weigh_one(10, 3)
        candidates[1].tally = weigh_one(20, 1)
    books.compare(total([weigh_one(10, 3), weigh_one(20, 1), weigh_one(30, 1)]))
