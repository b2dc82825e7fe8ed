"""The table of a survey: rows are kept as they come, each once, by one process at a time."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.rows import row

from dbmsolver.disk import lock
from dbmsolver.errors import StoreError, SystemRefusedError, UsageError
from dbmsolver.game.shipped import rules_for
from dbmsolver.survey.formats import (
    ENDINGS,
    LINES,
    first_line,
    lines_of,
    read_rows,
    write_table,
)
from dbmsolver.survey.loading import TableRows, journal_of, load_rows
from dbmsolver.survey.rows import COLUMNS, Inquiry, Row
from dbmsolver.survey.table import SurveyTable, _cut_last_line

VERDICT = Inquiry.VERDICT
ROWS = [
    row(3, verdict="solved", states=5, method="dominating", seconds=0.25),
    row(1, digest="00"),
    row(2, rules=rules_for("freecell", 2), verdict="unsolvable", digest="0123456789abcdef"),
]


@pytest.fixture(params=ENDINGS)
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param == ".parquet":
        pytest.importorskip("pyarrow")
    return tmp_path / f"table{request.param}"


def kept(path: Path) -> list[Row]:
    return list(load_rows(path).values())


def test_what_is_put_is_read(path: Path) -> None:
    with SurveyTable(path, VERDICT) as table:
        for one in ROWS:
            table.put([one])
        assert sorted(map(str, kept(path))) == sorted(map(str, ROWS))  # before the end, too
    assert not journal_of(path).exists()
    assert kept(path) == [ROWS[2], ROWS[1], ROWS[0]]  # in order: by rules, then by number
    first = path.read_bytes()
    with SurveyTable(path, VERDICT):
        pass
    assert path.suffix == ".parquet" or path.read_bytes() == first
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_rows_that_take_the_place_of_open_ones(path: Path) -> None:
    with SurveyTable(path, VERDICT) as table:
        table.put([row(1)])
        table.put([row(2)])
    with SurveyTable(path, VERDICT) as table:
        table.put([row(1, verdict="solved")])
        assert {one.verdict for one in kept(path)} == {"solved", "undecided"}
    assert [one.verdict for one in kept(path)] == ["solved", "undecided"]


def test_rows_of_parquet_come_into_the_table_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    monkeypatch.setattr("dbmsolver.survey.table.LEAST_REWRITE_SECONDS", 0.0)
    monkeypatch.setattr("dbmsolver.survey.table.REWRITE_SHARE", 0)
    with SurveyTable(path, VERDICT) as table:
        table.put([ROWS[0]])
        assert not path.exists()
        table.flush()
        assert journal_of(path).stat().st_size == 0
        assert list(read_rows(path, ".parquet")) == ROWS[:1]
        written = path.stat().st_ino
        table.flush()
        assert path.stat().st_ino == written  # nothing came in between
        table.put([ROWS[1]])
        assert len(kept(path)) == 2
    assert len(kept(path)) == 2


def test_rows_of_a_killed_process_come_into_the_table_at_the_first_flush(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    monkeypatch.setattr("dbmsolver.survey.table.LEAST_REWRITE_SECONDS", 0.0)
    dies(path, ROWS[:2])
    with SurveyTable(path, VERDICT) as table:
        table.flush()
        assert list(read_rows(path, ".parquet")) == [ROWS[1], ROWS[0]]


def test_a_table_is_written_anew_in_one_part_of_fifty_of_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor more often than every 20 seconds, where writing it takes no time."""
    pytest.importorskip("pyarrow")
    path, now, took = tmp_path / "table.parquet", 1000.0, 0.0

    def slow(rows: list[Row], beside: Path, ending: str) -> None:
        nonlocal now
        write_table(rows, beside, ending)
        now += took

    monkeypatch.setattr("dbmsolver.survey.table.time.monotonic", lambda: now)
    monkeypatch.setattr("dbmsolver.survey.table.write_table", slow)
    with SurveyTable(path, VERDICT) as table:
        for number, (cost, rest) in enumerate([(0.25, 20), (0.5, 20), (0.0, 25), (0.0, 20)]):
            took = cost
            table.put([row(number + 1)])
            for seconds, count in ((rest, number), (0.125, number + 1)):
                now += seconds
                table.flush()
                written = len(list(read_rows(path, ".parquet"))) if path.exists() else 0
                assert written == count


