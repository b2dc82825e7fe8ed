"""The manifest of a store: the question, the rules, and the progress of the answer."""

from __future__ import annotations

import json
import secrets
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from dbmsolver.errors import DbmError, InputError, StoreError, UsageError, quoted
from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.classes import has_classes
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of, usual_metric
from dbmsolver.game.shipped import rules_fields, rules_from
from dbmsolver.results import (
    Bound,
    Keep,
    Limit,
    Method,
    Options,
    Question,
    Verdict,
    method_for,
)
from dbmsolver.storage.fields import CHOICES, FIELDS, read_json
from dbmsolver.storage.labels import wrong_label, wrong_label_of_deal
from dbmsolver.storage.meanings import Meaning, difference, meaning_of
from dbmsolver.storage.records import FORMAT
from dbmsolver.version import PROGRAM


@dataclass(frozen=True, slots=True)
class Manifest:
    """The fields of a manifest; ValueError, naming the field, for a value that is not possible.

    The fields are the members of the JSON object, in its terms: ``deal`` has ``number`` and
    ``board``, ``rules`` the fields of :class:`~dbmsolver.game.rules.Rules`.  ``strata`` are rows
    (layer, stratum, states, forced), ``history`` (milliseconds, layer, stratum, states, forced),
    ``path`` (card, place value), ``waiting`` a entry. ``meaning`` is no field: a manifest with
    another meaning than this program's cannot be read.
    """

    format: int
    program: str
    id: str
    question: Question
    deal: dict[str, Any]
    rules: dict[str, Any]
    policy: Policy
    metric: Metric
    method: Method
    keep: Keep
    verdict: Verdict | None
    limit: Limit | None
    shortest: bool
    phase: str
    next: int
    states: int = 0
    forced: int = 0
    evaluated: int = 0
    closed_bytes: int = 0
    peak_memory: int = 0
    known: int = 0
    seconds: float = 0.0
    digest: str = "0" * 16
    waiting: list[Any] = field(default_factory=lambda: [0, "0" * 16])
    strata: list[list[int]] = field(default_factory=list)
    history: list[list[int]] = field(default_factory=list)
    path: list[list[int]] | None = None
    length: int | None = None
    beams_won: int = 0
    beams_failed: int = 0
    any_solution: bool = False
    bound: Bound = Bound.POSITIONS

    def __post_init__(self) -> None:
        for name, fits in FIELDS.items():
            _need(name, fits(getattr(self, name)))
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            _need(name, value in choices)
            # The member of an enumeration where there is one.
            object.__setattr__(self, name, choices[choices.index(value)])
        try:
            measure = measure_of(rules_from(self.rules), self.policy, self.metric)
        except (TypeError, DbmError) as error:
            raise ValueError(f"its rules: {error}") from None
        _need("rules", rules_fields(measure.rules) == self.rules)
        wrong = wrong_label(
            measure.rules, self.question, self.method, self.metric, self.verdict, self.shortest
        )
        if wrong is not None:
            raise ValueError(f"what cannot be, {wrong}")
        of_positions = self.question == Question.SOLVE and self.method == Method.EVERY_POSITION
        wins = has_classes(measure.rules) and self.verdict != Verdict.UNSOLVABLE
        _need("bound", self.bound == Bound.POSITIONS or (of_positions and wins))
        if self.path is None or self.length is None:
            _need("length", self.path is None and self.length is None)
        else:  # how many moves are free shows when they are played
            most = len(self.path)
            _need("length", self.length == most if measure.counts_all else self.length <= most)

    @classmethod
    def from_json(cls, data: bytes, where: str) -> Manifest:
        """Read a manifest; StoreError, naming ``where`` and the field, if it cannot be one.

        StoreError also if its records have another meaning than those of this program.
        """
        try:
            members = read_json(data)
            if not isinstance(members, dict):
                raise ValueError("it is no object")
            meaning = members.pop("meaning", None)
            _check_names(members)
            manifest = cls(**members)
        except (ValueError, RecursionError) as error:
            reason = "it is not JSON" if _is_of_json(error) else str(error)
            raise StoreError(f"the manifest is damaged ({reason})", where) from None
        unknown = difference(meaning, manifest.meaning)
        if unknown is not None:
            made_by = quoted(manifest.program)
            raise StoreError(f"{unknown}; it is for the program that made it, {made_by}", where)
        return manifest

    def to_json(self) -> bytes:
        """Return the manifest as it is stored."""
        members = {member.name: getattr(self, member.name) for member in fields(self)}
        members["meaning"] = self.meaning
        return json.dumps(members, separators=(",", ":")).encode()

    @property
    def meaning(self) -> Meaning:
        """Return the versions of this program that the meaning of the records depends on."""
        rules = rules_from(self.rules)
        return meaning_of(rules, self.policy, self.metric, self.method, self.question, self.bound)

    @property
    def is_final(self) -> bool:
        """True if it holds the answer that the search was made for."""
        return self.verdict in (Verdict.SOLVED, Verdict.UNSOLVABLE)

    def without_counts(self) -> Manifest:
        """Return the same manifest, as if nothing had been searched."""
        return replace(
            self,
            states=0,
            forced=0,
            evaluated=0,
            digest="0" * 16,
            strata=[],
            history=[],
            closed_bytes=0,
        )


