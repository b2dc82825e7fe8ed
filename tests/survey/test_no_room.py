"""Tables on a disk that is full: what was written before stays, and one line says what is wrong."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

import pytest
from helpers.rows import row

from dbmsolver.errors import SystemRefusedError
from dbmsolver.survey.formats import ENDINGS, LINES, read_rows
from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.table import SurveyTable, load_rows

ROOM = 6000


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_room(tmp_path: Path, ending: str) -> None:
    """No file may grow beyond some bytes, as on a full disk; later there is room again."""
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"table{ending}"
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))
        try:
            with SurveyTable(path, Inquiry.VERDICT) as table:
                for number in range(1, 1000):
                    table.put([row(number)])
        except SystemRefusedError as error:
            os._exit(5 if "cannot be written" in str(error) else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    rows = [one.number for one in load_rows(path).sorted()]
    assert len(rows) > 5
    assert rows == list(range(1, len(rows) + 1))
    with SurveyTable(path, Inquiry.VERDICT) as table:
        table.put([row(999)])
    assert [one.number for one in load_rows(path).sorted()] == [*rows, 999]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("ending", LINES)
def test_a_part_of_a_line_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """The row is refused, and the next one begins a line of its own once there is room again."""
    path, write = tmp_path / f"table{ending}", os.write
    with SurveyTable(path, Inquiry.VERDICT) as table:
        table.put([row(1)])
        before = path.read_bytes()
        monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:9]))
        with pytest.raises(SystemRefusedError, match="no room"):
            table.put([row(2)])
        assert path.read_bytes() == before
        monkeypatch.undo()
        table.put([row(3)])
        assert path.read_bytes().splitlines()[:-1] == before.splitlines()
        assert [one.number for one in read_rows(path, ending)] == [1, 3]
