"""Choice of the cases of a test with many that are among the fast tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def few_fast(cases: Iterable[Any], fast: int) -> list[Any]:
    """All cases for `parametrize`: so many of them, evenly spread, are fast; the others are slow.

    A case that is a tuple holds the values of several arguments.
    """
    every = list(cases)
    chosen = {number * len(every) // fast for number in range(fast)}
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=() if number in chosen else pytest.mark.slow,
        )
        for number, case in enumerate(every)
    ]
