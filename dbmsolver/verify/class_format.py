"""Keys of classes of positions of Klondike, described for authors of other readers.

**Dealt cards** of a column: from the bottom up to the first card of the run at its end, as long as
it can be; none where that is a king at the bottom. The last of them is held, the others are
covered.

**Signature** of a class: column after column, from bit 0 upwards, how many of its dealt cards lie
where they were dealt, in as many bits as their number in the deal needs. A king that is left alone
at the bottom counts as 0. The signature of a won class is bit 63 alone, with the key 0.

**Key**, one word: from bit 0 upwards a bit for each card of waste and stock, in the order in which
they are turned, set while it is there; four foundation heights of four bits, suits in the order H S
D C; six bits for how many of the cards that are left lie in the waste; above, how often the waste
may still be turned over, 0 where that is not limited. Where it is not limited, the cards of the
waste are said to be 0 if they are a multiple of the cards turned at once, or all that are left.
Where none is left, both are 0.

**Stratum**: the number of dealt cards that have left where they were dealt; for a won class, one
more than the number of dealt cards.

**Code**: one byte, eight bits of a hash of the class that it was found from.

**Digest**: as of other games, of public keys of two words, signature and key.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from dbmsolver.game.cards import CARDS
from dbmsolver.game.classes import Class, Classes, is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.verify.kernels.classes import KING, WON_SIGNATURE, ClassRules, lay_class, make_board
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.rules_of_deal import rules_of_deal, set_of
from dbmsolver.verify.showing import cards_of


class ClassFormat:
    """The keys of one deal, and the rules, read from the deal alone; ``root`` is its class.

    With ``any_passes`` the waste may be turned over any number of times, whatever the deal says.
    Refuted if classes do not describe the games from this deal, or their keys are too long: the
    theorem does not hold, or says nothing.
    """

    def __init__(self, deal: Deal, policy: Policy, any_passes: bool = False) -> None:
        position, rules = deal.position, deal.rules
        if any_passes:
            position = position.without_turn_limit()
        if not is_in_a_class(position, rules):
            raise Refuted("the theorem of classes does not hold for this deal")
        self.dealt = position
        classes, r = Classes(position, rules), rules_of_deal(deal, measure_of(rules, policy), False)
        self.columns, self.pack = classes.columns, classes.stock
        most = max(map(len, self.columns), default=0) + 1
        widths = [len(column).bit_length() for column in self.columns]
        takes, every = r.takes.tolist(), range(CARDS)
        carried = [set_of(other for other in every if takes[other] >> card & 1) for card in every]
        kinds = [*zip(takes, carried, strict=True)]
        alike = [set_of(card for card in every if kinds[card] == own) for own in kinds]
        column, under = np.full((2, CARDS), -1, np.int64)
        for number, cards in enumerate(self.columns):
            for card, beneath in zip(cards, (-1, *cards), strict=False):
                column[card], under[card] = number, beneath
        self.game = ClassRules(
            columns=r.columns,
            draw=r.draw,
            turns=-1 if position.turns is None else position.turns,
            kept=r.kept,
            pack=r.pack,
            at_home=r.at_home,
            takes=r.takes,
            carried=np.array(carried, np.uint64),
            alike=np.array(alike, np.uint64),
            dealt=np.array([[*c, *[-1] * (most - len(c))] for c in self.columns], np.int64),
            sizes=np.array([len(cards) for cards in self.columns], np.int64),
            shifts=np.array([sum(widths[:index]) for index in range(r.columns)], np.int64),
            widths=np.array(widths, np.int64),
            column=column,
            under=under,
            total=sum(map(len, self.columns)),
        )
        self.board = make_board(self.game)
        self.root = int(WON_SIGNATURE), 0
        if not classes.is_won(classes.root):
            self.root = self._words_of(classes.root)

    def _words_of(self, found: Class) -> tuple[int, int]:
        """Return the signature and key of a class that is not won."""
        size, shifts = len(self.pack), self.game.shifts.tolist()
        signature = sum(left << shift for left, shift in zip(found.counts, shifts, strict=True))
        key = sum(1 << place for place, card in enumerate(self.pack) if card in found.stock)
        for suit, height in enumerate(found.foundations):
            key |= height << size + 4 * suit
        return signature, key | found.waste << size + 16 | (found.turns or 0) << size + 22

    def position(self, words: tuple[int, ...]) -> Position | None:
        """Return a position of a class; None if there is none."""
        good, laid = lay_class(self.game, self.board, *map(np.uint64, words[:2]))
        if not good:
            return None
        dealt = laid.covered | laid.held
        columns = [[card for card in cards if dealt >> card & 1] for cards in self.columns]
        hidden = tuple(max(len(column) - 1, 0) for column in columns)
        empty = [column for column in columns if not column]
        for card in reversed(cards_of(laid.free)):
            if card >> 2 == KING:
                empty.pop().append(card)
                continue
            takes = int(self.game.takes[card])
            next(one for one in columns if one and takes >> one[-1] & 1).append(card)
        cards = tuple(card for card in self.pack if laid.stock >> card & 1)
        hearts, spades, diamonds, clubs = (laid.heights >> 4 * suit & 15 for suit in range(4))
        return Patience(
            tuple(map(tuple, columns)),
            (),
            (hearts, spades, diamonds, clubs),
            stock=cards[laid.waste :],
            waste=cards[: laid.waste],
            hidden=hidden,
            turns=None if self.dealt.turns is None else laid.turns,
        )


def keys_of_classes(deal: Deal, policy: Policy, any_passes: bool) -> Keys:
    """Return keys of classes of positions."""
    form = ClassFormat(deal, policy, any_passes)
    return Keys(
        noun="class",
        tables=form.game,
        form=form.game,
        root=(*form.root, 0, 0),
        root_stratum=int(form.game.progress(np.array(form.root[:1], np.uint64))[0]),
        words=2,
        code_bytes=1,
        position=form.position,
        make_table=partial(make_board, form.game),
        codes=False,
    )