def read_format(data: bytes) -> object:
    """Return the format that a stored manifest names; FORMAT if the manifest is no JSON at all.

    The seal tells whether a manifest is damaged, but other formats may have no seal. None for JSON
    that names no format.
    """
    try:
        members = json.loads(data)
    except (ValueError, RecursionError):
        return FORMAT
    return members.get("format") if isinstance(members, dict) else None


def _is_of_json(error: Exception) -> bool:
    return isinstance(error, (json.JSONDecodeError, UnicodeDecodeError, RecursionError))


def _check_names(members: dict[str, Any]) -> None:
    """Raise ValueError for a missing field, or one that no manifest has."""
    known = {member.name for member in fields(Manifest)}
    for name in sorted(known - set(members)):
        raise ValueError(f"no {name}")
    for name in sorted(set(members) - known):
        raise ValueError(f"an unknown field, {ascii(name)[:40]}")


def _need(name: str, fits: bool) -> None:
    if not fits:
        raise ValueError(f"its {name} cannot be")


def new_manifest(question: Question, deal: Deal, options: Options) -> Manifest:
    """Return the manifest that a search begins with; it has an id that no other store has."""
    return Manifest(
        format=FORMAT,
        program=PROGRAM,
        id=secrets.token_hex(8),
        question=question,
        deal={"number": deal.number, "board": format_board(deal.position)},
        rules=rules_fields(deal.rules),
        policy=options.policy,
        metric=_metric_of(question, deal, options),
        method=method_for(question, deal, options.method),
        keep=options.keep,
        verdict=None,
        limit=None,
        shortest=False,
        phase="new",
        next=0,
        any_solution=options.any_solution,
    )


def _metric_of(question: Question, deal: Deal, options: Options) -> Metric:
    """Return the metric of lengths; UsageError for a metric or a policy that cannot be."""
    metric = measure_of(deal.rules, options.policy, options.metric).metric
    if question == Question.PROVE and metric != usual_metric(deal.rules):
        raise UsageError(f"metric {metric}: a proof does not look for shortest solutions")
    return metric


def deal_of(manifest: Manifest, where: str) -> Deal:
    """Return the deal of a manifest.

    StoreError if it cannot be read, if its board is not that of its number, or if the method or the
    bound of the search cannot be those of a search of this deal.
    """
    try:
        rules = rules_from(manifest.rules)
        deal = Deal(
            parse_board(manifest.deal["board"], rules, where), rules, manifest.deal["number"]
        )
    except (KeyError, TypeError, AttributeError, DbmError) as error:
        raise StoreError(f"the manifest's deal cannot be read ({error})", where) from error
    if not rules.features.has_stores:
        raise StoreError(f"the manifest is wrong: {rules.name} has no stores", where)
    try:
        deal.check_number(where)
    except InputError as error:
        raise StoreError(f"the manifest is wrong: {error.message}", where) from None
    if format_board(deal.position) != manifest.deal["board"]:
        raise StoreError("the manifest is wrong: its board is not as a store has it", where)
    wrong = wrong_label_of_deal(deal.position, rules, manifest.method, manifest.bound)
    if wrong is not None:
        raise StoreError(f"the manifest is wrong: {wrong}", where)
    return deal


def check_same(
    manifest: Manifest, question: Question, deal: Deal, options: Options, where: str
) -> None:
    """Raise StoreError, naming the difference, if the manifest is that of another search.

    A search that begins with any solution is the same search: it closes the same states.
    """
    wanted = new_manifest(question, deal, options)
    # Dives that exhaust the deal answer a search over every position, too, and a proof for any
    # number of passes is one for each number.
    of_any_passes = manifest.method == Method.CLASSES_ANY_PASSES and wanted.method == Method.CLASSES
    if manifest.verdict == Verdict.UNSOLVABLE and (question == Question.SOLVE or of_any_passes):
        wanted = replace(wanted, method=manifest.method, verdict=manifest.verdict)
    theirs, ours = (asdict(rules) for rules in (rules_from(manifest.rules), deal.rules))
    if theirs != ours:
        different = "; ".join(_differences(theirs, ours))
        raise StoreError(f"holds a search under other rules: {different}", where)
    names = {
        "question": "question",
        "policy": "automove policy",
        "metric": "metric",
        "keep": "keep",
        "method": "method",
    }
    for attribute, name in names.items():
        theirs, ours = getattr(manifest, attribute), getattr(wanted, attribute)
        if theirs != ours:
            raise StoreError(f"holds a search with another {name}: {theirs}, not {ours}", where)
    held = deal_of(manifest, where)
    if format_board(held.position) != wanted.deal["board"]:
        number = held.number
        raise StoreError(
            f"holds a search of another deal ({'a board' if number is None else number}), "
            f"not {'this board' if deal.number is None else deal.number}",
            where,
        )


def _differences(theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Return in words which rules differ; of another game the name, which says it all."""
    if theirs["name"] != ours["name"]:
        return [f"game {theirs['name']}, not {ours['name']}"]
    return [
        f"{name} {_said(theirs[name])}, not {_said(value)}"
        for name, value in ours.items()
        if theirs[name] != value
    ]


def _said(value: Any) -> str:
    """Return the value of a rule as a word."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or "none"
