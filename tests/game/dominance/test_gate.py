"""The brute-force gate notices mistakes: each of these changes to the readable model breaks it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from helpers.dominance_brute import Deck, Model
from helpers.dominance_checks import Searched, check, found_in, searched
from helpers.selection import few_fast

from dbmsolver.game.dominance import attempts, cell_macros, macros, records, slot_macros
from dbmsolver.game.kinds import Build, Fill
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules

DECKS = 100
"""Decks that are looked at before a mistake counts as unnoticed."""

Change = tuple[str, str]
"""A part of a text, and its replacement."""

# Each mistake with builds and fills, the seed of a deck that notices it, and the change.
MACROS: dict[str, tuple[Build, Fill, int, Change]] = {
    "no short columns stripped before the last lift": (
        "alternate",
        "any",
        19,
        ("spent == left and still_late", "False"),
    ),
    "short columns stripped though no other column gives the last lift": (
        "suit",
        "any",
        5,
        ("spent == left and still_late", "spent == left"),
    ),
    "exchange without a slot": (
        "alternate",
        "any",
        13,
        (" or (host is not None and lifts == free and not late)", ""),
    ),
    "the host gives the last lift": ("alternate", "any", 16, ("set(kept) - {host}", "set(kept)")),
    "y is forgotten without lifts": (
        "alternate",
        "any",
        13,
        ("(record.fix - {p}) | y", "record.fix - {p}"),
    ),
    "fix is forgotten without lifts": ("alternate", "any", 13, ("(record.fix - {p}) | y", "y")),
    "y is forgotten after lifts": (
        "alternate",
        "any",
        13,
        ("y | _z(columns, late, moved_from), rules", "_z(columns, late, moved_from), rules"),
    ),
    "z is forgotten": ("suit", "any", 96, ("y | _z(columns, late, moved_from), rules", "y, rules")),
    "z is always certain": (
        "suit",
        "any",
        237,
        ("late != {moved_from} or len(columns[moved_from]) != 1", "len(columns[moved_from]) != 1"),
    ),
    "p counts as lying in a column": (
        "suit",
        "any",
        5,
        ("if certain or empty > len(record.fix)", "if True"),
    ),
    "p never taken to lie in a column": (
        "suit",
        "any",
        2,
        ("if certain or empty > len(record.fix)", "if certain"),
    ),
    "x's column is never stripped": (
        "alternate",
        "any",
        19,
        (
            "else range(len(record.columns)):",
            "else [c for c in range(len(record.columns)) if places.get(x, (-1,))[0] != c]:",
        ),
    ),
    "p's column is never stripped": (
        "alternate",
        "any",
        19,
        (
            "else range(len(record.columns)):",
            "else [c for c in range(len(record.columns)) if places.get(p, (-1,))[0] != c]:",
        ),
    ),
    "only x's or p's column is stripped": (
        "alternate",
        "any",
        19,
        (
            "else range(len(record.columns)):",
            "else sorted({places[c][0] for c in (x, p) if c in places}):",
        ),
    ),
    "a bottom card's column is never stripped": (
        "alternate",
        "any",
        19,
        ("[places[x][0]] if bottom else", "[] if bottom else"),
    ),
    "p does not leave a column": (
        "alternate",
        "any",
        0,
        ("        if places[p][1] == 0:\n            return\n", "        return\n"),
    ),
    "a king does not leave its column": (
        "alternate",
        "kings",
        1,
        ("not (x in places and places[x][1] == 0)", "x not in places"),
    ),
    "no column is stripped for a king": (
        "alternate",
        "kings",
        1,
        ("for host in range(len(record.columns)):", "for host in ():"),
    ),
    "only a king's own column is stripped": (
        "suit",
        "kings",
        5,
        (
            "for host in range(len(record.columns)):",
            "for host in [places[x][0]] if x in places else []:",
        ),
    ),
    "a king's own column is never stripped": (
        "suit",
        "kings",
        33,
        (
            "for host in range(len(record.columns)):",
            "for host in [c for c in range(len(record.columns)) if places.get(x, (-1,))[0] != c]:",
        ),
    ),
    "lifts are free": ("suit", "none", 2, ("        if lifts > free:\n            continue\n", "")),
}

RECORDS: dict[str, tuple[Build, Fill, int, Change]] = {
    "pairs where the lower card may lie in a freecell": (
        "alternate",
        "any",
        13,
        ("(movable or parent in record.fix)", "True"),
    ),
    "fix is never kept": (
        "suit",
        "any",
        2,
        ("record._replace(fix=frozenset(fix)) if", "record if"),
    ),
    "a card left alone by a safe move may lie anywhere": (
        "suit",
        "any",
        63,
        (
            "record.fix.union(column[0] for column in columns if len(column) == 1) - {card}",
            "record.fix - {card}",
        ),
    ),
    "any card goes to an empty column": (
        "suit",
        "kings",
        5,
        ("if rules.can_fill(card)", "if True"),
    ),
}


RARE: dict[str, tuple[Change, Deck]] = {
    "one short column stripped at most": (
        ("min(len(others), rules.freecells)", "min(len(others), 1)"),
        Deck(
            Position(
                (
                    (37, 39, 44, 46, 51, 45, 47),
                    (36, 38, 43, 50, 40, 49, 48),
                    (41, 42),
                    (),
                ),
                (None, None, None),
                (9, 9, 9, 9),
            ),
            Rules("rare", 4, 3, "suit", "any"),
            "wkr",
        ),
    ),
    # KC lies alone once KS has moved, QS goes on KS, and KH and KD are stripped and fill the rest.
    "z is forgotten where columns are stripped": (
        ("fix = y | _z(columns, still_late, moved_from)", "fix = y"),
        Deck(
            Position(
                ((36, 37, 38, 39, 44, 46, 47, 41, 42, 43, 45), (51, 49), (48, 50), ()),
                (40, None),
                (9, 9, 9, 9),
            ),
            Rules("rare", 4, 2, "suit", "any"),
            "none",
        ),
    ),
}
"""Mistakes that few random decks notice, each with a deck that does."""


def source_of(*modules: ModuleType) -> str:
    """Return the text of modules as one, without the imports of each other."""
    names = "|".join(re.escape(module.__name__) for module in modules)
    imports = re.compile(
        rf"^from (?:__future__|{names}) import (?:\([^)]*\)|[^(\n]*)\n", re.MULTILINE
    )
    texts = [imports.sub("", Path(str(module.__file__)).read_text()) for module in modules]
    return "from __future__ import annotations\n" + "".join(texts)


RECORDS_SOURCE = source_of(records)
MACROS_SOURCE = source_of(attempts, slot_macros, cell_macros, macros)


def module(source: str, name: str, *changes: Change) -> ModuleType:
    """Return the source with each change made, as a module.

    The text to be changed has to be there once.
    """
    for old, new in changes:
        assert source.count(old) == 1, f"{old!r} is not in the source once"
        source = source.replace(old, new)
    made = ModuleType(name)
    exec(compile(source, name, "exec"), made.__dict__)
    return made


def wrong(found: Searched) -> bool:
    """Return True if a deck does not pass."""
    try:
        check(found)
    except AssertionError:
        return True
    return False


def notices(model: Model, build: Build, fill: Fill, seed: int) -> bool:
    """Return True if the deck of the seed, or if not some other, does not pass."""
    seeds = (seed, *range(DECKS))
    return any(wrong(searched(build, fill, seed, model)) for seed in seeds)


@pytest.mark.parametrize("name", few_fast(MACROS, 7))
def test_mistakes_in_macros(name: str) -> None:
    build, fill, seed, change = MACROS[name]
    changed = module(MACROS_SOURCE, "changed_macros", change)
    assert notices(Model(macros=changed.macros), build, fill, seed)


@pytest.mark.parametrize("name", RARE)
def test_rare_mistakes(name: str) -> None:
    change, deck = RARE[name]
    check(found_in(deck))
    changed = module(MACROS_SOURCE, "changed_macros", change)
    assert wrong(found_in(deck, Model(macros=changed.macros)))


@pytest.fixture
def changed_records(name: str) -> Iterator[ModuleType]:
    """Yield the module of records with a mistake, for import by another one."""
    sys.modules["changed_records"] = module(RECORDS_SOURCE, "changed_records", RECORDS[name][-1])
    yield sys.modules["changed_records"]
    del sys.modules["changed_records"]


@pytest.mark.parametrize("name", RECORDS)
def test_mistakes_in_records(name: str, changed_records: ModuleType) -> None:
    build, fill, seed, _ = RECORDS[name]
    source = MACROS_SOURCE.replace(
        "from dbmsolver.game.dominance.records import", "from changed_records import"
    )
    changed = module(source, "changed_macros")
    assert notices(Model(changed_records.record_of, changed.macros), build, fill, seed)
