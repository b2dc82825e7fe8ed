"""Tuples of arrays that kernels get by reference.

numba hands a tuple from function to function as one argument for each number, pointer and dimension
in it: some 200 for the tables of a deal. More than half of the code that LLVM would have to
translate then packs and unpacks arguments. A tuple of a class marked with :func:`struct` is handed
on as one pointer to a struct in memory (:mod:`dbmsolver.jit.struct_types`), which is made once,
when a kernel first gets the tuple.

A struct has 8 bytes for each number, and for each array its address and its shape; for a struct in
it, the address of that; for another tuple, its fields.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

ADDRESS = "struct_address"
"""The attribute that is the address of a tuple's struct."""
_STRUCT = "struct"

_Class = TypeVar("_Class", bound=type)


def struct(of_class: _Class) -> _Class:
    """Return a subclass of a NamedTuple whose tuples kernels get by reference.

    Its fields are numbers, contiguous arrays, None, and tuples of these. Kernels read the fields by
    name, and cannot make such tuples.
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
    """Return True for a tuple that kernels get by reference."""
    return hasattr(type(value), ADDRESS)


class _Address:
    """The attribute of the address, which is kept when it was asked for once."""

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
            raise TypeError("an array in a struct is contiguous")
        return [value.ctypes.data, *value.shape]
    if is_struct(value):
        return [getattr(value, ADDRESS)]
    if isinstance(value, tuple):
        return [slot for part in value for slot in _slots(part)]
    return [int(value) % 2**64]
