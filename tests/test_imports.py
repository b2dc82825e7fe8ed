"""Imports run downwards only, and a few things stand in one place only."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from helpers.rows import row

from dbmsolver.survey.formats import write_table

PACKAGE = Path(__file__).parents[1] / "dbmsolver"

HOUSE: tuple[tuple[str, str], ...] = (
    ("errors", ""),
    ("version", ""),
    ("arguments", "errors"),
    ("arrays", ""),
    ("closable", ""),
    ("process", ""),
    ("programs", "process"),
    ("disk", ""),
    ("temporary", "disk"),
    ("signals", "errors"),
    ("steps", ""),
    ("game", "errors arguments"),
    ("results", "errors arguments game"),
    ("notation", "errors arguments game results"),
    ("jit", "disk"),
    ("kernels", "arrays jit"),
    ("kits", ""),
    ("kits.columns", "jit kernels"),
    ("kits.cards", "jit kernels kits.columns"),
    ("kits.runs", "jit kernels kits.columns kits.cards"),
    ("kits.two_way", "jit kernels kits.columns kits.cards"),
    ("clusters", "errors version signals jit"),
    ("kits.places", "kernels kits.cards"),
    ("kits.public_digits", "kernels kits.cards kits.places"),
    (
        "kits.deal_tables",
        "kernels kits.cards kits.runs kits.two_way kits.places kits.public_digits",
    ),
    (
        "kits.states",
        "errors game results kernels kits.cards kits.public_digits kits.deal_tables",
    ),
    ("kits.leaving_dive", "jit kernels"),
    ("kits.leaving", "game results kernels kits.states kits.leaving_dive"),
    ("kits.records", "game results jit kernels kits.columns kits.cards kits.states"),
    (
        "kits.pile",
        "errors game results jit kernels kits.cards kits.states kits.leaving",
    ),
    (
        "kits.pairs",
        "errors game results jit kernels kits.cards kits.states kits.leaving",
    ),
    (
        "kits.klondike",
        "errors arrays game results jit kernels kits.columns kits.cards kits.states",
    ),
    ("kits.wide", "errors arrays game results jit kernels kits.states"),
    (
        "kits.choice",
        "game results kits.states kits.leaving kits.records kits.pile kits.pairs kits.klondike "
        "kits.wide",
    ),
    ("storage", "errors version closable process disk game results kernels kits"),
    ("search", "errors process signals game results jit kernels kits storage"),
    (
        "search.proof",
        "errors process steps game results kernels clusters kits storage search",
    ),
    ("search.astar", "errors arrays process game results kernels kits storage search"),
    (
        "search.improve",
        "errors game results kernels kits storage search search.proof search.astar",
    ),
    ("search.wide", "game results kernels kits search search.improve"),
    (
        "search.stages",
        "process game results clusters kits storage search search.proof search.astar "
        "search.improve "
        "search.wide",
    ),
    ("search.session", "errors process temporary game results kits storage search search.stages"),
    (
        "search.sequences",
        "errors closable process temporary game results kernels kits storage search search.session",
    ),
    ("search.advice", "game results search search.session"),
    ("search.decisions", "process steps game results search.proof search.session"),
    ("verify", "errors arrays process disk game results jit storage"),
    (
        "search.inspect",
        "errors game results kernels kits storage search search.proof",
    ),
    (
        "survey",
        "errors version closable process programs disk signals steps game results jit kernels "
        "clusters kits search search.proof search.session",
    ),
    (
        "api",
        "errors version arguments process programs temporary signals steps game results notation "
        "jit kits storage "
        "search search.session search.sequences search.advice search.decisions search.inspect "
        "verify survey",
    ),
    (
        "play",
        "errors process programs temporary game results notation jit search search.session api",
    ),
    (
        "cli",
        "errors version arguments closable process disk signals steps game results notation "
        "clusters api play",
    ),
    ("__main__", "process signals search cli"),
)
"""Every part of the package, and the parts it may import, all of them further up in this list.

