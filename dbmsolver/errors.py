"""One tree of errors; each class carries the exit code of a command that it ends.

==== ==================================================================
code meaning
==== ==================================================================
   0 solved, and the success of commands that give no verdict
   1 internal error: the program found itself wrong
   2 usage: an unknown game, option or value on the command line
   3 bad input: a deal, board or other file that cannot be what it claims
   4 bad store: unreadable, foreign, damaged, in use, or not writable
   5 the system refused: no memory, or no room on a disk
  10 unsolvable: proven that no solution exists
  20 undecided: a limit ended the search, and no solution was found by then
 130 interrupted by Ctrl-C, SIGTERM or SIGHUP; a search commits what it has first
==== ==================================================================

The text of an error is one line: the fault, its place, and the value that was expected.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import ClassVar

EXIT_SOLVED = 0
EXIT_INTERNAL = 1
EXIT_USAGE = 2
EXIT_INPUT = 3
EXIT_STORE = 4
EXIT_SYSTEM = 5
EXIT_UNSOLVABLE = 10
EXIT_UNDECIDED = 20
EXIT_INTERRUPTED = 130

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a system that has no room for a file: the disk, a quota or a limit is full."""

REFUSED = (*NO_ROOM, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN)
"""Error numbers of a system that gives no more of something, whatever it was asked for."""


class DbmError(Exception):
    """The parent of all errors that dbmsolver raises on purpose."""

    exit_code: ClassVar[int] = EXIT_INTERNAL

    def __init__(self, message: str, where: str | None = None, advice: str | None = None) -> None:
        super().__init__(message, where)
        self.message = message
        self.where = where
        self.advice = advice
        """A text that names options of commands which may avoid this error.

        A command that has these options adds it to the message.
        """

    def __str__(self) -> str:
        return f"{self.where}: {self.message}" if self.where else self.message


class InternalError(DbmError):
    """The program found itself wrong: a solution that fails its replay, for instance."""

    exit_code = EXIT_INTERNAL


class UsageError(DbmError):
    """An unknown game, option or value."""

    exit_code = EXIT_USAGE


class WrongValueError(UsageError, ValueError):
    """An argument of the library that is out of its range."""


class WrongTypeError(UsageError, TypeError):
    """An argument of the library of a type that cannot be meant."""


class InputError(DbmError):
    """A deal, board or other input that cannot be what it claims; `where` names the place."""

    exit_code = EXIT_INPUT


class IllegalMoveError(InputError):
    """A move that the position does not allow."""


class StoreError(DbmError):
    """A store that is unreadable, foreign, damaged, in use, or cannot be written."""

    exit_code = EXIT_STORE


class SystemRefusedError(DbmError):
    """The system gave no memory, or no room on a disk."""

    exit_code = EXIT_SYSTEM


class UndecidedError(DbmError):
    """A limit came before the answer."""

    exit_code = EXIT_UNDECIDED


class StoreInUseError(StoreError):
    """Another search or command, of this process or another one, has the lock of the store."""


class ChangedError(StoreError):
    """Another process has changed the store while it was read."""


class DiskFullError(SystemRefusedError):
    """No room for the next commit: the disk or the store's map is full.  The last commit stands."""


def error_of(error: OSError, kind: type[DbmError], message: str, where: str) -> DbmError:
    """Return the error for what the system said: of another kind where the system refused.

    DiskFullError stands for a disk without room, SystemRefusedError for a lack of anything else.
    """
    if error.errno in NO_ROOM:
        kind = DiskFullError
    elif error.errno in REFUSED:
        kind = SystemRefusedError
    return kind(f"{message}: {error.strerror}", where)


def quoted(text: str, limit: int = 24) -> str:
    """Return text of a user, fit to stand in a message of one line: quoted, escaped, cut short."""
    return repr(text if len(text) <= limit else text[:limit] + "...")


def any_of(names: Sequence[str]) -> str:
    """Return the names as one text, with `or` before the last one: `a, b or c`."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
