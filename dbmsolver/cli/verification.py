"""The report of `verify`: a page for people, or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dbmsolver.cli.json_data import board_data, deal_data, dump_json, rules_data, strata_data
from dbmsolver.cli.render import (
    STATES,
    and_forced,
    board_text,
    counts_forced,
    human_bytes,
    human_time,
)
from dbmsolver.cli.tables import count_table, sums
from dbmsolver.game.measures import counted, length_words, spoiling_words
from dbmsolver.game.position import Position
from dbmsolver.game.safe_moves import has_safe_moves
from dbmsolver.game.titles import title
from dbmsolver.results import Method

if TYPE_CHECKING:
    from dbmsolver.api import Verification


_DEPTHS = {
    None: "",
    "full": ", checked in full: by the rules of the game alone",
    "lemma": ", checked by the lemmas of docs/dominance.md",
}


def claim_line(report: Verification) -> str:
    """Return the claim of the store, and the depth in which it was checked."""
    claim, metric = report.certificate["claim"], report.certificate["metric"]
    name = title(report.deal)
    if claim == "unsolvable":
        spoiling = spoiling_words(metric, report.certificate["policy"])
        return f"{name} is unsolvable{spoiling}{_DEPTHS[report.depth]}"
    length = counted(report.certificate["length"], *length_words(metric, report.deal.rules))
    if claim == "shortest":
        return f"{name} has a solution of {length}, and none that is shorter"
    return f"{name} has a solution of {length}"


def verdict_text(report: Verification) -> str:
    """Return the verdict on the store in words; they name a sample as one."""
    if not report.valid:
        return "NOT VALID"
    if report.sample is not None and report.all_blocks:
        return "no fault found in the sample; the rest was not checked"
    return "valid"


def render_text(report: Verification) -> str:
    """Return a page for people."""
    parts = ["".join(f"{name:<11}{value}\n" for name, value in _facts(report))]
    if report.valid and report.strata:
        layered = report.certificate["question"] == "solve"
        name, column = ("layer", 0) if layered else ("stratum", 1)
        parts.append(
            count_table(
                name, list(sums(report.strata, column)), forced=counts_forced(report.deal.rules)
            )
        )
    if report.reason is not None:
        parts.append(f"{report.reason}\n")
        parts += list(_boards(report))
    return "\n".join(parts)


def _facts(report: Verification) -> Iterator[tuple[str, str]]:
    yield "Store:", str(report.store)
    yield "Claim:", claim_line(report)
    yield "Rules:", _rules_line(report)
    yield "Verdict:", verdict_text(report)
    if report.sample is not None and report.all_blocks:
        share = f"{report.blocks:,} of {counted(report.all_blocks, 'block', 'blocks')}"
        yield "Sample:", f"{share}, chosen at random; counts and digest were not compared"
    for number, line in enumerate(report.checked):
        yield "" if number else "Checked:", line
    if report.all_blocks and report.depth is not None:
        method = Method(report.certificate["method"])
        records = counted(report.states, *STATES[method])
        name = "Classes:" if method.of_classes else "Records:"
        yield name, f"{records}, of {report.all_states:,} in the store"
        if report.covered is not None:
            yield "Positions:", f"{report.covered:,} that follow from the deal"
    elif report.all_blocks:
        forced = and_forced(report.forced, report.deal.rules)
        yield "States:", f"{report.states:,}{forced}, of {report.all_states:,} in the store"
    if report.digest is not None:
        yield "Digest:", report.digest
    yield "Time:", human_time(report.seconds)
    yield "Memory:", f"{human_bytes(report.peak_memory)} at most"


def _rules_line(report: Verification) -> str:
    """Return the rules, and the automoves where there are some under these rules."""
    rules, record = report.deal.rules, report.certificate
    automoves = f"; automoves {record['policy']}" if has_safe_moves(rules) else ""
    return rules.describe() + automoves


def _boards(report: Verification) -> Iterator[str]:
    if report.position is not None:
        yield board_text(report.position, report.deal.rules)
    if report.neighbour is not None:
        yield f"{report.relation}:\n\n{board_text(report.neighbour, report.deal.rules)}"


def render_json(report: Verification) -> str:
    """Return a report as one JSON object; answers.schema.json describes it.

    Of a shortest solution, the layer that holds the goal depends on the run: as in answers, its
    states are not counted, and no digest is told.
    """
    record = report.certificate
    whole = record["length"] if record["claim"] == "shortest" else None
    return dump_json(
        {
            "kind": "verification",
            **claim_data(record),
            "valid": report.valid,
            "reason": report.reason,
            "board": _lines(report.position),
            "neighbour": _lines(report.neighbour),
            "relation": report.relation,
            "store": str(report.store),
            "depth": report.depth,
            "covered": report.covered,
            "deal": deal_data(report.deal),
            "rules": rules_data(report.deal.rules),
            "sample": report.sample,
            "blocks": report.all_blocks,
            "checked_blocks": report.blocks,
            "checked_states": report.states + report.forced,
            "digest": None if record["digest"] is None else report.digest,
            "checked": report.checked,
            "seconds": round(report.seconds, 3),
            "peak_memory": report.peak_memory,
            "strata": strata_data(row for row in report.strata if whole is None or row[0] < whole),
        }
    )


def claim_data(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the claim of a certificate, for JSON, by the names that answers have."""
    claim = record["claim"]
    return {
        "verdict": "unsolvable" if claim == "unsolvable" else "solved",
        "shortest": claim == "shortest",
        "question": record["question"],
        "method": record["method"],
        "metric": record["metric"],
        "automove": record["policy"],
        "length": record["length"],
        "states": record["states"],
        "forced": record["forced"],
    }


def _lines(position: Position | None) -> list[str] | None:
    return None if position is None else board_data(position)
