"""The kinds of states, by one name for each thing that is asked of a closed state.

Which function it is, the class of the deal's tables decides. A kind is added here, in
:mod:`dbmsolver.verify.kernels.opening`, and in a module that makes its keys
(:mod:`dbmsolver.verify.keys`).
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.jit.families import ByType
from dbmsolver.verify.kernels import classes, leaving
from dbmsolver.verify.kernels.classes import WON_SIGNATURE, ClassRules
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.errors import BAD_CLASS, GOAL, NO_POSITION, OTHER_LAYER
from dbmsolver.verify.kernels.expand import Seen, bound_of_cards, expand_cards, write, wrong
from dbmsolver.verify.kernels.leaving import Pairs, Pile
from dbmsolver.verify.kernels.positions import State, Tables
from dbmsolver.verify.kernels.record_expand import expand_record
from dbmsolver.verify.kernels.record_layout import RecordTables
from dbmsolver.verify.kernels.words import ZERO

# Of games whose cards only leave:
is_state = ByType({Pile: leaving.is_pile, Pairs: leaving.is_pyramid})
is_of_layer = ByType({Pile: leaving.is_pile_of_layer, Pairs: leaving.is_any_layer})
is_won = ByType({Pile: leaving.is_pile_won, Pairs: leaving.is_pyramid_won})
list_moves = ByType({Pile: leaving.list_pile_moves, Pairs: leaving.list_pair_moves})


@kernel
def is_position(g, key, state):
    """Take a key apart into ``state``; return False if it is no position of the deal."""
    return leaving.take_apart(g.keys, key, state) and is_state(g, state)


@inner
def expand_leaving(g, row, layer, table, after, end):
    """Take a key apart, and list the keys that moves lead to.

    The first word of a row is the key, the second one the layer, where signatures tell it.
    """
    state = table.state
    if not is_position(g, row[0], state):
        return wrong(NO_POSITION, end)
    if not is_of_layer(g, state, layer):
        return wrong(OTHER_LAYER, end)
    if is_won(g, state):
        return wrong(GOAL, end)
    end = list_moves(g, state, table, row[1], after, end)
    return Seen(0, False, hash_key(row[0], row[1], ZERO, 2), end)


@inner
def expand_class(game, row, layer, board, after, end):
    """Lay a class out, and list the classes that follow."""
    signature, key = row[0], row[1]
    if signature == WON_SIGNATURE:
        return wrong(GOAL, end)
    good, laid = classes.lay_class(game, board, signature, key)
    if not good:
        return wrong(BAD_CLASS, end)
    if classes.is_won(game, laid.covered, laid.hand):
        return wrong(GOAL, end)
    for number in range(classes.list_successors(game, board, laid, signature, key, False)):
        following = State(board.after[number, 0], board.after[number, 1], ZERO)
        write(after, end, following, 0, 0)
        end += 1
    return Seen(0, False, hash_key(signature, key, ZERO, 2), end)


@inner
def no_bound(f, row, table):
    """Return no error and 0, where no moves are counted, or layers take the place of moves made."""
    return 0, 0


expand_state = ByType(
    {
        Tables: expand_cards,
        RecordTables: expand_record,
        ClassRules: expand_class,
        Pile: expand_leaving,
        Pairs: expand_leaving,
    }
)
"""Judge a state, and list what its moves lead to."""
bound_of = ByType(
    {
        Tables: bound_of_cards,
        RecordTables: no_bound,
        ClassRules: no_bound,
        Pile: no_bound,
        Pairs: no_bound,
    }
)
"""Return (error, a lower bound of the moves to come from a state).

The bound is below 0 if no moves from the deal lead to the state.
"""
