"""`solve --count` and `solve --all`: the number of shortest solutions, and their list."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dbmsolver.cli.answers import AnswerForm, check_game, follow_to_best, interrupted_many
from dbmsolver.cli.json_data import deal_data, dump_json, rules_data
from dbmsolver.cli.options import DisplayOptions, gathered
from dbmsolver.cli.output import check_output, write_text
from dbmsolver.cli.render import (
    EXIT_CODES,
    LIMITS,
    fact_lines,
    human_bytes,
    human_time,
    verdict_line,
)
from dbmsolver.cli.streams import MessageStream
from dbmsolver.cli.values import Whole
from dbmsolver.errors import EXIT_SOLVED, EXIT_UNDECIDED, UsageError
from dbmsolver.game.boards import shown_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import counted
from dbmsolver.game.moves import Move
from dbmsolver.game.rules import Rules
from dbmsolver.results import Limit, Limits, Options, SolutionCount, Verdict

Moves = tuple[Move, ...]

MOST_FILES = 10_000
"""Solutions that are written at most where each gets a file of its own."""
_EVERY = "every"


class _SolutionLimit(Whole):
    """A number of wanted solutions; 0 stands for all of them."""

    name = "integer range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        return 0 if value in (_EVERY, 0) else super().convert(value, param, ctx)


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """A question about all shortest solutions."""

    count: bool
    most: int | None
    """The number of solutions to be written: 0 for all, None for none."""

    def __bool__(self) -> bool:
        return self.count or self.most is not None


sequence_options = gathered(
    "wanted",
    SequenceOptions,
    click.option(
        "--count",
        is_flag=True,
        help="Count all shortest solutions: the different sequences of moves of that length.",
    ),
    click.option(
        "--all",
        "most",
        metavar="[LIMIT]",
        type=_SolutionLimit(1),
        is_flag=False,
        flag_value=_EVERY,
        help="Count them, and write all of them, or LIMIT of them: as text in two characters for a "
        "move, a line for each; with another format in a file for each (-o NAME.sfn makes "
        "NAME-1.sfn, NAME-2.sfn, ...).",
    ),
)
"""--count and --all, as `wanted`."""


def check_sequences(wanted: SequenceOptions, form: AnswerForm, rules: Rules) -> None:
    """Raise UsageError if an option of the answer does not apply to all solutions.

    Raise it, too, if the format cannot express the moves of the game.
    """
    name = "--count" if wanted.most is None else "--all"
    if form.boards:
        raise UsageError(f"{name} and --boards, expected one of them")
    if form.name in ("text", "json"):
        if wanted.most is not None:
            _check_letters(rules)
        return
    if wanted.most is None:
        raise UsageError(
            f"--count says nothing about the format {form.name}, expected text or json"
        )
    if form.name == "sfn":
        text = "Standard FreeCell Notation leaves safe moves out, and not all solutions make them"
        raise UsageError(f"{text} at once, expected another format, such as short")
    if form.output in (None, "-"):
        raise UsageError(f"--all with the format {form.name} makes many files, expected -o NAME")
    if not 0 < wanted.most <= MOST_FILES:
        text = f"expected --all LIMIT, at most {MOST_FILES}"
        raise UsageError(f"with the format {form.name} each solution is a file, {text}")
    check_game(form.name, rules, "none")


def _check_letters(rules: Rules) -> None:
    """Raise UsageError for a game with more columns than two characters for a move can name."""
    from dbmsolver.notation.formats.short import check_columns

    check_columns(rules, "--all", ", expected another format, such as --all LIMIT -o NAME.moves")


def answer_all(
    deal: Deal,
    options: Options,
    limits: Limits,
    form: AnswerForm,
    display: DisplayOptions,
    wanted: SequenceOptions,
) -> int:
    """Count all shortest solutions, write those that are asked for; return the exit code.

    Ctrl-C ends it like a limit; Interrupted is raised when the answer is written.
    """
    from dbmsolver.api.advice import shortest_solutions

    store = None if options.store is None else str(options.store)
    check_output(form.output, store)
    with shortest_solutions(deal, options, limits, keep=wanted.most is not None) as sequences:
        found = follow_to_best(sequences.count(), display.progress(), store)
        writes = wanted.most is not None and bool(found.count)
        limit = found.limit
        if writes:
            limit = follow_to_best(sequences.choose(wanted.most or None), display.progress(), store)
        solutions = sequences.solutions() if writes and limit is None else iter(())
        if form.name == "text":
            write_text(_text(found, wanted, solutions), form.output)
        elif form.name == "json":
            write_text(_json(found, wanted, solutions), form.output)
        else:
            _write_files(found, solutions, form)
        if limit is not None and found.limit is None:
            line = f"dbmsolver: no solution is written, {LIMITS[limit]}"
            print(line, file=MessageStream(sys.stderr), flush=True)
        elif not display.quiet and (form.name != "text" or form.output not in (None, "-")):
            print(count_line(found), file=MessageStream(sys.stderr), flush=True)
        if limit == Limit.INTERRUPT:
            raise interrupted_many(store)
    if found.result.verdict == Verdict.SOLVED:
        return EXIT_SOLVED if limit is None else EXIT_UNDECIDED
    return EXIT_CODES[found.result.verdict]


def count_line(found: SolutionCount) -> str:
    """Return the answer in one line."""
    line = verdict_line(found.result)
    if found.count is not None and found.length is not None:
        return f"{line}; {counted(found.count, 'such solution', 'such solutions')}"
    if found.length is not None and found.limit is not None:
        return f"{line}; such solutions are not counted, {LIMITS[found.limit]}"
    return line


def _text(
    found: SolutionCount, wanted: SequenceOptions, solutions: Iterator[Moves]
) -> Iterator[str]:
    """Yield the answer for people, in pieces."""
    deal = found.result.deal
    yield f"{count_line(found)}\n\n{shown_board(deal.position, deal.rules)}\n"
    if wanted.most is not None and found.count:
        total = min(found.count, wanted.most or found.count)
        width = len(str(total))
        for number, moves in enumerate(solutions, start=1):
            yield f"{number:>{width}}  {' '.join(words_of(moves)) or 'No move is needed.'}\n"
        yield "\n"
    yield fact_lines(_facts(found))


def _facts(found: SolutionCount) -> Iterator[tuple[str, str]]:
    if found.states:
        yield "Counted", f"over {counted(found.states, 'position', 'positions')}"
    yield "Time", human_time(found.seconds)
    yield "Memory", f"{human_bytes(found.peak_memory)} at most"
    yield "Disk", human_bytes(found.disk)
    if found.result.store is not None:
        yield "Store", str(found.result.store)


def words_of(moves: Moves) -> list[str]:
    """Return moves in two characters each: the format `short`."""
    from dbmsolver.notation.formats.short import place_letter

    return [place_letter(move.source) + place_letter(move.destination) for move in moves]


def _json(
    found: SolutionCount, wanted: SequenceOptions, solutions: Iterator[Moves]
) -> Iterator[str]:
    """Yield the answer for programs, in pieces; answers.schema.json describes it."""
    result = found.result
    data = {
        "kind": "solutions",
        "verdict": result.verdict,
        "limit": found.limit or result.limit,
        "metric": result.metric,
        "length": found.length,
        "count": None if found.count is None else str(found.count),
        "deal": deal_data(result.deal),
        "rules": rules_data(result.deal.rules),
        "states": found.states,
        "seconds": round(found.seconds, 3),
        "peak_memory": found.peak_memory,
        "disk": found.disk,
        "store": None if result.store is None else str(result.store),
    }
    yield dump_json(data).removesuffix("\n}\n")
    if wanted.most is None:
        yield ',\n  "solutions": null\n}\n'
        return
    yield ',\n  "solutions": ['
    between = "\n"
    for moves in solutions:
        yield f'{between}    "{" ".join(words_of(moves))}"'
        between = ",\n"
    yield "\n  ]\n}\n" if between != "\n" else "]\n}\n"


def _write_files(found: SolutionCount, solutions: Iterator[Moves], form: AnswerForm) -> None:
    """Write each solution to a file of its own."""
    from dbmsolver.notation import formats
    from dbmsolver.notation.solution import Solution

    assert form.output is not None
    path = Path(form.output)
    deal, length = found.result.deal, found.length
    for number, moves in enumerate(solutions, start=1):
        solution = Solution.from_moves(deal, moves)
        text = formats.write(solution, form.name, "none", form.runs, length)
        write_text(text, str(path.with_name(f"{path.stem}-{number}{path.suffix}")))
