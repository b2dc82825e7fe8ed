"""Hooks: what kernels ask kits for, and when a kit is loaded."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import dbmsolver.kits
from dbmsolver.kernels import hooks
from dbmsolver.kernels.hooks import Hook
from dbmsolver.kernels.record_groups import RecordSpace
from dbmsolver.kits.klondike.words import StrataTables

KITS = sorted(path.parent.name for path in Path(dbmsolver.kits.__path__[0]).glob("*/hooks.py"))
OF_ALL = (
    hooks.signature_sets,
    hooks.progress,
    hooks.make_layout,
    hooks.pack_key,
    hooks.unpack_key,
    hooks.base_of,
    hooks.hash_of,
)
"""The hooks that every class of tables with states needs."""
OF_ROWS = (hooks.as_held, hooks.hold, hooks.holds, hooks.assess, hooks.expand_row, hooks.count_of)
"""Some of those of cost layers."""


@pytest.fixture(scope="module")
def names() -> dict[str, Hook]:
    """Return all hooks by their names, with the functions of all kits."""
    for kit in KITS:
        import_module(f"dbmsolver.kits.{kit}.hooks")
    return {name: hook for name, hook in vars(hooks).items() if isinstance(hook, Hook)}


def parameters(function: Any) -> int:
    return len(inspect.signature(getattr(function, "py_func", function)).parameters)


def test_every_hook_has_functions_with_the_same_arguments(names: dict[str, Hook]) -> None:
    assert len(KITS) == 7 and len(names) > 40
    counts = {
        name: {parameters(function) for function in hook.functions.values()}
        for name, hook in names.items()
    }
    assert not {name: found for name, found in counts.items() if len(found) != 1}


def test_tables_have_all_that_kernels_ask_for(names: dict[str, Hook]) -> None:
    of_states = set(hooks.signature_sets.functions)
    assert {tables.__name__ for tables in of_states} == {
        "ClassTables",
        "PairTables",
        "PileTables",
        "RunTables",
        "StrataTables",
        "Tables",
        "TwoWayTables",
    }
    for hook in OF_ALL:
        assert set(hook.functions) == of_states
    with_rows = set(hooks.empty_rows.functions)
    for hook in OF_ROWS:
        assert set(hook.functions) == with_rows < of_states
    assert set(hooks.list_moves.functions) | {StrataTables} == with_rows
    assert len(hooks.expand_group.functions) == 2


def test_what_is_no_kit_has_no_functions() -> None:
    assert hooks.list_moves.of_type(int) is None
    assert hooks.list_moves.of_type(RecordSpace) is None
    with pytest.raises(KeyError):
        hooks.make_found(0)


def test_only_the_kit_that_is_played_is_loaded() -> None:
    program = (
        "import sys\n"
        "from dbmsolver import Deal, prove\n"
        "from dbmsolver.game.shipped import GAMES\n"
        "loaded = lambda: {name for name in sys.modules if name.endswith('.hooks')}\n"
        "deal = Deal.from_number(1, GAMES['golf'])\n"
        "assert loaded() == set()\n"
        "prove(deal, threads=1)\n"
        "print(*sorted(loaded()))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=300
    )
    assert told.stdout == "dbmsolver.kernels.hooks dbmsolver.kits.pile.hooks\n"
