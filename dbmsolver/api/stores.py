"""Searches that a store keeps: looked at without writing, and verified."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dbmsolver.arguments import (
    MOST_THREADS,
    checked_choice,
    checked_function,
    checked_instance,
    checked_path,
    checked_share,
    checked_size,
    checked_whole,
)
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.results import Method, Result
from dbmsolver.steps import follow

if TYPE_CHECKING:
    from dbmsolver.search.inspect import StoreStatus
    from dbmsolver.storage.certificate_file import Certificate
    from dbmsolver.verify.report import Progress, Verification


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A search in a store, to be looked at: nothing is written, and it may be running meanwhile.

    Every method raises StoreError where the store cannot be read, or belies its own answer.
    """

    path: Path
    deal: Deal

    @property
    def method(self) -> Method:
        """The method of the search: whether a state is a position, or covers many."""
        from dbmsolver.storage.store import manifest_of

        return manifest_of(self.path).method

    @property
    def policy(self) -> Policy:
        """The policy of the search: which safe moves to the foundations it makes by itself."""
        from dbmsolver.storage.store import manifest_of

        return manifest_of(self.path).policy

    @property
    def metric(self) -> Metric:
        """The metric of the search: what counts as a move."""
        from dbmsolver.storage.store import manifest_of

        return manifest_of(self.path).metric

    def status(self) -> StoreStatus:
        """Return the verdict, and counts of states by layer and stratum, as of the last commit."""
        from dbmsolver.search import inspect

        return inspect.status(self.path)

    def lookup(self, position: Position) -> list[Move] | None:
        """Return moves from the deal to a position that the search has met; None if it has not.

        Met are the deal, the positions that it closed, and those of its solution. UsageError for a
        position of another kind of game.
        """
        from dbmsolver.search import inspect

        checked_instance("position", position, Position)
        return inspect.lookup(self.path, position)

    def answer(self) -> Result:
        """Return the answer of a finished search.

        An unfinished search for a shortest solution gives the best solution so far.
        """
        from dbmsolver.search import session

        return session.answer(self.path)

    def certificate(self) -> str:
        """Return the certificate of a finished search: claim, counts and digest, as JSON."""
        from dbmsolver.search import inspect
        from dbmsolver.storage import certificate_file

        return certificate_file.dump(inspect.certificate(self.path))


def open_store(path: Path | str) -> StoredSearch:
    """Return the search in a store, to be read only; StoreError if there is none."""
    return stored_search(checked_path("path", path))


def stored_search(path: Path) -> StoredSearch:
    """Return the search in a store; StoreError for a path that cannot be one, too."""
    from dbmsolver.search import inspect

    return StoredSearch(path, inspect.deal(path))


def verify_store(
    path: Path | str,
    *,
    threads: int | None = None,
    memory: int | str | None = None,
    sample: float | None = None,
    depth: Literal["lemma", "full"] | None = None,
    certificate: Path | str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Verification:
    """Check that what the finished search in a store claims is right.

    This is a program of its own, with keys and moves of its own. `sample` is a share of the store's
    blocks from 0 to 1, to check only these. `depth` is for proofs over dominating positions or
    classes: "lemma" takes the theorems of docs/dominance.md for granted; "full" lists all positions
    of the deal besides, and takes only the rules of the game for granted; without it the store's
    size decides. `certificate` is the path of one that the store has to agree with. The report's
    `valid` says it, `reason` and `position` are the first counterexample. Raises StoreError for a
    store that claims nothing, UsageError for a depth that it cannot have, InputError for a file
    that is no certificate.
    """
    place = checked_path("path", path)
    if threads is not None:
        threads = checked_whole("threads", threads, 1, MOST_THREADS)
    budget = None if memory is None else checked_size("memory", memory, least=1)
    if sample is not None:
        sample = checked_share("sample", sample)
    checked_choice("depth", depth, (None, "lemma", "full"))
    checked_function("progress", progress)
    against = None
    if certificate is not None:
        against = load_certificate(checked_path("certificate", certificate))
    return follow(check_store(place, threads, budget, sample, depth, against), progress)


def load_certificate(path: Path) -> Certificate:
    """Return the certificate in a file; InputError if it is none."""
    from dbmsolver.storage import certificate_file

    return certificate_file.load(path)


def check_store(
    path: Path,
    threads: int | None,
    memory: int | None,
    sample: float | None,
    depth: Literal["lemma", "full"] | None,
    against: Certificate | None,
) -> Generator[Progress, None, Verification]:
    """Check a store, and that it agrees with a certificate; a generator of how far it has come."""
    from dbmsolver.verify import check

    return check.verify(
        path, threads=threads, memory=memory, sample=sample, depth=depth, against=against
    )
