"""Files that `Extends` reads, and how many in a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from dbmsolver.errors import DbmError, InputError
from dbmsolver.game.language.inheriting import MOST
from dbmsolver.game.library import load_rules
from dbmsolver.game.shipped import GAMES

SECRET = "hunter2"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder for games, beside files that are nobody's business."""
    (tmp_path / "secret").write_text(SECRET)
    (tmp_path / "other.game").write_text('Extends "eight_off"')
    (tmp_path / "games" / "inner").mkdir(parents=True)
    (tmp_path / "games" / "inner" / "base.game").write_text('Extends "eight_off"')
    return tmp_path / "games"


def refusal(path: Path) -> str:
    with pytest.raises(DbmError) as caught:
        load_rules(str(path))
    return str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["../secret", "../other.game", "inner/base.game", "..", ".", "link", "other.game"],
)
@pytest.mark.parametrize("absolute", [False, True])
def test_a_file_elsewhere(folder: Path, name: str, absolute: bool) -> None:
    (folder / "link").symlink_to("../secret")
    (folder / "other.game").symlink_to("../other.game")
    path = folder / "mine.game"
    path.write_text(f'Extends "{folder / name if absolute else name}"')
    message = refusal(path)
    assert "mine.game, line 1, column 9: Extends" in message
    assert "names no file beside this one, expected one, or a game" in message
    assert SECRET not in message


def test_a_file_elsewhere_by_one_beside(folder: Path) -> None:
    """The message names the file that says so."""
    path = folder / "mine.game"
    path.write_text('Extends "beside.game"')
    (folder / "beside.game").write_text('\nExtends "../secret"')
    message = refusal(path)
    assert "beside.game, line 2, column 9: Extends '../secret' names no file" in message


@pytest.mark.parametrize("name", ["gone.game", "./gone.game", "link.game"])
def test_a_file_that_is_not_there(folder: Path, name: str) -> None:
    """The message names the line that says Extends, of the file that has it."""
    (folder / "link.game").symlink_to("gone.game")
    (folder / "beside.game").write_text(f'\n Extends "{name}"')
    path = folder / "mine.game"
    path.write_text('Extends "beside.game"')
    said = f"beside.game, line 2, column 10: Extends '{name}': no such file, expected a game"
    assert refusal(path).endswith(said)


def test_files_beside_however_they_are_named(folder: Path) -> None:
    (folder / "base.game").write_text('Extends "eight_off"')
    (folder / "link.game").symlink_to("base.game")
    path = folder / "mine.game"
    for name in ("base.game", "./base.game", "link.game", str(folder / "base.game")):
        path.write_text(f'Extends "{name}"')
        assert load_rules(str(path)) == GAMES["eight_off"]


def test_a_game_by_a_link(folder: Path) -> None:
    """The game that it extends lies beside the file, and not beside the link."""
    (folder / "inner" / "mine.game").write_text('Extends "base.game"')
    (folder / "mine.game").symlink_to("inner/mine.game")
    assert load_rules(str(folder / "mine.game")) == GAMES["eight_off"]


def chain(folder: Path, games: int) -> Path:
    """Write a chain of ``games`` games, each of which extends the next one."""
    for number in range(1, games):
        (folder / f"{number}.game").write_text(f'Extends "{number + 1}.game"')
    (folder / f"{games}.game").write_text('Extends "freecell"')
    return folder / "1.game"


def test_a_long_chain(folder: Path) -> None:
    assert load_rules(str(chain(folder, MOST))) == GAMES["freecell"]


@pytest.mark.parametrize("games", [MOST + 1, 300])
def test_a_chain_that_is_too_long(folder: Path, games: int) -> None:
    message = refusal(chain(folder, games))
    assert f"{MOST + 1}.game, line 1, column 9: more than {MOST} games extend each" in message
    assert "itself" not in message


@pytest.mark.parametrize("name", ["mine.game", "./mine.game", "link.game"])
def test_a_chain_that_leads_back(folder: Path, name: str) -> None:
    path = folder / "mine.game"
    (folder / "link.game").symlink_to("mine.game")
    path.write_text(f'Extends "{name}"')
    with pytest.raises(InputError, match="leads back to itself"):
        load_rules(str(path))
