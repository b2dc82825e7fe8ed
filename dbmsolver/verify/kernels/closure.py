"""The check of closed states: each is one that can be, and what its moves lead to is closed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels import closed_set
from dbmsolver.verify.kernels.errors import BAD_CODE, BAD_LAYER, NOT_CLOSED, UNKNOWN_CLASS
from dbmsolver.verify.kernels.kinds import bound_of, expand_state
from dbmsolver.verify.kernels.words import AHEAD, ZERO, Words


class Task(NamedTuple):
    """The claim, and the states that are to be checked against it.

    ``costs``: the moves made to states are checked, too. No solution is to have fewer moves than
    ``limit``. ``root`` is the deal's state, to which ``root_made`` moves are made, and whose
    parent-move code is ``root_code``; -1 if no code is its own. ``free``: some moves cost nothing.
    ``codes``: parent-move codes are checked. The states to be checked are of one ``layer``, and
    those of their stratum have numbers from ``first`` up to ``last``.
    """

    costs: bool
    limit: int
    root: Words
    root_made: int
    root_code: int
    free: bool
    codes: bool
    layer: int
    first: int
    last: int


@kernel
def count_moves_made(f, states, count, layer, table, made):
    """Write the moves made to ``count`` states of a layer: (error, index of a wrong state)."""
    for number in range(count):
        error, bound = bound_of(f, states.rows[number], table)
        if error:
            return error, number
        if bound < 0:
            return UNKNOWN_CLASS, number
        if not 0 <= layer - bound <= closed_set.MOST_MADE:
            return BAD_LAYER, number
        made[number] = layer - bound
    return 0, count


@kernel
def check_states(f, closed, task, states, made, count, begin, table, after):
    """Check ``count`` states, which have numbers from ``begin`` on.

    ``made`` are the moves made to them, 0 if costs do not count; ``after`` is scratch memory for
    more successors than a state can have. Return (error, index, how many states have a forced move,
    their digest). The error is 0 if there is none; the index is that of a state that is wrong, or
    with NOT_CLOSED that of the successor in ``after`` that is not closed.
    """
    forced, digest, end = np.int64(0), ZERO, 0
    for number in range(count):
        row, first = states.rows[number], end
        seen = expand_state(f, row, task.layer, table, after, end)
        error, end = seen.error, seen.end
        if not error:
            error = check_root(task, row, made[number], np.int64(states.codes[number]))
        if error:
            return error, number, forced, digest
        forced += seen.forced
        digest += seen.hashed
        for place in range(first, end):
            after.sources[place] = number
            after.made[place] += made[number]
        if end > after.sources.size // 2 or number == count - 1:
            missing = look_up_all(f, closed, task, begin, after, end, table)
            if missing >= 0:
                return NOT_CLOSED, missing, forced, digest
            end = 0
    return 0, count, forced, digest


@inlined
def check_root(task, row, made, code):
    """Return an error if a state is the deal's, and its moves made or code are not, or the reverse.

    Only moves that cost nothing lead from the deal to states that no move has been made to.
    """
    is_root = True
    for word in range(closed_set.STATE_WORDS):
        is_root &= row[word] == task.root[word]
    if task.costs:
        if is_root:
            wrong = made != task.root_made
        else:
            wrong = made < task.root_made or (made == task.root_made and not task.free)
        if wrong:
            return BAD_LAYER
    if task.root_code >= 0 and (code == task.root_code) != is_root:
        return BAD_CODE
    return 0


@inner
def look_up_all(f, closed, task, begin, after, end, table):
    """Look up what moves lead to; return the index of a state that is not closed, -1 for none.

    One may be missing if no solution through it is shorter than the one claimed. For a state whose
    parent-move code is that of the move, the number of the state that the move begins in is noted.
    """
    closed_set.hash_ahead(closed, after.rows, end, after.hashes)
    for place in range(end):
        if place + AHEAD < end:
            closed_set.ask_for(closed, after.hashes[place + AHEAD])
        hashed, row = after.hashes[place], after.rows[place]
        if not closed_set.is_of_part(closed, hashed):
            continue
        slot, made = closed_set.find(closed, hashed, row), after.made[place]
        if closed_set.is_filled(closed, slot):
            number, made_there, code = closed_set.facts_of(closed, slot)
            if task.codes and code == after.codes[place] and (not task.costs or made_there == made):
                same = task.first <= number < task.last
                inside = closed_set.INSIDE + begin + after.sources[place]
                closed.parents[number] = inside if same else closed_set.OUTSIDE
            if not task.costs or made_there <= made:
                continue
        if not task.costs:
            return place
        if task.layer >= task.limit:
            continue  # what these lead to need not be closed
        error, bound = bound_of(f, row, table)
        if error or made + bound < task.limit:
            return place
    return -1
