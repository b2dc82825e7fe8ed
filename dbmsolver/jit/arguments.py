"""The types of kernels' arguments: plain arrays, numbers, and tuples of both.

numba loads numpy's masked arrays to test an argument for being one. That takes a hundredth of a
second, and no kernel has such arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import typeof, types
from numba.np.numpy_support import from_dtype, map_layout

from dbmsolver.jit.struct_types import StructType
from dbmsolver.jit.structs import is_struct


def type_of(value: Any) -> Any:
    """Return numba's type of an argument: the one that ``numba.typeof`` gives."""
    if type(value) is np.ndarray:
        readonly = not value.flags.writeable
        return types.Array(from_dtype(value.dtype), value.ndim, map_layout(value), readonly)
    if is_struct(value):
        return StructType(type(value), [type_of(field) for field in value])
    if isinstance(value, tuple):
        return types.BaseTuple.from_types([type_of(part) for part in value], type(value))
    return typeof(value)
