"""The error that kernels over records and classes end with where there is no place to go on."""

from __future__ import annotations

from dbmsolver.errors import InternalError


def broken() -> InternalError:
    """Return the error of a kernel that cannot go on."""
    return InternalError("a record cannot be, or has more successors than there is room for")