A part is a module or a folder; the longest name that fits counts, so `search` stands for the
modules that lie in that folder itself. A part may always import itself. Whoever may import `kits`
may import every kit.
"""

SHARED = {
    "storage.certificate",  # what a store claims, and the file that says it
    "storage.certificate_file",
    "storage.binding",  # records, as they are in the file
    "storage.datafile",
    "storage.directory",
    "storage.fields",
    "storage.labels",
    "storage.manifest",
    "storage.meanings",
    "storage.nodes",
    "storage.pages",
    "storage.records",
    "storage.store",
    "storage.environment",  # loaded by the store, not used by the check
    "storage.transaction",
    "jit",
    "jit.collector",
    "jit.arguments",
    "jit.cache",
    "jit.decorators",  # how functions are compiled, and where the machine code is kept
    "jit.families",  # one name for functions of several kinds of keys
    "jit.library",
    "jit.sharing",
    "jit.structs",  # tuples of arrays that functions get by reference
    "jit.struct_types",
    "arguments",  # what callers give
    "arrays",  # large pages
    "closable",  # files that are closed at the end of a block
    "disk",  # which file a path means, and locks
    "process",
    "version",
}
"""The modules that the check shares with the search, however indirectly, beside the game itself."""

PRINTS = {"cli", "signals", "__main__"}
"""The modules that print, exit, and know click and rich."""


def modules() -> dict[str, Path]:
    names = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


MODULES = modules()
INSIDE = [name for name in MODULES if name]


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All of a file's syntax."""
    return tuple(ast.walk(ast.parse(path.read_bytes())))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module that is imported anywhere in the file, by its full name."""
    return tuple(names_in(path))


BY_NAME = ("import_module", "importlib.import_module", "__import__")
"""Functions that load a module whose name they are given."""


def is_import(function: ast.expr) -> bool:
    """Return True for a function that loads a module."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__") and ast.unparse(function) in BY_NAME


