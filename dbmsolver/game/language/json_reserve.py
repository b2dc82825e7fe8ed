"""JSON rules of Canfield's kin: a base that the deal gives, a reserve in one stack, whole piles.

Solvitaire fills spaces with the reserve's cards at once. When it is empty, any cards go there, or
those of the waste only (`SPACES`). As long as there is a space for cards of the waste, it makes no
other moves between piles; that takes no solution away, since such moves can be made after the space
is filled.
"""

from __future__ import annotations

import json
from dataclasses import replace

from dbmsolver.game.language.description import MoveLine
from dbmsolver.game.language.json_rules import JsonRules

TABLEAU = ("Tableau",)
BUILDS = {"any-suit": "AnySuit", "red-black": "AltColor", "same-suit": "SameSuit"}
GROUP_POLICIES = ("same-as-build", "red-black", "same-suit", "any-suit", "no-build")
SPACES = ("auto-reserve-then-any", "auto-reserve-then-waste")
"""Policies for spaces that a reserve fills: they differ in the cards that come after it."""


class ReserveRules(JsonRules):
    """The parts of the rules about base, reserve, and whole piles."""

    def has_base(self) -> bool:
        """Return True if the deal gives the rank with which foundations begin."""
        initial = self.value("foundations", "initial cards")
        base: str = self.value("foundations", "base card")
        if base != "random":
            self.refuse("foundations", "base card")
        elif initial != "one":
            text = f'{json.dumps(initial)}, expected "one" with the base card "random"'
            self.fail("foundations: initial cards", text)
        return base == "random"

    def held(self) -> int:
        """Return how many cards a reserve of one stack has, which fills empty columns."""
        size: int = self.value("reserve", "size")
        spaces = self.value("tableau piles", "spaces policy")
        if size and not self.value("reserve", "stacked"):
            self.fail("reserve: stacked", "false is not played beside a stock, expected true")
        if size and spaces not in SPACES:
            known = " or ".join(f'"{name}"' for name in SPACES)
            text = f"{json.dumps(spaces)} is not played with a reserve, expected {known}"
            self.fail("tableau piles: spaces policy", text)
        return size

    def moves_whole_piles(self) -> bool:
        """Return True if whole piles move, and no part of one, as they do only with a reserve."""
        whole: bool = self.value("tableau piles", "move built group") == "whole-pile"
        if whole and not self.value("reserve", "size"):
            text = '"whole-pile" is played with a stock and a reserve, and not without'
            self.fail("tableau piles: move built group", f'{text}, expected "no" or "yes"')
        return whole

    def filled(self, item: str = "SingleCard") -> list[MoveLine]:
        """Return the moves to spaces that a reserve fills, and then others, ``item`` at once."""
        blank = MoveLine("Tableau", item, 1, ("Any", "OnBlank"))
        filled = replace(blank, item="SingleCard", modifiers=("Auto",), sources=("Reserve",))
        then_any = self.value("tableau piles", "spaces policy") == SPACES[0]
        return [filled, blank if then_any else replace(blank, sources=("Wastepile",))]

    def moves_by_columns(self, based: bool) -> list[MoveLine]:
        """Return the moves where whole columns move, and a reserve fills empty ones."""
        policy = self.choice("tableau piles", "move built group policy", GROUP_POLICIES)
        build = self.choice("tableau piles", "build policy", {**BUILDS, "no-build": ""})
        if policy not in ("same-as-build", build):
            text = f'"{policy}" is not played with whole piles, expected "same-as-build"'
            self.fail("tableau piles: move built group policy", text)
        if build == "no-build":
            self.fail("tableau piles: build policy", '"no-build" is not played with whole piles')
        back = ("Foundation",) if self.value("foundations", "removable") else ()
        line = MoveLine(
            "Tableau", "SingleCard", 1, (BUILDS[build],), modifiers=("Descending",),
            sources=("Wastepile", "Reserve", *back),
        )  # fmt: skip
        return [
            line,
            replace(line, item="FullStack", sources=TABLEAU),
            *self.filled(),
            *self.moves_home(based),
        ]

    def moves_home(self, based: bool) -> list[MoveLine]:
        """Return the moves of single cards to the foundations, which begin with ace or base."""
        home = MoveLine(
            "Foundation", "SingleCard", destinations=("SameSuit",), modifiers=("Ascending",)
        )
        start = MoveLine("Foundation", destinations=("Rank", "OnBlank"), rank="A")
        return [home] if based else [home, start]
