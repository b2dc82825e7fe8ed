"""The ledger of a proof: sums of numbers and hashes, and every difference that they must tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from dbmsolver.errors import InternalError
from dbmsolver.search.ledger import NOTHING, Entry, Ledger, entry_of, entry_of_one, total

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
    assert entry_of(array(*signatures), counted(*counts)) == Entry(sum(counts), weighed)
    assert entry_of(array(*signatures)) == Entry(len(signatures), sum(hashes) % WORD)
    for signature, count in zip(signatures, counts, strict=True):
        assert entry_of_one(signature, count) == Entry(count, count * hash_of(signature) % WORD)
    assert entry_of(array()) == entry_of(array(), counted()) == NOTHING == Entry(0, 0)


def test_signatures_that_are_alike_weigh_differently() -> None:
    """One bit more or less, and signatures of which another sum is the same."""
    ones = [entry_of_one(1 << bit, 1).sum for bit in range(64)]
    assert len(set(ones)) == 64
    assert entry_of(array(1, 4)) != entry_of(array(2, 3))
    assert entry_of(array(1, 2, 3)) != entry_of(array(0, 2, 4))
    assert entry_of(array(5, 6), counted(1, 2)) != entry_of(array(5, 6), counted(2, 1))


def test_entries_are_added_and_taken_away() -> None:
    low, high = Entry(3, 5), Entry(2, WORD - 1)
    assert low.plus(high) == high.plus(low) == Entry(5, 4)
    assert low.minus(high) == Entry(1, 6)
    assert high.minus(low) == Entry(-1, WORD - 6)
    assert low.plus(high).minus(high) == low
    assert total([low, high, low]) == Entry(8, 9)
    assert total([]) == NOTHING


@pytest.mark.parametrize("one", [NOTHING, Entry(7, 0xAB), Entry(1 << 50, WORD - 1)])
def test_entries_are_kept_in_the_manifest(one: Entry) -> None:
    written = one.to_json()
    assert written == [one.states, f"{one.sum:016x}"]
    assert Entry.from_json(written) == one


SIGNATURES, COUNTS = array(10, 20, 30), counted(3, 1, 2)


def stratum(*, made: bool = True, out: bool = True, done: bool = True) -> Ledger:
    """Ledger of one stratum; what is not done is left out."""
    ledger = Ledger()
    if made:
        ledger.add(entry_of(SIGNATURES, COUNTS))
    ledger.open_stratum(entry_of(SIGNATURES, COUNTS))
    ledger.distribute(SIGNATURES[:2], COUNTS[:2])
    if out:
        ledger.distribute(SIGNATURES[2:], COUNTS[2:])
    ledger.close([20, 10])
    if done:
        ledger.close([30])
    return ledger


def test_a_ledger_that_agrees() -> None:
    ledger = stratum()
    ledger.add(entry_of_one(40, 5))
    ledger.close_stratum(entry_of(SIGNATURES, COUNTS))
    assert ledger.pending == entry_of_one(40, 5)
    ledger.check(entry_of_one(40, 5))
    with pytest.raises(InternalError):
        ledger.check(entry_of_one(40, 3))


def test_a_stratum_begins_anew() -> None:
    """Candidates or signatures that an earlier one left open are not the next one's."""
    for ledger in (stratum(out=False), stratum(done=False)):
        ledger.open_stratum(NOTHING)
        ledger.close_stratum(NOTHING)


def close(ledger: Ledger) -> None:
    ledger.close_stratum(entry_of(SIGNATURES, COUNTS))


FAULTS: list[tuple[str, Callable[[], None]]] = [
    ("2 candidates were not given to a worker", lambda: close(stratum(out=False))),
    ("1 signatures were not closed", lambda: close(stratum(done=False))),
    (
        "6 states are not pending",
        lambda: (close(ledger := stratum(made=False)), ledger.check(NOTHING))[1],
    ),
]


@pytest.mark.parametrize(("said", "close_them"), FAULTS)
def test_what_is_missing_is_told(said: str, close_them: Callable[[], None]) -> None:
    with pytest.raises(InternalError, match=f"internal check failed: {said}"):
        close_them()


@pytest.mark.parametrize(
    ("given", "said"),
    [(11, "candidates were not given"), (10, "signatures were not closed")],
)
def test_as_many_but_not_the_same(given: int, said: str) -> None:
    """The numbers agree: only the hashes tell."""
    with pytest.raises(InternalError, match=f"others have come in their place: {said}"):
        ledger = Ledger()
        ledger.open_stratum(entry_of_one(10, 4))
        ledger.distribute(array(given), counted(4))
        ledger.close([11])
        ledger.close_stratum(NOTHING)


def test_as_many_pending_but_not_the_same() -> None:
    with pytest.raises(
        InternalError, match="others have come in their place: pending states were lost"
    ):
        ledger = Ledger()
        ledger.add(entry_of_one(10, 4))
        ledger.check(entry_of_one(11, 4))


def test_other_numbers_with_the_same_hash() -> None:
    """The hashes agree, as that of signature 0 is 0: only the numbers tell."""
    ledger = Ledger()
    ledger.add(entry_of_one(0, 4))
    with pytest.raises(InternalError, match=r"1 pending states were lost \(hash 0{16}\)"):
        ledger.check(entry_of_one(0, 3))


@dataclass
class Packable:
    entry: Entry


def test_duplicates_that_sorting_drops_are_pending_no_more() -> None:
    candidates = [Packable(entry_of_one(10, 4)), Packable(entry_of_one(20, 6))]
    ledger = Ledger()
    for one in candidates:
        ledger.add(one.entry)
    ledger.add(entry_of_one(30, 1))
    with ledger.packing(one for one in candidates):
        candidates[0].entry = entry_of_one(10, 3)
        candidates[1].entry = entry_of_one(20, 1)
    ledger.check(total([entry_of_one(10, 3), entry_of_one(20, 1), entry_of_one(30, 1)]))
