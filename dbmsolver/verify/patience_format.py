"""Keys of Klondike and its relatives, for authors of other readers.

**Key**: three words, in which each card has a digit of three bits, cards 0 to 20 in word 0, 21 to
41 in word 1, the others in word 2: 0 where it was dealt, be that on a card, in stock or in waste; 1
to 4 on the first to fourth of the cards that the rules let it be put on, in the order of the XOR of
their suits; 5 at the bottom of a column; 6 home. A card that comes back to where it was dealt has 0
again, unless the card under it was dealt face down. Word 2 has the cards of the waste in bits 32 to
37, and in bits 38 to 43 how often it may still be turned over, 0 where that is not limited.

Where the deal gives the rank with which foundations begin, cards stand for those that count as
they do: the base as the lowest rank of the deck, the next one as the next. Cards of a reserve that
is one stack have 0 until they leave it. A card of it that fills an empty column has 5.

Where turning the stock is free, in proofs and where plays are counted, and not limited, the cards
of the waste are said to be 0 if they are a multiple of the cards turned at once, or all that are
left.

**Signature** of a block: from bit 52 on the bits of word 2 from bit 32 on; below, a bit for each
card of waste and stock, then of the reserve, set where it was played, and then one for each card
dealt on one face down, set where it has left it. **Local key**: the whole key, three words.

**Stratum**: how many of the bits for cards are set. **Layer**, of a search for a shortest solution:
moves made, and the lower bound of the moves to come.

**Parent-move code**, 16 bits: the card that moved last (6), its digit before (3), the cards of the
waste before (6), and, of a card of waste and stock, whether the waste was turned over where that is
limited, of another one, whether the reserve filled its column (1). 63 for the deal itself.

**Digest**: as of other games, of public keys of three words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.verify.kernels.board import NOTHING, NOWHERE
from dbmsolver.verify.kernels.expand import make_table
from dbmsolver.verify.kernels.opening import PER_WORD, PLACES_OF_DIGITS, DigitKeys
from dbmsolver.verify.kernels.positions import TURNS_SHIFT, WASTE_SHIFT, Tables
from dbmsolver.verify.kernels.rules import AS_DEALT, BOTTOM, HOME, MOST_TAKERS, is_as_none
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.refutation import StateWords
from dbmsolver.verify.rules_of_deal import from_base, rules_of_deal, set_of
from dbmsolver.verify.showing import position_of

_DEAL = 63
"""The code of the deal, which has no parent."""


def root_state(places: Sequence[int], waste: int = 0, turns: int = 0) -> StateWords:
    """Return the state with cards in these places."""
    ones, twos, fours = (
        sum((place >> bit & 1) << card for card, place in enumerate(places)) for bit in range(3)
    )
    return ones, twos, fours | waste << WASTE_SHIFT | turns << TURNS_SHIFT, 0


def keys_of_patience(deal: Deal, policy: Policy, metric: Metric | None) -> Keys:
    """Return keys of positions of a deal.

    ``metric`` is that in which a shortest solution is claimed, None of a proof.
    """
    position = deal.position
    rules = rules_of_deal(deal, measure_of(deal.rules, policy, metric), metric is not None)
    below, face_down = np.full(CARDS, NOWHERE, np.int64), []
    aside = [*rules.pack.tolist(), *rules.reserve.tolist()]
    marked = aside.copy()
    for cards, down in zip(position.columns, position.hidden, strict=True):
        column = from_base(deal, cards).tolist()
        below[column] = [NOTHING, *column[:-1]][: len(column)]
        face_down += column[:down]
        marked += column[1 : down + 1]
    marks = np.zeros(CARDS, np.uint64)
    marks[marked] = np.left_shift(np.uint64(1), np.arange(len(marked), dtype=np.uint64))
    # A card that comes back to where it was dealt has AS_DEALT again, so that this value takes the
    # place of the other one there, which the card never has.
    lands = np.tile(np.arange(8), (CARDS, 1))
    lands[below == NOTHING, BOTTOM] = AS_DEALT
    for card in np.flatnonzero(below >= 0).tolist():
        # On a card that was dealt face down it does not lie so again: that one is turned up.
        if below[card] not in face_down:
            lands[card, :MOST_TAKERS][rules.takers[card] == below[card]] = AS_DEALT
    own_value = lands == np.arange(8)
    can_be = [set_of(())] * 8
    for place in range(MOST_TAKERS):
        fits = (rules.takers[:, place] >= 0) & own_value[:, place]
        can_be[place] = set_of(np.flatnonzero(fits).tolist())
    # The last card of a reserve goes to a column that becomes empty, whichever card it is.
    bottoms = rules.fillers | rules.waste_fillers | set_of(rules.reserve.tolist())
    can_be[BOTTOM] = bottoms & set_of(np.flatnonzero(own_value[:, BOTTOM]).tolist())
    can_be[AS_DEALT] = set_of([*aside, *np.flatnonzero(below != NOWHERE).tolist()])
    can_be[HOME] = set_of(range(CARDS))
    codes, digits = np.full((CARDS, 8), -1, np.int64), np.zeros((CARDS, 8, 3), np.uint64)
    for card in range(CARDS):
        for digit, place in enumerate(PLACES_OF_DIGITS.tolist()):
            codes[card, place] = card | digit << 6
            digits[card, place, card // PER_WORD] = digit << 3 * (card % PER_WORD)
    tables = Tables(
        rules=rules,
        dealt_on=below,
        face_down=set_of(face_down),
        aside=set_of(aside),
        can_be=np.array(can_be, np.uint64),
        lands=lands,
        codes=codes,
        digits=digits,
        words=3,
    )
    heights, waste = position.foundations, len(position.waste)
    if rules.all_reached and is_as_none(waste, rules.pack.size, rules.draw):
        waste = 0
    places = [HOME if card >> 2 < heights[card & 3] else AS_DEALT for card in range(CARDS)]
    return Keys(
        noun="position",
        tables=tables,
        form=DigitKeys(marks),
        root=root_state(places, waste, position.turns or 0),
        root_stratum=0,
        words=3,
        code_bytes=2,
        position=partial(position_of, tables, deal),
        make_table=partial(make_table, tables),
        root_code=_DEAL,
    )
