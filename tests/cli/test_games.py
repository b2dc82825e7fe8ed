"""Games in files on the command line: `--game FILE`, `games`, and stores made with files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command import run

from dbmsolver.game.library import text_of
from dbmsolver.game.shipped import GAMES, SHIPPED

KLONDIKE = str(Path(__file__).parents[1] / "data" / "games" / "klondike.game")
MINE = text_of("freecell").replace("FreeCell", "My Own Game").replace("[4]\n", "[2]\n")
END = "Foundations: H-J S-Q D-Q C-K\nKS KH\nQH KD\n"


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """Return the file of a game of one's own: FreeCell with two cells, kings to empty columns."""
    path = tmp_path / "mine.game"
    path.write_text(MINE.replace("Any OnBlank Through", "Rank[K] OnBlank Through"))
    return str(path)


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_printed_as_its_file(name: str, tmp_path: Path) -> None:
    shown = run("games", name)
    assert shown.output == text_of(name)
    path = tmp_path / "copy.game"
    path.write_text(shown.output)
    assert run("deal", "7", "--game", str(path)).output == run("deal", "7", "--game", name).output


@pytest.mark.parametrize(
    ("name", "said", "not_said"),
    [
        ("klondike", "turning the waste over is none", "or the waste"),
        ("thumb_and_pouch", "so that the stock is gone through once", "waste over"),
        ("pyramid", "so that the stock is gone through 3 times", "Wastepile, 3 times"),
        ("yukon", "any cards at the end of a column move as one move, and count as one", "turning"),
        ("scorpion", "when asked for, 1 time at most: Tableau: 1 row", "1 rows"),
    ],
)
def test_what_is_said_of_a_stock(name: str, said: str, not_said: str) -> None:
    """It is told how often it is gone through, what is a move, and nothing where there is none."""
    words = " ".join(run("games", "--check", name).stdout.split())
    assert said in words and not_said not in words


@pytest.mark.parametrize("name", GAMES)
def test_a_shipped_game_is_understood(name: str) -> None:
    checked = run("games", "--check", name)
    assert checked.exit_code == 0
    assert checked.output.startswith(f"{SHIPPED[name].title} ({name}.game)\n")
    text = " ".join(checked.output.split())
    assert f"{name}: {GAMES[name].describe()}" in text
    played = ("Moves:",) if GAMES[name].only_leave else ("Building:", "Spaces:", "Home:")
    for fact in ("Deal:", *played, "Finish:", "Numbers:"):
        assert fact in text
    assert max(map(len, checked.output.splitlines())) <= 100


def test_the_proposal_s_klondike_is_understood() -> None:
    checked = run("games", "--check", KLONDIKE)
    assert checked.exit_code == 0
    text = " ".join(checked.output.split())
    assert text.startswith("Klondike (")
    assert "Building: a run of cards on one of the other colour one rank higher" in text
    assert "Spaces: a run of cards that begins with a king to an empty place" in text
    assert "to Wastepile: 3 cards, or what is left on any, from Stock" in text
    assert "Played as: klondike: 7 columns, a stock of 24 cards, 3 cards turned at once" in text


def test_a_game_that_is_not_played_is_understood_and_refused(tmp_path: Path) -> None:
    path = tmp_path / "two.game"
    path.write_text(Path(KLONDIKE).read_text().replace("SingleDeck", "Multiple[2]"))
    checked = run("games", "--check", str(path))
    assert checked.exit_code == 3
    assert "Spaces: a run of cards" in " ".join(checked.output.split())
    reason = (
        "Multiple[2]: two decks are not played in a game with a reserve or a stock that is turned "
        "again, expected Single"
    )
    assert f"two.game, line 35, column 1: {reason}" in " ".join(checked.output.split())
    played = run("prove", "3", "--game", str(path))
    assert (played.exit_code, played.stdout) == (3, "")
    assert f"line 35, column 1: Klondike cannot be played: {reason}" in played.stderr


def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "wrong.game"
    path.write_text(MINE.replace("AltColor", "AltColour"))
    for args in (("games", "--check", str(path)), ("prove", "3", "--game", str(path))):
        refused = run(*args)
        assert refused.exit_code == 3
        assert f"{path}, line " in refused.stderr
        assert "unknown word 'AltColour', did you mean AltColor?" in refused.stderr
    path.write_bytes(b"\xff\xff")
    assert (
        "wrong.game, line 1, column 1: not text in UTF-8, expected a game"
        in run("games", "--check", str(path)).stderr
    )


