"""The reading of a text in Standard FreeCell Notation that solves the deal, and its lengths.

A period says that one card goes to an empty column; otherwise as many as possible go. That is tried
first. If it does not solve the deal, all lengths are tried. Where several lengths do, `lengths` of
`Given` chooses: the longest, the shortest, or one after the other by asking. Without a choice the
notation's own rule stands, or else the longest, with a note where lengths are left open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dbmsolver.errors import InputError, UsageError
from dbmsolver.notation.formats.building import Builder
from dbmsolver.notation.formats.given import Given, Parting
from dbmsolver.notation.formats.sfn_reading import (
    PlayedReading,
    Reading,
    WrittenGame,
    by_single_cards,
    readings,
)
from dbmsolver.notation.formats.source import InvalidError

MAX_PLAYS = 20_000
"""The number of moves that are played in search of lengths, for all readings together."""

MAX_PARTING_PLAYS = 10_000
"""The number of moves that are played to find out where other lengths solve the deal, too."""

NAMED_AT_MOST = 6
"""The number of such moves that a message names before it says how many more there are."""

CHOICE = "--lengths longest, shortest or ask"


class LengthsPlayed(NamedTuple):
    """The moves as they solve the deal, and the number of cards for each, 0 where it is fixed."""

    builder: Builder
    counts: Sequence[int]


class _SpentError(InvalidError):
    """Too many moves played in search of lengths."""


class _Budget:
    """The number of moves that may still be played."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, game: WrittenGame) -> None:
        self.left -= 1
        if self.left < 0:
            text = "too many ways to read the lengths of moves to empty columns"
            raise _SpentError(f"{text}, expected periods before single cards", game.source.named())


def understand(game: WrittenGame, given: Given) -> tuple[Builder, tuple[str, ...]]:
    """Return the moves as they solve the deal, or are legal at least; and notes on their lengths.

    Raises IllegalStepError of the most likely reading if none is legal.
    """
    search = _Search(game, given)
    if (
        search.is_open
        and given.lengths != "longest"
        and given.policy in (None, "none")
        and (single := by_single_cards(game))
    ):
        return single, ()
    found = search.winning()
    if found is None:
        return search.lost(), ()
    reading, way, by_rule = found
    if given.lengths == "shortest":
        way = search.first(reading, _Budget(MAX_PLAYS), shortest=True) or way
    elif given.lengths == "ask":
        way = search.asked(reading)
    elif given.lengths is None and (search.is_open or not by_rule):
        partings = search.partings(reading, way)
        if partings:
            return way.builder, (f"{game.source.where}: {_note(partings, by_rule)}",)
    return way.builder, ()


