"""The errors of closed states, by number; :mod:`dbmsolver.verify.refutation` has words for them."""

from __future__ import annotations

FINE, BAD_WIDTH, BAD_KEY, TOO_WIDE, BAD_SIGNATURE, BAD_FIELDS = range(6)
TOO_MANY_CELLS, TOO_MANY_COLUMNS, COLLISION, RING, NO_POSITION = range(6, 11)
OTHER_SIGNATURE, OTHER_LAYER, BAD_CLASS, BAD_FIX, NOT_NORMAL = range(11, 16)
TOO_MANY_MACROS, GOAL, BAD_LAYER, UNKNOWN_CLASS, BAD_CODE, NOT_CLOSED = range(16, 22)
