"""The reasons for which a game cannot be played: each is a word of its text."""

from __future__ import annotations

from dataclasses import dataclass, field

from dbmsolver.game.language.description import At, place_of


@dataclass(frozen=True, slots=True)
class Problem:
    """A word that the program does not play, and what it plays there."""

    word: str
    reason: str
    at: At | None = None

    def __str__(self) -> str:
        return f"{self.word}: {self.reason}"


@dataclass
class Problems:
    """The problems of one game, in the order in which they are found."""

    found: list[Problem] = field(default_factory=list)

    def add(self, reason: str, *words: object, show: str = "", at: At | None = None) -> None:
        """Note that the first of these words is not played.

        `show` is how to write it, `at` where it stands if the words do not know. A word that stands
        for several lines, as an item does that a later line takes over, is noted once.
        """
        problem = Problem(show or str(words[0]), reason, at or place_of(*words))
        if problem.at is None or problem not in self.found:
            self.found.append(problem)
