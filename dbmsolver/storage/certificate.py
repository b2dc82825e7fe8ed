"""The certificate of a finished search: its claim, and the counts to compare another run by.

The digest and the counts of a proof do not depend on threads, memory or the order of the work. So
two runs of one proof give equal records but for the program's version.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dbmsolver.errors import DbmError, InputError, StoreError
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import rules_fields, rules_from
from dbmsolver.results import Method, Question, Result
from dbmsolver.storage.certificate_file import FORMAT, Certificate, problems, short
from dbmsolver.storage.manifest import Manifest
from dbmsolver.storage.meanings import meaning_of


def claim_of(manifest: Manifest, where: str | None = None) -> str:
    """Return ``unsolvable``, ``shortest`` or ``solved``; StoreError if the store claims nothing."""
    verdict = manifest.verdict
    if verdict == "unsolvable":
        return "unsolvable"
    if verdict == "solved":
        return "shortest" if manifest.shortest else "solved"
    state = "undecided" if verdict == "undecided" else "not finished"
    raise StoreError(f"claims nothing, the search is {state}", where)


def from_manifest(manifest: Manifest, where: str | None = None) -> Certificate:
    """Return the certificate of a finished store.

    States, digest and counts describe the closed set where the claim rests on that; a solution that
    is not said to be a shortest one rests on its moves alone.
    """
    claim = claim_of(manifest, where)
    deal = {"number": manifest.deal["number"], "board": _lines(manifest.deal["board"])}
    record = _record(claim, manifest, deal, rules_from(manifest.rules), manifest.meaning)
    record["path"] = manifest.path if claim != "unsolvable" else None
    record["versions"] = {"program": manifest.program, "store": manifest.format}
    problem = next(problems(record), None)
    if problem is not None:
        raise StoreError(f"the manifest is wrong: {problem}", where)
    return record


def _lines(board: str) -> list[str]:
    """Return the lines of a board, cut at line feeds only: other characters stay in their line."""
    return board.removesuffix("\n").split("\n") if board else []


def _record(
    claim: str,
    answer: Manifest | Result,
    deal: dict[str, Any],
    rules: Rules,
    meaning: dict[str, Any],
) -> Certificate:
    """Return the certificate of an answer, without its solution and the program's version."""
    return {
        "certificate": FORMAT,
        "claim": claim,
        "question": _question(answer.question, answer.method),
        "method": answer.method,
        "deal": deal,
        "rules": rules_fields(rules),
        "policy": answer.policy,
        "metric": answer.metric,
        "meaning": meaning,
        "length": answer.length if claim != "unsolvable" else None,
        **_counts(claim, answer.strata, answer.length, answer.digest),
        "path": None,
        "versions": {},
    }


def _question(question: Question, method: Method) -> Question:
    """Return the question that the claim answers.

    Dominating positions and classes are a proof's, even where a search for a shortest solution has
    begun with them and found that there is none.
    """
    return question if method == Method.EVERY_POSITION else Question.PROVE


def _counts(
    claim: str, strata: Iterable[Sequence[int]], length: int | None, digest: str | None
) -> dict[str, Any]:
    """Return counts, and the digest, of those closed states that do not depend on the run.

    Of the layer that holds the goal of a shortest solution, the closed part depends on threads and
    memory: its states are left out, and there is no digest.
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
    """Return the deal that a certificate speaks of; InputError if it cannot be read."""
    try:
        rules = rules_from(certificate["rules"])
        position = parse_board("\n".join(certificate["deal"]["board"]) + "\n", rules, where)
        deal = Deal(position, rules, certificate["deal"]["number"])
        deal.check_number(where)
    except (KeyError, TypeError, DbmError) as error:
        raise InputError(f"its deal cannot be read ({error})", where) from error
    if _lines(format_board(position)) != certificate["deal"]["board"]:
        raise InputError("its board is not as a certificate has it", where)
    return deal


def differences(certificate: Certificate, other: Certificate) -> list[str]:
    """Return the differences of two certificates, in words; nothing about versions.

    A solution that is claimed to be a shortest one may be another one of the same length. A
    solution without such a claim depends on the run altogether: then only deal and claim are
    compared.
    """
    found = []
    for name in ("claim", "question", "method", "deal", "rules", "policy", "metric", "length"):
        if name == "length" and certificate["claim"] == "solved":
            continue
        if certificate[name] != other[name]:
            found.append(f"{name}: {short(certificate[name])}, not {short(other[name])}")
    if found or certificate["claim"] == "solved":
        return found
    rows = [_rows(certificate), _rows(other)]
    for key in sorted(rows[0].keys() | rows[1].keys()):
        first, second = (table.get(key, (0, 0)) for table in rows)
        if first != second:
            layer, stratum = key
            name = f"layer {layer}, stratum {stratum}" if layer else f"stratum {stratum}"
            found.append(
                f"{name}: {first[0]:,} states and {first[1]:,} forced ones, "
                f"not {second[0]:,} and {second[1]:,}"
            )
    for name in ("states", "forced"):
        if certificate[name] != other[name]:
            found.append(f"{name}: {certificate[name]:,}, not {other[name]:,}")
    if certificate["digest"] != other["digest"]:
        found.append(f"digest: {certificate['digest']}, not {other['digest']}")
    return found


def _rows(certificate: Certificate) -> dict[tuple[int, int], tuple[int, int]]:
    return {
        (row["layer"], row["stratum"]): (row["states"], row["forced"])
        for row in certificate["strata"]
    }


def from_result(result: Result) -> Certificate:
    """Return the certificate of an answer, without its solution.

    Another run need not find the same one.
    """
    claim = "unsolvable"
    if result.limit is not None:
        raise StoreError(f"claims nothing, the search ended undecided ({result.limit})")
    if result.verdict == "solved":
        claim = "shortest" if result.shortest else "solved"
    deal, rules = result.deal, result.deal.rules
    board = {"number": deal.number, "board": _lines(format_board(deal.position))}
    question, method = result.question, result.method
    meaning = meaning_of(rules, result.policy, result.metric, method, question, result.bound)
    return _record(claim, result, board, rules, meaning)
