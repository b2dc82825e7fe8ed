"""The brute-force gate notices mistakes: each of these changes to the readable model breaks it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from dominance_brute import Model
from test_dominance import check, searched

from dbmsolver import dominance, macros
from dbmsolver.rules import Build, Fill

DECKS = 150
"""Decks that are looked at before a mistake counts as unnoticed."""

Change = tuple[str, str]

MACROS: dict[str, tuple[Build, Fill, Change]] = {
    "no short columns stripped before the last lift": (
        "alternate",
        "any",
        ("spent == left and still_late", "False"),
    ),
    "short columns stripped though no other column gives the last lift": (
        "suit",
        "any",
        ("spent == left and still_late", "spent == left"),
    ),
    "one short column stripped at most": (
        "alternate",
        "any",
        ("min(len(others), rules.freecells)", "min(len(others), 1)"),
    ),
    "exchange without a slot": (
        "alternate",
        "any",
        (" or (host is not None and lifts == free and not late)", ""),
    ),
    "the host gives the last lift": ("alternate", "any", ("set(kept) - {host}", "set(kept)")),
    "y is forgotten without lifts": (
        "alternate",
        "any",
        ("(record.fix - {p}) | y", "record.fix - {p}"),
    ),
    "fix is forgotten without lifts": ("alternate", "any", ("(record.fix - {p}) | y", "y")),
    "y is forgotten after lifts": (
        "alternate",
        "any",
        ("y | _z(columns, late, moved_from), rules", "_z(columns, late, moved_from), rules"),
    ),
    "z is forgotten": ("suit", "any", ("y | _z(columns, late, moved_from), rules", "y, rules")),
    "z is always certain": (
        "suit",
        "any",
        ("late != {moved_from} or len(columns[moved_from]) != 1", "len(columns[moved_from]) != 1"),
    ),
    "z is forgotten where columns are stripped": (
        "any",
        "any",
        ("fix = y | _z(columns, still_late, moved_from)", "fix = y"),
    ),
    "p counts as lying in a column": (
        "suit",
        "any",
        ("if certain or empty > len(record.fix)", "if True"),
    ),
    "p never taken to lie in a column": (
        "suit",
        "any",
        ("if certain or empty > len(record.fix)", "if certain"),
    ),
    "x's column is never stripped": (
        "alternate",
        "any",
        (
            "else range(len(record.columns)):",
            "else [c for c in range(len(record.columns)) if places.get(x, (-1,))[0] != c]:",
        ),
    ),
    "p's column is never stripped": (
        "alternate",
        "any",
        (
            "else range(len(record.columns)):",
            "else [c for c in range(len(record.columns)) if places.get(p, (-1,))[0] != c]:",
        ),
    ),
    "only x's or p's column is stripped": (
        "alternate",
        "any",
        (
            "else range(len(record.columns)):",
            "else sorted({places[c][0] for c in (x, p) if c in places}):",
        ),
    ),
    "a bottom card's column is never stripped": (
        "alternate",
        "any",
        ("[places[x][0]] if bottom else", "[] if bottom else"),
    ),
    "p does not leave a column": (
        "alternate",
        "any",
        ("        if places[p][1] == 0:\n            return\n", "        return\n"),
    ),
    "a king does not leave its column": (
        "alternate",
        "kings",
        ("not (x in places and places[x][1] == 0)", "x not in places"),
    ),
    "no column is stripped for a king": (
        "alternate",
        "kings",
        ("for host in range(len(record.columns)):", "for host in ():"),
    ),
    "only a king's own column is stripped": (
        "suit",
        "kings",
        (
            "for host in range(len(record.columns)):",
            "for host in [places[x][0]] if x in places else []:",
        ),
    ),
    "a king's own column is never stripped": (
        "suit",
        "kings",
        (
            "for host in range(len(record.columns)):",
            "for host in [c for c in range(len(record.columns)) if places.get(x, (-1,))[0] != c]:",
        ),
    ),
    "lifts are free": ("suit", "none", ("        if lifts > free:\n            continue\n", "")),
}

RECORDS: dict[str, tuple[Build, Fill, Change]] = {
    "pairs where the lower card may lie in a freecell": (
        "alternate",
        "any",
        ("(movable or parent in record.fix)", "True"),
    ),
    "fix is never kept": ("suit", "any", ("record._replace(fix=frozenset(fix)) if", "record if")),
    "a card left alone by a safe move may lie anywhere": (
        "suit",
        "any",
        (
            "record.fix.union(column[0] for column in columns if len(column) == 1) - {card}",
            "record.fix - {card}",
        ),
    ),
    "any card goes to an empty column": ("suit", "kings", ("if rules.can_fill(card)", "if True")),
}


def module(path: str, name: str, *changes: Change) -> ModuleType:
    """The source with each change made; what is to be changed has to be there once."""
    source = Path(path).read_text()
    for old, new in changes:
        assert source.count(old) == 1, f"{old!r} is not in {path} once"
        source = source.replace(old, new)
    made = ModuleType(name)
    exec(compile(source, name, "exec"), made.__dict__)
    return made


def notices(model: Model, build: Build, fill: Fill) -> bool:
    """Whether some deck does not pass."""
    for seed in range(DECKS):
        try:
            check(searched(build, fill, seed, model))
        except AssertionError:
            return True
    return False


@pytest.mark.parametrize("name", MACROS)
def test_mistakes_in_macros(name: str) -> None:
    build, fill, change = MACROS[name]
    changed = module(macros.__file__, "changed_macros", change)
    assert notices(Model(macros=changed.macros), build, fill)


@pytest.fixture
def changed_records(name: str) -> Iterator[ModuleType]:
    """The module of records with a mistake, for import by another one."""
    sys.modules["changed_records"] = module(dominance.__file__, "changed_records", RECORDS[name][2])
    yield sys.modules["changed_records"]
    del sys.modules["changed_records"]


@pytest.mark.parametrize("name", RECORDS)
def test_mistakes_in_records(name: str, changed_records: ModuleType) -> None:
    build, fill, _ = RECORDS[name]
    use = ("from dbmsolver.dominance import", "from changed_records import")
    changed = module(macros.__file__, "changed_macros", use)
    assert notices(Model(changed_records.record_of, changed.macros), build, fill)
