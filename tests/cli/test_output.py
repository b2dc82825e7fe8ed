"""Files that answers are written to: whole or not at all, with the rights that others have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from dbmsolver.cli.output import write_text
from dbmsolver.errors import SystemRefusedError


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_who_may_read_a_new_file(tmp_path: Path, mask: int) -> None:
    """It has the rights of any other file that the user makes, and the mask stays as it is."""
    before = os.umask(mask)
    try:
        write_text("text", str(tmp_path / "out"))
        (tmp_path / "other").touch()
    finally:
        assert os.umask(before) == mask
    modes = [(tmp_path / name).stat().st_mode for name in ("out", "other")]
    assert modes[0] == modes[1] and modes[0] & 0o777 == 0o666 & ~mask


def test_a_file_is_never_there_in_part(tmp_path: Path) -> None:
    """Neither the text that could not be finished nor a file beside it is left."""
    out = tmp_path / "out"
    out.write_text("before")

    def torn() -> Iterator[str]:
        yield "some of it"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_text(torn(), str(out))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "before")]
    write_text(iter(["some ", "of it"]), str(out))
    assert out.read_text() == "some of it"


def test_a_place_without_room(tmp_path: Path) -> None:
    for output, said in (("/dev/full", "/dev/full: cannot be written"), (str(tmp_path), "cannot")):
        with pytest.raises(SystemRefusedError, match=said):
            write_text("text", output)
    assert list(tmp_path.iterdir()) == []
