"""The man page says what the commands say, and a formatter of man pages takes it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from dbmsolver.cli.app import COMMANDS, cli

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "dbmsolver.1"


def test_it_is_what_the_tool_prints() -> None:
    command = [sys.executable, str(ROOT / "tools" / "manpage.py")]
    made = subprocess.run(
        command,
        env={"PYTHONPATH": ":".join([str(ROOT), *sys.path])},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert made.stdout == PAGE.read_text(), "expected: python tools/manpage.py > docs/dbmsolver.1"


def test_every_command_and_option_stands_in_it() -> None:
    text = PAGE.read_text().replace("\\-", "-")
    context = click.Context(cli, info_name="dbmsolver")
    sections = re.split(r"(?m)^\.S[SH] ", text)
    for name in COMMANDS:
        (section,) = (part for part in sections if part.startswith(f"dbmsolver {name} "))
        command = cli.get_command(context, name)
        assert command is not None
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert all(option in section for option in parameter.opts)


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_groff_has_no_complaint() -> None:
    command = ["groff", "-man", "-Tascii", "-ww", str(PAGE)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stderr == ""
    assert "EXIT STATUS" in re.sub(".\b", "", result.stdout)
