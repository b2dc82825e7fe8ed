"""The answer of a search for people and programs: text and JSON."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dbmsolver.cli.json_data import deal_data, dump_json, move_data, rules_data, strata_data
from dbmsolver.cli.proofs import proof_facts, verifying
from dbmsolver.errors import EXIT_SOLVED, EXIT_UNDECIDED, EXIT_UNSOLVABLE
from dbmsolver.game.boards import shown_board
from dbmsolver.game.cards import card_name
from dbmsolver.game.measures import Measure, counted, length_words, spoiling_words
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import has_safe_moves
from dbmsolver.game.titles import title
from dbmsolver.results import Limit, Method, Result, Verdict

EXIT_CODES: dict[Verdict, int] = {
    Verdict.SOLVED: EXIT_SOLVED,
    Verdict.UNSOLVABLE: EXIT_UNSOLVABLE,
    Verdict.UNDECIDED: EXIT_UNDECIDED,
}

LimitWords = Mapping[Limit, str]
"""The reasons why a search ended before its end, in words."""

LIMITS: LimitWords = {
    Limit.MAX_STATES: "the limit --max-states was reached",
    Limit.MAX_TIME: "the limit --max-time was reached",
    Limit.MEMORY: "the memory allowed by --memory did not suffice",
    Limit.MAX_DISK: "the limit --max-disk was reached",
    Limit.DISK_FULL: "the disk, a quota or a limit of file sizes is full",
    Limit.INTERRUPT: "it was interrupted",
}
"""The words where a user has given the limit."""


def human_bytes(size: float) -> str:
    """Return a size in words: `12.3 MiB`."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def human_time(seconds: float) -> str:
    """Return a time in words: `1.2 s`, `3 min 4 s` or `2 h 5 min`."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


STATES: dict[Method, tuple[str, str]] = {
    Method.DOMINATING: ("dominating position", "dominating positions"),
    Method.CLASSES: ("class of positions", "classes of positions"),
    Method.CLASSES_ANY_PASSES: (
        "class of positions with any number of passes",
        "classes of positions with any number of passes",
    ),
    Method.EVERY_POSITION: ("position", "positions"),
}
"""The names of the states of a search, by its method: singular, and plural."""


def verdict_line(result: Result) -> str:
    """Return the answer in one line."""
    name = title(result.deal)
    if has_solution(result):
        length = counted(result.length or 0, *length_words(result.metric, result.deal.rules))
        if result.at_least is not None and not result.shortest:
            possible = possible_lengths(result.length, result.at_least)
            reason = _why_early(result)
            return f"{name}: solved in {length}; the shortest has {possible} ({reason})"
        proven = "shortest" if result.shortest else "not shown to be shortest"
        return f"{name}: solved in {length}, {proven}"
    if result.verdict == Verdict.SOLVED:
        return f"{name}: solved, but the solution was not kept (--keep none)"
    if result.verdict == Verdict.UNSOLVABLE:
        states = counted(result.states, *STATES[result.method])
        return f"{name}: unsolvable{spoiling_words(result.metric, result.policy)}, after {states}"
    return f"{name}: undecided, {_why_early(result)}"


def _why_early(result: Result) -> str:
    """Return the reason why the search ended early, in words."""
    return LIMITS[result.limit] if result.limit else "the search is not finished"


def possible_lengths(at_most: int | None, at_least: int | None) -> str:
    """Return the lengths that a shortest solution can have: `at most 95, at least 81`."""
    if at_most is not None and at_most == at_least:
        return f"{at_most}"
    bounds = (("at most", at_most), ("at least", at_least))
    return ", ".join(f"{words} {bound}" for words, bound in bounds if bound is not None)


def has_solution(result: Result) -> bool:
    """Return True if the answer holds a solution: --keep none may drop the states on its way."""
    return result.verdict == Verdict.SOLVED and (
        bool(result.moves) or result.deal.position.is_goal()
    )


def render_text(result: Result, boards: bool = False) -> str:
    """Return the answer for people; with `boards`, the board after every move."""
    parts = [verdict_line(result) + "\n", shown_board(result.deal.position, result.deal.rules)]
    if has_solution(result):
        parts.append("".join(_move_lines(result, boards)) or "No move is needed.\n")
    parts.append(fact_lines(_facts(result)))
    return "\n".join(parts)


def _move_lines(result: Result, boards: bool) -> Iterator[str]:
    position = result.deal.position
    for move, line in zip(result.moves, move_lines(result.moves, result.measure), strict=True):
        position = position.apply(move)
        yield line
        if boards:
            yield f"\n{board_text(position, result.deal.rules)}\n"


def move_lines(moves: Sequence[Move], measure: Measure) -> Iterator[str]:
    """Return a line for each move; those that the measure counts have numbers."""
    width = len(str(measure.length(moves)))
    number = 0
    for move in moves:
        cost = measure.cost(move)
        number += cost
        forced = "  (forced)" if cost else "  (automove)"
        yield f"{number if cost else '':>{width}}  {describe_move(move)}{forced * move.forced}\n"


def describe_move(move: Move) -> str:
    """Return a move in words: `TD  column 3 -> freecell 1`.

    Of a run it is `TD  column 3 -> column 1  (3 cards)`.
    """
    source, destination = (
        "home" if place.kind == "foundation" else str(place)
        for place in (move.source, move.destination)
    )
    cards = f"  ({move.count} cards)" if move.count > 1 else ""
    pair = "" if move.other is None else f", with {card_name(move.other)}"
    return f"{card_name(move.card)}  {source} -> {destination}{pair}{cards}"


def board_text(position: Position, rules: Rules) -> str:
    """Return a board for people; of one that is won, the foundations, and what they begin with."""
    text = shown_board(position, rules)
    if position.is_goal() and position.pile is None and position.pyramid is None:
        lines = text.splitlines(keepends=True)
        return "".join(line for line in lines if line.startswith(("Foundations:", "Base:")))
    return text


def fact_lines(facts: Iterable[tuple[str, str]]) -> str:
    """Return names and values, a line each; a value without a name goes on with the one before."""
    return "".join(f"{name + ':' if name else '':<11}{value}\n" for name, value in facts)


def _facts(result: Result) -> Iterator[tuple[str, str]]:
    if result.verdict == Verdict.UNDECIDED and result.at_least is not None:
        yield "Lengths", possible_lengths(None, result.at_least)
    yield "States", _states(result)
    yield "Time", human_time(result.seconds)
    yield "Memory", f"{human_bytes(result.peak_memory)} at most"
    yield "Disk", human_bytes(result.disk)
    if result.digest is not None:
        yield "Digest", result.digest
    if result.store is not None:
        yield "Store", str(result.store)
        yield from proof_facts(result.store, result.verdict, result.shortest, result.keep)
    if result.limit == Limit.MEMORY:
        again = "give more with --memory"
        if result.deal.rules.features.has_stores:
            again += "; with --store a run goes on where the one before it ended"
        if result.store is not None:
            again = f"dbmsolver resume {shlex.quote(str(result.store))}, with more --memory"
        yield "Go on", again


def _states(result: Result) -> str:
    """Return the number of states, in words.

    The layer of a shortest solution, in which the search ends anywhere, is not counted, and there
    may be no layer below it.
    """
    evaluated = f"{result.evaluated:,} evaluated"
    if not result.states and not result.forced:
        return evaluated
    if result.method != Method.EVERY_POSITION:
        return counted(result.states, *STATES[result.method])
    forced = and_forced(result.forced, result.deal.rules)
    where = f" in layers below {result.length}" if result.shortest else ""
    return f"{result.states:,}{forced}{where}, {evaluated}"


def counts_forced(rules: Rules) -> bool:
    """Return True if a search counts forced states apart.

    None does in Klondike and its relatives, and some games have no forced moves.
    """
    return has_safe_moves(rules) and rules.features.counts_forced


def and_forced(forced: int, rules: Rules) -> str:
    """Return the number of forced states in words that follow the number of the others."""
    return f" and {counted(forced, 'forced one', 'forced ones')}" if counts_forced(rules) else ""


def render_json(result: Result) -> str:
    """Return the answer for programs, one JSON object; answers.schema.json describes it."""
    return dump_json(
        {
            "kind": "answer",
            "verdict": result.verdict,
            "limit": result.limit,
            "question": result.question,
            "method": result.method,
            "metric": result.metric,
            "length": result.length if has_solution(result) else None,
            "shortest": result.shortest,
            "at_least": result.at_least,
            "at_most": result.length if has_solution(result) else None,
            "deal": deal_data(result.deal),
            "rules": rules_data(result.deal.rules),
            "automove": result.policy,
            "moves": [move_data(move) for move in result.moves],
            "states": result.states,
            "forced": result.forced,
            "evaluated": result.evaluated,
            "seconds": round(result.seconds, 3),
            "peak_memory": result.peak_memory,
            "disk": result.disk,
            "digest": result.digest,
            "store": None if result.store is None else str(result.store),
            "proof": verifying(result.store, result.verdict, result.shortest, result.keep),
            "strata": strata_data(result.strata),
        }
    )
