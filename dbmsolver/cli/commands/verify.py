"""`verify`: whether the claim of a store, or of a certificate, is right."""

from __future__ import annotations

import os
import re
import time
from functools import partial
from pathlib import Path
from typing import Any

import click

from dbmsolver.cli.answers import follow, say_compiling_goes_on
from dbmsolver.cli.json_data import deal_data, dump_json, rules_data
from dbmsolver.cli.options import DisplayOptions, checking_options, json_option, threads_option
from dbmsolver.cli.progress import ProgressDisplay
from dbmsolver.cli.render import verdict_line
from dbmsolver.cli.values import MEMORY, Parsed
from dbmsolver.cli.verification import claim_data, render_json, render_text
from dbmsolver.errors import (
    EXIT_SOLVED,
    EXIT_STORE,
    StoreError,
    UndecidedError,
    UsageError,
    quoted,
)
from dbmsolver.results import Report, Verdict
from dbmsolver.steps import changed


def parse_share(text: str) -> float:
    """Return a share: `1%` or `0.01`. Raises UsageError for another text."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(%?)", text, re.A)
    share = float(match[1]) / (100 if match[2] else 1) if match else 0.0
    if not 0 < share <= 1:
        raise UsageError(f"{quoted(text)} is no share, expected one like 1% or 0.01")
    return share


@click.command("verify")
@click.argument("source", metavar="STORE|CERTIFICATE", type=click.Path())
@click.option(
    "--certificate",
    "against",
    metavar="CERTIFICATE",
    type=click.Path(),
    help="Compare STORE with this certificate, too.",
)
@click.option(
    "--sample",
    type=Parsed("share", parse_share),
    help="Check the states of a random sample of the store's blocks only, for instance 1%.",
)
@click.option(
    "--depth",
    type=click.Choice(["lemma", "full"]),
    help="Of a proof over dominating positions or classes. lemma: check that what follows from "
    "each, by the theorems of docs/dominance.md, is there. full: list all positions of the deal "
    "besides, by the rules of the game alone.  [default: full up to a million of them, if the "
    "positions fit into memory; else lemma]",
)
@threads_option
@click.option(
    "--memory",
    type=MEMORY,
    help="Memory to use: 2G, 500M; what does not fit is checked in parts, one after the other.  "
    "[default: half of the machine's]",
)
@json_option
@checking_options
def verify_command(
    source: str,
    against: str | None,
    sample: float | None,
    depth: Any,
    threads: int | None,
    memory: int | None,
    as_json: bool,
    display: DisplayOptions,
) -> int:
    """Check that what a finished search claims is right.

    Given a STORE, every position (or record of dominating positions) that the search has closed is
    checked by a program of its own, which has its own keys and moves. Given a CERTIFICATE, the
    search is run again, by the same method, and compared with it.

    Exit codes: 0 valid, 4 not valid, with the first counterexample; 20 if the search of a
    CERTIFICATE needs more memory.
    """
    from dbmsolver.api.compilers import compilers_for_check
    from dbmsolver.api.stores import check_store, load_certificate

    if not os.path.lexists(source):
        raise StoreError("no store and no certificate here, expected one of them", source)
    record = None if against is None else load_certificate(Path(against))
    progress = display.progress()
    if Path(source).is_dir():
        started = time.monotonic()
        steps = check_store(Path(source), threads, memory, sample, depth, record)
        reports = changed(steps, lambda event: _report(event, time.monotonic() - started))
        with compilers_for_check(Path(source), partial(say_compiling_goes_on, progress)):
            report = follow(reports, progress, None)
            click.echo(render_json(report) if as_json else render_text(report), nl=False)
        return EXIT_SOLVED if report.valid else EXIT_STORE
    if sample is not None or record is not None or depth is not None:
        raise UsageError("--sample, --depth and --certificate are for stores", source)
    valid, text = _repeat(source, threads, memory, as_json, progress)
    click.echo(text, nl=False)
    return EXIT_SOLVED if valid else EXIT_STORE


def _report(event: Any, elapsed: float) -> Report:
    from dbmsolver.process import anonymous_memory

    words = "verify" if event.phase == "checking" else f"verify ({event.phase})"
    return Report(
        question=words,
        phase="search",
        stratum=event.stratum,
        last_stratum=event.last_stratum,
        states=event.states,
        evaluated=event.states,
        pending=event.all_states - event.states,
        memory=anonymous_memory(),
        disk=0,
        elapsed=elapsed,
        done=event.share,
    )


def _repeat(
    source: str, threads: int | None, memory: int | None, as_json: bool, progress: ProgressDisplay
) -> tuple[bool, str]:
    """Run the search of a certificate again; return (True if it agrees, the report)."""
    from dbmsolver.api.certificates import repeat_search

    repeated = follow(repeat_search(Path(source), threads, memory), progress, None)
    result, different = repeated.result, repeated.different
    if result.verdict == Verdict.UNDECIDED:
        raise UndecidedError(f"{verdict_line(result)}: expected more --memory", source)
    valid = not different
    if as_json:
        data = {
            "kind": "verification",
            **claim_data(repeated.record),
            "valid": valid,
            "reason": different[0] if different else None,
            "certificate": source,
            "deal": deal_data(repeated.deal),
            "rules": rules_data(repeated.deal.rules),
            "differences": list(different),
            "digest": result.digest,
            "seconds": round(result.seconds, 3),
        }
        return valid, dump_json(data)
    digest = "" if result.digest is None else f", digest {result.digest}"
    lines = [f"{verdict_line(result)}{digest}"]
    if valid:
        lines.append(f"{source}: valid, the search run again says the same")
    else:
        lines.append(f"{source}: NOT VALID, the search run again says otherwise")
        lines += [f"  {line}" for line in different[:20]]
    return valid, "".join(line + "\n" for line in lines)
