"""A disk that is really full: a small file system in memory, in a mount namespace of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.mounting import run_mounted

SCRIPT = """
folder="$1" size="$2"
shift 2
mount -t tmpfs -o size="$size" tmpfs "$folder" || exit 99
run() {
    "$PYTHON" -c "$PROGRAM" "$@" --store "$folder/store" --json --quiet
    echo "exit $?"
}
run "$@"
run "$@"
mount -o remount,size=200m "$folder"
run "$@"
run "$@"
"""
PROGRAM = """
from dbmsolver.search import recorder
from dbmsolver.search.proof import dives
from dbmsolver.cli.app import main

recorder.COMMIT_SECONDS = 0.2
dives.SCHEDULE = ()  # so that records, too, are searched on disk
main()
"""


class Case(NamedTuple):
    """A search, the size of a disk that it fills, and what it finds on a larger one."""

    search: str
    size: str
    states: int
    digest: str


EVERY = Case("prove 12064 --freecells 2 --every-position", "3m", 11_629_132, "51c4028b9de1bbfb")
LITTLE_MEMORY = Case(
    "prove 17184 --freecells 2 --every-position --memory 128M", "3m", 7_604_417, "d3c4bfaf97fefec6"
)
RECORDS = Case("prove 17184 --freecells 2 --memory 128M", "1m", 779_344, "58f7cf43749e3bb5")
SHORTEST = Case("solve 5979 --freecells 3 --memory 128M", "1m", 534_206, "b40f391d7d2fa35d")


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(EVERY, id="every", marks=pytest.mark.slow),
        pytest.param(LITTLE_MEMORY, id="little memory", marks=pytest.mark.slow),
        pytest.param(RECORDS, id="records", marks=pytest.mark.slow),
        pytest.param(SHORTEST, id="shortest", marks=pytest.mark.slow),
    ],
)
def test_a_disk_that_is_full_and_made_larger(tmp_path: Path, case: Case) -> None:
    made = run_mounted(SCRIPT, tmp_path, case.size, *case.search.split(), PROGRAM=PROGRAM)
    assert "Traceback" not in made.stderr, made.stderr
    *runs, rest = made.stdout.split("exit ")
    first, second, third, fourth = (json.loads(text[text.index("{") :]) for text in runs)
    codes = [int(text.split("\n")[0]) for text in (*runs[1:], rest)]
    assert codes == [20, 20, 10, 10]
    for answer in (first, second):
        assert (answer["verdict"], answer["limit"]) == ("undecided", "disk full")
    assert first["states"] <= second["states"] < case.states
    for answer in (third, fourth):
        assert (answer["verdict"], answer["states"]) == ("unsolvable", case.states)
        assert answer["digest"] == case.digest


NO_ROOM = """
folder="$1"
mount -t tmpfs -o size=8m tmpfs "$folder" || exit 99
for left in 0 4096 8192 12288; do
    head -c $((8388608 - left)) /dev/zero > "$folder/all"
    "$PYTHON" -m dbmsolver solve 3 --store "$folder/store" --quiet > "$folder.out" 2> "$folder.err"
    echo "$? $(wc -l < "$folder.err") $(cat "$folder.err")"
    rm "$folder/all"
done
"$PYTHON" -m dbmsolver solve 3 --store "$folder/store" --quiet > "$folder.out"
echo "$?"
"""


def test_no_room_for_the_first_files(tmp_path: Path) -> None:
    """One line, however little room there is, and the same command begins when there is more."""
    made = run_mounted(NO_ROOM, tmp_path)
    *without_room, last = made.stdout.splitlines()
    assert len(without_room) == 4
    for line in without_room:
        code, lines, message = line.split(maxsplit=2)
        assert (code, lines) == ("5", "1"), made.stdout
        assert "No space left on device" in message
    assert last == "0", made.stderr


ANSWERED = """
mount -t tmpfs -o size=40k tmpfs "$1" || exit 99
export TMPDIR="$1"
"$PYTHON" -m dbmsolver prove 11982 --json --quiet; echo "exit $?"
"$PYTHON" -m dbmsolver prove 11982 --json --quiet --store "$1/store" 2>&1; echo "exit $?"
"""


def test_a_proof_that_is_whole_in_memory_needs_no_disk(tmp_path: Path) -> None:
    """A store that is asked for cannot be said to hold the proof."""
    made = run_mounted(ANSWERED, tmp_path)
    answer, ended, *rest = made.stdout.partition("exit 10\n")
    assert ended and made.stderr == ""
    assert (json.loads(answer)["verdict"], json.loads(answer)["states"]) == ("unsolvable", 11_162)
    assert "exit 20" in rest[0] or "exit 5" in rest[0]
