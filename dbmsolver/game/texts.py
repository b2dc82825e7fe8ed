"""Texts from files and streams, or one line that says why there is none."""

from __future__ import annotations

import json
import re
from typing import IO, Any

from dbmsolver.errors import InputError, quoted

LINE_END = r"\r\n|\n|\r"
"""The pattern of line ends. str.splitlines() knows line ends that editors do not count."""

WHICH_GAME = "--game says which game it is"
"""The advice where a text is of another game."""

_END_OF_FILE = "\x1a"
"""The character that DOS takes for the end of a text."""

_SHOWN = 400
"""A longer path is not shown whole."""


def decoded(data: bytes) -> str:
    """Return text in UTF-8, or in UTF-16 if a byte order mark says so.

    The mark with which editors of DOS end a file is no part of its text.

    Raises UnicodeDecodeError.
    """
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if is_utf16 else "utf-8").removesuffix(_END_OF_FILE)


class RepeatedNameError(ValueError):
    """A name stands twice in one object of JSON."""


def members_once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object; RepeatedNameError if a name stands there twice.

    It is an `object_pairs_hook`: without one, Python takes the last of several values.
    """
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise RepeatedNameError(f"{quoted(name)} twice in one object")
        found[name] = value
    return found


def read_json(text: str, expected: str, where: str) -> Any:
    """Return the value of JSON; InputError, with what was expected, for other text."""
    try:
        return json.loads(text.removeprefix("\ufeff"), object_pairs_hook=members_once)
    except json.JSONDecodeError as error:
        place = f"{where}, line {error.lineno}, column {error.colno}"
        raise InputError(f"not JSON ({error.msg}), expected {expected}", place) from None
    except RepeatedNameError as error:
        raise InputError(f"{error}, expected it once", where) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"not JSON ({error}), expected {expected}", where) from None


def read_path(path: str, what: str, most: int, missing: str | None = None) -> tuple[str, str]:
    """Return the text of a file of at most `most` bytes, and the file's name for messages.

    InputError says that `what` was expected; of a file that is not there, that `missing` was.
    """
    where = path if path.isprintable() and len(path) <= _SHOWN else quoted(path, 200)
    try:
        with open(path, "rb") as file:
            return read_stream(file, where, what, most), where
    except FileNotFoundError:
        message = f"no such file, expected {missing or what}"
        raise InputError(message, where or "''") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _unreadable(error, where, what) from None


def read_stream(file: IO[Any] | None, where: str, what: str, most: int) -> str:
    """Return the text of an open file of at most `most` bytes.

    Raises InputError if `what` cannot be in it.
    """
    if file is None:
        raise InputError(f"closed, expected {what}", where)
    try:
        data = getattr(file, "buffer", file).read(most + 1)
    except UnicodeDecodeError as error:
        raise _not_utf8(error, where, what) from None
    except (OSError, ValueError) as error:  # ValueError: the file is closed
        raise _unreadable(error, where, what) from None
    if len(data) > most:
        raise InputError(f"more than {most} bytes, expected {what}", where)
    if isinstance(data, str):
        return data
    try:
        return decoded(bytes(data))
    except UnicodeDecodeError as error:
        raise _not_utf8(error, where, what) from None


def _unreadable(error: Exception, where: str, what: str) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(f"cannot be read ({reason}), expected {what}", where)


def _not_utf8(error: UnicodeDecodeError, where: str, what: str) -> InputError:
    if error.encoding.startswith("utf-16"):
        return InputError(f"not text in UTF-16, which it begins like, expected {what}", where)
    before = error.object[: error.start].decode("utf-8").removeprefix("\ufeff")
    lines = re.split(LINE_END, before)
    place = f"{where}, line {len(lines)}, column {len(lines[-1]) + 1}"
    return InputError(f"not text in UTF-8, expected {what}", place)
