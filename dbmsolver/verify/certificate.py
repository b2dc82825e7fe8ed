"""The small record of a finished search: what it claims, and what another run can be compared by.

Its form is described in ``certificate.schema.json``.  The digest and the counts do not depend on
threads, memory or the order of the work where a proof is concerned, so two runs of one proof give
equal records but for the program's version.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dbmsolver.errors import DbmError, InputError, StoreError
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import POLICIES, rules_from
from dbmsolver.results import Method, Result
from dbmsolver.storage.manifest import Manifest
from dbmsolver.verify.solution import BadSolution, replay

FORMAT = 1
SCHEMA = Path(__file__).with_name("certificate.schema.json")
CLAIMS = ("unsolvable", "shortest", "solved")
MAX_BYTES = 1 << 20

Certificate = dict[str, Any]


def claim_of(manifest: Manifest, where: str | None = None) -> str:
    """``unsolvable``, ``shortest`` or ``solved``; StoreError if the store claims nothing."""
    verdict = manifest.verdict
    if verdict == "unsolvable":
        return "unsolvable"
    if verdict == "solved":
        return "shortest" if manifest.shortest else "solved"
    state = "undecided" if verdict == "undecided" else "not finished"
    raise StoreError(f"claims nothing, the search is {state}", where)


def from_manifest(manifest: Manifest, where: str | None = None) -> Certificate:
    """The certificate of a finished store.

    States, digest and counts describe the closed set where that is what the claim rests on; a
    solution that is not said to be a shortest one rests on its moves alone.
    """
    claim = claim_of(manifest, where)
    record: Certificate = {
        "certificate": FORMAT,
        "claim": claim,
        "question": manifest.question,
        "method": manifest.method,
        "deal": {
            "number": manifest.deal["number"],
            "board": manifest.deal["board"].splitlines(),
        },
        "rules": asdict(rules_from(manifest.rules)),
        "policy": manifest.policy,
        "metric": manifest.metric,
        "length": manifest.length if claim != "unsolvable" else None,
        **_counts(claim, manifest.strata, manifest.length, manifest.digest),
        "path": manifest.path if claim != "unsolvable" else None,
        "versions": {"program": manifest.program, "store": manifest.format},
    }
    problem = next(_problems(record), None)
    if problem is not None:
        raise StoreError(f"the manifest is wrong: {problem}", where)
    return record


def _counts(
    claim: str, strata: Iterable[Sequence[int]], length: int | None, digest: str | None
) -> dict[str, Any]:
    """Counts, and the digest, of those closed states that do not depend on the run.

    Of the layer that holds the goal of a shortest solution, how much is closed depends on threads
    and memory: its states are left out, and there is no digest.
    """
    rows = [
        dict(zip(("layer", "stratum", "states", "forced"), row, strict=True))
        for row in strata
        if claim != "shortest" or length is None or row[0] < length
    ]
    return {
        "states": sum(row["states"] for row in rows),
        "forced": sum(row["forced"] for row in rows),
        "digest": digest if claim == "unsolvable" else None,
        "strata": rows,
    }


def deal_of(certificate: Certificate, where: str) -> Deal:
    """The deal that a certificate speaks of."""
    try:
        rules = rules_from(certificate["rules"])
        position = parse_board("\n".join(certificate["deal"]["board"]) + "\n", rules, where)
        deal = Deal(position, rules, certificate["deal"]["number"])
        deal.check_number(where)
    except (KeyError, TypeError, DbmError) as error:
        raise InputError(f"its deal cannot be read ({error})", where) from error
    return deal


def dump(certificate: Certificate) -> str:
    """A certificate as JSON, a list's element per line."""
    lines = []
    for name, value in certificate.items():
        text = json.dumps(value)
        if name == "strata" and value:
            text = "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in value) + "\n  ]"
        lines.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load(path: Path) -> Certificate:
    """Read a certificate; InputError, saying what is wrong, for anything else."""
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
        certificate = json.loads(data)
    except ValueError as error:
        raise InputError(f"not JSON ({error}), expected a certificate", where) from None
    if isinstance(certificate, dict) and "question" in certificate:
        certificate.setdefault("method", Method.EVERY_POSITION)  # what was not said at first
    problem = next(_problems(certificate), None)
    if problem is not None:
        raise InputError(f"not a certificate: {problem}", where)
    try:
        # Whatever its version leaves out is said, so that certificates can be compared.
        certificate["rules"] = asdict(rules_from(certificate["rules"]))
    except (TypeError, DbmError) as error:
        raise InputError(f"not a certificate: its rules ({error})", where) from None
    return dict(certificate)


