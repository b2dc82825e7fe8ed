"""The answers of `hint` and of --every-first-move: text for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

from dbmsolver.cli.json_data import board_data, deal_data, dump_json, move_data, rules_data
from dbmsolver.cli.played import GameSoFar
from dbmsolver.cli.render import (
    LIMITS,
    LimitWords,
    board_text,
    describe_move,
    fact_lines,
    has_solution,
    human_bytes,
    human_time,
    possible_lengths,
)
from dbmsolver.game.measures import counted, length_words, spoiling_words
from dbmsolver.game.moves import Move
from dbmsolver.results import FirstMoves, Limit, MoveValue, Result, Verdict


def hint_line(game: GameSoFar, result: Result, words: LimitWords = LIMITS) -> str:
    """Return in one line whether a position can be won, and how far it is.

    `words` say why the search ended early.
    """
    if game.deal.position.is_goal():
        return f"{game.title}: won"
    if result.verdict == Verdict.UNSOLVABLE:
        more = " any more" if game.made else ""
        spoiling = spoiling_words(result.metric, result.policy)
        return f"{game.title}: cannot be won{more}{spoiling}"
    if not has_solution(result):
        return f"{game.title}: not known whether it can be won{_because(result.limit, words)}"
    if result.shortest:
        moves = counted(result.length or 0, *length_words(result.metric, result.deal.rules))
        left = f"{moves} {'is' if result.length == 1 else 'are'} left"
        return f"{game.title}: can be won, {left}"
    lengths = possible_lengths(result.length, result.at_least)
    _, moves = length_words(result.metric, result.deal.rules)
    return f"{game.title}: can be won, {lengths} {moves} are left{_because(result.limit, words)}"


def hint_text(
    game: GameSoFar,
    result: Result,
    seconds: float,
    peak_memory: int,
    words: LimitWords = LIMITS,
) -> str:
    """Return a hint for people; `words` say why the search ended early."""
    facts = list(_added(game))
    facts += [("Automove", describe_move(move)) for move in _automoves(result)]
    if (move := _first_move(result)) is not None:
        facts.append(("Best move" if result.shortest else "Good move", describe_move(move)))
        facts.append(("Proven", _proven(result)))
    elif result.verdict == Verdict.UNDECIDED:
        facts.append(("Good move", "none is known"))
    facts += [("Time", human_time(seconds)), ("Memory", f"{human_bytes(peak_memory)} at most")]
    board = board_text(game.deal.position, game.deal.rules)
    return f"{hint_line(game, result, words)}\n\n{board}\n{fact_lines(facts)}"


def _added(game: GameSoFar) -> Iterator[tuple[str, str]]:
    """Yield the moves home that were added to those that the text has, in words."""
    for move in game.added:
        yield "Added", f"{describe_move(move)}  (automove, --automove none adds none)"


def _proven(result: Result) -> str:
    """Return the proven facts about the first move, in words."""
    if result.shortest:
        return "it wins, and no other way is shorter"
    return "it wins; whether another way is shorter is not known"


def _first_move(result: Result) -> Move | None:
    """Return the first move of the solution that the player makes.

    It may cost nothing, as where the waste is turned over. A program makes forced moves that are
    free.
    """
    return next(iter(result.moves[len(_automoves(result)) :]), None)


def _automoves(result: Result) -> list[Move]:
    """Return the free moves home that come before the first move of the player."""
    cost = result.measure.cost
    return list(takewhile(lambda move: move.forced and not cost(move), result.moves))


def hint_json(game: GameSoFar, result: Result, seconds: float, peak_memory: int) -> str:
    """Return a hint for programs; answers.schema.json describes it."""
    return dump_json(
        {
            "kind": "hint",
            **_worth(game, result, result.limit),
            "shortest": result.shortest,
            "move": None if (move := _first_move(result)) is None else move_data(move),
            "moves": [move_data(move) for move in result.moves],
            "seconds": round(seconds, 3),
            "peak_memory": peak_memory,
        }
    )


def _worth(game: GameSoFar, result: Result, limit: Limit | None) -> dict[str, Any]:
    """Return the worth of a position, for JSON."""
    solved = has_solution(result)
    return {
        "verdict": result.verdict,
        "limit": limit,
        "metric": result.metric,
        "length": result.length if solved and result.shortest else None,
        "at_least": result.length if result.shortest else result.at_least,
        "at_most": result.length if solved else None,
        "deal": deal_data(game.start),
        "rules": rules_data(game.start.rules),
        "made": game.made,
        "added": [move_data(move) for move in game.added],
        "board": board_data(game.deal.position),
    }


def values_text(game: GameSoFar, found: FirstMoves, words: LimitWords = LIMITS) -> str:
    """Return the value of each move, for people: the best first, those that lose last.

    `words` say why the search ended early.
    """
    moves = counted(len(found.values), "first move", "first moves")
    parts = [
        f"{hint_line(game, found.result, words)}; {moves}\n",
        board_text(game.deal.position, game.deal.rules),
    ]
    cost = found.result.measure.cost
    rows = [
        (_left(value), describe_move(value.move) + ("" if cost(value.move) else "  (free)"))
        for value in _ordered(found)
    ]
    width = max((len(left) for left, _ in rows), default=0)
    width = max(width, len("left after"))
    lines = [f"{'left after':>{width}}  move\n"] if rows else ["No move is possible.\n"]
    lines += [f"{left:>{width}}  {move}\n" for left, move in rows]
    parts.append("".join(lines))
    parts.append(fact_lines([*_added(game), *_facts(found, words)]))
    return "\n".join(parts)


def _facts(found: FirstMoves, words: LimitWords) -> Iterator[tuple[str, str]]:
    if found.only is not None and len(found.values) > 1:
        yield "Critical", f"all moves but {describe_move(found.only)} lose"
    if found.limit is not None:
        yield "Limit", words[found.limit]
    yield "Time", human_time(found.seconds)
    yield "Memory", f"{human_bytes(found.peak_memory)} at most"
    if found.result.store is not None:
        yield "Store", str(found.result.store)


def values_json(game: GameSoFar, found: FirstMoves) -> str:
    """Return the same for programs; answers.schema.json describes it."""
    return dump_json(
        {
            "kind": "first_moves",
            **_worth(game, found.result, found.limit),
            "first_moves": [
                {
                    **move_data(value.move),
                    "verdict": value.verdict,
                    "length": value.length,
                    "at_least": value.at_least,
                    "at_most": value.at_most,
                    "limit": value.limit,
                }
                for value in found.values
            ],
            "only": None if found.only is None else move_data(found.only),
            "seconds": round(found.seconds, 3),
            "peak_memory": found.peak_memory,
            "store": None if found.result.store is None else str(found.result.store),
        }
    )


def _because(limit: Limit | None, words: LimitWords) -> str:
    return "" if limit is None else f" ({words[limit]})"


def _ordered(found: FirstMoves) -> list[MoveValue]:
    """Return the values in order: the best first, then those not known, lost ones last."""
    ranks = {Verdict.SOLVED: 0, Verdict.UNDECIDED: 1, Verdict.UNSOLVABLE: 2}
    cost_of = found.result.measure.cost

    def key(value: MoveValue) -> tuple[int, int, int]:
        cost = cost_of(value.move)
        return ranks[value.verdict], cost + (value.at_most or 0), cost + (value.at_least or 0)

    return sorted(found.values, key=key)


def _left(value: MoveValue) -> str:
    """Return the number of moves left after a move, in words."""
    if value.verdict == Verdict.UNSOLVABLE:
        return "lost"
    if value.length is not None:
        return str(value.length)
    lengths = possible_lengths(value.at_most, value.at_least)
    if value.verdict == Verdict.SOLVED:
        return lengths
    return f"not known, {lengths}" if lengths else "not known"
