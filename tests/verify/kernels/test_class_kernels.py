"""The check's kernels of classes against the readable model: all that follows from each."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from helpers.selection import few_fast
from helpers.small_klondikes import (
    five_columns_and_four_kings,
    last_king_needs_a_column,
    small_klondike,
)
from helpers.verifier import Expanded, expand_one

from dbmsolver.game.cards import CARDS
from dbmsolver.game.classes import Class
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.kernels.classes import WON_SIGNATURE, lay_class, make_board
from dbmsolver.verify.kernels.errors import BAD_CLASS, GOAL

Words = tuple[int, int]


class Checked:
    """The check of the classes of a deal, one at a time, and the readable model of them."""

    def __init__(self, deal: Deal, policy: Policy) -> None:
        self.keys = ClassKeys(deal, policy)
        self.form = ClassFormat(deal, policy)
        self.board = make_board(self.form.game)

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

    def expand(self, words: Words) -> Expanded:
        """Return what the kernel finds out about a class."""
        return expand_one(self.form.game, (*words, 0, 0), table=self.board)

    def compare(self, found: Class) -> list[Class]:
        """Check that what follows is what follows by the model; return what is not won of it."""
        classes, words, stratum = self.keys.classes, self.words(found), self.stratum(found)
        assert self.keys.state_of(found)[:2] == words
        signature = np.array(words[:1], np.uint64)
        assert self.form.game.progress(signature).tolist() == [stratum]
        after = list(dict.fromkeys(one for _, one in classes.moves(found)))
        seen = self.expand(words)
        assert seen.error == 0, found
        assert {row[:2] for row in seen.successors} == {self.words(one) for one in after}, found
        return [one for one in after if not classes.is_won(one)]


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
def test_what_follows(seed: int) -> None:
    random, compared = Random(seed), 0
    for _ in range(30):
        checked = Checked(small_klondike(random, 16), random.choice(POLICIES))
        compared += sum(1 for _ in reached(checked, random, 60))
    assert compared > 100


@pytest.mark.parametrize("deal", [last_king_needs_a_column(), five_columns_and_four_kings()])
def test_columns_are_emptied_while_a_king_may_need_one(deal: Deal) -> None:
    assert len([*reached(Checked(deal, "wkr"), Random(1), 400)]) > 1


@pytest.mark.parametrize("game", ["klondike", "klondike_by_threes", "trigon"])
def test_what_follows_in_whole_decks(game: str) -> None:
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
            words = checked.words(found)
            assert can_be(checked, words)
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
                state = np.uint64(signature), np.uint64(key)
                said, _ = lay_class(checked.form.game, board, *state)
                assert said == possible, (found, state)
                if not possible:
                    assert checked.expand((signature, key)).error in (BAD_CLASS, GOAL)
                verdicts.add(possible)
    assert verdicts == {False, True}


def test_a_won_class_cannot_be_closed() -> None:
    random, seen = Random("won"), 0
    while seen < 20:
        checked = Checked(small_klondike(random, 12), "wkr")
        assert checked.expand((int(WON_SIGNATURE), 0)).error == GOAL
        for found in reached(checked, random, 40):
            for _, after in checked.keys.classes.moves(found):
                if checked.keys.classes.is_won(after):
                    words = checked.words(after)
                    assert checked.expand(words).error == GOAL
                    seen += 1
