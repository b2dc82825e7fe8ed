"""JSON rules of Canfield's kin: a base that the deal gives, a reserve in one stack, whole piles.

Solvitaire puts cards of the waste into spaces once the reserve is empty, and no others. As long as
there is a space it makes no other moves between piles; that takes no solution away, since such
moves can be made after the space is filled.
"""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.game.language.description import MoveLine
from dbmsolver.game.language.json_rules import JsonRules

TABLEAU = ("Tableau",)
BUILDS = {"any-suit": "AnySuit", "red-black": "AltColor", "same-suit": "SameSuit"}
GROUP_POLICIES = ("same-as-build", "red-black", "same-suit", "any-suit", "no-build")
_SPACES = "auto-reserve-then-waste"


class ReserveRules(JsonRules):
    """What the rules say of base, reserve, and whole piles."""

    def has_base(self) -> bool:
        """Whether the deal gives the rank with which foundations begin."""
        initial = self.value("foundations", "initial cards")
        base: str = self.value("foundations", "base card")
        if base != "random":
            self.refuse("foundations", "base card")
        elif initial != "one":
            self.fail("foundations: initial cards", 'expected "one" with the base card "random"')
        return base == "random"

    def held(self) -> int:
        """How many cards a reserve of one stack has, which fills empty columns, and the waste then.

        Where a reserve is, whole columns move, and no part of one.
        """
        size: int = self.value("reserve", "size")
        spaces = self.value("tableau piles", "spaces policy")
        group = self.value("tableau piles", "move built group")
        if (size > 0) != (spaces == _SPACES):
            self.fail(
                "tableau piles: spaces policy",
                f'"{_SPACES}" is played with a reserve, and nothing else is',
            )
        if (size > 0) != (group == "whole-pile"):
            self.fail(
                "tableau piles: move built group",
                'expected "whole-pile" with a reserve, and with nothing else',
            )
        if size and not self.value("reserve", "stacked"):
            self.fail("reserve: stacked", "false is not played beside a stock, expected true")
        return size

    def moves_by_columns(self, based: bool) -> list[MoveLine]:
        """Moves where whole columns move, and a reserve fills empty ones, and then the waste."""
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
        blank = MoveLine("Tableau", "SingleCard", 1, ("Any", "OnBlank"))
        return [
            line,
            replace(line, item="FullStack", sources=TABLEAU),
            replace(blank, modifiers=("Auto",), sources=("Reserve",)),
            replace(blank, sources=("Wastepile",)),
            *self.moves_home(based),
        ]

    def moves_home(self, based: bool) -> list[MoveLine]:
        """Moves of single cards to the foundations, which begin with the ace, or with a base."""
        home = MoveLine(
            "Foundation", "SingleCard", destinations=("SameSuit",), modifiers=("Ascending",)
        )
        start = MoveLine("Foundation", destinations=("Rank", "OnBlank"), rank="A")
        return [home] if based else [home, start]