def test_a_file_and_options_that_change_it(mine: str) -> None:
    checked = run("deal", "3", "--game", mine).output
    assert checked == run("deal", "3").output
    answer = json.loads(run("prove", "-", "--game", mine, "--json", stdin=END).stdout)
    assert answer["rules"] == {
        "game": "my_own_game",
        "columns": 8,
        "freecells": 2,
        "build": "alternate",
        "fill": "kings",
        "dealt_to_freecells": 0,
        "kings_sunk": False,
        "layout": "",
    }
    options = ("--freecells", "1", "--columns", "5", "--build", "suit", "--fill", "none")
    for game in (("--game", mine), ()):
        rules = json.loads(run("prove", "-", "--json", *game, *options, stdin=END).stdout)["rules"]
        assert [rules[name] for name in ("freecells", "columns", "build", "fill")] == [
            1, 5, "suit", "none",
        ]  # fmt: skip


@pytest.mark.parametrize("form", ["universal-json", "universal-xml", "moves", "short", "html"])
def test_formats_tell_the_rules_of_a_file(mine: str, tmp_path: Path, form: str) -> None:
    solved = run("prove", "-", "--game", mine, "--format", form, stdin=END)
    assert solved.exit_code == 0
    path = tmp_path / "solution"
    path.write_text(solved.stdout)
    for game in ((), ("--game", mine)):
        checked = run("check", str(path), "--from", form, "--json", *game)
        assert checked.exit_code == 0, checked.stderr
        rules = json.loads(checked.stdout)["rules"]
        assert (rules["game"], rules["freecells"], rules["fill"]) == ("my_own_game", 2, "kings")
    other = run("check", str(path), "--from", form, "--game", "eight_off")
    assert other.exit_code == 3 and "my_own_game" in other.stderr
    assert run("board", str(path), "--from", form, "--game", mine).exit_code == 0


def test_a_store_is_continued_and_verified_without_the_file(mine: str, tmp_path: Path) -> None:
    store, board = str(tmp_path / "store"), tmp_path / "board"
    board.write_text("Foundations: H-T S-T D-T C-T\nJH JS QH KD\nQS QD KH\nKS JD\nQC KC JC\n")
    path = Path(mine)
    ask = ("prove", str(board), "--store", store, "--every-position", "--game")
    first = run(*ask, mine)
    assert first.exit_code in (0, 10)
    text = path.read_text()
    path.unlink()
    assert run("resume", store).exit_code == first.exit_code
    assert run("verify", store).exit_code == 0
    record = tmp_path / "certificate.json"
    record.write_text(run("certificate", store).stdout)
    assert json.loads(record.read_text())["rules"]["fill"] == "kings"
    assert run("verify", str(record)).exit_code == 0
    path.write_text(text.replace("Rank[K] OnBlank Through", "Any OnBlank Through"))
    other = run(*ask, mine)
    assert other.exit_code == 4
    assert "holds a search under other rules: fill kings, not any" in other.stderr
    path.write_text(text)
    assert run(*ask, mine).exit_code == first.exit_code


def test_rules_as_json(tmp_path: Path) -> None:
    path = tmp_path / "rules.json"
    path.write_text('{"cells": {"count": 4}, "tableau piles": {"build policy": "red-black"}}')
    assert run("deal", "3", "--game", str(path)).output == run("deal", "3").output
    checked = run("games", "--check", str(path))
    assert checked.exit_code == 0
    assert "rules: 8 columns, 4 freecells, built down by alternate colour" in checked.output
    path.write_text('{"hole": {"present": true}}')
    refused = run("deal", "3", "--game", str(path))
    assert refused.exit_code == 3
    assert "rules.json: foundations: present: true is not played with a hole" in refused.stderr


def test_a_file_or_a_directory_is_no_name_of_a_game(
    mine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = run("games", f"./{Path(mine).name}")
    said = "is no name of a game, expected one that `games` lists, or --check before a file"
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr == f"dbmsolver: './mine.game' {said}\n"
    (tmp_path / "folder").mkdir()
    (tmp_path / "golf").mkdir()
    for words in (("games", "--check", "folder"), ("deal", "3", "--game", "folder")):
        refused = run(*words)
        assert (refused.exit_code, refused.stdout) == (3, "")
        assert "folder: cannot be read (Is a directory), expected a game" in refused.stderr
    assert run("games", "golf").exit_code == 0
    assert run("games", "nowhere").stderr.startswith("dbmsolver: unknown game 'nowhere'")