def test_rows_are_flushed_to_the_disk_once_a_second(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flush the journal, and the table if rows are appended to it."""
    now = 1000.0
    flushed: list[Path] = []
    monkeypatch.setattr("dbmsolver.survey.table.time.monotonic", lambda: now)
    with SurveyTable(path, VERDICT) as table:
        monkeypatch.setattr(
            os, "fsync", lambda handle: flushed.append(Path(f"/proc/self/fd/{handle}").readlink())
        )
        both = [journal_of(path), path][: 1 + (path.suffix in LINES)]
        for seconds, times in ((1.0, 0), (0.125, 1), (1.0, 1), (0.125, 2)):
            now += seconds
            table.flush()
            assert flushed == both * times
        monkeypatch.undo()


@pytest.mark.parametrize("ending", LINES)
def test_lines_are_replaced_at_the_end_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = tmp_path / f"table{ending}"
    monkeypatch.setattr("dbmsolver.survey.table.LEAST_REWRITE_SECONDS", 0.0)
    with SurveyTable(path, VERDICT) as table:
        table.put([row(1)])
        table.put([row(1, verdict="solved")])
        table.flush()
        assert [one.verdict for one in read_rows(path, ending)] == ["undecided"]
    assert [one.verdict for one in read_rows(path, ending)] == ["solved"]


def test_no_part_of_a_table_that_could_not_be_written_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stops(rows: object, beside: Path, ending: str) -> None:
        beside.write_text("some rows")
        raise OSError(errno.ENOSPC, "no room")

    table = SurveyTable(path, VERDICT)
    table.put(ROWS)
    before = {one.name for one in path.parent.iterdir()}
    monkeypatch.setattr("dbmsolver.survey.table.write_table", stops)
    with pytest.raises(SystemRefusedError, match="no room"):
        table.close()
    assert {one.name for one in path.parent.iterdir()} == before
    assert sorted(map(str, kept(path))) == sorted(map(str, ROWS))


def dies(path: Path, put: list[Row]) -> None:
    """Put rows in a process that is killed."""
    child = os.fork()
    if not child:
        table = SurveyTable(path, VERDICT)
        for one in put:
            table.put([one])
        os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_a_process_that_dies_loses_nothing(path: Path) -> None:
    dies(path, ROWS[:2])
    assert journal_of(path).exists()
    dies(path, [row(1, verdict="solved", digest="00"), ROWS[2]])
    with SurveyTable(path, VERDICT) as table:
        assert len(table.rows) == 3
    assert [one.verdict for one in kept(path)] == ["unsolvable", "solved", "solved"]


def _reversed(text: str) -> str:
    lines = list(csv.reader(io.StringIO(text)))
    found = io.StringIO()
    csv.writer(found, lineterminator="\n").writerows(words[::-1] for words in lines)
    return found.getvalue()


def _by_windows(text: str) -> str:
    return "\ufeff" + text.replace("\n", "\r\n")


@pytest.mark.parametrize("change", [_reversed, _by_windows])
def test_a_table_that_a_spreadsheet_has_written(
    tmp_path: Path, change: Callable[[str], str]
) -> None:
    """Rows that follow are read back, if the process dies, too."""
    path = tmp_path / "table.csv"
    with SurveyTable(path, VERDICT) as table:
        table.put(ROWS[:2])
    path.write_text(change(path.read_text()), newline="")
    dies(path, ROWS[2:])
    assert sorted(map(str, kept(path))) == sorted(map(str, ROWS))
    with SurveyTable(path, VERDICT) as table:
        assert len(table.rows) == 3


@pytest.mark.parametrize("cut", [1, 30, 10_000])
def test_a_line_that_was_cut_off(path: Path, cut: int) -> None:
    dies(path, ROWS)
    torn = path if path.suffix in LINES else journal_of(path)
    data = torn.read_bytes()
    last = data.rstrip(b"\n").rfind(b"\n") + 1
    torn.write_bytes(data[: max(len(data) - cut, last)])
    assert len(kept(path)) == 2
    with SurveyTable(path, VERDICT) as table:
        assert len(table.rows) == 2
        table.put([ROWS[2]])
    assert len(kept(path)) == 3


@pytest.mark.parametrize("cut", [1, 30])
def test_a_row_after_a_line_that_was_cut_off_begins_a_line_of_its_own(path: Path, cut: int) -> None:
    """It is read back, if its process is killed, too."""
    dies(path, ROWS[:2])
    torn = path if path.suffix in LINES else journal_of(path)
    torn.write_bytes(torn.read_bytes()[:-cut])
    dies(path, ROWS[2:])
    assert kept(path) == [ROWS[0], ROWS[2]]


@pytest.mark.parametrize("ending", LINES)
def test_a_first_line_that_was_cut_off(tmp_path: Path, ending: str) -> None:
    """Take a table whose first line was being written for empty; refuse other text."""
    path = tmp_path / f"table{ending}"
    first = (first_line(ending) + lines_of(ROWS, ending)).partition("\n")[0]
    for size in (1, 12, len(first)):
        path.write_text(first[:size])
        assert kept(path) == []
        path.write_text("x" + first[:size])
        with pytest.raises(StoreError, match="not the columns of a survey"):
            kept(path)


def test_an_empty_file_is_a_table_without_rows(path: Path) -> None:
    path.touch()
    assert kept(path) == []
    with SurveyTable(path, VERDICT) as table:
        table.put([ROWS[0]])
    assert kept(path) == [ROWS[0]]


def test_rows_with_a_value_too_few_or_too_many(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    line = lines_of([row(1)], ".csv").removesuffix("\n")
    for words, count in ((line + ",", 1), (line.rpartition(",")[0], -1)):
        path.write_text(f"{first_line('.csv')}{words}\n")
        expected = len(COLUMNS)
        said = f"table.csv, line 2: {expected + count} values, expected {expected}$"
        with pytest.raises(StoreError, match=said):
            kept(path)


def test_files_that_cannot_be_read(path: Path) -> None:
    """Take neither a table nor a journal that cannot be read for one without rows."""
    path.mkdir()
    with pytest.raises(StoreError, match="cannot be read"):
        kept(path)
    path.rmdir()
    journal_of(path).mkdir()
    with pytest.raises(StoreError, match=r"journal: cannot be read"):
        kept(path)


def test_the_order_of_rows(path: Path) -> None:
    """Order by rules, then numbers, those of other programs after them, then boards."""
    fewer = [row(number, rules=rules_for("freecell", 2)) for number in (2, 10)]
    numbers = [row(number) for number in (-1, 3, 20)]
    others = [replace(row(number), deal=f"pysol {number}") for number in (1, 4)]
    boards = [replace(row(1), number=None, board=board) for board in ("a board", "b board")]
    expected = fewer + numbers + others + boards
    rows = TableRows(str(path))
    for one in expected[::-2] + expected[-2::-2]:
        rows.put(one)
    assert rows.sorted() == expected


@pytest.mark.parametrize("block", [1, 7, 1 << 16])
def test_where_the_last_line_ends_is_found_from_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("dbmsolver.survey.table._BLOCK", block)
    path = tmp_path / "lines"
    for text in ("", "no end", "one\n", "one\ntwo\nhalf of the th", "\n", "\nx"):
        path.write_text(text)
        _cut_last_line(path)
        assert path.read_text() == text[: text.rfind("\n") + 1]


@pytest.mark.parametrize("ending", LINES)
def test_a_file_of_lines_is_never_in_memory_as_a_whole(tmp_path: Path, ending: str) -> None:
    """A journal of millions of rows is several gigabytes."""
    path = tmp_path / f"table{ending}"
    path.write_text(first_line(ending) + lines_of(map(row, range(1, 3001)), ending))
    next(read_rows(path, ending))  # what is made once is made
    tracemalloc.start()
    assert sum(1 for _ in read_rows(path, ending)) == 3000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < path.stat().st_size / 2


def test_parquet_is_written_and_read_in_groups_of_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("dbmsolver.survey.parquet.GROUP", 2)
    path = tmp_path / "table.parquet"
    many = [row(number, evaluated=number) for number in range(1, 6)]
    write_table(iter(many), path, ".parquet")
    assert parquet.ParquetFile(path).num_row_groups == 3
    assert list(read_rows(path, ".parquet")) == many
    write_table(iter(()), path, ".parquet")
    assert list(read_rows(path, ".parquet")) == []


def test_killed_between_table_and_journal(path: Path) -> None:
    """The whole table is written, the journal not emptied yet: its rows are those of the table."""
    with SurveyTable(path, VERDICT) as table:
        for one in ROWS:
            table.put([one])
    journal_of(path).write_text(lines_of(ROWS, ".jsonl"))
    assert len(kept(path)) == 3
    with SurveyTable(path, VERDICT) as table:
        assert len(table.rows) == 3


def test_two_at_once(path: Path) -> None:
    with SurveyTable(path, VERDICT), pytest.raises(StoreError, match="another process"):
        SurveyTable(path, VERDICT)
    with SurveyTable(path, VERDICT) as table:
        table.put([ROWS[0]])


def test_a_journal_that_is_removed_while_it_is_opened(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that had the lock removes it at its end: a new one is made, and locked."""
    removed = 0

    def late(handle: int) -> None:
        nonlocal removed
        if removed < 2:
            journal_of(path).unlink()
            removed += 1
        lock(handle)

    monkeypatch.setattr("dbmsolver.survey.table.lock", late)
    with SurveyTable(path, VERDICT) as table:
        assert removed == 2 and journal_of(path).exists()
        table.put([row(1)])
        with pytest.raises(StoreError, match="another process is making this table"):
            SurveyTable(path, VERDICT)
    assert kept(path) == [row(1)]


def test_a_file_that_is_replaced_while_it_is_opened(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that has it by another name has written it anew: its rows are not lost."""
    with SurveyTable(path, VERDICT) as table:
        table.put([row(1)])
    locked = 0

    def late(handle: int) -> None:
        nonlocal locked
        locked += 1
        if locked == 2:  # after the journal
            write_table([row(1), row(2)], path.with_name("new"), path.suffix)
            path.with_name("new").replace(path)
        lock(handle)

    monkeypatch.setattr("dbmsolver.survey.table.lock", late)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(StoreError, match="another process is making this table"):
        SurveyTable(path, VERDICT)
    assert len(list(Path("/proc/self/fd").iterdir())) == opened
    with SurveyTable(path, VERDICT):
        assert kept(path) == [row(1), row(2)]


def test_a_place_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems have none: that is told as it is, and nothing is left open or written."""

    def refuse(_: int) -> None:
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr("dbmsolver.survey.table.lock", refuse)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    path = tmp_path / "table.csv"
    with pytest.raises(StoreError, match=r"cannot be locked \(no locks available\)"):
        SurveyTable(path, VERDICT)
    assert len(list(Path("/proc/self/fd").iterdir())) == opened
    assert not path.exists()


def test_another_question(path: Path) -> None:
    with SurveyTable(path, VERDICT) as table:
        table.put([ROWS[0]])
    with pytest.raises(StoreError, match="its question is verdict, not shortest"):
        SurveyTable(path, Inquiry.SHORTEST)
    assert not journal_of(path).exists()


def test_another_question_after_a_kill(path: Path) -> None:
    """The journal holds rows that the table has not: it stays, whoever is turned away."""
    dies(path, [row(1), row(2)])
    dies(path, [row(1, verdict="solved", digest="00")])
    before = journal_of(path).read_bytes()
    assert before
    with pytest.raises(StoreError, match="its question is verdict, not shortest"):
        SurveyTable(path, Inquiry.SHORTEST)
    assert journal_of(path).read_bytes() == before
    with SurveyTable(path, VERDICT):
        pass
    assert [one.verdict for one in kept(path)] == ["solved", "undecided"]


def test_another_version(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SurveyTable(path, VERDICT) as table:
        table.put([ROWS[0]])
    monkeypatch.setattr("dbmsolver.survey.table.PROGRAM", "dbmsolver 99.0")
    with pytest.raises(StoreError, match=r"made by dbmsolver .*, this is dbmsolver 99.0"):
        SurveyTable(path, VERDICT)


def test_contradictions(path: Path) -> None:
    with SurveyTable(path, VERDICT) as table:
        table.put([row(1, verdict="solved")])
        with pytest.raises(StoreError, match="contradiction with an earlier row"):
            table.put([row(2), row(1, verdict="unsolvable"), row(3)])
    assert [(one.number, one.verdict) for one in kept(path)] == [(1, "solved"), (2, "undecided")]
    journal_of(path).write_text(lines_of([row(1, verdict="unsolvable")], ".jsonl"))
    with pytest.raises(StoreError, match="contradiction"):
        SurveyTable(path, VERDICT)
    journal_of(path).write_bytes(b"\xff\xfe\n")
    with pytest.raises(StoreError, match="no table of a survey"):
        SurveyTable(path, VERDICT)


@pytest.mark.parametrize("ending", LINES)
@pytest.mark.parametrize("verdict", ["solved", "unsolvable"])
def test_a_row_twice(tmp_path: Path, ending: str, verdict: str) -> None:
    path = tmp_path / f"table{ending}"
    with SurveyTable(path, VERDICT) as table:
        table.put([row(1, verdict="solved")])
    with open(path, "a") as file:
        file.write(lines_of([row(1, verdict=verdict)], ending))
    reason = "stands in it twice" if verdict == "solved" else "contradiction"
    with pytest.raises(StoreError, match=reason):
        SurveyTable(path, VERDICT)


def test_other_files(path: Path) -> None:
    for data in (b"", b"a,b\n1,2\n", b"\xff\xfe\n", b"[1]\n", b'{"deal": 1}\n', b"PAR1 no PAR1"):
        path.write_bytes(data)
        if not data:
            assert kept(path) == []
            continue
        with pytest.raises(StoreError) as error:
            SurveyTable(path, VERDICT)
        assert "\n" not in str(error.value)
        assert path.read_bytes() == data
        assert not journal_of(path).exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "seven"),
        ("verdict", "won"),
        ("question", "why"),
        ("columns", 99),
        ("kings_sunk", "perhaps"),
        ("states", 1.5),
        ("board", "KS"),
        ("game", None),
        ("seconds", "long"),
    ],
)
@pytest.mark.parametrize("ending", LINES)
def test_impossible_values(tmp_path: Path, ending: str, name: str, value: object) -> None:
    path = tmp_path / f"table{ending}"
    line = json.loads(lines_of([ROWS[0]], ".jsonl")) | {name: value}
    if ending == ".jsonl":
        path.write_text(json.dumps(line) + "\n")
    else:
        words = ["" if one is None else str(one).lower() for one in line.values()]
        path.write_text(f"{','.join(line)}\n{','.join(words)}\n")
    if (ending, name) == (".csv", "game"):
        assert [one.game for one in read_rows(path, ending)] == [""]
        return
    with pytest.raises(StoreError, match=rf"table{ending}, line [12]"):
        SurveyTable(path, VERDICT)


