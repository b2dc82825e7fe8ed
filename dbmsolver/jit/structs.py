"""Tuples of arrays that kernels get by reference.

numba hands a tuple from function to function as one argument for each number, pointer and dimension
of the tuple: about 200 for the tables of a deal. More than half of the code that LLVM translates
would do nothing but pack and unpack them. A tuple of a class that :func:`struct` decorates is
handed on as one pointer, to a struct in memory. The struct is made when the first kernel gets that
tuple, and kept with it. :mod:`dbmsolver.jit.struct_types` tells numba of it.

The struct has the fields one after the other, in slots of 8 bytes: one slot for a number; for an
array one for its address, and one for each dimension; none for None. A struct within has one slot,
for its address. Any other tuple has the slots of its fields.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

ADDRESS = "struct_address"
"""The attribute that is the address of a tuple's struct."""
_STRUCT = "struct"

_Class = TypeVar("_Class", bound=type)


def struct(of_class: _Class) -> _Class:
    """Return a subclass of ``of_class``, a NamedTuple, for tuples that kernels get by reference.

    A class decorator. The fields are whole numbers, None, arrays in C order, structs, and plain
    tuples of these. Kernels read the fields by name alone, and cannot make such tuples. TypeError
    when a kernel gets a field of another kind.
    """
    own = {
        "__module__": of_class.__module__,
        "__qualname__": of_class.__qualname__,
        "__doc__": of_class.__doc__,
        "__getstate__": lambda self: None,  # a copy gets a struct of its own
        ADDRESS: _Address(),
    }
    return type(of_class.__name__, (of_class,), own)  # type: ignore[return-value]


def is_struct(value: Any) -> bool:
    """Return True for an instance of a class that :func:`struct` decorates."""
    return hasattr(type(value), ADDRESS)


class _Address:
    """The descriptor of the struct's address: made on first access, then kept by the instance."""

    def __get__(self, instance: Any, _owner: type) -> Any:
        if instance is None:
            return self
        slots = np.array(_slots(tuple(instance)), np.uint64)
        # Threads may ask at the same time: all use the struct that is kept first.
        kept = instance.__dict__.setdefault(_STRUCT, slots)
        return instance.__dict__.setdefault(ADDRESS, kept.ctypes.data)


def _slots(value: Any) -> list[int]:
    """Return the 8 bytes of each number and pointer of a field, as whole numbers."""
    if value is None:
        return []
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("an array in a struct is contiguous, in C order")
        return [value.ctypes.data, *value.shape]
    if is_struct(value):
        return [getattr(value, ADDRESS)]
    if isinstance(value, tuple):
        return [slot for part in value for slot in _slots(part)]
    if not isinstance(value, int | np.integer | np.bool_):
        raise TypeError(f"a field of a struct is a {type(value).__name__}, expected a whole number")
    return [int(value) % 2**64]