def names_in(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_module = whole.removeprefix("dbmsolver.") in MODULES
                yield whole if is_module else node.module
        elif isinstance(node, ast.Call) and is_import(node.func):
            name = node.args[0]
            if isinstance(name, ast.Constant):
                yield str(name.value)


def own_imports(name: str) -> set[str]:
    """Return the modules of this package that it imports, without the package's name."""
    found = {i.removeprefix("dbmsolver.") for i in imports(MODULES[name]) if "dbmsolver." in i}
    return {i for i in found if i in MODULES} - {name}


def part(name: str) -> str:
    """Return the part that a module belongs to."""
    fitting = [part for part, _ in HOUSE if name == part or name.startswith(f"{part}.")]
    assert fitting, f"{name} is in no part of the list"
    return max(fitting, key=len)


def test_the_list_is_ordered() -> None:
    above: set[str] = set()
    for name, allowed in HOUSE:
        assert set(allowed.split()) <= above, name
        above.add(name)


def test_downwards() -> None:
    upwards = {}
    for name in INSIDE:
        allowed = {part(name), *dict(HOUSE)[part(name)].split()}
        if "kits" in allowed:
            allowed |= {kit for kit, _ in HOUSE if kit.startswith("kits.")}
        if wrong := {i for i in own_imports(name) if part(i) not in allowed}:
            upwards[name] = wrong
    assert not upwards


def reached(names: Iterable[str]) -> set[str]:
    """Return the modules of this package that some of them import, directly or not."""
    found = set[str]()
    waiting = list(names)
    while waiting:
        new = own_imports(waiting.pop()) - found
        found |= new
        waiting += new
    return found


def test_what_the_check_shares_with_the_search() -> None:
    """`docs/proving.md` says this, too."""
    check = [name for name in INSIDE if part(name) == "verify"]
    others = {name for name in reached(check) if part(name) not in ("verify", "game")}
    assert others == SHARED | {"errors", "results"}
    assert reached(["search.session"]) & set(check) == set()
    taken = {
        alias.name
        for name in check
        for node in nodes(MODULES[name])
        if isinstance(node, ast.ImportFrom) and "dbmsolver.storage" in str(node.module)
        for alias in node.names
    }
    certificates = {"Certificate", "deal_of", "differences", "from_manifest"}
    assert taken == {"Store", "Manifest", "describe", "parse_closed_key"} | certificates


def test_the_check_loads_no_kernel_of_the_search() -> None:
    program = (
        "import dbmsolver.verify.check, sys\n"
        "parts = {name.split('.')[1] for name in sys.modules if name.startswith('dbmsolver.')}\n"
        "assert 'verify' in parts and not parts & {'kernels', 'kits', 'search'}, parts\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_command_line_has_one_front() -> None:
    """Searches, checks, surveys and stores are reached through `api`, as by Python programs."""
    used = {part(i) for name in INSIDE if part(name) == "cli" for i in own_imports(name)}
    above = {"api", "play", "cli"}
    below = {"game", "notation", "results", "clusters"}
    helpers = {"errors", "version", "arguments", "closable", "process", "disk", "signals", "steps"}
    assert used == above | below | helpers


def test_no_circles() -> None:
    above: dict[str, set[str]] = {name: own_imports(name) for name in INSIDE}
    while free := {name for name, below in above.items() if not below & above.keys()}:
        for name in free:
            del above[name]
    assert not above


def test_one_place_only() -> None:
    for name, path in MODULES.items():
        foreign = {i.partition(".")[0] for i in imports(path)}
        if not name.startswith(("jit", "kernels", "kits", "verify.kernels")):
            assert not foreign & {"numba", "llvmlite"}, name
        if not name.startswith("game.language"):
            assert "lark" not in foreign, name
        if not name.startswith("storage"):
            assert "lmdb" not in foreign, name
        if not name or part(name) not in PRINTS:
            assert not foreign & {"click", "rich"}, name


def test_only_the_command_line_prints_and_exits() -> None:
    for name in INSIDE:
        if part(name) in PRINTS:
            continue
        for node in nodes(MODULES[name]):
            if isinstance(node, ast.Call):
                called = ast.unparse(node.func)
                assert called not in ("print", "exit", "sys.exit"), name
                # A signal before anything is begun ends the process where it is.
                assert called != "os._exit" or name == "search.interrupts", name
            if isinstance(node, ast.Attribute):
                assert ast.unparse(node) not in ("sys.stdout", "sys.stderr"), name


def loaded_by(*args: str) -> set[str]:
    """Return the modules that a command line has loaded when it ends."""
    program = (
        "import sys\n"
        "from dbmsolver.cli.app import cli\n"
        f"cli.main({list(args)!r}, standalone_mode=False)\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    return set(run.stderr.split())


@pytest.mark.parametrize(
    "args",
    [("--help",), ("solve", "--help"), ("deal", "3"), ("games",), ("deal", "1", "--game", "bath")],
)
def test_quick_commands_load_nothing_heavy(args: tuple[str, ...]) -> None:
    heavy = {"numba", "numpy", "lmdb", "rich", "llvmlite", "zstandard", "lark"}
    assert not loaded_by(*args) & heavy


def test_who_leaves_the_work_to_processes_loads_no_kernels(tmp_path: Path) -> None:
    """A survey's workers load numba at once, and do not wait for their driver to do so."""
    table = tmp_path / "table.csv"
    write_table([row(1, verdict="solved")], table, ".csv")
    words = ("--undecided-only", "--threads", "2", "--memory", "1G", "--quiet")
    loaded = loaded_by("survey", *words, "-o", str(table))
    assert not loaded & {"numba", "numpy", "llvmlite"}


def test_help_loads_no_command() -> None:
    assert not [name for name in loaded_by("--help") if name.startswith("dbmsolver.cli.commands.")]


def test_signals_are_heeded_before_anything_else_is_loaded() -> None:
    """Ctrl-C while the program is being loaded ends it in one line, but for the first moment."""
    program = (
        "import dbmsolver.__main__, sys\n"
        "print(*(name for name in sys.modules if name.startswith('dbmsolver')))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    first = {"dbmsolver", "dbmsolver.__main__", "dbmsolver.errors", "dbmsolver.signals"}
    assert set(run.stdout.decode().split()) == first


def test_the_package_is_light() -> None:
    program = "import dbmsolver, sys; assert not {'numba', 'numpy', 'click'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
