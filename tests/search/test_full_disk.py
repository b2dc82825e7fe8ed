"""A disk that is really full: a small file system in memory, in a mount namespace of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
mount -t tmpfs -o size=3m tmpfs "$1" || exit 99
run() {
    "$PYTHON" -c "$PROGRAM" prove 12064 --freecells 2 --every-position \
        --store "$1/store" --json --quiet
    echo "exit $?"
}
run "$1"
run "$1"
mount -o remount,size=200m "$1"
run "$1"
run "$1"
"""
PROGRAM = """
from dbmsolver.search import recorder
from dbmsolver.cli.app import main

recorder.COMMIT_SECONDS = 0.2
main()
"""


def namespaces() -> bool:
    """Whether this user may mount something here."""
    try:
        made = subprocess.run(
            ["unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /tmp"], capture_output=True
        )
    except OSError:
        return False
    return made.returncode == 0


@pytest.mark.skipif(not namespaces(), reason="needs the right to mount a file system")
def test_a_disk_that_is_full_and_made_larger(tmp_path: Path) -> None:
    made = subprocess.run(
        ["unshare", "--mount", "sh", "-c", SCRIPT, "sh", str(tmp_path)],
        env={**os.environ, "PYTHON": sys.executable, "PROGRAM": PROGRAM},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Traceback" not in made.stderr, made.stderr
    *runs, rest = made.stdout.split("exit ")
    first, second, third, fourth = (json.loads(text[text.index("{") :]) for text in runs)
    codes = [int(text.split("\n")[0]) for text in (*runs[1:], rest)]
    assert codes[0] == codes[1] != codes[2] == codes[3]
    for answer in (first, second):
        assert (answer["verdict"], answer["limit"]) == ("undecided", "disk full")
    assert 0 < first["states"] <= second["states"] < 11_629_132
    for answer in (third, fourth):
        assert (answer["verdict"], answer["states"]) == ("unsolvable", 11_629_132)
        assert answer["digest"] == "51c4028b9de1bbfb"
