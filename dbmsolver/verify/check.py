"""A store checked from end to end, and the report on it."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path

from dbmsolver.errors import ChangedError, DiskFullError, InputError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.process import anonymous_memory
from dbmsolver.storage.certificate import deal_of, differences, from_manifest
from dbmsolver.storage.certificate_file import Certificate
from dbmsolver.storage.store import Store
from dbmsolver.verify.refutation import Refuted, StateWords
from dbmsolver.verify.report import CheckOptions, Depth, Progress, Verification
from dbmsolver.verify.run import StoreCheck, run_check
from dbmsolver.verify.solution import bad_path


def verify(
    path: Path,
    *,
    threads: int | None = None,
    memory: int | None = None,
    sample: float | None = None,
    seed: int | None = None,
    depth: Depth | None = None,
    against: Certificate | None = None,
) -> Generator[Progress, None, Verification]:
    """Check a store: yield the progress, return the report.

    ``sample`` is the share of blocks to check, from 0 to 1; ``depth`` is for proofs over dominating
    positions; ``against`` is a certificate that the store must agree with. UsageError if the store
    has no such depth, or memory is too small for it; StoreError if there is nothing to check: no
    store, or one that claims nothing or has not kept its closed states.
    """
    started = time.monotonic()
    with Store.open(path, readonly=True) as store:
        manifest = store.manifest
        certificate = from_manifest(manifest, str(path))
        if manifest.keep == "none" and certificate["claim"] != "solved":
            raise StoreError(
                "was made with --keep none, and has no closed states to check", str(path)
            )
        deal = _deal(certificate, str(path))
        report = Verification(path, deal, certificate, sample=sample)
        check = StoreCheck(
            store, manifest, report, CheckOptions(threads, memory, sample, seed, depth)
        )
        try:
            for progress in run_check(check):
                report.peak_memory = max(report.peak_memory, anonymous_memory())
                yield progress
            if against is not None:
                _compare(certificate, against, deal)
                report.checked.append("the certificate agrees with the store")
            report.valid = True
        except Refuted as refuted:
            report.reason, report.relation = refuted.reason, refuted.relation
            report.position = _position(refuted.shown, check)
            report.neighbour = _position(refuted.other, check)
        except (ChangedError, DiskFullError):
            raise  # the store is not to blame
        except StoreError as error:
            # A damaged block, or one that is not what its key says.
            report.reason = str(error)
    report.seconds = round(time.monotonic() - started, 3)
    report.peak_memory = max(report.peak_memory, anonymous_memory())
    return report


def _position(shown: StateWords | Position | None, check: StoreCheck) -> Position | None:
    """Return the position that a refutation shows; None if it shows none, or no position."""
    return check.show(shown) if isinstance(shown, tuple) else shown


def _deal(certificate: Certificate, where: str) -> Deal:
    try:
        return deal_of(certificate, where)
    except InputError as error:
        raise StoreError(f"the manifest is wrong: {error.message}", where) from error


def _compare(certificate: Certificate, other: Certificate, deal: Deal) -> None:
    """Raise Refuted if another certificate says anything else than the store's."""
    different = differences(certificate, other)
    if different:
        raise Refuted(f"the store differs from the certificate: {different[0]}")
    problem = bad_path(other, deal)
    if problem is not None:
        raise Refuted(f"the certificate is wrong: {problem}")
