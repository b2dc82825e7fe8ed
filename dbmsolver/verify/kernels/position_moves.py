"""Moves between the positions that records cover: parking, and the moves of the game.

A position is a state as of :mod:`dbmsolver.verify.kernels.planes`, but a card may be anywhere that
moves can put it, even where no key has it.
"""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined, inner, kernel
from dbmsolver.verify.kernels.board import ALL_HOME, CARD, MOST_MOVES, NOTHING, PLACE
from dbmsolver.verify.kernels.moves import list_moves
from dbmsolver.verify.kernels.planes import State, lay_cards, moved, take_signature
from dbmsolver.verify.kernels.position_set import insert_wanted, look_ahead, seek, want
from dbmsolver.verify.kernels.rules import forced_card, holds, one
from dbmsolver.verify.kernels.words import ALL, ZERO
from dbmsolver.verify.places import BOTTOM, FREECELL, HOME

GOAL_REACHED = 20
MOVE_LEADS_OUT = 21


@inner
def state_of(f, words, before):
    """Return the state of three words; ``before`` is one that may have the same signature."""
    home, locked = before.home, before.locked
    if words[0] != before.signature:
        _, home, locked = take_signature(f, words[0])
    return State(words[0], home, locked, words[1], words[2], ZERO)


@inlined
def no_state():
    """Return a state that is before all others."""
    return State(ALL, ZERO, ZERO, ZERO, ZERO, ZERO)


@kernel
def park(f, board, known, wanted, bounds):
    """Add what one parking move leads to, from each of the positions in ``bounds``.

    Parking moves a card to an empty freecell, or to an empty column if that takes any card.
    ``bounds`` (int64[3]) are the first position, the end, and how many there are: the first and the
    last number go on, as far as there is room. ``wanted`` is scratch memory.
    """
    any_card = f.rules.fillers == ALL
    state = no_state()
    done, most, count = bounds
    noted = 0
    while done < most and count + noted <= known.states.shape[0] - MOST_MOVES:
        state = state_of(f, known.states[done], state)
        _, laid = lay_cards(f, state, board)
        for number in range(list_moves(f.rules, board, laid, -1)):
            card, place = board.moves[number, CARD], board.moves[number, PLACE]
            if place != FREECELL and (place != BOTTOM or not any_card):
                continue
            after = moved(f, state, card, place)
            under = board.on[card]
            if holds(laid.lying, card) and under >= 0 and board.on[under] == NOTHING and any_card:
                # A card alone in a column is written in one way, whether it was dealt there or not.
                after = moved(f, after, under, BOTTOM)
            noted = want(known, wanted, noted, done, after.signature, after.off, after.low)
        done += 1
        if noted > wanted.sources.size - MOST_MOVES:
            count, noted = insert_wanted(known, count, wanted, noted), 0
    bounds[0], bounds[2] = done, insert_wanted(known, count, wanted, noted)


@inlined
def settled(f, board, laid, state, card, place):
    """Return the state after a move, and all safe moves that follow it."""
    r = f.rules
    after = moved(f, state, card, place)
    free = laid.tops | laid.cells
    taker = r.takers[card, place] if place < FREECELL else NOTHING
    if holds(laid.lying, card) and board.on[card] >= 0:
        free |= one(board.on[card])
    if place == HOME:
        free &= ~one(card)
    elif taker >= 0:
        free &= ~one(taker)
    while True:
        safe = forced_card(r, after.signature, free)
        if safe < 0:
            return after
        after = moved(f, after, safe, HOME)
        free &= ~one(safe)
        under = NOTHING
        if safe == card:
            under = taker
        elif holds(laid.lying, safe):
            under = board.on[safe]
        if under >= 0:
            free |= one(under)


@inlined
def copy(words, target):
    """Copy the three words of a position."""
    target[0], target[1], target[2] = words[0], words[1], words[2]


@kernel
def check_moves(f, board, known, first, last, wanted, wrong):
    """Check the positions ``first`` to ``last``: an error, 0 if there is none.

    No position is a goal. Where a safe move home can be made, the position after all of them is in
    the set; elsewhere, for each legal move, the position after it and all safe moves is. ``wanted``
    is scratch memory; ``wrong`` (uint64[2, 3]) gets the position that is wrong, and what it leads
    to.
    """
    state, noted = no_state(), 0
    for number in range(first, last):
        state = state_of(f, known.states[number], state)
        _, laid = lay_cards(f, state, board)
        if laid.heights == ALL_HOME:
            copy(known.states[number], wrong[0])
            return GOAL_REACHED
        forced = forced_card(f.rules, laid.heights, laid.tops | laid.cells)
        for move in range(list_moves(f.rules, board, laid, forced)):
            card, place = board.moves[move, CARD], board.moves[move, PLACE]
            after = settled(f, board, laid, state, card, place)
            noted = want(known, wanted, noted, number, after.signature, after.off, after.low)
        if noted > wanted.sources.size - MOST_MOVES or number == last - 1:
            if not all_known(known, wanted, noted, wrong):
                return MOVE_LEADS_OUT
            noted = 0
    return 0


@inner
def all_known(known, wanted, noted, wrong):
    """Return True if all noted positions are in the set; else write one, and its source."""
    for place in range(noted):
        look_ahead(known, wanted, place, noted)
        words, slot = wanted.words[place], wanted.slots[place]
        if not seek(known, slot, words[0], words[1], words[2])[0]:
            copy(known.states[wanted.sources[place]], wrong[0])
            copy(words, wrong[1])
            return False
    return True


@kernel
def settle_words(f, board, words):
    """Make a position's safe moves, in its three words."""
    state = state_of(f, words, no_state())
    _, laid = lay_cards(f, state, board)
    safe = forced_card(f.rules, laid.heights, laid.tops | laid.cells)
    if safe >= 0:
        state = settled(f, board, laid, state, safe, HOME)
    words[0], words[1], words[2] = state.signature, state.off, state.low


@kernel
def lay_position(f, board, words):
    """Lay out the position of three words, for callers from Python: as `lay_cards`."""
    return lay_cards(f, state_of(f, words, no_state()), board)
