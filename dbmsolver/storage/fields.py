"""The fields of a manifest: what each may be.  Nothing of a manifest is used before it has been checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dbmsolver.errors import DbmError, StoreError
from dbmsolver.game.rules import POLICIES, Rules
from dbmsolver.results import Keep, Limit, Method, Question, Verdict

LARGEST = (1 << 62) - 1
"""The largest number that a manifest or a key may hold."""
_MOST_ROWS = 1 << 20
_QUESTIONS = ("solve", "prove")
_VERDICTS = ("solved", "unsolvable", "undecided")
_LIMITS = ("max-states", "max-time", "memory", "max-disk", "disk full", "interrupt")


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest's fields, checked when one is made: ValueError, naming the field, if one is not what it must be.

    Fields without a default are in every manifest; the others come with the first commit, with the search, or with the
    answer.  ``strata`` are rows (layer, stratum, states, forced), ``path`` (card, place value), ``waiting`` a tally.
    """

    format: int
    program: str
    id: str
    question: Question
    deal: dict[str, Any]
    rules: dict[str, Any]
    policy: str
    metric: str
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
    waiting: list[Any] | None = None
    strata: list[list[int]] = field(default_factory=list)
    path: list[list[int]] | None = None
    length: int | None = None

    @classmethod
    def check(cls, manifest: Mapping[str, Any], where: str) -> None:
        """StoreError if a manifest is not what it must be."""
        known = {one.name for one in fields(cls)}
        needed = set(_OF_A_SEARCH if manifest.get("phase") == "search" else ())
        needed |= set(_OF_AN_ANSWER if manifest.get("verdict") is not None else ())
        for name in sorted(needed - set(manifest)):
            raise StoreError(f"the manifest is damaged (no {name})", where)
        try:
            cls(**{name: value for name, value in manifest.items() if name in known})
        except TypeError as error:
            missing = str(error).rpartition(":")[2].strip()
            raise StoreError(f"the manifest is damaged (no {missing})", where) from None
        except ValueError as error:
            raise StoreError(f"the manifest is damaged ({error})", where) from None

    def __post_init__(self) -> None:
        for name in ("program", "metric"):
            _need(name, isinstance(getattr(self, name), str))
        _need("id", _is_hex(self.id))
        _need("digest", _is_hex(self.digest))
        for name, choices in (
            ("question", _QUESTIONS),
            ("policy", POLICIES),
            ("keep", ("all", "none")),
            ("method", ("dominating", "every-position")),
            ("verdict", (*_VERDICTS, None)),
            ("limit", (*_LIMITS, None)),
            ("phase", ("new", "search")),
        ):
            value = getattr(self, name)
            _need(name, value is None or isinstance(value, str))
            _need(name, value in choices)
        _need("shortest", isinstance(self.shortest, bool))
        for name in _NUMBERS:
            _need(name, _is_number(getattr(self, name)))
        _need(
            "seconds",
            not isinstance(self.seconds, bool)
            and isinstance(self.seconds, (int, float))
            and 0 <= self.seconds < LARGEST,
        )
        _need("seconds", math.isfinite(self.seconds))
        self._check_deal()
        self._check_lists()

    def _check_deal(self) -> None:
        _need("deal", isinstance(self.deal, dict))
        number = self.deal.get("number", "")
        _need("deal", number is None or _is_number(number))
        _need("deal", isinstance(self.deal.get("board"), str))
        _need("rules", isinstance(self.rules, dict))
        texts = {"name", "build", "fill"}
        for name, value in self.rules.items():
            wanted = (
                isinstance(value, str)
                if name in texts
                else isinstance(value, bool)
                if name == "kings_sunk"
                else _is_number(value)
            )
            _need("rules", wanted)
        try:
            Rules(**self.rules)
        except (TypeError, DbmError) as error:
            raise ValueError(f"its rules: {error}") from None

    def _check_lists(self) -> None:
        if self.waiting is not None:
            waiting = self.waiting
            _need("waiting", isinstance(waiting, list) and len(waiting) == 2)
            _need("waiting", _is_number(waiting[0]) and _is_hex(waiting[1]))
        _need("waiting", self.waiting is not None or self.phase == "new")
        _need("strata", _are_rows(self.strata, (0xFFFF, 0xFFFF, LARGEST, LARGEST)))
        _need("path", self.path is None or _are_rows(self.path, (51, 7)))
        _need("length", self.length is None or _is_number(self.length))
        _need("length", self.length == (None if self.path is None else len(self.path)))


_OF_A_SEARCH = ("waiting", "known")
_OF_AN_ANSWER = ("states", "forced", "digest", "strata", "closed_bytes")
_NUMBERS = (
    "format", "next", "states", "forced", "evaluated", "closed_bytes", "peak_memory", "known",
)  # fmt: skip


def _need(name: str, fits: bool) -> None:
    if not fits:
        raise ValueError(f"its {name} cannot be")


def _is_number(value: object, most: int = LARGEST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_hex(value: object) -> bool:
    """Whether it is 16 hexadecimal digits."""
    return isinstance(value, str) and len(value) == 16 and set(value) <= set("0123456789abcdef")


def _are_rows(value: object, most: tuple[int, ...]) -> bool:
    """Whether it is a list of lists of numbers, each number up to its place's ``most``."""
    if not isinstance(value, list) or len(value) > _MOST_ROWS:
        return False
    return all(
        isinstance(row, list)
        and len(row) == len(most)
        and all(_is_number(number, limit) for number, limit in zip(row, most, strict=True))
        for row in value
    )
