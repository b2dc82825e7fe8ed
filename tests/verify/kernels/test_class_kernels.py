"""The check's kernels of classes against the readable model: every successor has to be closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

import numpy as np
import pytest
from helpers.selection import few_fast
from helpers.small_klondikes import (
    five_columns_and_four_kings,
    last_king_needs_a_column,
    small_klondike,
)

from dbmsolver.game.cards import CARDS
from dbmsolver.game.classes import Class
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.shipped import GAMES
from dbmsolver.keys.classes import ClassKeys
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.kernels.blocks import Body
from dbmsolver.verify.kernels.class_layout import is_class, make_board
from dbmsolver.verify.kernels.class_table import NONE, ClosedClasses, enter
from dbmsolver.verify.kernels.classes import (
    BAD_CLASS,
    GOOD,
    NO_SUCCESSOR,
    WON,
    WON_SIGNATURE,
    WRONG_STRATUM,
    check_classes,
)

Words = tuple[int, int]
SLOTS = 512


def block_of(words: Words) -> tuple[np.ndarray, np.ndarray, Body]:
    """Return the signatures, counts and body of a block of one class."""
    key = np.array([words[1]], np.uint64).view(np.uint8)
    return np.array(words[:1], np.uint64), np.ones(1, np.int64), Body(1, 1, key, np.zeros(1, "u2"))


class Checked:
    """The check of the classes of a deal, one at a time, and the readable model of them."""

    def __init__(self, deal: Deal, policy: Policy) -> None:
        self.keys = ClassKeys(deal, policy)
        self.form = ClassFormat(deal, policy)
        self.tables = [np.full((SLOTS, 2), NONE) for _ in range(3)]
        self.pair = np.zeros(4, np.uint64)

    def words(self, found: Class) -> Words:
        """Return a class as words; one that is won, too, as if it was not."""
        signature = shift = 0
        for column, count in zip(self.keys.classes.columns, found.counts, strict=True):
            signature |= count << shift
            shift += len(column).bit_length()
        size = len(self.form.pack)
        key = sum(1 << at for at, card in enumerate(self.form.pack) if card in found.stock)
        key |= sum(height << size + 4 * suit for suit, height in enumerate(found.foundations))
        return signature, key | found.waste << size + 16 | (found.turns or 0) << size + 22

    def stratum(self, found: Class) -> int:
        """Return how many dealt cards have left where they were dealt."""
        return sum(map(len, self.keys.classes.columns)) - sum(found.counts)

    def check(self, words: Words, stratum: int, closed: Iterable[Class] = ()) -> int:
        """Return the result of the check of a class where just these classes are closed."""
        entered = [0, 0, 0]
        for table in self.tables:
            table[:] = NONE
        for one in closed:
            lifted = self.stratum(one) - stratum
            entered[lifted] = enter(
                self.tables[lifted], entered[lifted], 0, 1, *block_of(self.words(one))
            )
        game, tables = self.form.game, ClosedClasses(*self.tables, 0, 1)
        block, sums = block_of(words), np.zeros(1, np.uint64)
        return int(check_classes(game, make_board(game), tables, *block, stratum, sums, self.pair))

    def compare(self, found: Class) -> list[Class]:
        """Check that a class needs all that follows by the model, and no more; return that.

        Where something won follows, it does not help to close that.
        """
        classes, words, stratum = self.keys.classes, self.words(found), self.stratum(found)
        assert self.keys.state_of(found)[:2] == words
        after = list(dict.fromkeys(one for _, one in classes.moves(found)))
        going_on = [one for one in after if not classes.is_won(one)]
        if len(going_on) < len(after):
            assert self.check(words, stratum, after) == NO_SUCCESSOR, found
            return going_on
        assert self.check(words, stratum, going_on) == GOOD, found
        for one in going_on:
            rest = [other for other in going_on if other != one]
            assert self.check(words, stratum, rest) == NO_SUCCESSOR, (found, one)
            assert (*map(int, self.pair),) == (*self.words(one), *words)
        return going_on


def reached(checked: Checked, random: Random, most: int) -> Iterator[Class]:
    """Yield classes of a deal that are not won, as long as there are any, and check each."""
    root = checked.keys.classes.root
    seen, waiting = {root}, [root] * (not checked.keys.classes.is_won(root))
    while waiting and len(seen) < most:
        found = waiting.pop(random.randrange(len(waiting)))
        yield found
        new = [one for one in checked.compare(found) if one not in seen]
        seen.update(new)
        waiting += new


@pytest.mark.parametrize("seed", few_fast(range(12), 4))
def test_each_successor_has_to_be_closed_and_no_other_class(seed: int) -> None:
    random, compared = Random(seed), 0
    for _ in range(30):
        checked = Checked(small_klondike(random, 16), random.choice(POLICIES))
        compared += sum(1 for _ in reached(checked, random, 60))
    assert compared > 100


@pytest.mark.parametrize("deal", [last_king_needs_a_column(), five_columns_and_four_kings()])
def test_columns_are_emptied_while_a_king_may_need_one(deal: Deal) -> None:
    assert len([*reached(Checked(deal, "wkr"), Random(1), 400)]) > 1


@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes", "trigon"])
def test_each_successor_has_to_be_closed_in_whole_decks(game: str) -> None:
    random = Random(game)
    for number in random.sample(range(1, 32000), 4):
        checked = Checked(Deal.from_number(number, GAMES[game]), random.choice(POLICIES))
        found = checked.keys.classes.root
        for _ in range(60):
            after = checked.compare(found)
            if not after:
                break
            found = random.choice(after)


def can_be(checked: Checked, words: Words) -> bool:
    """Return True if there is a position of a class, by what the format says of its words."""
    classes, pack = checked.keys.classes, list(checked.form.pack)
    signature, key = words
    places: list[int] = []
    open_cards, free = set[int](), set(range(CARDS))
    used = 0
    for column in classes.columns:
        width = len(column).bit_length()
        count, signature = signature & (1 << width) - 1, signature >> width
        if count > len(column) or (count == 1 and column[0] >= 48):
            return False
        places += column[:count]
        open_cards |= {*column[:count][-1:]}
        used += count > 0
    left, key = [card for at, card in enumerate(pack) if key >> at & 1], key >> len(pack)
    heights = [key >> 4 * suit & 15 for suit in range(4)]
    waste, turns = key >> 16 & 63, key >> 22
    places += left + [4 * at + suit for suit in range(4) for at in range(heights[suit])]
    if signature or max(heights) > 13 or len({*places}) < len(places):
        return False
    free -= {*places}
    open_cards |= free
    used += sum(card >= 48 for card in free)
    for card in free:
        kinds = classes.rules.parent_kinds
        alike = {card} if classes.rules.build == "suit" else {card, card ^ 2}
        parents = {(card ^ kind) + 4 for kind in kinds}
        if card < 48 and len(alike & free) > len(parents & open_cards):
            return False
    most, draw = classes.deal.turns, max(classes.rules.draw, 1)
    if waste > len(left) or turns > (most or 0) or (turns and not left):
        return False
    whole = waste % draw == 0 or waste == len(left)
    return used <= len(classes.columns) and not (waste and most is None and whole)


@pytest.mark.parametrize("seed", few_fast(range(8), 3))
def test_words_with_no_position_are_no_class(seed: int) -> None:
    """One bit, or two, of a class are changed."""
    random, verdicts = Random(f"words {seed}"), set[bool]()
    for _ in range(20):
        checked = Checked(small_klondike(random, 16), "wkr")
        board = make_board(checked.form.game)
        for found in reached(checked, random, 20):
            words, stratum = checked.words(found), checked.stratum(found)
            assert can_be(checked, words)
            assert checked.check(words, stratum + 1) == WRONG_STRATUM
            assert checked.check(words, stratum - 1) == WRONG_STRATUM
            for _ in range(20):
                signature, key = words
                for _ in range(random.randint(1, 2)):
                    if random.random() < 0.3:
                        signature ^= 1 << random.choice((*range(8), random.randrange(63)))
                    else:
                        key ^= 1 << random.randrange(len(checked.form.pack) + 26)
                    if random.random() < 0.05:
                        key ^= 1 << random.randrange(64)
                possible = can_be(checked, (signature, key))
                state = np.array([signature, key], np.uint64)
                assert is_class(checked.form.game, board, state) == possible, (found, state)
                if not possible:
                    assert checked.check((signature, key), stratum) == BAD_CLASS
                verdicts.add(possible)
    assert verdicts == {False, True}


def test_a_won_class_cannot_be_closed() -> None:
    random, seen = Random("won"), 0
    while seen < 20:
        checked = Checked(small_klondike(random, 12), "wkr")
        assert checked.check((int(WON_SIGNATURE), 0), 0) == WON
        for found in reached(checked, random, 40):
            for _, after in checked.keys.classes.moves(found):
                if checked.keys.classes.is_won(after):
                    words = checked.words(after)
                    assert checked.check(words, checked.stratum(after)) == WON
                    seen += 1
