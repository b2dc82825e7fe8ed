"""Measures of a solution's length: what counts as one move, and what it costs.

`cards`  Each card that moves is a move. It is usual in games whose cards move one by one.
`runs`   A run that moves at once is a move. In games where a run is one move by the rules, that is
         any move; elsewhere a run moves at once from column to column if there is room for it
         (:mod:`dbmsolver.game.room`). A move to or from a freecell and a move home is of one card.
`moves`  Only moves of the player count, each one as for `runs`. Moves home that a program makes by
         itself are free (:mod:`dbmsolver.game.automoves`). They are made at once, as long as there
         is one, in the deal as after each move: the player can neither put them off nor prevent
         them. So with `max` some deals have no solution that can be won otherwise.
`turns`  As `runs`, but turning the whole waste over to be the stock again does not count: in
         Klondike and its relatives only. Each turn of the stock counts, of however many cards.
         In pairing games: each pair, each king, and each card that is turned is a move. In Spider
         and its kin: each card or run that moves, and each row that is dealt.
`plays`  As `turns`, but turns of the stock do not count either.

A solution in `runs` or `moves` is legal in single cards too, move by move, as each run stands for
moves of single cards and leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dbmsolver.errors import UsageError, any_of
from dbmsolver.game.automoves import moves_home
from dbmsolver.game.kinds import (
    BUILD_WORDS,
    MOVES_WORDS,
    POLICIES,
    REMOVABLE_WORDS,
    Metric,
    Policy,
)
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.patience import counts_as_play, turns_over
from dbmsolver.game.position import Position
from dbmsolver.game.room import supermoves
from dbmsolver.game.rules import Rules


class Measure(NamedTuple):
    """The moves of a search under some rules, and their costs."""

    rules: Rules
    policy: Policy
    """The rule for moves home that are made at once.

    In `cards` and `runs` they lose nothing; in `moves` they are those that a program makes.
    """
    metric: Metric

    @property
    def by_room(self) -> bool:
        """True if runs move as far as there is room, where cards move one by one by the rules."""
        return self.metric != "cards" and self.rules.has_supermoves

    @property
    def has_free_moves(self) -> bool:
        """True if the moves that are made at once cost nothing."""
        return self.metric == "moves" and self.policy != "none"

    @property
    def counts_all(self) -> bool:
        """True if every move of a solution counts."""
        return self.metric not in ("turns", "plays") and not self.has_free_moves

    def moves(self, position: Position) -> list[Move]:
        """Return all moves that a player can make."""
        moves = position.moves(self.rules)
        if self.by_room:
            moves += supermoves(position, self.rules)
        return moves

    def forced(self, position: Position) -> Move | None:
        """Return the move home that is made at once, lowest suit first, if there is one."""
        if self.metric != "moves":
            return position.forced(self.rules, self.policy)
        home = [
            (card & 3, card, source)
            for card, source in position.available()
            if moves_home(position, card, self.rules, self.policy)
        ]
        if not home:
            return None
        suit, card, source = min(home)
        return Move(card, source, Place("foundation", suit), forced=True)

    def successors(self, position: Position) -> list[tuple[Move, Position]]:
        """Return the moves, and the positions after them; where a move is forced, only that one."""
        if not self.by_room:
            return position.successors(self.rules, self.policy)
        forced = self.forced(position)
        moves = self.moves(position) if forced is None else [forced]
        return [(move, position.apply(move)) for move in moves]

    def cost(self, move: Move) -> int:
        """Return the cost of a move in the length of a solution: 0 or 1."""
        if self.metric == "turns" and turns_over(move):
            return 0
        if self.metric == "plays" and not counts_as_play(move):
            return 0
        return 0 if self.has_free_moves and move.forced else 1

    def length(self, moves: Iterable[Move]) -> int:
        """Return the length of a solution, or of a part of it."""
        return sum(map(self.cost, moves))


def usual_metric(rules: Rules) -> Metric:
    """Return what counts one where no metric is given.

    A card that moves, or a card or a run of cards, as the rules have it; where a stock is turned,
    turns of it, too.
    """
    if rules.features.metrics:
        return rules.features.metrics[0]
    return "runs" if rules.has_runs else "cards"


def measure_of(rules: Rules, policy: Policy, metric: Metric | None = None) -> Measure:
    """Return the measure of a search; None stands for the usual metric of the game.

    UsageError for a metric that the game does not have, and for a policy that the metric has not.
    """
    usual, metrics = usual_metric(rules), rules.features.metrics
    found = usual if metric is None else metric
    if metrics:
        if found not in metrics:
            raise UsageError(f"metric {found} in {rules.name}, expected {any_of(metrics)}")
    elif found in ("turns", "plays"):
        raise UsageError(f"metric {found}: {rules.name} has no stock that is turned to a waste")
    elif found != usual and not _has_free_moves(rules):
        why = "all cards go to one pile" if rules.has_pile else MOVES_WORDS[rules.moves]
        if rules.two_way:
            why = REMOVABLE_WORDS[True] if rules.takes_back else BUILD_WORDS[rules.build]
        raise UsageError(f"metric {found}: {why} in {rules.name}, expected {usual}")
    if found != "moves" and policy not in POLICIES:
        others = any_of(POLICIES)
        expected = f"the metric moves, or {others}" if _has_free_moves(rules) else others
        text = f"automove {policy} with the metric {found}: that takes solutions away"
        raise UsageError(f"{text}; expected {expected}")
    return Measure(rules, policy, found)


def _has_free_moves(rules: Rules) -> bool:
    """Return True if a game can be measured without the moves that a program makes by itself."""
    if rules.has_runs or rules.has_pile or rules.two_way:
        return False
    return usual_metric(rules) == "cards"


_WORDS: dict[Metric, tuple[str, str]] = {
    "cards": ("card move", "card moves"),
    "moves": ("move of the player", "moves of the player"),
    "runs": ("move of a card or a run", "moves of cards or runs"),
    "turns": ("play or turn of the stock", "plays and turns of the stock"),
    "plays": ("play", "plays"),
}


def length_words(metric: Metric, rules: Rules) -> tuple[str, str]:
    """Return the names of the moves of a metric under some rules: singular, and plural."""
    without_stock = metric == "turns" and not rules.stock
    return _WORDS["plays" if without_stock else metric]


def spoiling_words(metric: Metric | None, policy: Policy) -> str:
    """Return the words that follow "cannot be won", such as ` with the automoves max`.

    These automoves may be the only reason why: a player who does without them can win some of
    these deals. Return an empty text for a metric and a policy that never make a deal lost.
    """
    spoils = metric == "moves" and policy not in POLICIES
    return f" with the automoves {policy}" if spoils else ""


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun: `1 state`, `2,000 states`."""
    return f"{number:,} {one if number == 1 else many}"
