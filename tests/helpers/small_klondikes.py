"""Small decks of Klondike, and slow searches over their positions and classes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import NamedTuple

from dbmsolver.game.cards import CARDS, parse_card
from dbmsolver.game.classes import Class, Classes, LeftOut, is_in_a_class
from dbmsolver.game.deals import Deal
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES


class Listed(NamedTuple):
    """Return all positions of a deal, and True if one is won."""

    positions: list[Patience]
    won: bool


def small_klondike(random: Random, most_cards: int = 12) -> Deal:
    """Return a deck of two to five ranks and one to four suits in two to five columns.

    A stock of up to nine cards is turned by ones, twos or threes, a number of times or any; cards
    come back or not; some of the stock may lie in the waste, and cards face up on others. Columns
    are built by alternate colour, or, of one deck in four, by suit.
    """
    while True:
        columns, ranks = random.randint(2, 5), random.randint(2, 5)
        suits = random.sample(range(4), random.randint(1, 4))
        hearts, spades, diamonds, clubs = (13 - ranks if suit in suits else 13 for suit in range(4))
        cards = [card for card in range(CARDS - 4 * ranks, CARDS) if card % 4 in suits]
        if len(cards) > most_cards:
            continue
        random.shuffle(cards)
        stock = [cards.pop() for _ in range(random.randint(0, min(9, len(cards))))]
        waste = [stock.pop(0) for _ in range(random.choice((0, 0, 1, 2))) if stock]
        piles: list[list[int]] = [[] for _ in range(columns)]
        for card in cards:
            random.choice(piles).append(card)
        most_hidden = [max(0, len(pile) - 1) for pile in piles]
        passes = random.choice((0, 0, 1, 2, 3))
        rules = replace(
            GAMES["klondike"],
            columns=columns,
            layout="",
            stock=len(stock) + len(waste),
            draw=random.choice((1, 2, 3)),
            passes=passes,
            removable=random.random() < 0.6,
            build="suit" if random.random() < 0.25 else "alternate",
        )
        position = Patience(
            tuple(map(tuple, piles)),
            (),
            (hearts, spades, diamonds, clubs),
            stock=tuple(stock),
            waste=tuple(waste),
            hidden=tuple(
                most if random.random() < 0.8 else random.randint(0, most) for most in most_hidden
            ),
            turns=random.randint(0, passes - 1) if passes else None,
        )
        if is_in_a_class(position, rules):
            return Deal(position, rules)


def listed_positions(deal: Deal, most: int) -> Listed | None:
    """Return all positions of a deal, breadth first; None if there are more than ``most``."""
    assert isinstance(deal.position, Patience)
    seen, queue, won = {deal.position.canonical()}, deque([deal.position]), False
    positions = [deal.position]
    while queue:
        position = queue.popleft()
        won |= position.is_goal()
        for move in position.moves(deal.rules):
            after = position.apply(move)
            known = after.canonical()
            if known not in seen:
                seen.add(known)
                positions.append(after)
                queue.append(after)
        if len(positions) > most:
            return None
    return Listed(positions, won)


def reached_classes(classes: Classes, left_out: frozenset[LeftOut]) -> tuple[set[Class], bool]:
    """Return all classes that moves between classes reach, and True if one is won."""
    seen, waiting = {classes.root}, [classes.root]
    while waiting:
        for _, after in classes.moves(waiting.pop(), left_out):
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return seen, any(map(classes.is_won, seen))


def small_listed(seed: int, count: int, most: int) -> Iterator[tuple[Deal, Listed]]:
    """Yield some small decks with at most so many positions, and these."""
    random = Random(seed)
    while count:
        deal = small_klondike(random)
        listed = listed_positions(deal, most)
        if listed is not None:
            count -= 1
            yield deal, listed


def last_king_needs_a_column() -> Deal:
    """Return a deal that is won only if a column is emptied while three kings have one.

    Jacks are the lowest cards. The queen of hearts has to go to the king of clubs, so that the king
    of hearts can leave the stock, where it keeps the jacks from being turned up.
    """
    stock = "JS JH KH JD JC QC"
    columns = ("KS QD", "KD QS", "KC", "QH")
    rules = replace(
        GAMES["klondike"], columns=4, layout="", stock=6, draw=3, passes=0, removable=False
    )
    position = Patience(
        tuple(tuple(map(parse_card, column.split())) for column in columns),
        (),
        (10, 10, 10, 10),
        stock=tuple(map(parse_card, stock.split())),
        hidden=(0, 0, 0, 0),
    )
    return Deal(position, rules)


def five_columns_and_four_kings() -> Deal:
    """Return a lost deal in which a column is emptied while three of the four kings have one.

    Tens are the lowest cards. The fourth king is in the stock, and needs that column.
    """
    columns = ("KS JD TH", "KD TC JH QC", "", "TD", "QH")
    rules = replace(
        GAMES["klondike"], columns=5, layout="", stock=7, draw=3, passes=2, removable=False
    )
    position = Patience(
        tuple(tuple(map(parse_card, column.split())) for column in columns),
        (),
        (9, 9, 9, 9),
        stock=tuple(map(parse_card, ["KH", "JS", "QS", "JC", "KC", "TS", "QD"])),
        hidden=(0, 2, 0, 0, 0),
        turns=1,
    )
    return Deal(position, rules)
