"""The two kinds of keys of games of columns; which one a store has, its game says."""

from __future__ import annotations

from dbmsolver.verify.format import Format
from dbmsolver.verify.kernels.digits import DigitFormat

Form = Format | DigitFormat
