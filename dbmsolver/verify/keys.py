"""The keys of a deal of columns."""

from __future__ import annotations

from dataclasses import dataclass

from dbmsolver.verify.kernels.opening import DigitKeys, PlaneKeys
from dbmsolver.verify.kernels.positions import Tables
from dbmsolver.verify.refutation import State


@dataclass(frozen=True)
class Format:
    """Everything about the rules and the keys of one deal."""

    tables: Tables  # the rules and the deal, for kernels
    keys: PlaneKeys | DigitKeys  # the form of local keys and signatures
    root: State  # the deal's state
    stratum: int  # the stratum of the deal
    root_code: int  # the parent-move code of the deal, -1 if it has none of its own
    code_bytes: int  # the bytes of a parent-move code
