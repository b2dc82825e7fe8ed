"""Moves between positions by the rules of the game alone: parking, and all moves of a position."""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined, kernel
from dbmsolver.verify.kernels.partition import slot_of
from dbmsolver.verify.kernels.position_set import insert, pack, seek, unpack
from dbmsolver.verify.kernels.rules import forced_card
from dbmsolver.verify.kernels.words import (
    ALL,
    ONE,
    U64,
    ZERO,
    count_bits,
    fetch,
    first_bit,
    hash_state,
    height_of,
)

MOST_MOVES = 256
"""Moves that one position may have."""
GOAL_REACHED = 20
MOVE_LEADS_OUT = 21


@inlined
def beneath(f, off, low, dealt, card):
    """Return the card under a card that is not home, -1 for none."""
    bit = ONE << U64(card)
    if dealt & bit:
        return f.dealt_under[card]
    if off & bit:
        return -1
    kind = 1 if low & bit else 0
    return (card ^ f.kinds[kind]) + 4


@inlined
def exposed_cards(f, heights, off, low, dealt):
    """Return (cards that are free to move, columns in use)."""
    playing = ZERO
    for suit in range(4):
        for rank in range(height_of(heights, suit), 13):
            playing |= ONE << U64(4 * rank + suit)
    columns = count_bits(off & low)
    covered = ZERO
    rest = playing & ~off
    while rest:
        card = first_bit(rest)
        rest &= rest - ONE
        under = beneath(f, off, low, dealt, card)
        if under >= 0:
            covered |= ONE << U64(under)
        else:
            columns += 1
    return playing & ~covered, columns


@inlined
def settle(f, heights, off, low, dealt, exposed):
    """Make all safe moves home; return (safe moves, heights, off, low, dealt)."""
    made = 0
    while True:
        card = forced_card(f.rules, heights, exposed)
        if card < 0:
            return made, heights, off, low, dealt
        made += 1
        bit = ONE << U64(card)
        under = beneath(f, off, low, dealt, card)
        exposed &= ~bit
        if under >= 0:
            exposed |= ONE << U64(under)
        heights += ONE << U64(4 * (card & 3))
        off &= ~bit
        low &= ~bit
        dealt &= ~bit


@kernel
def park(f, states, slots, done, most, count):
    """Add what one parking move leads to from the positions ``done`` to ``most``.

    Ends early where there is no more room. Returns (positions done, how many there are).
    Parking moves a card that is free to move to an empty freecell, or to an empty column if that
    takes any card.
    """
    any_card = f.rules.fillers == ALL
    while done < most:
        if count + MOST_MOVES > states.shape[0]:
            return done, count
        heights, off, low, dealt = unpack(states[done, 0], states[done, 1], states[done, 2])
        exposed, columns = exposed_cards(f, heights, off, low, dealt)
        cells = off & ~low
        to_cell = count_bits(cells) < f.rules.freecells
        to_column = any_card and columns < f.rules.columns
        rest = exposed if to_column else exposed & ~cells
        if not to_cell and not to_column:
            rest = ZERO
        while rest:
            card = first_bit(rest)
            bit = ONE << U64(card)
            rest &= rest - ONE
            if to_cell and not cells & bit:
                words = pack(heights, off | bit, low & ~bit, dealt & ~bit)
                count = insert(states, slots, count, words[0], words[1], words[2])
            if to_column:
                words = pack(heights, off | bit, low | bit, dealt & ~bit)
                count = insert(states, slots, count, words[0], words[1], words[2])
        done += 1
    return done, count


@kernel
def check_moves(f, states, slots, first, last, found, wrong):
    """Check the positions ``first`` to ``last``: an error, 0 if there is none.

    No position is a goal. Where a safe move home can be made, the position after all of them is in
    the set; elsewhere, for each legal move, the position after it and all safe moves is. ``found``
    (uint64[MOST_MOVES, 3]) is scratch memory; ``wrong`` (uint64[2, 3]) gets the position that is
    wrong, and what it leads to.
    """
    for number in range(first, last):
        heights, off, low, dealt = unpack(states[number, 0], states[number, 1], states[number, 2])
        for word in range(3):
            wrong[0, word] = states[number, word]
        if heights == U64(0xDDDD):
            return GOAL_REACHED
        count = 0
        exposed, columns = exposed_cards(f, heights, off, low, dealt)
        made, height_bits, new_off, new_low, new_dealt = settle(
            f, heights, off, low, dealt, exposed
        )
        cells = off & ~low
        tops = exposed & ~cells
        room = count_bits(cells) < f.rules.freecells
        rest = exposed
        if made:
            count = write(found, count, height_bits, new_off, new_low, new_dealt)
            rest = ZERO
        while rest:
            card = first_bit(rest)
            bit = ONE << U64(card)
            rest &= rest - ONE
            bare_off, bare_low, bare_dealt = off & ~bit, low & ~bit, dealt & ~bit
            after = exposed
            under = beneath(f, off, low, dealt, card)
            if under >= 0:
                after |= ONE << U64(under)
            # 0: home; 1 and 2: onto a legal parent; 3: to a freecell; 4: to an empty column.
            for way in range(5):
                height_bits, new_off, new_low, then = heights, bare_off, bare_low, after
                if way == 0:
                    if height_of(heights, card & 3) != card >> 2:
                        continue
                    height_bits += ONE << U64(4 * (card & 3))
                    then &= ~bit
                elif way < 3:
                    if way > f.kinds.size or card >= 48:
                        continue
                    parent = ONE << U64((card ^ f.kinds[way - 1]) + 4)
                    if not tops & parent:
                        continue
                    if way == 2:
                        new_low |= bit
                    then &= ~parent
                elif way == 3:
                    if cells & bit or not room:
                        continue
                    new_off |= bit
                else:
                    alone = (tops & bit) != ZERO and under < 0
                    if alone or columns == f.rules.columns or not f.rules.fillers & bit:
                        continue
                    new_off |= bit
                    new_low |= bit
                _, height_bits, new_off, new_low, new_dealt = settle(
                    f, height_bits, new_off, new_low, bare_dealt, then
                )
                count = write(found, count, height_bits, new_off, new_low, new_dealt)
        for place in range(count):
            words = found[place]
            fetch(slots, slot_of(hash_state(words[2], words[0], words[1], ZERO), slots))
        for place in range(count):
            words = found[place]
            known, _ = seek(states, slots, words[0], words[1], words[2])
            if not known:
                for word in range(3):
                    wrong[1, word] = words[word]
                return MOVE_LEADS_OUT
    return 0


@inlined
def write(found, count, heights, off, low, dealt):
    """Note a position to be looked up; return how many there are then."""
    words = pack(heights, off, low, dealt)
    found[count, 0], found[count, 1], found[count, 2] = words
    return count + 1


@kernel
def settled_position(f, heights, off, low, dealt, found):
    """Make a position's safe moves, and write the result to ``found`` (uint64[3])."""
    exposed, _ = exposed_cards(f, heights, off, low, dealt)
    _, heights, off, low, dealt = settle(f, heights, off, low, dealt, exposed)
    found[0], found[1], found[2] = pack(heights, off, low, dealt)
