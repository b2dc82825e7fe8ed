"""Rules that all kernels keep: one for machine code, and one for the time of compiling."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from numba.core.dispatcher import Dispatcher

from dbmsolver.jit.families import ByType

PACKAGES = ("dbmsolver.kernels", "dbmsolver.kits", "dbmsolver.verify.kernels")


def is_inlined(function: Any) -> bool:
    return bool(function.targetoptions.get("forceinline", False))


def name(function: Any) -> str:
    return f"{function.py_func.__module__}.{function.py_func.__qualname__}"


def called_by(function: Any) -> Iterator[Any]:
    """Yield the compiled functions that a function names, and those of all families it may call."""
    used = function.py_func.__code__.co_names
    known = [function.py_func.__globals__]
    known += [vars(found) for found in known[0].values() if isinstance(found, ModuleType)]
    for found in (names[one] for names in known for one in used if one in names):
        if isinstance(found, Dispatcher):
            yield found
        elif isinstance(found, ByType):
            yield from found.functions.values()


def kernels() -> dict[str, Any]:
    """Return all compiled functions by their names."""
    found = {}
    for package in PACKAGES:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, Dispatcher):
                    found[name(value)] = value
    return found


def test_what_an_inlined_function_calls_is_inlined() -> None:
    """Machine code does not depend on the order in which kernels are compiled.

    numba compiles a function into its callers, too, if the first caller compiled is inlined.
    """
    all_of_them = kernels()
    inlined = [function for function in all_of_them.values() if is_inlined(function)]
    wrong = [
        f"{name(function)} calls {name(called)}"
        for function in inlined
        for called in called_by(function)
        if not is_inlined(called)
    ]
    assert wrong == []
    assert len(inlined) > 300 and len(all_of_them) - len(inlined) > 100
    reached = {name(called) for function in all_of_them.values() for called in called_by(function)}
    assert reached <= set(all_of_them)


def copied_slices(function: Any) -> list[str]:
    """Return the statements of a kernel that copy a slice of an array to a slice of another."""
    tree = ast.parse(inspect.getsource(function.py_func))
    return [
        f"{name(function)}: {ast.unparse(node)}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and any(isinstance(part, ast.Slice) for part in ast.walk(node.value))
        and any(isinstance(part, ast.Slice) for to in node.targets for part in ast.walk(to))
    ]


def test_slices_are_copied_by_loops() -> None:
    """Numba compiles a message for a slice that does not fit, and with it functions for texts."""
    assert [text for kernel in kernels().values() for text in copied_slices(kernel)] == []