def test_a_name_that_stands_twice_in_a_row(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    write_table([row(1)], path, path.suffix)
    text = path.read_text()
    path.write_text(text.replace("{", '{"number": 2, ', 1))
    with pytest.raises(StoreError, match="'number' twice in one object"):
        SurveyTable(path, VERDICT)


def test_deep_json(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    path.write_text("[" * 200_000 + "\n")
    with pytest.raises(StoreError, match=r"table.jsonl, line 1: no JSON"):
        SurveyTable(path, VERDICT)


@pytest.mark.parametrize("verdict", ["unsolvable", "undecided"])
def test_a_length_of_no_solution(path: Path, verdict: str) -> None:
    write_table([row(1, verdict=verdict, length=87)], path, path.suffix)
    with pytest.raises(StoreError, match=f"a length with the verdict {verdict}, expected none"):
        SurveyTable(path, VERDICT)


PARQUET = [
    ("number", [None, 2], "expected a number or a board"),
    ("number", ["one", "two"], "number is .*one.*, expected a whole number"),
    ("deal", ["1", "3"], "is none with the number 2"),
    ("deal", ["pysol 1", "freecell 2"], "is none with the number 2"),
    ("verdict", ["solved", "won"], "unknown verdict 'won', expected one of solved, unsolvable, u"),
    ("question", ["verdict", "why"], "unknown question 'why', expected one of verdict, shor"),
    ("shortest", ["TRUE", "TRUE"], "shortest is 'TRUE', expected true or false"),
    ("columns", [8, 99], "no rules"),
    ("game", ["freecell", None], "game is .*, expected a text"),
    ("states", [1.5, 2.0], "states is .*, expected a whole number"),
    ("kings_sunk", ["no", "no"], "kings_sunk is .*, expected true or false"),
    ("states", [1, -2], "states is '-2', expected 0 to"),
    ("number", [1, -3], "number is '-3', expected -2 to"),
    ("seconds", [1.0, float("nan")], "seconds is 'nan', expected a number that is not below 0"),
    ("seconds", [float("inf"), 1.0], "seconds is 'inf', expected a number that is not below 0"),
]


@pytest.mark.parametrize(("name", "values", "reason"), PARQUET)
def test_impossible_values_in_parquet(
    tmp_path: Path, name: str, values: list[object], reason: str
) -> None:
    arrow = pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    write_table([row(1), row(2)], path, ".parquet")
    table = arrow.parquet.read_table(path)
    place = table.schema.names.index(name)
    arrow.parquet.write_table(table.set_column(place, name, arrow.array(values)), path)
    with pytest.raises(StoreError, match=reason):
        SurveyTable(path, VERDICT)


def test_numbers_of_other_programs_in_parquet(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    rows = [row(1), replace(row(1), deal="pysol 1"), replace(row(1), deal="solvitaire 1"), row(-1)]
    write_table(rows, path, ".parquet")
    assert kept(path) == rows
    assert [key for key, _ in load_rows(path)] == [1, "pysol 1", "solvitaire 1", -1]


def test_parquet_of_other_programs(tmp_path: Path) -> None:
    """Whole numbers are seconds, too, and columns may stand in another order."""
    arrow = pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    rows = [row(1, seconds=1.0), row(2, seconds=3.0)]
    write_table(rows, path, ".parquet")
    table = arrow.parquet.read_table(path)
    place = table.schema.names.index("seconds")
    table = table.set_column(place, "seconds", arrow.array([1, 3]))
    arrow.parquet.write_table(table.select(table.schema.names[::-1]), path)
    assert kept(path) == rows
    assert [type(one.seconds) for one in kept(path)] == [float, float]


def test_parquet_with_other_columns(tmp_path: Path) -> None:
    """Refuse a column too many or too few, whoever has put it there."""
    arrow = pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    write_table([row(1)], path, ".parquet")
    table = arrow.parquet.read_table(path)
    for other in (table.drop_columns(["fewest"]), table.append_column("more", arrow.array([1]))):
        arrow.parquet.write_table(other, path)
        with pytest.raises(StoreError, match="not the columns of a survey"):
            kept(path)


def test_rows_of_parquet_with_a_number_and_a_board(tmp_path: Path) -> None:
    """Look at each row, also where the ones before it are like it in all else."""
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    write_table([row(1), replace(row(2), board="KS")], path, ".parquet")
    with pytest.raises(StoreError, match="expected a number or a board, one of them"):
        kept(path)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected one of .parquet, .csv, .jsonl"):
        SurveyTable(tmp_path / "table.xls", VERDICT)
    with pytest.raises(UsageError, match="cannot be written"):
        SurveyTable(tmp_path / "nowhere" / "table.csv", VERDICT)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(UsageError, match="a directory"):
        SurveyTable(tmp_path / "folder.csv", VERDICT)


def test_who_may_read_a_table_stays_as_it_is(path: Path) -> None:
    for mode in (0o600, 0o664):
        with SurveyTable(path, VERDICT) as table:
            table.put([row(mode)])
        path.chmod(mode)
        with SurveyTable(path, VERDICT) as table:
            table.put([row(mode, verdict="solved")])
        assert path.stat().st_mode & 0o777 == mode


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    link = tmp_path / "table.csv"
    link.symlink_to(tmp_path / "data" / "real.csv")
    with SurveyTable(link, VERDICT) as table:
        table.put([ROWS[0]])
    assert link.is_symlink()
    assert len(kept(tmp_path / "data" / "real.csv")) == 1
