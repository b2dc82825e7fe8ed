"""Sample arguments of kernels: by their types kernels can be compiled before they are needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.kernels.shards import ROW

Call = tuple[Any, tuple[Any, ...]]
"""A kernel and sample arguments. Only the types of these matter: they are never passed to it."""

NUMBER = 0
WORD = np.uint64(0)
WORDS = np.empty(1, np.uint64)
NUMBERS = np.empty(1, np.int64)
COSTS = np.empty(1, np.uint16)
METAS = np.empty(1, np.uint32)
STATES = np.empty((1, 3), np.uint64)
"""States of three planes."""
CANDIDATES = np.empty((1, ROW), np.uint64)
"""Candidates of a search by cost layers."""
