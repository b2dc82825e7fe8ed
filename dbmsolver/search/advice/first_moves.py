"""Every legal move from a position: whether the deal can be won after it, and in how many moves."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.results import (
    Event,
    FirstMoves,
    Limit,
    Limits,
    MoveValue,
    Options,
    Result,
    Verdict,
)
from dbmsolver.search.advice.worth import Clock, worth
from dbmsolver.search.limits import Cancelled

FOLDER = "first-moves"
"""The directory in that of a store that holds the stores of the moves."""

Values = Generator[Event, Cancelled | None, FirstMoves]


def first_moves(deal: Deal, options: Options = Options(), limits: Limits = Limits()) -> Values:
    """Search a position, then what each of its legal moves leads to; a generator of events.

    With a store each search has a store of its own inside of it, and the same call goes on from
    them. `limits.max_time` is for all searches together, the others for each.
    """
    clock = Clock(limits)
    root = yield from worth(deal, options, clock)
    peak, limit = root.peak_memory, root.limit
    tried = []
    measure = root.measure
    for move in _moves(measure, deal.position):
        cost = measure.cost(move)
        rest = root.moves[1:] if root.moves and _same(move, root.moves[0]) else None
        if limit == Limit.INTERRUPT or clock.is_over:
            limit = limit or Limit.MAX_TIME
            tried.append(
                _with_solution(_Tried(_open(move, root, limit, cost), cost), rest, measure)
            )
            continue
        if root.verdict == Verdict.UNSOLVABLE:
            value = MoveValue(move, Verdict.UNSOLVABLE, None, None, None)
            tried.append(_Tried(value, cost))
            continue
        if root.shortest and rest is not None:
            left = measure.length(rest)
            value = MoveValue(move, Verdict.SOLVED, left, left, None)
            tried.append(_Tried(value, cost, rest))
            continue
        after = Deal(deal.position.apply(move), deal.rules)
        found = yield from worth(after, _options(options, move), clock)
        peak, limit = max(peak, found.peak_memory), found.limit or limit
        one = _Tried(_value(move, found, root, cost), cost, found.moves)
        tried.append(_with_solution(one, rest, measure))
    root = _concluded(root, tried)
    values = tuple(one.value for one in tried)
    ends = [end for end in (root.limit, *(value.limit for value in values)) if end is not None]
    return FirstMoves(root, values, ends[-1] if ends else None, clock.seconds, peak)


class _Tried(NamedTuple):
    """A move that was looked at: its value, its cost, and the best solution after it."""

    value: MoveValue
    cost: int
    rest: tuple[Move, ...] = ()

    @property
    def at_least(self) -> int | None:
        """The moves that a solution beginning with this one has at least; None if not known."""
        return None if self.value.at_least is None else self.cost + self.value.at_least


def _with_solution(one: _Tried, rest: tuple[Move, ...] | None, measure: Measure) -> _Tried:
    """Return a move with the better of two solutions after it.

    One of them is that which was found after the move, if any was. The other one is ``rest``: what
    follows the move in the solution of the position before it. That is None where this solution
    begins with another move.
    """
    if rest is None:
        return one
    value, left = one.value, measure.length(rest)
    if value.at_most is not None and value.at_most <= left:
        return one
    limit = None if value.at_least == left else value.limit
    value = replace(value, verdict=Verdict.SOLVED, at_most=left, limit=limit)
    return _Tried(value, one.cost, rest)


def _same(move: Move, other: Move) -> bool:
    """Return True if two moves are the same, whether one of them is forced or not."""
    return move._replace(forced=False) == other._replace(forced=False)


def _concluded(root: Result, tried: Sequence[_Tried]) -> Result:
    """Return the answer about a position, with what the values of its moves imply.

    A limit may have ended the search of the position before it found what the searches after its
    moves have found.
    """
    if root.verdict == Verdict.UNSOLVABLE or root.shortest or root.deal.position.is_goal():
        return root
    kept = [one for one in tried if one.value.verdict != Verdict.UNSOLVABLE]
    if not kept:
        lost = Verdict.UNSOLVABLE
        return replace(root, verdict=lost, limit=None, moves=(), at_least=None)
    bounds = [one.at_least for one in kept if one.at_least is not None]
    if len(bounds) == len(kept):
        root = replace(root, at_least=max(root.at_least or 0, min(bounds)))
    for one in kept:
        most = one.value.at_most
        if most is not None and (root.length is None or one.cost + most < root.length):
            moves = (one.value.move, *one.rest)
            root = replace(root, verdict=Verdict.SOLVED, moves=moves)
    if root.length is not None and root.length == root.at_least:
        root = replace(root, shortest=True, limit=None)
    return root


def _moves(measure: Measure, position: Position) -> list[Move]:
    """Return all legal moves, or only the free move that a program makes by itself."""
    if measure.has_free_moves and (made := measure.forced(position)) is not None:
        return [made]
    return measure.moves(position)


def _options(options: Options, move: Move) -> Options:
    """Return the options of the search after a move: its store has a folder of its own."""
    if options.store is None:
        return options
    place = move.destination
    name = f"{card_name(move.card)}-{place.kind}-{place.index + 1}"
    if move.other is not None:
        name += f"-{card_name(move.other)}"
    return replace(options, store=Path(options.store, FOLDER, name))


def _value(move: Move, found: Result, root: Result, cost: int) -> MoveValue:
    at_least = found.length if found.shortest else found.at_least
    return MoveValue(
        move,
        found.verdict,
        _at_least(root, at_least, cost) if found.verdict != Verdict.UNSOLVABLE else None,
        found.length,
        found.limit,
    )


def _open(move: Move, root: Result, limit: Limit, cost: int) -> MoveValue:
    """Return the value of a move after which nothing was searched."""
    return MoveValue(move, Verdict.UNDECIDED, _at_least(root, None, cost), None, limit)


def _at_least(root: Result, known: int | None, cost: int) -> int | None:
    """Return a lower bound of the moves left after a move; None if nothing is known.

    ``known`` is a lower bound already found. The position before the move needs at most ``cost``
    moves more.
    """
    bounds = [] if known is None else [known]
    before = root.length if root.shortest else root.at_least
    if before is not None:
        bounds.append(before - cost)
    return max(bounds, default=None)
