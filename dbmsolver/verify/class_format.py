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
from dbmsolver.verify.kernels import class_layout
from dbmsolver.verify.kernels.words import Words
from dbmsolver.verify.keys import Keys
from dbmsolver.verify.refutation import Refuted
from dbmsolver.verify.rules_of_deal import NEVER, at_home


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
        self.dealt, self.parent_kinds = position, rules.parent_kinds
        ways = at_home(deal, measure_of(rules, policy))
        needed = ways[0] if ways.size else np.full((CARDS, 4), NEVER, np.int64)
        classes = Classes(position, rules)
        columns = classes.columns
        most = max(map(len, columns), default=0) + 1
        widths = [len(column).bit_length() for column in columns]
        self.pack = classes.stock
        self.game = class_layout.ClassRules(
            columns=rules.columns,
            draw=max(rules.draw, 1),
            most_turns=-1 if position.turns is None else position.turns,
            kept=position.kept(rules) if rules.removable else class_layout.KING + 1,
            dealt=np.array([[*cards, *[-1] * (most - len(cards))] for cards in columns], np.int64),
            sizes=np.array([len(column) for column in columns], np.int64),
            shifts=np.array([sum(widths[:index]) for index in range(rules.columns)], np.int64),
            widths=np.array(widths, np.int64),
            pack=np.array(self.pack, np.int64),
            total=sum(map(len, columns)),
            at_home=needed,
            by_suit=int(rules.build == "suit"),
        )
        self.board = class_layout.make_board(self.game)
        self.root = int(class_layout.WON_SIGNATURE), 0
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
        state: Words = np.array(words[:2], np.uint64)
        if not class_layout.is_class(self.game, self.board, state):
            return None
        board, columns = self.board, []
        for number, left in enumerate(board.left.tolist()):
            columns.append(self.game.dealt[number, :left].tolist())
        free = [card for card in range(CARDS) if board.where[card] == class_layout.FREE]
        empty = [column for column in columns if not column]
        for card in sorted(free, reverse=True):
            if card >> 2 == class_layout.KING:
                empty.pop().append(card)
                continue
            parents = {(card ^ kind) + 4 for kind in self.parent_kinds}
            next(column for column in columns if column and column[-1] in parents).append(card)
        hand, waste, turns = board.numbers[:3].tolist()
        cards = tuple(self.pack[place] for place in board.hand[:hand].tolist())
        hearts, spades, diamonds, clubs = board.home.tolist()
        return Patience(
            tuple(map(tuple, columns)),
            (),
            (hearts, spades, diamonds, clubs),
            stock=cards[waste:],
            waste=cards[:waste],
            hidden=tuple(max(left - 1, 0) for left in board.left.tolist()),
            turns=None if self.dealt.turns is None else turns,
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
        make_table=partial(class_layout.make_board, form.game),
        codes=False,
    )
