"""Files and formats of answers: by the ending of a name, unless an option says otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers.command import run
from helpers.fake_search import NEARLY_DONE


@pytest.fixture
def board(tmp_path: Path) -> str:
    path = tmp_path / "board"
    path.write_text(NEARLY_DONE)
    return str(path)


def test_every_ending_and_every_format(tmp_path: Path, board: str) -> None:
    """--format decides, whatever the name is; otherwise the ending does."""
    forms = {
        ".txt": "text", ".json": "json", ".xml": "universal-xml", ".sfn": "sfn",
        ".moves": "moves", ".short": "short", ".html": "html",
    }  # fmt: skip
    plain = {
        form: run("solve", board, "--quiet", "--format", form).stdout.splitlines()[:1]
        for form in (*forms.values(), "universal-json")
    }
    for ending, by_name in forms.items():
        for form in (None, *plain):
            path = tmp_path / f"out{ending}"
            chosen = () if form is None else ("--format", form)
            result = run("solve", board, "--quiet", "-o", str(path), *chosen)
            assert (result.exit_code, result.stdout) == (0, "")
            assert path.read_text().splitlines()[:1] == plain[form or by_name]


def test_an_older_file_is_said_to_be_left_where_no_solution_is_written(
    tmp_path: Path, board: str
) -> None:
    path = tmp_path / "page.html"
    lost = ("prove", "146692", "-q", "-o", str(path))
    result = run(*lost)
    assert (result.exit_code, result.stderr.count("\n"), path.exists()) == (10, 1, False)
    assert run("solve", board, "-q", "-o", str(path)).exit_code == 0
    before = path.read_text()
    result = run(*lost)
    assert (result.exit_code, result.stdout, path.read_text()) == (10, "", before)
    verdict, left = result.stderr.splitlines()
    assert "unsolvable" in verdict
    said = "not written, as no solution is known; the older file is left there"
    assert left == f"dbmsolver: {path}: {said}"
    result = run(*lost, "--format", "json")
    assert (result.exit_code, result.stderr) == (10, "")
    assert json.loads(path.read_text())["verdict"] == "unsolvable"


@pytest.mark.parametrize(
    "form", ["text", "json", "universal-json", "universal-xml", "sfn", "moves", "short", "html"]
)
def test_options_that_a_format_has_not(board: str, form: str) -> None:
    for option, expected in (
        ("--boards", {"text"}),
        ("--runs", {"universal-json", "universal-xml", "moves", "html"}),
    ):
        result = run("solve", board, "--quiet", "--format", form, option)
        if form in expected:
            assert (result.exit_code, result.stderr) == (0, "")
        else:
            assert (result.exit_code, result.stdout) == (2, "")
            assert f"{option} says nothing about the format {form}" in result.stderr
            assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "name",
    ["answer.svg", "answer.PNG", "answer.pdf", "answer.csv", "answer.jsonl", "answer.parquet"],
)
def test_an_answer_is_no_picture_and_no_table(tmp_path: Path, board: str, name: str) -> None:
    path = tmp_path / name
    result = run("solve", board, "--quiet", "-o", str(path))
    assert (result.exit_code, path.exists()) == (2, False)
    assert "answers are not written as" in result.stderr and result.stderr.count("\n") == 1
    assert run("solve", board, "--quiet", "-o", str(path), "--format", "text").exit_code == 0


@pytest.mark.parametrize("name", ["answer.md", "answer.gz", "answer"])
def test_an_ending_of_no_format_gets_text(tmp_path: Path, board: str, name: str) -> None:
    path = tmp_path / name
    assert run("solve", board, "--quiet", "-o", str(path)).exit_code == 0
    assert path.read_text().startswith("Deal board-")


@pytest.mark.parametrize("ending", [".html", ".htm", ".sfn", ".XML", ".moves", ".short", ".csv"])
def test_a_board_is_no_solution_and_no_table(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"deal{ending}"
    result = run("deal", "3", "-o", str(path))
    assert (result.exit_code, path.exists()) == (2, False)
    said = f"boards are not written as {ending.lower()}, expected .txt, .json or .svg"
    assert said in result.stderr and result.stderr.count("\n") == 1
    assert run("deal", "3", "--json", "-o", str(path)).exit_code == 0


def test_a_board_is_drawn_as_svg_only(tmp_path: Path) -> None:
    path = tmp_path / "deal.png"
    result = run("deal", "3", "-o", str(path))
    assert (result.exit_code, path.exists()) == (2, False)
    assert "boards are not written as .png, expected .txt, .json or .svg" in result.stderr
    assert run("deal", "3", "--svg", "-o", str(path)).exit_code == 0


def test_what_is_written_about_a_store_is_no_other_picture(tmp_path: Path) -> None:
    """The name is refused before the store is looked for."""
    store = str(tmp_path / "store")
    for words, said in (
        (("status", store, "--plot", "x.pdf"), "plots are not written as .pdf, expected .svg"),
        (("certificate", store, "-o", "x.pdf"), "certificates are not written as .pdf, expected"),
    ):
        result = run(*words)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert f"x.pdf: {said}" in result.stderr


def test_a_plot_on_standard_output_stands_alone(tmp_path: Path, board: str) -> None:
    store = str(tmp_path / "store")
    assert run("solve", board, "--quiet", "--store", store).exit_code == 0
    picture = run("status", store, "--plot", "-")
    assert picture.exit_code == 0
    assert ElementTree.fromstring(picture.stdout).tag.endswith("svg")
    both = run("status", store, "--plot", "-", "--json")
    assert (both.exit_code, both.stdout, both.stderr.count("\n")) == (2, "", 1)
    path = tmp_path / "layers.svg"
    assert json.loads(run("status", store, "--plot", str(path), "--json").stdout)["store"] == store
    assert path.read_text() == picture.stdout


def test_a_word_that_is_near_nothing_gets_no_suggestion() -> None:
    for word in ("help", "xyzzy"):
        result = run(word)
        assert result.exit_code == 2 and "Did you mean" not in result.stderr


def test_a_store_without_a_solution_is_not_exported_as_one(tmp_path: Path) -> None:
    store, path = str(tmp_path / "store"), tmp_path / "answer.sfn"
    assert run("prove", "146692", "--quiet", "--store", store).exit_code == 10
    result = run("export", store, "-o", str(path))
    assert (result.exit_code, path.exists(), result.stderr.count("\n")) == (2, False, 1)
    assert "unsolvable" in result.stderr and "expected text or json" in result.stderr
    for form in ("text", "json"):
        assert run("export", store, "--format", form).exit_code == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--game", "relaxed_freecell", "-o", "x.sfn"), "a run moves as one move in relaxed_free"),
        (("--game", "klondike", "-o", "x.moves"), "klondike: Freecell Solver's text has no words"),
        (("--game", "fan", "-o", "x.short"), "the format short has letters for 13 columns"),
        (
            ("--automove", "none", "-o", "x.sfn"),
            "automove none: Standard FreeCell Notation states Horne's automoves or WKR's",
        ),
        (("--game", "fan", "--all"), "fan: --all has letters for 13 columns, not for 18"),
        (("--game", "fan", "--all", "2", "-o", "x.short"), "letters for 13 columns, not for 18"),
    ],
)
def test_a_format_that_cannot_say_a_game_is_refused_before_the_search(
    args: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    done = run("solve", "3", *args, "--store", store, "-q")
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr and len(done.stderr.splitlines()) == 1
    assert not store.exists()


def test_a_format_that_cannot_say_a_game_is_refused_before_a_search_goes_on(tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    limit = ("--max-states", "1", "-q")
    assert run("solve", "3", "--game", "klondike", "--store", store, *limit).exit_code == 20
    kept = run("status", store, "--json").stdout
    done = run("resume", store, "--format", "sfn", "-q")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "klondike" in done.stderr
    assert run("status", store, "--json").stdout == kept


@pytest.mark.parametrize("form", ["short", "moves"])
def test_a_solution_that_a_format_cannot_say_is_told_as_text(form: str, tmp_path: Path) -> None:
    """A card comes back from its foundation: only the solution shows that one has to."""
    game, board, out = tmp_path / "back.game", tmp_path / "board", tmp_path / "out"
    game.write_text(
        'Header Name "Back" Setup Tableau DropStack[3] Foundation TopStack[4] '
        "Deal Initial Tableau Rows Move Tableau SingleCard AnySuit Descending "
        "Tableau SingleCard Rank[K] OnBlank Foundation SingleCard SameSuit Ascending "
        "Foundation SingleCard Rank[A] OnBlank Finish AllInFoundation"
    )
    board.write_text(
        "Foundations: H-9 C-9 D-9 S-9\nKH KS QC JH KC KD\nQS TC JC JD QD\nTH JS TS QH TD\n"
    )
    done = run("solve", board, "--game", game, "--format", form, "-o", out, "-q")
    assert done.exit_code == 2 and not out.exists()
    assert "solved in 23 card moves, shortest" in done.stdout and "23  " in done.stdout
    assert done.stderr.splitlines()[-1].endswith("; the answer is written as text")
