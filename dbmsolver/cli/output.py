"""The files and streams that answers are written to: checked before the work, written whole."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import click

from dbmsolver.cli.streams import output_is_closed
from dbmsolver.errors import SystemRefusedError, UsageError

PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf")
"""Endings of the names of pictures."""
_OTHERS = (".csv", ".jsonl", ".parquet", ".xml", ".sfn", ".moves", ".short", ".html", ".htm")
"""Endings of the names of tables, and of solutions in a format of their own."""


def refuse_ending(output: str | None, what: str, expected: str, *written: str) -> None:
    """Raise UsageError if the name of a file has the ending of a format that it does not get.

    `written` are the endings of those that it may get. An ending that no format of this program
    has, and no picture, says nothing.
    """
    ending = Path(output or "").suffix.lower()
    if ending in (*PICTURES, *_OTHERS) and ending not in written:
        raise UsageError(f"{what} are not written as {ending}, {expected}", str(output))


def check_output(output: str | None, *kept: str | None) -> None:
    """Raise an error for an output that cannot be written to, before a search is made for it.

    `kept` are stores and tables, which an answer must not replace: UsageError for a path that is
    one of their files, also by another name or a link.
    """
    if output in (None, "-"):
        if output_is_closed():
            raise SystemRefusedError("closed, expected a place for the answer", "standard output")
        return
    path = Path(str(output))
    folder = path.parent
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is no directory, expected a file that can be written", str(path)
        )
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError("cannot be written, expected a file that can be", str(path))
    for name in filter(None, kept):
        if path.exists() and any(os.path.samefile(path, file) for file in _files_of(Path(name))):  # noqa: PTH121
            raise UsageError(f"a file of {name}, expected another one", str(path))


def _files_of(kept: Path) -> list[Path]:
    """Return the files of a store, or the file of a table."""
    files = list(kept.iterdir()) if kept.is_dir() else [kept]
    return [file for file in files if file.exists()]


def write_text(text: str | Iterable[str], output: str | None) -> None:
    """Write a text, or its pieces, to a file; to standard output for None and `-`.

    SystemRefusedError if it cannot be written.
    """
    pieces = [text] if isinstance(text, str) else text
    try:
        if output in (None, "-"):
            for piece in pieces:
                click.echo(piece, nl=False)
            sys.stdout.flush()
        else:
            _write_file(pieces, Path(str(output)))
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "standard output" if output in (None, "-") else str(output)
        raise SystemRefusedError(f"cannot be written ({error.strerror})", where) from None


def _write_file(pieces: Iterable[str], path: Path) -> None:
    """Write a file that is never there in part: write a file beside it, then rename that.

    A device, a pipe, a link, or a file in a folder that cannot be written to is written directly.
    """
    plain = path.is_file() or not path.exists()
    if path.is_symlink() or not plain or not os.access(path.parent, os.W_OK):
        with path.open("w", encoding="utf-8") as file:
            file.writelines(pieces)
        return
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as beside:
        try:
            beside.writelines(pieces)
            beside.flush()
            Path(beside.name).chmod(_mode(path))
            Path(beside.name).replace(path)
        except BaseException:
            Path(beside.name).unlink(missing_ok=True)
            raise


def _mode(path: Path) -> int:
    """Return the permissions of a file, or those that a new one gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