class _Search:
    """The ways that have been tried so far."""

    def __init__(self, game: WrittenGame, given: Given) -> None:
        self.game = game
        self.given = given
        self.is_open = any(token.open for token in game.text.tokens)
        self.every = given.lengths is not None or not self.is_open
        """True if lengths are tried that the style of the text does not leave open."""
        self.legal: Builder | None = None
        self.error: InputError | None = None
        self.spent: _SpentError | None = None
        self.furthest = -1

    def winning(self) -> tuple[Reading, LengthsPlayed, bool] | None:
        """Return the first reading that solves the deal, its way, and True if it is by the rule.

        The rule is the notation's: as many cards as possible go to an empty column. None if no
        reading solves the deal.
        """
        late: tuple[Reading, LengthsPlayed, bool] | None = None
        for reading in readings(self.game, self.given.policy):
            if way := self.longest(reading):
                if not way.builder.surplus:
                    return reading, way, True
                late = late or (reading, way, True)
        if late is not None:  # it wins before its last move
            return late
        budget = _Budget(MAX_PLAYS)
        try:
            for reading in readings(self.game, self.given.policy):
                if way := self.first(reading, budget):
                    return reading, way, False
        except _SpentError as error:
            self.spent = error
        return None

    def lost(self) -> Builder:
        """Return the moves if they are legal at least; otherwise raise the error in them."""
        if self.spent is not None and self.is_open:
            raise self.spent
        if self.legal is not None:
            return self.legal
        assert self.error is not None
        raise self.error

    def longest(self, reading: Reading) -> LengthsPlayed | None:
        """Return the moves with as many cards as possible; None if they do not solve the deal."""
        counts: list[int] = []
        attempt: PlayedReading | None = None
        try:
            attempt = PlayedReading(self.game, reading)
            while attempt.more():
                counts.append(attempt.open_length(self.every))
                attempt.one(None)
        except InputError as error:
            self.failed(error, attempt.reached if attempt else 0)
            return None
        return self.ended(attempt, counts)

    def first(
        self,
        reading: Reading,
        budget: _Budget,
        begun: Sequence[int] = (),
        shortest: bool = False,
    ) -> LengthsPlayed | None:
        """Return the first way that solves the deal, long moves before short ones, or the reverse.

        Its first lengths are those of `begun`. With `shortest`, short moves come first.
        """
        stack: list[tuple[PlayedReading, list[int], int]] = []
        try:
            attempt = PlayedReading(self.game, reading)
            for count in begun:
                attempt.one(count or None)
                budget.spend(self.game)
            stack.append((attempt, list(begun), 0))
        except _SpentError:
            raise
        except InputError as error:
            self.failed(error, 0)
        while stack:
            attempt, counts, count = stack.pop()
            try:
                while attempt.more():
                    if not count:
                        most = attempt.open_length(self.every)
                        order = range(1, most + 1) if shortest else range(most, 0, -1)
                        count, *others = order or (0,)
                        stack += [(attempt.copy(), list(counts), n) for n in reversed(others)]
                    attempt.one(count or None)
                    counts.append(count)
                    count = 0
                    budget.spend(self.game)
            except _SpentError:
                raise
            except InputError as error:
                self.failed(error, attempt.reached)
                continue
            if way := self.ended(attempt, counts):
                return way
        return None

    def failed(self, error: InputError, reached: int) -> None:
        """Keep the error of the way that came furthest."""
        if reached > self.furthest:
            self.error, self.furthest = error, reached

    def ended(self, attempt: PlayedReading, counts: list[int]) -> LengthsPlayed | None:
        """Return the way; None if it does not solve the deal."""
        if attempt.builder.position.is_goal():
            return LengthsPlayed(attempt.builder, counts)
        self.legal = self.legal or attempt.builder
        return None

    def partings(self, reading: Reading, way: LengthsPlayed) -> list[Parting]:
        """Return the moves of a way at which another length can solve the deal, too."""
        found: list[Parting] = []
        budget = _Budget(MAX_PARTING_PLAYS)
        attempt = PlayedReading(self.game, reading)
        try:
            for index, count in enumerate(way.counts):
                others = [
                    other
                    for other in range(1, attempt.open_length(self.every) + 1)
                    if other != count and self.first(reading, budget, [*way.counts[:index], other])
                ]
                if others:
                    found.append(self.parting(index, [count, *others]))
                attempt.one(count or None)
        except _SpentError:
            pass
        return found

    def parting(self, index: int, counts: list[int]) -> Parting:
        """Return the choice between lengths at a move."""
        return Parting(index + 1, self.game.text.tokens[index].origin, tuple(sorted(counts)))

    def asked(self, reading: Reading) -> LengthsPlayed:
        """Return a way chosen by asking wherever several lengths solve the deal."""
        if self.given.ask is None:
            raise UsageError("nobody to ask for lengths, expected longest or shortest")
        attempt, counts = PlayedReading(self.game, reading), list[int]()
        while attempt.more():
            most, count = attempt.open_length(self.every), 0
            if most > 1:
                budget = _Budget(MAX_PLAYS)
                lengths = range(1, most + 1)
                won = [n for n in lengths if self.first(reading, budget, [*counts, n])]
                count = won[0]
                if len(won) > 1:
                    count = self.given.ask(self.parting(len(counts), won))
            attempt.one(count or None)
            counts.append(count)
        return LengthsPlayed(attempt.builder, counts)


def _listed(partings: Sequence[Parting]) -> str:
    text = "; ".join(map(str, partings[:NAMED_AT_MOST]))
    more = len(partings) - NAMED_AT_MOST
    return f"{text}; and {more} more" if more > 0 else text


def _note(partings: Sequence[Parting], by_rule: bool) -> str:
    """Return the sentence that names the moves which could be of other lengths."""
    most = "possible" if by_rule else "solve the deal"
    ways = f"other lengths solve the deal, too: {_listed(partings)}"
    return f"read with as many cards as {most} to empty columns; {ways}; {CHOICE} chooses"
