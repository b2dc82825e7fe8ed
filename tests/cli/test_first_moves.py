"""The end of a command that values all first moves, and what it refuses before it begins."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from helpers.fake_search import nearly_done, result

from dbmsolver.api import advice, compilers
from dbmsolver.cli.answers import AnswerForm, Interrupted
from dbmsolver.cli.first_moves import answer_values, check_values
from dbmsolver.cli.options import DisplayOptions
from dbmsolver.cli.played import GameSoFar
from dbmsolver.cli.sequences import SequenceOptions
from dbmsolver.errors import EXIT_SOLVED, EXIT_UNDECIDED, EXIT_UNSOLVABLE, UsageError
from dbmsolver.results import FirstMoves, Limit, Limits, MoveValue, Options, Verdict

DEAL, MOVES = nearly_done()


def end_of_command(
    monkeypatch: pytest.MonkeyPatch, output: str | None = None, **known: Any
) -> tuple[int, list[object]]:
    """Return the exit code where a search says what is known, and the deals searched for."""
    searched: list[object] = []
    limit = known.pop("limit", None)

    def value_moves(deal: object, *_: object) -> Generator[Any, Any, FirstMoves]:
        searched.append(deal)
        yield from ()
        values = (MoveValue(MOVES[0], Verdict.UNDECIDED, None, None, limit),)
        return FirstMoves(result(**known), values, limit, 1.0, 1 << 20)

    monkeypatch.setattr(advice, "value_moves", value_moves)
    monkeypatch.setattr(compilers, "compilers_for", lambda *_, **__: nullcontext())
    game, form = GameSoFar(DEAL, 0, DEAL), AnswerForm("text", output, False, False)
    return answer_values(game, Options(), Limits(), form, DisplayOptions(True, False)), searched


@pytest.mark.parametrize(
    ("verdict", "limit", "code"),
    [
        (Verdict.SOLVED, None, EXIT_SOLVED),
        (Verdict.SOLVED, Limit.MAX_TIME, EXIT_UNDECIDED),
        (Verdict.UNDECIDED, Limit.MAX_TIME, EXIT_UNDECIDED),
        (Verdict.UNSOLVABLE, None, EXIT_UNSOLVABLE),
        (Verdict.UNSOLVABLE, Limit.MAX_TIME, EXIT_UNSOLVABLE),
    ],
)
def test_exit_codes(
    monkeypatch: pytest.MonkeyPatch, verdict: Verdict, limit: Limit | None, code: int
) -> None:
    """A win with moves of which too little is known is no whole answer; a loss is one."""
    moves = MOVES if verdict == Verdict.SOLVED else ()
    found = end_of_command(monkeypatch, verdict=verdict, limit=limit, moves=moves)
    assert found == (code, [DEAL])


def test_an_interrupted_search_tells_what_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ctrl-C is like a limit; with it the command ends as interrupted after its answer."""

    def value_moves(*_: object) -> Generator[Any, Any, FirstMoves]:
        os.kill(os.getpid(), signal.SIGINT)
        assert (yield "an event") is not None
        values = (MoveValue(MOVES[0], Verdict.UNDECIDED, None, None, Limit.INTERRUPT),)
        return FirstMoves(result(), values, Limit.INTERRUPT, 1.0, 1 << 20)

    monkeypatch.setattr(advice, "value_moves", value_moves)
    monkeypatch.setattr(compilers, "compilers_for", lambda *_, **__: nullcontext())
    path = tmp_path / "answer.txt"
    game, form = GameSoFar(DEAL, 0, DEAL), AnswerForm("text", str(path), False, False)
    # It may be ignored where the tests run in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(Interrupted, match=r"^interrupted$"):
            answer_values(game, Options(), Limits(), form, DisplayOptions(True, False))
    finally:
        signal.signal(signal.SIGINT, before)
    assert "Limit:     it was interrupted\n" in path.read_text()


def test_nothing_is_searched_for_an_answer_that_cannot_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="is no directory"):
        end_of_command(monkeypatch, str(tmp_path / "none" / "answer.txt"))
    path = tmp_path / "answer.txt"
    assert end_of_command(monkeypatch, str(path)) == (EXIT_SOLVED, [DEAL])
    assert "1 first move\n" in path.read_text()


def test_what_contradicts_all_first_moves() -> None:
    nothing = SequenceOptions(False, None)
    for name in ("text", "json"):
        check_values(nothing, AnswerForm(name, None, False, False))
    for wanted, form, said in (
        (SequenceOptions(True, None), AnswerForm("text", None, False, False), "and --count"),
        (SequenceOptions(False, 0), AnswerForm("text", None, False, False), "and --all"),
        (nothing, AnswerForm("text", None, True, False), "and --boards"),
        (nothing, AnswerForm("sfn", None, False, False), "nothing about the format sfn"),
    ):
        with pytest.raises(UsageError, match=said):
            check_values(wanted, form)
