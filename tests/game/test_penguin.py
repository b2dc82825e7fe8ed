"""Ranks that are counted from a base beside freecells, and go round in runs of a suit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest
from helpers.naive_search import breadth_first
from helpers.support import from_base, random_layout, walk

from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.bases import Base
from dbmsolver.game.cards import CARDS, card_name, parse_card
from dbmsolver.game.deals import Deal, deal_number, format_board
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.titles import rules_notes, rules_of_notes

PENGUIN = GAMES["penguin"]


def board(*columns: str, base: str = "9", rules: Rules = PENGUIN) -> Position:
    """Return a position whose columns are these and others with what is left, a card in each."""
    position = Deal.from_text(
        f"Foundations: H-8 S-8 D-8 C-0\nBase: {base}\n" + "\n".join(columns) + "\n", rules
    ).position
    position.validate(rules)
    return position


CLUBS = "9C 8C 7C 6C 5C 4C 3C 2C AC KC QC JC TC"


def said(moves: Iterable[Move]) -> set[str]:
    """Return moves as card, number of cards, and destination."""
    return {f"{card_name(move.card)} x{move.count} {move.destination}" for move in moves}


def test_a_run_goes_round_over_the_base() -> None:
    """With the base 9 the eights are what kings are elsewhere, and go on the nines."""
    position = board("2C TC 9C", "8C 7C", "KC QC JC AC", "6C 5C 4C 3C")
    moves = position.moves(PENGUIN)
    assert {"8C x2 column 1", "9C x1 foundation of clubs"} <= said(moves)
    assert position.is_run(tuple(map(parse_card, ("TC", "9C", "8C", "7C"))), PENGUIN)
    assert not position.is_run(tuple(map(parse_card, ("9C", "7C"))), PENGUIN)
    after = position.apply(next(move for move in moves if move.card == parse_card("8C")))
    anything = replace(PENGUIN, fill="any")
    assert {f"TC x4 {Place('column', 1)}"} <= said(after.moves(anything))
    assert "TC x4" not in " ".join(said(after.moves(PENGUIN)))


def test_a_whole_suit_does_not_move_onto_its_own_end() -> None:
    cards = CLUBS.split()
    for turn in range(13):
        column = " ".join((*cards[turn:], *cards[:turn]))
        position = board(column)
        assert len(position.columns[0]) == 13
        ways = [move for move in position.moves(PENGUIN) if move.destination.kind == "column"]
        assert all(not position.columns[move.destination.index] for move in ways)


def test_empty_columns_take_the_rank_before_the_base_only() -> None:
    position = board("TC 9C", "8C", "KC QC JC AC 2C 7C 6C 5C 4C 3C")
    filled = {text for text in said(position.moves(PENGUIN)) if text.endswith("column 4")}
    assert filled == set()  # a whole column is not moved, and 9C is no eight
    under = board("TC 9C", "2C 8C", "KC QC JC AC 7C 6C 5C 4C 3C")
    assert {text for text in said(under.moves(PENGUIN)) if text.endswith("column 4")} == {
        "8C x1 column 4"
    }


def test_empty_columns_are_told_as_they_are() -> None:
    """A king is not what they take, but by chance; a title with other rules is read back."""
    words = "empty columns take the rank before the base only"
    assert words in PENGUIN.describe()
    loose = replace(PENGUIN, name="loose", fill="any")
    assert "empty columns take any card" in loose.describe()
    for rules in (replace(PENGUIN, name="own"), loose):
        notes = rules_notes(rules)
        assert (words in notes) == (rules.fill == "kings")
        assert rules_of_notes(", ".join(notes)) == rules


def test_the_base_does_not_go_home_by_itself() -> None:
    """A king may be put on it; all other cards of a suit go home at once."""
    heights = (0, 0, 0, 0)
    assert not is_safe_home(PENGUIN, 0, heights, "wkr")
    assert is_safe_home(PENGUIN, 4, (1, 0, 0, 0), "wkr")
    assert is_safe_home(replace(PENGUIN, base="deal", layout=""), 0, heights, "wkr")


@pytest.mark.parametrize("seed", range(20))
def test_turned_positions_have_the_same_moves(seed: int) -> None:
    random = Random(seed)
    for position in walk(random, random_layout(random, PENGUIN), PENGUIN, "none", 20):
        turned = position.turned()
        turned.validate(PENGUIN)
        assert turned.base.rank == 1 and turned.foundations == position.foundations
        there = [move._replace(card=position.counted(move.card)) for move in
                 position.moves(PENGUIN)]  # fmt: skip
        assert sorted(turned.moves(PENGUIN), key=str) == sorted(there, key=str)
        again = Deal.from_text(format_board(position), PENGUIN).position
        assert again == position


def test_deals_of_other_bases() -> None:
    """Three of the first card's rank are home; the fourth is the first column's deepest card."""
    for number in range(1, 30):
        position = deal_number(number, PENGUIN)
        position.validate(PENGUIN)
        assert sorted(position.foundations) == [0, 1, 1, 1]
        assert position.counted(position.columns[0][0]) < 4
        assert {len(column) for column in position.columns} == {7}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"moves": "single"}, "expected a game with a waste, or columns built by suit whose runs"),
        ({"build": "alternate"}, "expected a game with a waste, or columns built by suit"),
        ({"removable": True}, "expected"),
        ({"layout": "bases 5"}, "5 cards of the rank of the first card"),
        ({"layout": "base 1; bases 3"}, "the deal puts 4 cards on a foundation"),
        ({"layout": "first 2C; bases 3"}, "no other base, reserve or cards dealt first"),
        ({"base": "ace"}, "the deal puts 3 cards on a foundation"),
    ],
)
def test_what_is_not_played(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(PENGUIN, **change)  # type: ignore[arg-type]


def test_a_base_on_a_board() -> None:
    with pytest.raises(InputError, match="a base, expected none in freecell"):
        Deal.from_text("Base: 9\nKS\n", GAMES["freecell"])
    shown = format_board(from_base(deal_number(1, GAMES["freecell"]), Random(1), PENGUIN))
    assert "Base: " in shown


def short_deck(random: Random) -> Position:
    """Return two to six ranks in a few columns, with any base, some cards of which are home."""
    lowest, columns = random.randint(8, 12), random.randint(2, 4)
    cards = list(range(4 * (lowest - 1), CARDS))
    random.shuffle(cards)
    if random.random() < 0.5:  # high cards deep, so that runs go round soon
        cards.sort(key=lambda card: -(card >> 2) + random.choice((2, 4)) * random.random())
    heights = [lowest - 1] * 4
    for card in range(4 * (lowest - 1), 4 * lowest):
        if random.random() < 0.5:
            cards.remove(card)
            heights[card & 3] += 1
    hearts, spades, diamonds, clubs = heights
    piles = tuple(tuple(cards[index::columns]) for index in range(columns))
    cells = (None,) * random.randint(0, 2)
    return Position(piles, cells, (hearts, spades, diamonds, clubs), base=Base(lowest, lowest))


def same_with_forced_moves(seed: int, decks: int) -> None:
    """Compare shortest solutions with safe moves home made at once and without."""
    random = Random(seed)
    while decks:
        position = short_deck(random)
        rules = replace(
            PENGUIN,
            layout="",
            columns=len(position.columns),
            freecells=len(position.freecells),
            fill=random.choice(("kings", "kings", "any", "none")),
        )
        position.validate(rules)
        free = breadth_first(position, rules, "none", 2000)
        if free is None:
            continue
        decks -= 1
        for policy in ("wkr", "horne"):
            found = breadth_first(position, rules, policy, 2000)
            assert found is not None and found[0] == free[0], (position, rules)


def test_safe_moves_home_make_no_solution_longer() -> None:
    same_with_forced_moves(1, 5)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 4))
def test_safe_moves_home_make_no_solution_longer_in_many_decks(seed: int) -> None:
    same_with_forced_moves(seed, 60)


def test_every_move_home_is_safe_where_nothing_is_put_on_cards() -> None:
    for build, safe in (("none", True), ("suit", False)):
        rules = replace(GAMES["canfield"], build=build)  # type: ignore[arg-type]
        assert is_safe_home(rules, 0, (0, 0, 0, 0), "horne") is safe
