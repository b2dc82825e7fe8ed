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

**Stratum**: how many of these cards are set. **Layer**, of a search for a shortest solution: moves
made, and the lower bound of the moves to come.

**Parent-move code**, 16 bits: the card that moved last (6), its digit before (3), the cards of the
waste before (6), and, of a card of waste and stock, whether the waste was turned over, of another
one, whether the reserve filled its column (1). 63 for the deal itself.

**Digest**: as of other games, of public keys of three words.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import Metric
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.patience import (
    AWAY,
    CARDS,
    NOTHING,
    Ints,
    PatienceRules,
    Words,
    can_be_read,
    make_table,
)

CODE_BYTES = 2
FIRST = 63
"""The code of the deal, which has no parent."""
_FILLS = {"none": 0, "kings": 1, "any": 2, "waste": 3}
_ITEMS = {
    "single": 0, "runs": 1, "suit-runs": 2, "groups": 3, "card-or-column": 4, "columns": 5
}  # fmt: skip


class PatienceFormat:
    """The keys of one deal, and the rules, read from the deal alone.

    ``metric`` is that in which a shortest solution is claimed, None of a proof.
    """

    def __init__(self, deal: Deal, policy: Policy, metric: Metric | None) -> None:
        counted = {"turns": 1, "runs": 2}.get(metric or "", 0)
        position, rules = deal.position, deal.rules
        assert isinstance(position, Patience)
        self.deal = deal
        self.dealt = position
        self.base = position.base
        below, face_down = np.full(CARDS, AWAY, np.int64), np.zeros(CARDS, np.int64)
        for cards, down in zip(position.columns, position.hidden, strict=True):
            column = self._counted(cards)
            for depth, card in enumerate(column):
                below[card] = column[depth - 1] if depth else NOTHING
                face_down[card] = depth < down
        takers = np.full((CARDS, 4), -1, np.int64)
        for card in range(CARDS):
            shown = self.base.card(card)
            own = [
                other
                for other in range(CARDS)
                if position.can_stack(shown, self.base.card(other), rules)
            ]
            own.sort(key=lambda other, card=card: (other ^ card) & 3)  # type: ignore[misc]
            takers[card, : len(own)] = own
        self.pack = self._counted((*position.waste, *position.stock))
        self.game = PatienceRules(
            columns=rules.columns,
            draw=max(rules.draw, 1),
            most_turns=-1 if position.turns is None else position.turns,
            free=int(not counted and position.turns is None),
            counted=counted,
            back=int(rules.removable),
            kept=position.base.lowest - 1,
            item=_ITEMS[rules.moves],
            blank=_FILLS[rules.fill],
            short=int(
                metric is not None
                and rules.base == "ace"
                and not rules.stacked
                and rules.moves in ("single", "runs", "suit-runs", "groups")
                and rules.fill != "waste"
            ),
            paired=int(
                rules.moves == "runs"
                and rules.base != "round"
                and rules.build in ("alternate", "colour", "any")
            ),
            dealt_on=below,
            face_down=face_down,
            takers=takers,
            pack=np.array(self.pack, np.int64),
            heap=np.array(self._counted(position.reserve), np.int64),
            at_home=needed_at_home(deal, policy),
        )
        self.table = make_table()
        self.root = self._root()

    def _counted(self, cards: Sequence[int]) -> list[int]:
        """Return the cards that these count as."""
        return [self.base.counted(card) for card in cards]

    def _root(self) -> Words:
        """Return the words of the deal."""
        home = [card for card in range(CARDS) if card >> 2 < self.dealt.foundations[card & 3]]
        key = sum(6 << 64 * (card // 21) + 3 * (card % 21) for card in home)
        waste = len(self.dealt.waste)
        if self.game.free and (waste % self.game.draw == 0 or waste == len(self.pack)):
            waste = 0
        key |= waste << 160 | (self.dealt.turns or 0) << 166
        return np.array([key >> 64 * word & (1 << 64) - 1 for word in range(3)], np.uint64)

    def position(self, words: tuple[int, ...]) -> Position | None:
        """Return the position of a state; None if it is none."""
        state = np.array(words[:3], np.uint64)
        if not can_be_read(self.game, self.table, state):
            return None
        t = self.table
        columns = []
        for card in range(CARDS):
            if int(t.on[card]) == NOTHING:
                column = [card]
                while int(t.load[column[-1]]) >= 0:
                    column.append(int(t.load[column[-1]]))
                columns.append(tuple(column))
        columns += [()] * (self.game.columns - len(columns))
        hand, waste, turns, _, held = t.first.tolist()
        left = tuple(map(self.base.card, t.hand[:hand].tolist()))
        hearts, spades, diamonds, clubs = t.home.tolist()
        return Patience(
            tuple(tuple(map(self.base.card, column)) for column in columns),
            (),
            (hearts, spades, diamonds, clubs),
            None,
            left[waste:],
            waste=left[:waste],
            hidden=tuple(sum(int(t.down[card]) for card in column) for column in columns),
            turns=None if self.dealt.turns is None else turns,
            base=self.base,
            reserve=self.dealt.reserve[:held],
        )


def needed_at_home(deal: Deal, policy: Policy) -> Ints:
    """Return, per card and suit, the ranks that must be home before it goes home at once.

    int64[52, 4]; 14 stands for never. Which cards may come to lie on a card, and which on those, is
    said in :mod:`dbmsolver.game.patience`.
    """
    rules = deal.rules
    assert isinstance(deal.position, Patience)
    lowest = deal.position.base.lowest
    needed = np.zeros((CARDS, 4), np.int64)
    for card in range(CARDS):
        rank, own = card // 4 + 1, card & 3
        for other in range(4):
            kind = own ^ other
            if policy == "none":
                needed[card, other] = 14
            elif kind == 0 or rules.build in ("suit", "none"):
                continue
            elif kind in rules.parent_kinds:  # r-1 of it may lie on the card
                at_once = rules.moves == "groups" and rank > 1
                first = policy == "horne" and rank > 2
                needed[card, other] = max(0, rank - 1 if at_once or first else rank - 2)
            elif rules.build == "alternate":  # r-2 of it may lie on those
                needed[card, other] = max(0, rank - (2 if rules.moves == "groups" else 3))
        if rules.base == "round" and rules.build != "none":
            # No base that may come to lie on the card, or lower down on cards that do, may lie in
            # a column, where it would take the last rank; nor may one come back.
            kinds = {*rules.parent_kinds, *([2] if rules.build == "alternate" else [])}
            for other in range(4):
                if rank <= lowest or rules.removable:
                    needed[card, other] = 14
                elif own ^ other in kinds:
                    needed[card, other] = max(needed[card, other], lowest)
    return needed
