"""Klondike and its relatives: the kernel of beams, which look for short solutions.

A *level* is made of the states after so many plays. Of each only the most promising ones are kept,
and expanded. A state that was kept before is not looked at again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dbmsolver.arrays import zeros
from dbmsolver.jit.decorators import kernel
from dbmsolver.kits.klondike.bound import bound_after, bound_here
from dbmsolver.kits.klondike.moves import list_moves, take
from dbmsolver.kits.klondike.sets import (
    StateSet,
    add_state,
    find_slot,
    look_ahead,
    make_set,
    place_at,
)
from dbmsolver.kits.klondike.strata import is_won
from dbmsolver.kits.klondike.tables import MOST_MOVES, Ints

CEILING, GOAL_PARENT, GOAL_CODE, LOOKED_AT = range(4)
"""The places of ``Beaming.state``."""


class Beaming(NamedTuple):
    """A beam in progress; :func:`make_beaming` begins one."""

    kept: StateSet  # the states that were kept, level by level, the deal first
    parents: NDArray[np.int32]  # [kept]: the place of the state that each follows from
    costs: NDArray[np.int32]  # [kept]: of the way to it
    level: StateSet  # what follows from the states of a level
    level_parents: NDArray[np.int32]  # [level]
    level_costs: NDArray[np.int32]  # [level]
    level_bounds: NDArray[np.int32]  # [level]: least cost to the end
    state: Ints  # [4]: by CEILING, ...: a solution costs less; the last states of the one found


def make_beaming(root: NDArray[np.uint64], room: int, level: int, ceiling: int) -> Beaming:
    """Return a new beam from a state (uint64[3]) that keeps at most ``room`` states.

    From the states of a level at most ``level`` others are told to follow. A solution has to cost
    less than ``ceiling``.
    """
    beaming = Beaming(
        kept=make_set(room),
        parents=zeros(room, np.int32),
        costs=zeros(room, np.int32),
        level=make_set(level + MOST_MOVES),
        level_parents=zeros(level + MOST_MOVES, np.int32),
        level_costs=zeros(level + MOST_MOVES, np.int32),
        level_bounds=zeros(level + MOST_MOVES, np.int32),
        state=np.array([ceiling, -1, 0, 0], np.int64),
    )
    keep(beaming, root[None, :], np.zeros(1, np.uint16), beaming.parents[:1], beaming.costs[:1])
    return beaming


@kernel
def keep(beaming, words, codes, parents, costs):
    """Keep states (uint64[*, 3]) that were not kept before; there must be room for them."""
    kept = beaming.kept
    for number in range(words.shape[0]):
        place = kept.counts[0]
        beaming.parents[place] = parents[number]
        beaming.costs[place] = costs[number]
        add_state(kept, find_slot(kept, words[number]), words[number], codes[number])


@kernel
def expand_kept(t, b, beaming, board, weights, found, first, last):
    """Expand kept states from ``first`` to ``last``, or until the level is full.

    What follows is added to the level, by the cheapest way that was found. Where it is won and the
    way costs less than the ceiling, that is lowered, and the way noted.
    """
    kept, level, state = beaming.kept, beaming.level, beaming.state
    for number in range(first, last):
        if level.counts[0] + MOST_MOVES > level.codes.size:
            return
        words = kept.words[number]
        take(t, words[0], words[1], words[2], board)
        bound_here(t, b, board, weights)
        moves = list_moves(t, words, board, found)
        look_ahead(kept, found, moves)
        state[LOOKED_AT] += moves
        for move in range(moves):
            following, code = found.words[move], found.codes[move]
            cost = beaming.costs[number] + found.costs[move]
            least = bound_after(t, b, board, weights, following, code)
            if cost + least >= state[CEILING]:
                continue
            if is_won(following):
                state[CEILING], state[GOAL_PARENT], state[GOAL_CODE] = cost, number, code
                continue
            if kept.slots[find_slot(kept, following)]:
                continue
            slot = find_slot(level, following)
            place = place_at(level, slot)
            if place < 0:
                place = level.counts[0]
                add_state(level, slot, following, code)
            elif beaming.level_costs[place] <= cost:
                continue
            level.codes[place] = code
            beaming.level_parents[place] = number
            beaming.level_costs[place] = cost
            beaming.level_bounds[place] = least
