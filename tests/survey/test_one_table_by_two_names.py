"""One table by two names: a link, or another path, is no way around its lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.rows import row

from dbmsolver.errors import StoreError, StoreInUseError, UsageError
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits, Question
from dbmsolver.search import session
from dbmsolver.storage.environment import Environment
from dbmsolver.survey.formats import ENDINGS
from dbmsolver.survey.job_runner import JobRunner
from dbmsolver.survey.jobs import JobKind, Order
from dbmsolver.survey.loading import journal_of, load_rows
from dbmsolver.survey.ranges import Subject
from dbmsolver.survey.rows import Inquiry
from dbmsolver.survey.run import stores_of
from dbmsolver.survey.table import SurveyTable

VERDICT = Inquiry.VERDICT
Link = Callable[[Path, Path], None]


def by_symbolic_link(target: Path, link: Path) -> None:
    link.symlink_to(target.name)


def by_directory(target: Path, link: Path) -> None:
    link.parent.symlink_to(target.parent.name)


def by_hard_link(target: Path, link: Path) -> None:
    os.link(target, link)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("how", [by_symbolic_link, by_directory, by_hard_link])
def test_one_process_has_the_table(tmp_path: Path, ending: str, there: bool, how: Link) -> None:
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    folder = tmp_path / "tables"
    folder.mkdir()
    path = folder / f"t{ending}"
    other = (tmp_path / "link" / path.name) if how == by_directory else folder / f"l{ending}"
    if there:
        with SurveyTable(path, VERDICT) as table:
            table.put([row(1)])
    elif how == by_hard_link:
        pytest.skip("there is nothing to link")
    how(path, other)
    with SurveyTable(path, VERDICT) as table:
        table.put([row(2)])
        with pytest.raises(StoreError, match="another process is making this table"):
            SurveyTable(other, VERDICT)
        table.rewrite()
        if how != by_hard_link:  # which goes on to name what the table was before
            with pytest.raises(StoreError, match="another process is making this table"):
                SurveyTable(other, VERDICT)
            assert len(load_rows(other)) == 1 + there
    if how != by_hard_link:
        with SurveyTable(other, VERDICT) as table:
            table.put([row(3)])
        assert [one.number for one in load_rows(path).sorted()] == [1, 2, 3][not there :]
    assert {file.suffix for file in folder.iterdir()} == {ending}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_that_was_written_anew_is_held(tmp_path: Path, ending: str) -> None:
    """A hard link to the new file is no way around its lock."""
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path, other = tmp_path / f"t{ending}", tmp_path / f"other{ending}"
    with SurveyTable(path, VERDICT) as table:
        table.put([row(1)])
        table.rewrite()
        os.link(path, other)
        with pytest.raises(StoreError, match="another process is making this table"):
            SurveyTable(other, VERDICT)


def test_what_lies_beside_a_table_lies_beside_the_file(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to("elsewhere/t.csv")
    assert journal_of(link) == tmp_path / "elsewhere" / "t.csv.journal"
    assert stores_of(link) == tmp_path / "elsewhere" / "t.csv.searches"


def test_links_in_a_circle(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.symlink_to("t.csv")
    with pytest.raises(UsageError, match="cannot be written"):
        SurveyTable(path, VERDICT)


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    with pytest.raises(UsageError, match="no plain file"):
        SurveyTable(path, VERDICT)


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_one_process_has_the_data_of_a_store(
    tmp_path: Path, there: bool, link: Callable[[Path, Path], None]
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    if there:
        Environment(one, durable=True, new=True).close()
    elif link == os.link:
        pytest.skip("there is nothing to link")
    link(one / "data.mdb", other / "data.mdb")
    environment = Environment(one, durable=True, new=not there)
    with pytest.raises(StoreInUseError, match="another search or command is using this store"):
        Environment(other, durable=True, new=not there)
    environment.close()
    Environment(other, durable=True).close()


def test_a_search_that_another_process_goes_on_with_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a damaged store a survey begins anew; one in use is another's."""

    def in_use(*_: object) -> None:
        raise StoreInUseError("another search or command is using this store")

    monkeypatch.setattr(session, "run", in_use)
    store = tmp_path / "store"
    store.mkdir()
    subject = Subject(1, None, rules_for("freecell"))
    order = Order(JobKind.SEARCH, Question.PROVE, (subject,), Limits(), 1, store=store)
    with pytest.raises(StoreInUseError):
        list(JobRunner().run(order))
    assert store.exists()
