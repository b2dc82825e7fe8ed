"""Checks of the arguments that callers give, the same for the library and the program.

Each function returns the value in the type that the rest of the package takes. WrongTypeError is
raised for a value of the wrong type, WrongValueError for one out of range; both are UsageErrors.
`what` is the name of an argument, for messages.
"""

from __future__ import annotations

import math
import numbers
import operator
import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, NoReturn, get_args

from dbmsolver.errors import UsageError, WrongTypeError, WrongValueError, quoted

MOST_THREADS = 256
"""The most threads that can be asked for: each takes memory, and none gains beyond processors."""

_LARGEST = 2**63 - 1

_LONGEST = 4095
"""Bytes of a path that Linux takes; each name in it has 255 at most."""

_SIZES = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_size(text: str) -> int:
    """Read a size in bytes: `2G`, `500M`, `1.5GiB` or a plain number; units are powers of 1024."""
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,9})?) ?([KMGT]?)(?:I?B)?", text, re.I | re.A)
    size = round(float(match[1]) * 2 ** _SIZES[match[2].upper()]) if match else 0
    if not size:
        raise UsageError(f"{quoted(text)} is no size, expected one like 2G or 500M")
    if size > _LARGEST:
        raise UsageError(f"{quoted(text)} is too large, expected less than 8388608T")
    return size


def parse_duration(text: str) -> float:
    """Read a time in seconds: `90`, `1.5h`, `30m` or `2d`."""
    match = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,9})?) ?([smhd]?)", text, re.A)
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not seconds:
        raise UsageError(f"{quoted(text)} is no time, expected one like 90, 30m or 2h")
    return seconds


def checked_int(what: str, value: Any, expected: str = "a whole number") -> int:
    """Return a whole number of any type, or a float such as 1e6, as an int."""
    number = _as_int(value)
    if number is None:
        _refuse(what, value, expected)
    return number


def checked_whole(what: str, value: Any, least: int = 0, most: int = _LARGEST) -> int:
    """Return a whole number from `least` to `most`."""
    number = checked_int(what, value)
    if not least <= number <= most:
        limits = f"{least} or more" if most == _LARGEST else f"{least} to {most}"
        raise WrongValueError(f"{what} is {_shown(number)}, expected {limits}")
    return number


def checked_size(what: str, value: Any, least: int = 0) -> int:
    """Return bytes, from a whole number or from text as the program's options take it."""
    if isinstance(value, str):
        try:
            return parse_size(value)
        except UsageError as error:
            raise WrongValueError(f"{what}: {error.message}") from None
    return checked_whole(what, value, least)


def checked_duration(what: str, value: Any) -> float | None:
    """Return seconds, from a number or from text as an option takes it; None for infinity."""
    if isinstance(value, str):
        try:
            return parse_duration(value)
        except UsageError as error:
            raise WrongValueError(f"{what}: {error.message}") from None
    seconds = _number(what, value, "a number of seconds")
    if not seconds >= 0:  # not a number, too
        raise WrongValueError(f"{what} is {_shown(value)}, expected 0 or more seconds")
    return None if math.isinf(seconds) else seconds


def checked_share(what: str, value: Any) -> float:
    """Return a number that is more than 0 and at most 1."""
    number = _number(what, value, "a share")
    if not 0 < number <= 1:
        text = f"{what}: {_shown(value)} is no share"
        raise WrongValueError(f"{text}, expected more than 0 and at most 1")
    return number


def checked_flag(what: str, value: Any) -> bool:
    """Return True or False, from a bool of Python or numpy."""
    if value is not True and value is not False and type(value).__name__ not in ("bool", "bool_"):
        _refuse(what, value, "True or False")
    return bool(value)


def checked_text(what: str, value: Any) -> str:
    """Return a text as it is."""
    if not isinstance(value, str):
        _refuse(what, value, "a text")
    return value


def checked_path(what: str, value: Any) -> Path:
    """Return a path, from a path or its name."""
    if not isinstance(value, str | os.PathLike) or not isinstance(name := os.fspath(value), str):
        _refuse(what, value, "a path")
    parts = os.fsencode(name).split(b"/")
    if not name or "\0" in name or len(os.fsencode(name)) > _LONGEST or max(map(len, parts)) > 255:
        raise WrongValueError(f"{what} is {quoted(name)}, expected a path")
    return Path(value)


def checked_function(what: str, value: Any) -> Any:
    """Return a function, or None."""
    if value is not None and not callable(value):
        _refuse(what, value, "a function or None")
    return value


def checked_instance(what: str, value: Any, kind: Any) -> Any:
    """Return an instance of a class, or of one of a union."""
    if not isinstance(value, kind):
        _refuse(what, value, " or ".join(map(_instance_words, get_args(kind) or (kind,))))
    return value


def _instance_words(kind: type[Any]) -> str:
    """Return the words for an instance of a class: "a text", "an Iterable"."""
    if kind is str:
        return "a text"
    if kind is type(None):
        return "None"
    name = kind.__name__
    return f"{'an' if name[0] in 'AEIOUi' else 'a'} {name}"


def checked_choice(what: str, value: Any, known: Collection[Any]) -> Any:
    """Return a value that is one of the known ones."""
    if not isinstance(value, str | None) or value not in known:
        expected = ", ".join(map(str, known))
        kind = WrongValueError if isinstance(value, str) else WrongTypeError
        raise kind(f"unknown {what} {_shown(value)}, expected one of {expected}")
    return value


def check_names(given: Collection[str], known: Collection[str]) -> None:
    """Refuse names of arguments that there are not."""
    for name in given:
        if name not in known:
            raise WrongTypeError(f"unknown argument {quoted(name)}, expected {', '.join(known)}")


def set_checked(frozen: object, name: str, value: object) -> None:
    """Put the value that was checked in the place of the given one."""
    object.__setattr__(frozen, name, value)


def _as_int(value: Any) -> int | None:
    if isinstance(value, bool | str | bytes):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _number(what: str, value: Any, expected: str) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        _refuse(what, value, expected)
    try:
        return float(value)
    except OverflowError:
        return math.inf if operator.gt(value, 0) else -math.inf


def _refuse(what: str, value: Any, expected: str) -> NoReturn:
    raise WrongTypeError(f"{what} is {_shown(value)}, expected {expected}")


def _shown(value: Any) -> str:
    """Return a caller's value as text that fits into a message of one line."""
    if isinstance(value, str):
        return quoted(value)
    if value is None or isinstance(value, bool | float):
        return str(value)
    if isinstance(value, int) and abs(value) < 10**60:
        return str(value)
    return f"of the type {type(value).__name__}"
