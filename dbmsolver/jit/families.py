"""One name for functions of several kinds of tables; which one it is, numba decides by types.

A kernel that calls such a name is compiled anew for each type of tables that it is called with, and
only for those. Each time the function for that type is called, as if the kernel named it itself:
nothing is chosen while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numba import types
from numba.extending import models, register_model, typeof_impl


class ByType:
    """One name for several functions, one for each class of tables.

    A call runs the function for the class of the first argument, a NamedTuple. All ``functions``
    take the same arguments. Kernels can call the name where they are compiled, and Python can.
    """

    def __init__(self, functions: Mapping[type, Any]) -> None:
        self.functions = dict(functions)

    def of_type(self, tables: type) -> Any:
        """Return the function for a class of tables, or None."""
        return self.functions.get(tables)

    def of(self, first: Any) -> Any:
        """Return the function for a first argument; KeyError if there is none."""
        function = self.of_type(type(first))
        if function is None:
            raise KeyError(type(first))
        return function

    def __call__(self, first: Any, *rest: Any) -> Any:
        """Call the function for the first argument, from Python."""
        return self.of(first)(first, *rest)


class _TypeOfFunction(types.Callable, types.Dummy):  # type: ignore[misc]  # numba has no types
    """The type of such a function, which numba asks for the one that a kernel is to call."""

    def __init__(self, by_type: ByType) -> None:
        self.by_type = by_type
        super().__init__(f"by type: {id(by_type)}")

    def _function(self, arguments: Any) -> Any:
        return self.by_type.of_type(getattr(arguments[0], "instance_class", type(None)))

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of the function for these types, compiled; None without one."""
        found = self._function(args)
        return None if found is None else types.Dispatcher(found).get_call_type(context, args, kws)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """Return the signatures compiled so far, for messages of errors."""
        functions = self.by_type.functions.values()
        return [one for found in functions for one in found.nopython_signatures], True

    def get_impl_key(self, sig: Any) -> Any:
        """Return the key by which numba finds the machine code for a signature."""
        return self._function(sig.args).get_overload(sig.args)


register_model(_TypeOfFunction)(models.OpaqueModel)


@typeof_impl.register(ByType)
def _type_of_function(function: ByType, _context: Any) -> _TypeOfFunction:
    return _TypeOfFunction(function)
