"""The ledger of a proof: candidates made pending against those that are closed.

A proof is only as good as its list of pending candidates. If a candidate is lost, nobody looks at
what follows from it, and "unsolvable" may be wrong. So different code counts candidates twice: when
a kernel makes them, and when a thread gets them to close their signature. Each count is a number
and a sum of hashes (:class:`Entry`). Both counts go on through spills, commits and resumed runs.
They must agree at the end of every stratum, and no candidate may be pending at the end of the
proof. If one of these fails, the run ends with InternalError, never with a verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.errors import InternalError

_MASK = (1 << 64) - 1
_ODD = np.uint64(0x9E3779B97F4A7C15)
_ODDER = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)


class Entry(NamedTuple):
    """A number of candidates, and the sum modulo 2**64 of a hash of their signatures."""

    states: int = 0
    sum: int = 0

    def plus(self, other: Entry) -> Entry:
        """Return the entry of both together."""
        return Entry(self.states + other.states, (self.sum + other.sum) & _MASK)

    def minus(self, other: Entry) -> Entry:
        """Return the entry of the candidates that the other does not count."""
        return Entry(self.states - other.states, (self.sum - other.sum) & _MASK)

    def to_json(self) -> list[Any]:
        """Return the entry as the manifest has it."""
        return [self.states, f"{self.sum:016x}"]

    @classmethod
    def from_json(cls, value: list[Any]) -> Entry:
        """Return an entry from its JSON: the inverse of :meth:`to_json`."""
        return cls(int(value[0]), int(value[1], 16))


NOTHING = Entry()


def entry_of(signatures: NDArray[np.uint64], counts: NDArray[np.int64] | None = None) -> Entry:
    """Return the entry of runs.

    There are ``counts`` candidates of each of the ``signatures``, or one of each.
    """
    hashed = (signatures ^ (signatures >> _SHIFT)) * _ODD
    hashed = (hashed ^ (hashed >> _SHIFT)) * _ODDER
    if counts is None:
        return Entry(signatures.size, int(hashed.sum(dtype=np.uint64)))
    products = hashed * counts.view(np.uint64)
    return Entry(int(counts.sum()), int(products.sum(dtype=np.uint64)))


def entry_of_one(signature: int, states: int) -> Entry:
    """Return the entry of ``states`` candidates of one signature."""
    return entry_of(np.array([signature], np.uint64), np.array([states], np.int64))


def total(entries: Iterable[Entry]) -> Entry:
    """Return the entry of all of them together. There may be a hundred thousand."""
    states = hashed = 0
    for one in entries:
        states += one.states
        hashed += one.sum
    return Entry(states, hashed & _MASK)


class Ledger:
    """The count of a proof's pending candidates, over all signatures.

    Candidates are added when they arise, and subtracted when they are closed. For the current
    stratum the ledger also counts the candidates that no worker has received, and the signatures
    that workers have received and not finished.
    """

    def __init__(self) -> None:
        self.pending = NOTHING
        self._due = NOTHING  # candidates of the stratum that no worker has got
        self._open = (
            NOTHING  # signatures that workers have and that are not done, each counted once
        )

    def add(self, entry: Entry) -> None:
        """Note candidates that have become pending."""
        self.pending = self.pending.plus(entry)

    @contextmanager
    def packing(self, candidates: Iterable[Any]) -> Iterator[None]:
        """Return a context for sorting candidates, which drops duplicates."""
        candidates = list(candidates)
        before = total(group.entry for group in candidates)
        yield
        self.replace(before, total(group.entry for group in candidates))

    def replace(self, before: Entry, after: Entry) -> None:
        """Note that the entry of some candidates has changed, because duplicates were dropped."""
        self.pending = self.pending.minus(before).plus(after)

    def open_stratum(self, due: Entry) -> None:
        """Begin a stratum. `due` are its candidates whose signatures are not done."""
        self._due, self._open = due, NOTHING

    def distribute(self, signatures: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        """Note candidates that go to workers, each signature once."""
        self._due = self._due.minus(entry_of(signatures, counts))
        self._open = self._open.plus(entry_of(signatures))

    def close(self, signatures: list[int]) -> None:
        """Note that these signatures are closed."""
        self._open = self._open.minus(entry_of(np.array(signatures, np.uint64)))

    def close_stratum(self, taken: Entry) -> None:
        """Note that a stratum is closed: its candidates, ``taken``, are pending no more.

        Raises InternalError if any of them was lost.
        """
        _check(self._due, "candidates were not given to a worker", "candidates are unknown")
        _check(self._open, "signatures were not closed", "signatures were closed twice")
        self.pending = self.pending.minus(taken)

    def check(self, held: Entry) -> None:
        """Raise InternalError if the candidates that are held are not the pending ones."""
        _check(self.pending.minus(held), "pending states were lost", "states are not pending")


def _check(difference: Entry, lost: str, unexpected: str) -> None:
    """Raise InternalError if there is a difference: too few of the expected ones, or others."""
    if difference == NOTHING:
        return
    text = f"{difference.states} {lost}"
    if difference.states < 0:
        text = f"{-difference.states} {unexpected}"
    elif difference.states == 0:
        text = f"others have come in their place: {lost}"
    raise InternalError(f"internal check failed: {text} (hash {difference.sum:016x})")