def _problems(data: Any) -> Iterator[str]:
    """What the schema says, for machines without a validator."""
    if not isinstance(data, dict):
        yield "expected a JSON object"
        return
    if data.get("certificate") != FORMAT:
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
        "policy": POLICIES,
        "metric": ("cards",),
    }
    for name, allowed in choices.items():
        if data.get(name) not in allowed:
            yield f"{name}: expected one of {', '.join(allowed)}"
    names = {"layer", "stratum", "states", "forced"}
    for row in data.get("strata") or []:
        if not isinstance(row, dict) or row.keys() != names or not _numbers(row.values()):
            yield f"strata: {_short(row)} is no row of layer, stratum, states and forced"
    for step in data.get("path") or []:
        if not isinstance(step, list) or len(step) != 2 or not _numbers(step):
            yield f"path: {_short(step)} is no card and place value"


def _numbers(values: Iterable[Any]) -> bool:
    return all(type(value) is int and value >= 0 for value in values)


def differences(one: Certificate, other: Certificate) -> list[str]:
    """What two certificates disagree about, in words; nothing about versions.

    A solution that is claimed to be a shortest one may be another one of the same length.  A
    solution without such a claim depends on the run altogether: then only deal and claim are
    compared.
    """
    found = []
    for name in ("claim", "question", "method", "deal", "rules", "policy", "metric", "length"):
        if name == "length" and one["claim"] == "solved":
            continue
        if one[name] != other[name]:
            found.append(f"{name}: {_short(one[name])}, not {_short(other[name])}")
    if found or one["claim"] == "solved":
        return found
    rows = [_rows(one), _rows(other)]
    for key in sorted(rows[0].keys() | rows[1].keys()):
        first, second = (table.get(key, (0, 0)) for table in rows)
        if first != second:
            layer, stratum = key
            name = f"layer {layer}, stratum {stratum}" if layer else f"stratum {stratum}"
            found.append(
                f"{name}: {first[0]} states and {first[1]} forced ones, "
                f"not {second[0]} and {second[1]}"
            )
    for name in ("states", "forced", "digest"):
        if one[name] != other[name]:
            found.append(f"{name}: {one[name]}, not {other[name]}")
    return found


def _rows(certificate: Certificate) -> dict[tuple[int, int], tuple[int, int]]:
    return {
        (row["layer"], row["stratum"]): (row["states"], row["forced"])
        for row in certificate["strata"]
    }


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def from_result(result: Result) -> Certificate:
    """The certificate of an answer; without the solution, which another run need not find the
    same.
    """
    claim = "unsolvable"
    if result.verdict == "solved":
        claim = "shortest" if result.shortest else "solved"
    elif result.verdict == "undecided":
        raise StoreError(f"claims nothing, the search ended undecided ({result.limit})")
    return {
        "certificate": FORMAT,
        "claim": claim,
        "question": result.question,
        "method": result.method,
        "deal": {
            "number": result.deal.number,
            "board": format_board(result.deal.position).splitlines(),
        },
        "rules": asdict(result.deal.rules),
        "policy": result.policy,
        "metric": result.metric,
        "length": result.length,
        **_counts(claim, result.strata, result.length, result.digest),
        "path": None,
        "versions": {},
    }


def bad_path(certificate: Certificate, deal: Deal) -> str | None:
    """What is wrong with the solution in a certificate, None if nothing is."""
    if certificate["claim"] == "unsolvable":
        return None
    try:
        length = replay(deal, certificate["path"] or [])
    except BadSolution as bad:
        return bad.reason
    if length != certificate["length"]:
        return f"the solution has {length} moves, not {certificate['length']}"
    return None
