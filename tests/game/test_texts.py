"""Texts from files: their encodings, and the mark that ends a file of DOS."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.texts import decoded, read_stream
from dbmsolver.notation.formats import Source


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_mark_that_ends_a_file_is_no_part_of_its_text(encoding: str) -> None:
    for text, found in (
        ("a\r\n\x1a", "a\r\n"),
        ("\x1a", ""),
        ("a\x1a\x1a", "a\x1a"),
        ("a\x1a\n", "a\x1a\n"),
        ("\x1aa", "\x1aa"),
    ):
        assert decoded(text.encode(encoding)) == found
        assert read_stream(BytesIO(text.encode(encoding)), "f", "a board", 100) == found
        assert Source.of_bytes(text.encode(encoding)).text == found


def test_a_board_of_an_editor_of_dos(tmp_path: Path) -> None:
    deal = Deal.from_number(3)
    path = tmp_path / "board.txt"
    path.write_bytes(format_board(deal.position).replace("\n", "\r\n").encode() + b"\x1a")
    assert Deal.load(str(path)).position == deal.position
