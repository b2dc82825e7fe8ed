"""The way back: from a state to the deal by parent-move codes, through the store."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.turns import turns_before
from dbmsolver.kernels.blocks import find_key
from dbmsolver.kernels.runs import local_key, progress_of
from dbmsolver.kits.choice import AnyKeys
from dbmsolver.kits.states import TURN, State, StateCodec, Step
from dbmsolver.results import Method
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.intake import Intake
from dbmsolver.storage.records import layer_and_stratum, parse_closed_key, stratum_prefix
from dbmsolver.storage.store import Store

_KEPT = 1 << 27
"""Bytes of blocks that are kept in memory."""


class Finder:
    """A finder of states among the closed ones of a store."""

    def __init__(self, store: Store, codec: StateCodec, kind: bytes = b"C") -> None:
        self.store = store
        self.codec = codec
        self.kind = kind
        store.check_states = Intake(codec)
        self._blocks: dict[bytes, Runs] = {}
        self._kept = 0
        self._near = 0
        self._layers = sorted({parse_closed_key(key).layer for key in store.keys(kind)})
        self._index: dict[tuple[int, int], list[bytes]] = {}

    def code(self, state: State) -> int | None:
        """Return the parent-move code of a closed state, None if it is not among them."""
        words = [np.uint64(value) for value in state]
        key = local_key(self.codec.tables, *words)
        padded = [key[word] if word < key.size else np.uint64(0) for word in range(3)]
        signature = np.array(words[:1], np.uint64)
        stratum = int(progress_of(self.codec.tables, signature, self.codec.locked)[0])
        # The parent of a state is in its layer or one not far below.
        nearest = sorted(self._layers, key=lambda layer: abs(layer - self._near))
        places = [(layer, stratum) for layer in nearest]
        if self.codec.layered_strata:
            places = [layer_and_stratum(stratum)]
        for where in places:
            for record in self._records(*where):
                parsed = parse_closed_key(record)
                if not parsed.first <= state.signature <= parsed.last:
                    continue
                runs = self._block(record)
                run = np.flatnonzero(runs.signatures == signature[0])
                if not run.size or runs.key_words != key.size:
                    continue
                end = int(runs.counts[: int(run[0]) + 1].sum())
                start = end - int(runs.counts[int(run[0])])
                mine = runs.keys[runs.key_words * start : runs.key_words * end]
                place = int(find_key(mine, runs.key_words, *padded))
                if place >= 0:
                    self._near = where[0]
                    return int(runs.codes[start + place])
        return None

    def _records(self, layer: int, stratum: int) -> list[bytes]:
        if (layer, stratum) not in self._index:
            prefix = stratum_prefix(self.kind, layer, stratum)
            self._index[layer, stratum] = self.store.keys(prefix)
        return self._index[layer, stratum]

    def _block(self, record: bytes) -> Runs:
        if record not in self._blocks:
            runs = read_block(self.store, record)
            while self._blocks and self._kept + runs.nbytes > _KEPT:
                self._kept -= self._blocks.pop(next(iter(self._blocks))).nbytes
            self._kept += runs.nbytes
            self._blocks[record] = runs
        return self._blocks[record]


def steps_to(finder: Finder, state: State, code: int | None = None) -> list[Step] | None:
    """Return the moves that led the search from the deal to a state; None if it was not visited.

    ``code`` is the state's own parent-move code where it is not in the store (the goal).
    """
    codec, where = finder.codec, str(finder.store.path)
    steps: list[Step] = []
    while state != codec.root:
        if code is None:
            code = finder.code(state)
        if code is None:
            if steps:
                raise StoreError("a parent is missing among the closed states", where)
            return None
        steps.append(codec.step(state, code))
        state, code = codec.parent(state, code), None
        if len(steps) > 1_000_000:
            raise StoreError("the parent-move codes run in a circle", where)
    if not steps and code is None and finder.code(state) is None:
        return None
    played = with_turns(codec, steps[::-1])
    if played is None:
        raise StoreError("a move of the records is not legal", where)
    return played


def with_turns(codec: StateCodec, plays: list[Step]) -> list[Step] | None:
    """Return plays of cards as steps, with the turns that bring each card up before its play.

    Return None if a play is impossible. Where no stock is turned the plays are all steps.
    """
    if not codec.rules.is_patience:
        return plays
    position, steps = codec.deal.position, list[Step]()
    for step in plays:
        turns = turns_before(position, step[0], codec.rules)
        if turns is None:
            return None
        for turn in turns:
            steps.append((0, TURN))
            position = position.apply(turn)
        move = legal_move(codec, position, step)
        if move is None:
            return None
        steps.append(step)
        position = position.apply(move)
    return steps


def replay(codec: AnyKeys, steps: list[Step]) -> tuple[Move, ...]:
    """Turn steps into moves by playing them on the readable model, one move for each step.

    InternalError if one is not legal there.
    """
    position = codec.deal.position
    moves = []
    for number, (card, place) in enumerate(steps, start=1):
        chosen = legal_move(codec, position, (card, place))
        if chosen is None:
            raise InternalError(f"move {number} of the solution found is not legal")
        forced = codec.measure.forced(position)
        if forced is not None and forced.card != card and codec.method == Method.EVERY_POSITION:
            raise InternalError(f"move {number} of the solution found ignores a forced move")
        # The card of a forced move may also be parked, where other moves are not left out for it.
        safe = forced is not None and forced[:3] == chosen[:3]
        chosen = chosen._replace(forced=safe)
        moves.append(chosen)
        position = position.apply(chosen)
    return tuple(moves)


def steps_of(codec: AnyKeys, moves: Iterable[Move]) -> list[Step]:
    """Return the steps of legal moves played from the deal."""
    position = codec.deal.position
    steps: list[Step] = []
    for move in moves:
        steps.append(codec.step_of(position, move))
        position = position.apply(move)
    return steps


def legal_move(codec: AnyKeys, position: Position, step: Step) -> Move | None:
    """Return the legal move that a step stands for; None if there is none."""
    for move in codec.measure.moves(position):
        if codec.step_of(position, move) == step:
            return move
    return None


__all__ = ["Finder", "Step", "legal_move", "replay", "steps_of", "steps_to", "with_turns"]
