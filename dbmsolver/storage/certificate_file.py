"""Certificates as files: written as JSON, read, and held against their form.

The form is described in ``certificate.schema.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dbmsolver.errors import DbmError, InputError
from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.cards import CARDS
from dbmsolver.game.kinds import METRICS
from dbmsolver.game.measures import measure_of
from dbmsolver.game.shipped import rules_fields, rules_from
from dbmsolver.results import Bound, Method, Question
from dbmsolver.storage.fields import read_json
from dbmsolver.storage.labels import wrong_label
from dbmsolver.storage.meanings import difference, meaning_of

FORMAT = 2
SCHEMA = Path(__file__).with_name("certificate.schema.json")
_HOME, _PAIRED = 7, 64
"""Place values of a step: the highest one but for cards that are removed together, and the first of
these, to which the other card's number is added."""
CLAIMS = ("unsolvable", "shortest", "solved")
MAX_BYTES = 1 << 20

Certificate = dict[str, Any]


def dump(certificate: Certificate) -> str:
    """Return a certificate as JSON, a list's element per line."""
    lines = []
    for name, value in certificate.items():
        text = json.dumps(value)
        if name == "strata" and value:
            text = "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in value) + "\n  ]"
        lines.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load(path: Path) -> Certificate:
    """Read a certificate; InputError, naming the fault, for anything else."""
    where = str(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(
            f"cannot be read ({error.strerror}), expected a certificate", where
        ) from None
    if len(data) > MAX_BYTES:
        raise InputError(f"more than {MAX_BYTES} bytes, expected a certificate", where)
    try:
        certificate = read_json(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error}), expected a certificate", where) from None
    problem = next(problems(certificate), None)
    if problem is not None:
        raise InputError(f"not a certificate: {problem}", where)
    own = meaning_of(
        rules_from(certificate["rules"]),
        certificate["policy"],
        certificate["metric"],
        Method(certificate["method"]),
        Question(certificate["question"]),
        bound_of(certificate),
    )
    unknown = difference(certificate["meaning"], own)
    if unknown is not None:
        raise InputError(f"a certificate that cannot be compared: {unknown}", where)
    return dict(certificate)


def bound_of(certificate: Certificate) -> Bound:
    """Return the bound that the layers of a certificate were counted with."""
    return Bound.CLASSES if "distances" in certificate["meaning"] else Bound.POSITIONS


def problems(data: Any) -> Iterator[str]:
    """Yield the differences of some JSON from the schema, for machines without a validator."""
    if not isinstance(data, dict):
        yield "expected a JSON object"
        return
    if type(data.get("certificate")) is not int or data["certificate"] != FORMAT:
        yield f'expected "certificate": {FORMAT}'
        return
    kinds: dict[str, type | tuple[type, ...]] = {
        "claim": str,
        "question": str,
        "method": str,
        "deal": dict,
        "rules": dict,
        "policy": str,
        "metric": str,
        "meaning": dict,
        "length": (int, type(None)),
        "states": int,
        "forced": int,
        "digest": (str, type(None)),
        "strata": list,
        "path": (list, type(None)),
        "versions": dict,
    }
    for name, kind in kinds.items():
        if name not in data:
            yield f"{name} is missing"
        elif not isinstance(data[name], kind) or isinstance(data[name], bool):
            yield f"{name} is of the wrong type"
    for name in data.keys() - kinds.keys() - {"certificate"}:
        yield f"unknown member {name[:40]!r}"
    choices = {
        "claim": CLAIMS,
        "question": ("prove", "solve"),
        "method": tuple(Method),
        "policy": AUTOMOVES,
        "metric": METRICS,
    }
    for name, allowed in choices.items():
        if data.get(name) not in allowed:
            yield f"{name}: expected one of {', '.join(allowed)}"
    yield from _problems_of_rows(data)
    if data["deal"].keys() != {"number", "board"}:
        yield "deal: expected a number and a board, and nothing else"
    elif type(data["deal"]["number"]) not in (int, type(None)):
        yield f"deal: its number is {short(data['deal']['number'])}"
    if data["versions"].keys() != {"program", "store"}:
        yield "versions: expected those of program and store, and nothing else"
    yield from _problems_of_labels(data)


def _problems_of_rows(data: Certificate) -> Iterator[str]:
    """Yield the faults of strata and path."""
    names = {"layer", "stratum", "states", "forced"}
    last = (-1, -1)
    for row in data["strata"]:
        if not isinstance(row, dict) or row.keys() != names or not _numbers(row.values()):
            yield f"strata: {short(row)} is no row of layer, stratum, states and forced"
            return
        place = (row["layer"], row["stratum"])
        if place <= last:
            yield f"strata: {short(row)} is there twice, or not in ascending order"
        last = place
    pairs = range(_PAIRED, _PAIRED + CARDS if "pairs" in data["rules"] else _PAIRED)
    for step in data["path"] or []:
        fits = isinstance(step, list) and len(step) == 2 and _numbers(step)
        if not fits or step[0] >= CARDS or (step[1] > _HOME and step[1] not in pairs):
            yield f"path: {short(step)} is no card and place value"
    has_none = (data["path"] is None, data["length"] is None)
    if has_none != ((data["claim"] == "unsolvable"),) * 2:
        yield f"path and length do not go with the claim {data['claim']}"


def _problems_of_labels(data: Certificate) -> Iterator[str]:
    """Yield the faults of the rules, and of labels that do not go together."""
    try:
        rules = rules_from(data["rules"])
        measure_of(rules, data["policy"], data["metric"])
    except (TypeError, DbmError) as error:
        yield f"its rules ({error})"
        return
    if not rules.features.has_stores:
        yield f"its rules ({rules.name} has no certificates)"
        return
    if rules_fields(rules) != data["rules"]:
        yield "its rules are not as a certificate has them"
    claim = data["claim"]
    verdict = "unsolvable" if claim == "unsolvable" else "solved"
    wrong = wrong_label(
        rules, data["question"], data["method"], data["metric"], verdict, claim == "shortest"
    )
    if wrong is not None:
        yield wrong


def _numbers(values: Iterable[Any]) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
