"""One byte of a store is another one: every command refuses, or says what is right."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from helpers.selection import few_fast

from dbmsolver.cli.app import cli
from dbmsolver.search.proof import dives

TRANSACTIONS = {page + byte for page in (0, 4096) for byte in range(144, 152)}
"""The bytes in which LMDB has the number of the last transactions, without a checksum: with another
number it takes the commit before for the newest, and a command tells what was right then.
"""
VOLATILE = ("seconds", "peak_memory", "disk")


class Kind(NamedTuple):
    """A search that a store holds."""

    search: str
    dives: bool
    """True if records are searched in memory first."""


KINDS = {
    "every, finished": Kind("prove 1 --freecells 1 --every-position", True),
    "every, begun": Kind("prove 1 --freecells 1 --every-position --max-states 30", True),
    "solve, finished": Kind("solve 1 --freecells 1", True),
    "solve, begun": Kind("solve 1 --freecells 1 --max-states 30", True),
    "dives, exhausted": Kind("prove 146692", True),
    "dives, won": Kind("prove 1", True),
    "records, finished": Kind("prove 146692", False),
    "records, begun": Kind("prove 146692 --max-states 500", False),
    "classes, finished": Kind("prove 66 --game klondike_by_threes", True),
    "classes, begun": Kind("prove 66 --game klondike_by_threes --max-states 30", False),
    "a stock, begun": Kind("solve 1 --game klondike_by_threes --max-states 3000", True),
    "a stack, begun": Kind("solve 1 --game canfield --max-states 500", True),
    "pairs, begun": Kind("solve 285 --game pyramid --max-states 300", True),
    "one pile, begun": Kind("prove 1 --game golf --max-states 300", True),
}


class Said(NamedTuple):
    """The output of a command, but for parts that differ from run to run."""

    code: int
    answer: object
    complaint: str


def run(*args: str) -> Said:
    result = CliRunner().invoke(cli, args)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    answer: object = result.stdout
    if "--json" in args and result.stdout:
        told = json.loads(result.stdout)
        answer = {name: value for name, value in told.items() if name not in VOLATILE}
    return Said(result.exit_code, answer, result.stderr)


def commands(store: Path, board: Path) -> list[tuple[str, ...]]:
    """Every command that reads a store."""
    name, one = str(store), ("--quiet", "--threads", "1", "--json")
    return [
        ("status", name, "--json"),
        ("status", name),
        ("status", name, "--plot", "-"),
        ("lookup", name, str(board), "--json"),
        ("export", name, "--json"),
        ("certificate", name),
        ("verify", name, *one),
        ("resume", name, *one),
    ]


def check(found: Said, right: Said, command: tuple[str, ...]) -> None:
    """Check that a command on a damaged store answers the same, or refuses it in a line."""
    if (found.code, found.answer) == (right.code, right.answer):
        return
    assert found.code == 4, command
    if command[0] == "verify" and found.answer:
        assert isinstance(found.answer, dict) and found.answer["valid"] is False
    else:
        assert (found.answer, found.complaint.count("\n")) == ("", 1), command


@pytest.mark.parametrize("copies", [2, pytest.param(15, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", few_fast(KINDS, 3))
def test_one_byte_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, copies: int
) -> None:
    if not KINDS[kind].dives:
        monkeypatch.setattr(dives, "SCHEDULE", ())
    whole, store, board = tmp_path / "whole", tmp_path / "store", tmp_path / "board"
    words = KINDS[kind].search.split()
    assert run(*words, "--store", str(whole), "--quiet", "--threads", "1").code in (0, 10, 20)
    game = words[2:4] if words[2:3] in (["--freecells"], ["--game"]) else []
    board.write_text(str(run("deal", words[1], *game).answer))
    data = (whole / "data.mdb").read_bytes()
    places = [place for place in range(len(data)) if place not in TRANSACTIONS]
    used = [place for place in places if data[place]]
    chance = random.Random(kind)

    def copied(damage: tuple[int, int] | None = None) -> None:
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(whole, store)
        if damage is not None:
            place, change = damage
            other = bytearray(data)
            other[place] ^= change
            (store / "data.mdb").write_bytes(other)

    copied()
    right = [run(*command) for command in commands(store, board)]
    for number in range(copies):
        # Most of a small store is empty pages.
        place = chance.choice(used if number % 4 else places)
        copied((place, chance.randrange(1, 256)))
        for command, expected in zip(commands(store, board), right, strict=True):
            check(run(*command), expected, command)
