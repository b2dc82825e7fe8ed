"""The command line, run in the process of the tests or as a program of its own."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
from click.testing import CliRunner, Result

from dbmsolver.cli.app import cli

PROGRAM = [sys.executable, "-m", "dbmsolver"]
"""The program, for tests that start it."""
_SOON = """
from dbmsolver.__main__ import main
from dbmsolver.search import recorder

recorder.COMMIT_SECONDS = 0.2
main()
"""
SOON_COMMITTING = [sys.executable, "-c", _SOON]
"""The same, with commits every fifth of a second: for tests that wait for the first one."""
SCHEMA = json.loads((Path(__file__).parents[2] / "dbmsolver" / "answers.schema.json").read_text())


@cache
def _schema_of(kind: str) -> jsonschema.Draft202012Validator:
    """Return the schema of answers of a kind.

    `tests/cli/test_json.py` has a test that an answer is valid by the whole schema if it is valid
    by that of its kind, and that no other takes it. To ask that of each answer takes several times
    as long, and errors of one kind tell more than "is valid under none of these".
    """
    chosen = {"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{kind}"}
    return jsonschema.Draft202012Validator(chosen)


def run(
    *args: object, stdin: str | bytes | None = None, env: dict[str, str] | None = None
) -> Result:
    """Return the result of `dbmsolver ARGS`, with this on standard input and in the environment."""
    return CliRunner(env=env).invoke(cli, [str(arg) for arg in args], input=stdin)


def answer(*args: object, code: int = 0) -> dict[str, Any]:
    """Return the object that a command prints with --json.

    It is valid by the schema; the command ends with the code.
    """
    result = run(*args, "--json")
    assert result.exit_code == code, result.output
    data: dict[str, Any] = json.loads(result.stdout)
    _schema_of(data["kind"]).validate(data)
    return data
