"""The best solution so far, of a search for a shortest one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from dbmsolver.errors import InternalError
from dbmsolver.game.measured import measured
from dbmsolver.game.moves import Move
from dbmsolver.kernels.shards import NO_CEILING
from dbmsolver.kits.choice import AnyKeys
from dbmsolver.results import Better
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.trace import Step, replay, steps_of

if TYPE_CHECKING:
    from dbmsolver.search.improve.beam import Beam

KeysT = TypeVar("KeysT", bound=AnyKeys)


class Played(NamedTuple):
    """A solution that has been played on the readable model of the game, and wins there."""

    steps: list[Step]
    moves: tuple[Move, ...]
    length: int


class Best(Generic[KeysT]):
    """The best solution that is known, if one is; the next commit of `recorder` stores it.

    Each is played on the readable model before it counts.
    """

    def __init__(self, codec: KeysT, recorder: Recorder) -> None:
        self.codec = codec
        self.recorder = recorder
        self.moves: tuple[Move, ...] | None = None
        self.length: int | None = None
        self.path: list[list[int]] | None = None
        self._waiting: Callable[[], Sequence[Move]] | None = None
        manifest = recorder.store.manifest
        self.beams_won = manifest.beams_won
        """The number of beams that found a solution, in all runs of the search."""
        self.beams_failed = manifest.beams_failed
        """The number of beams that found none, though they had room."""
        if manifest.path is not None:
            self.offer([(card, place) for card, place in manifest.path])

    @property
    def ceiling(self) -> int:
        """The length that a new solution has to be below to be of any use."""
        return NO_CEILING if self.length is None else self.length

    def play(self, steps: Sequence[Step]) -> Played:
        """Play steps on the readable model; InternalError if they do not win.

        Any thread may call this: it does not change the best solution.
        """
        codec = self.codec
        moves = replay(codec, list(steps))
        position = codec.deal.position
        for move in moves:
            position = position.apply(move)
        if not position.is_goal():
            raise InternalError("a solution that was found does not bring all cards home")
        return Played(list(steps), moves, codec.measure.length(moves))

    def offer(self, steps: Sequence[Step]) -> bool:
        """Take a solution if it is shorter; return True if it is. InternalError if it is none."""
        return self._accept(self.play(steps))

    def _accept(self, played: Played) -> bool:
        if played.length >= self.ceiling:
            return False
        self.moves, self.length = played.moves, played.length
        self.path = [list(step) for step in played.steps]
        self.recorder.batch.fields |= self.fields()
        return True

    def take(self, moves: Sequence[Move]) -> bool:
        """Take a solution of dives if it is shorter than the best one; return True if it is.

        ``moves`` are legal, and lead from the deal to a win. Safe moves that they leave out are
        inserted: the search for a shortest solution looks only at solutions that make each of them
        at once. The solution is not taken if a later move is not legal after that.
        """
        made = measured(self.codec.deal.position, moves, self.codec.measure)
        return made is not None and self.offer(steps_of(self.codec, made))

    def take_later(self, moves: Callable[[], Sequence[Move]]) -> None:
        """Keep a solution, as a function that returns its moves, for :meth:`settle` to take.

        To take it costs hundredths of a second, and usually a shorter one is known by then.
        """
        self._waiting = moves

    def settle(self) -> None:
        """Take the solution that :meth:`take_later` keeps, if no other is known.

        The next commit stores it.
        """
        waiting, self._waiting = self._waiting, None
        if waiting is not None and self.length is None:
            self.take(waiting())

    def end_beam(self, beam: Beam, played: Played | None = None) -> bool:
        """Count a beam that has ended; keep its solution if it is shorter than the best so far.

        ``played`` is that solution, if it has been played already. Return True if it is kept.
        """
        self.beams_won += beam.steps is not None
        self.beams_failed += beam.steps is None and not beam.gave_up
        self.recorder.batch.fields |= self.fields()
        if beam.steps is None:
            return False
        return self._accept(played or self.play(beam.steps))

    def fields(self) -> dict[str, object]:
        """Return the solution, and the counts of beams, as fields of a manifest."""
        beams = {"beams_won": self.beams_won, "beams_failed": self.beams_failed}
        return {"path": self.path, "length": self.length, **beams}

    def tell(self) -> None:
        """Tell whoever watches of the solution."""
        assert self.moves is not None and self.length is not None
        elapsed, measure = self.recorder.statistics.elapsed, self.codec.measure
        better = Better(self.moves, elapsed, self.length, measure.metric, measure.rules)
        self.recorder.events.append(better)

    def keep(self) -> None:
        """Tell of the solution and commit it at once: nothing else is being written."""
        self.tell()
        self.recorder.events.append(self.recorder.commit(0, 0))
