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

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.board import NOTHING, NOWHERE, make_board
from dbmsolver.verify.kernels.digits import (
    AT_HOME,
    PER_WORD,
    STOCK_SHIFT,
    WASTE_SHIFT,
    DigitFormat,
    Words,
)
from dbmsolver.verify.kernels.rules import is_as_none
from dbmsolver.verify.kernels.states import lay_words
from dbmsolver.verify.rules_of_deal import from_base, rules_of_deal, set_of
from dbmsolver.verify.showing import columns_of


class PatienceFormat:
    """The keys of one deal, and the rules, read from the deal alone.

    ``metric`` is that in which a shortest solution is claimed, None of a proof.
    """

    def __init__(self, deal: Deal, policy: Policy, metric: Metric | None) -> None:
        position = deal.position
        assert isinstance(position, Patience)
        self.dealt = position
        self.base = position.base
        below, face_down = np.full(CARDS, NOWHERE, np.int64), []
        marked = from_base(deal, (*position.waste, *position.stock, *position.reserve)).tolist()
        for cards, down in zip(position.columns, position.hidden, strict=True):
            column = from_base(deal, cards).tolist()
            below[column] = [NOTHING, *column[:-1]][: len(column)]
            face_down += column[:down]
            marked += column[1 : down + 1]
        marks = np.zeros(CARDS, np.uint64)
        marks[marked] = np.left_shift(np.uint64(1), np.arange(len(marked), dtype=np.uint64))
        rules = rules_of_deal(deal, measure_of(deal.rules, policy, metric), metric is not None)
        # The last card of a reserve goes to a column that becomes empty, whichever card it is.
        bottoms = rules.fillers | rules.waste_fillers | set_of(rules.reserve.tolist())
        self.digits = DigitFormat(rules, below, set_of(face_down), marks, bottoms)
        self.board = make_board()
        self.root = self._root()

    def state(self, key: Sequence[int] | Words) -> tuple[int, int, int, int]:
        """Return a state: the signature that follows from its key, and the three words of that."""
        words = [int(word) for word in key]
        signature = words[2] >> WASTE_SHIFT << STOCK_SHIFT
        for card, mark in enumerate(self.digits.marks.tolist()):
            if words[card // PER_WORD] >> 3 * (card % PER_WORD) & 7:
                signature |= mark
        return signature, words[0], words[1], words[2]

    def _root(self) -> Words:
        """Return the words of the deal."""
        rules, heights = self.digits.rules, self.dealt.foundations
        home = [card for card in range(CARDS) if card >> 2 < heights[card & 3]]
        key = sum(AT_HOME << 64 * (card // PER_WORD) + 3 * (card % PER_WORD) for card in home)
        waste = len(self.dealt.waste)
        if rules.all_reached and is_as_none(waste, rules.pack.size, rules.draw):
            waste = 0
        key |= waste << 160 | (self.dealt.turns or 0) << 166
        return np.array([key >> 64 * word & (1 << 64) - 1 for word in range(3)], np.uint64)

    def position(self, words: tuple[int, ...]) -> Position | None:
        """Return the position of a state, as signature and words; None if it is none."""
        board, state = self.board, np.array(words, np.uint64)
        error, laid = lay_words(self.digits, state, board)
        if error:
            return None
        columns = columns_of(board, laid.bottoms)
        columns += [()] * (self.digits.rules.columns - len(columns))
        left = tuple(map(self.base.card, board.hand[: laid.hand].tolist()))
        hearts, spades, diamonds, clubs = (laid.heights >> 4 * suit & 15 for suit in range(4))
        return Patience(
            tuple(tuple(map(self.base.card, column)) for column in columns),
            (),
            (hearts, spades, diamonds, clubs),
            stock=left[laid.waste :],
            waste=left[: laid.waste],
            hidden=tuple(sum(laid.down >> card & 1 for card in column) for column in columns),
            turns=None if self.dealt.turns is None else laid.turns,
            base=self.base,
            reserve=self.dealt.reserve[: laid.reserve],
        )
