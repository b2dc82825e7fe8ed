"""The word that has all that a search by cost knows of a state: no field touches another."""

from __future__ import annotations

from itertools import product

import numpy as np

from dbmsolver.kernels import meta
from dbmsolver.kernels.meta import (
    CODE_AND_G,
    IS_CHEAP,
    IS_CLOSED,
    IS_FORCED,
    IS_STORED,
    OF_CANDIDATE,
)

FLAGS = IS_CHEAP | IS_CLOSED | IS_FORCED | IS_STORED
NUMBERS = (0, 1, 255, 256, 0x7FFF)


def fields_of(word: np.uint64) -> tuple[int, ...]:
    """Return the code, moves made and bound of a word; kernels alone call what reads them."""
    return tuple(int(read.py_func(word)) for read in (meta.code_of, meta.g_of, meta.h_of))


def test_fields_are_read_as_they_were_written() -> None:
    for code, g, bound in product((*NUMBERS, 0xFFFF), NUMBERS, (*NUMBERS, 0xFFFF)):
        made = meta.make_meta.py_func(np.uint16(code), g)
        assert fields_of(made) == (code, g, 0)
        word = meta.with_bound.py_func(made | FLAGS, bound)
        assert fields_of(word) == fields_of(word | FLAGS) == (code, g, bound)
        assert not word & FLAGS
        assert (word | FLAGS) & OF_CANDIDATE == word
        assert (word | FLAGS) & CODE_AND_G == made
