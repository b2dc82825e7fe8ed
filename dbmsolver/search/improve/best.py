"""The best solution so far, of a search for a shortest one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from dbmsolver.core.shards import NO_CEILING
from dbmsolver.errors import InternalError
from dbmsolver.game.moves import Move
from dbmsolver.results import Better
from dbmsolver.search.answers import forced_move
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Keys, Step, replay

KeysT = TypeVar("KeysT", bound=Keys)


class Best(Generic[KeysT]):
    """The best solution that is known, if one is; the next commit of `recorder` stores it.

    Each is played on the readable model before it counts.
    """

    def __init__(self, codec: KeysT, recorder: Recorder) -> None:
        self.codec = codec
        self.recorder = recorder
        self.moves: tuple[Move, ...] | None = None
        self.path: list[list[int]] | None = None
        stored = recorder.store.manifest.path
        if stored is not None:
            self.offer([(card, place) for card, place in stored])

    @property
    def length(self) -> int | None:
        """Its length, None if no solution is known."""
        return None if self.path is None else len(self.path)

    @property
    def ceiling(self) -> int:
        """What the length of a solution has to be below to be of any use."""
        return NO_CEILING if self.path is None else len(self.path)

    def offer(self, steps: Sequence[Step]) -> bool:
        """Take a solution, if it is shorter; whether it is. InternalError if it is none."""
        codec = self.codec
        if len(steps) >= self.ceiling:
            return False
        moves = replay(codec, list(steps), forced_move(codec.rules, self.recorder.policy))
        position = codec.deal.position
        for move in moves:
            position = position.apply(move)
        if not position.is_goal():
            raise InternalError("a solution that was found does not bring all cards home")
        self.moves = moves
        self.path = [list(step) for step in steps]
        self.recorder.batch.fields |= self.fields()
        return True

    def fields(self) -> dict[str, object]:
        """The solution as fields of a manifest."""
        return {"path": self.path, "length": self.length}

    def event(self) -> Better:
        """The solution for whoever watches."""
        assert self.moves is not None
        metric = self.recorder.store.manifest.metric
        return Better(self.moves, self.recorder.statistics.elapsed, metric)
