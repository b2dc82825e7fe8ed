"""`certificate`: the small record of a finished search."""

from __future__ import annotations

from pathlib import Path

import click

from dbmsolver.cli.options import output_option, store_argument
from dbmsolver.cli.output import check_output, refuse_ending, write_text


@click.command("certificate")
@store_argument
@output_option("Where to write the certificate.")
def certificate_command(store: str, output: str | None) -> None:
    """Write the certificate of the finished search in STORE.

    It holds the claim, the deal and its rules, the counts of states by stratum, and the digest over
    all of them, as JSON. verify runs the search of a certificate again, or compares a store with
    it.
    """
    refuse_ending(output, "certificates", "expected .json")
    check_output(output, store)
    from dbmsolver.api.stores import stored_search

    write_text(stored_search(Path(store)).certificate(), output)
