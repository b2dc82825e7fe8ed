"""Stores that are read where nothing can be written, and while another process writes."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path

import lmdb
import pytest
from helpers.command import PROGRAM, SOON_COMMITTING
from helpers.mounting import run_mounted
from helpers.rows import row
from helpers.searching import prove

from dbmsolver.errors import ChangedError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.search import inspect, session
from dbmsolver.storage.datafile import DataFile
from dbmsolver.storage.store import Store
from dbmsolver.survey.formats import write_table

DEAL = Deal.from_number(11982)
READ_ONLY = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 99
for command in status export certificate "verify --quiet" "lookup --json"; do
    set -- "$1" $command
    board=; [ "$2" = lookup ] && board=11982
    "$PYTHON" -m dbmsolver $2 "$1" $board $3 > /dev/null || exit 1
done
"$PYTHON" -m dbmsolver resume "$1/.." 2> /dev/null && exit 2
exit 0
"""
REPORTED = """
mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 99
"$PYTHON" -m dbmsolver survey -o "$1/t.csv" --report "$2" --quiet || exit 1
"$PYTHON" -m dbmsolver survey 1-2 -o "$1/t.csv" --quiet 2> /dev/null && exit 2
exit 0
"""


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reading") / "proof"
    assert prove(DEAL, store=path).verdict == "unsolvable"
    return path


def look_at(path: Path) -> None:
    assert inspect.status(path).verdict == "unsolvable"
    assert session.answer(path).states == 61_643
    assert inspect.certificate(path)["claim"] == "unsolvable"
    assert inspect.lookup(path, DEAL.position) == []


def test_reading_opens_nothing_for_writing(proof: Path) -> None:
    """Not even a time of change is left behind, and other files than the data are not needed."""
    before = {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in proof.iterdir()}
    look_at(proof)
    after = {file.name: (file.stat().st_mtime_ns, file.read_bytes()) for file in proof.iterdir()}
    assert after == before


def test_the_data_file_alone_is_enough(proof: Path, tmp_path: Path) -> None:
    shutil.copy(proof / "data.mdb", tmp_path / "data.mdb")
    look_at(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["data.mdb"]


def test_in_a_directory_of_somebody_else(proof: Path, tmp_path: Path) -> None:
    """Read by a user who may not write."""
    store = shutil.copytree(proof, tmp_path / "store")
    for file in (*store.iterdir(), store):
        file.chmod(
            stat.S_IRUSR
            | stat.S_IRGRP
            | stat.S_IROTH
            | (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH) * file.is_dir()
        )
    temporary = Path(tempfile.gettempdir())
    child = os.fork()
    if not child:
        status = 1
        try:
            if not os.getuid():
                below = [
                    path for path in (*tmp_path.parents, tmp_path) if temporary in path.parents
                ]
                for folder in below:
                    if folder.stat().st_uid == 0:
                        folder.chmod(0o755)
                os.setgid(65534)
                os.setuid(65534)
            look_at(store)
            try:
                Store.open(store)
            except StoreError as error:
                status = 0 if "\n" not in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_on_a_read_only_file_system(proof: Path) -> None:
    run_mounted(READ_ONLY, proof)


def test_a_report_of_a_table_on_a_read_only_file_system(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder, page = tmp_path / "folder", tmp_path / "page.html"
    folder.mkdir()
    write_table([row(1), row(2)], folder / "t.csv", ".csv")
    run_mounted(REPORTED, folder, page)
    assert page.is_file()


def test_while_it_is_searched(tmp_path: Path) -> None:
    """The last commit is shown; a second writer is refused; the writer is not disturbed."""
    store = tmp_path / "store"
    events = session.run("prove", DEAL, session.Options(store=store, method="every-position"))
    next(events)
    status = inspect.status(store)
    assert status.verdict is None
    with pytest.raises(StoreError, match="another search or command is using this store"):
        Store.open(store)
    while True:
        try:
            next(events)
        except StopIteration as end:
            assert end.value.states == 61_643
            break
        inspect.status(store)
    look_at(store)


@pytest.mark.slow
def test_two_processes(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    line = [
        *SOON_COMMITTING,
        "prove",
        "504179225",
        "--every-position",
        "--memory",
        "256M",
        "--threads",
        "1",
        "--store",
        store,
        "--log-json",
    ]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as child, ExitStack() as stack:
        stack.callback(child.kill)  # where a test fails nobody waits for the search
        assert child.stderr is not None
        while not child.stderr.readline().startswith("{"):  # the first commit
            pass
        status = subprocess.run(
            [*PROGRAM, "status", store, "--json"], capture_output=True, text=True
        )
        assert status.returncode == 0, status.stderr
        assert json.loads(status.stdout)["verdict"] is None
        for command, words in (
            ("verify", "claims nothing"),
            ("resume", "another search or command is using this store"),
            ("export", "not finished"),
        ):
            other = subprocess.run([*PROGRAM, command, store], capture_output=True, text=True)
            assert other.returncode == 4
            assert words in other.stderr and other.stderr.count("\n") == 1
        child.terminate()
        child.stderr.read()
        assert child.wait(60) == 130


def test_what_is_read_belongs_to_one_commit(tmp_path: Path) -> None:
    """A writer that changes all records at every commit, as fast as it can."""
    ready, go = os.pipe()
    child = os.fork()
    if not child:
        with lmdb.open(str(tmp_path), map_size=1 << 28, sync=False) as environment:
            for number in range(100_000):
                with environment.begin(write=True) as txn:
                    for record in range(40):
                        size = (number * 31 + record * 77) % 9000
                        txn.put(b"C%d" % record, b"%08d" % number + bytes(size))
                if number == 5:
                    os.write(go, b"!")
        os._exit(0)
    os.read(ready, 1)
    tries = read = 0
    try:
        # However seldom it is as fast as the writer: that ends some time.
        while tries < 500 or not read:
            tries += 1
            try:
                file = DataFile(tmp_path / "data.mdb", "store")
            except ChangedError:
                continue
            try:
                values = [file.get(key) for key in file.keys()]  # noqa: SIM118
            except ChangedError:
                continue
            finally:
                file.close()
            assert len({value[:8] for value in values if value is not None}) == 1
            read += 1
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
