"""Moves played one by one: the legal ones are those that `moves` lists, up to equal places."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from helpers.any_rules import any_deck

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import COLUMNS, PILE, REMOVED, RESERVE, STOCK, WASTE, Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES


def places(position: Position) -> list[Place]:
    """Return all places of all games, those among them that the position does not have."""
    columns = [Place("column", index) for index in range(-1, len(position.columns) + 1)]
    cells = [Place("freecell", index) for index in range(-1, len(position.freecells) + 1)]
    home = [Place("foundation", index) for index in range(-1, 5)]
    return [*columns, *cells, *home, PILE, STOCK, WASTE, RESERVE, REMOVED, COLUMNS]


def any_moves(position: Position) -> list[Move]:
    """Return moves between any two places, of one card and of several, legal or not."""
    found = []
    for source, destination in product(places(position), repeat=2):
        for count in (1, 2, 3, 13):
            try:
                card = position.card_moved(source, destination, count)
            except IllegalMoveError:
                continue
            partners = range(0, 52, 5) if destination == REMOVED else ()
            moves = [
                Move(card, source, destination, count=count, other=other)
                for other in (None, *partners)
            ]
            found += map(position.with_lower_first, moves)
    return found


def listed(position: Position, move: Move) -> Move:
    """Return the move as `moves` lists it: to the first of the empty columns or freecells."""
    kind, index = move.destination
    held = {"column": position.columns, "freecell": position.freecells}.get(kind, ())
    if 0 <= index < len(held) and not held[index] and held[index] != 0:
        first = next(i for i, found in enumerate(held) if not found and found != 0)
        return move._replace(destination=Place(kind, first))
    return move


def check_moves(position: Position, rules: Rules) -> tuple[int, int]:
    """Play each listed move, and many others; return how many were legal, and how many not."""
    moves = position.moves(rules)
    for move in moves:
        after = position.apply(move)
        assert position.play(move, rules) == after
        assert position.play(move._replace(forced=True), rules) == after
        told = position.card_moved(move.source, move.destination, move.count, move.card)
        assert told == move.card
    legal = illegal = 0
    for move in any_moves(position):
        try:
            after = position.play(move, rules)
        except IllegalMoveError as error:
            assert move not in moves and error.message
            illegal += 1
            continue
        assert after == position.apply(move)
        same = move in moves or listed(position, move) in moves
        assert same or after.canonical() == position.canonical(), move
        legal += 1
    return legal, illegal


def check_game(deal: Deal, random: Random, moves: int) -> tuple[int, int]:
    """Check the positions of a game of random moves; return as `check_moves`."""
    position, found = deal.position, (0, 0)
    for number in range(moves):
        if number % 9 == 0:
            legal, illegal = check_moves(position, deal.rules)
            found = found[0] + legal, found[1] + illegal
        options = position.moves(deal.rules)
        if not options:
            break
        position = position.apply(random.choice(options))
    return found


@pytest.mark.parametrize("game", sorted(GAMES))
def test_legal_moves_are_the_listed_ones(game: str) -> None:
    legal, illegal = check_game(Deal.from_number(3, GAMES[game]), Random(game), 30)
    assert legal and illegal > 100


def test_legal_moves_under_any_rules() -> None:
    random = Random(8)
    for _ in range(60):
        check_game(any_deck(random), random, 28)


def test_two_packs_have_a_card_under_each_top_one() -> None:
    """The card of a foundation that is named moves; a card goes home onto the next lower one."""
    rules = GAMES["gypsy"]
    position = Deal.from_number(1, rules).position
    assert position.card_under(0, Place("foundation", 0), 1) is None
    assert position.card_under(51, Place("foundation", 3), 1) == 47
    assert position.card_under(51, Place("foundation", 3), 13) is None
    assert position.card_under(51, Place("column", 2), 1) == position.columns[2][-1]
    for place in (Place("column", 8), STOCK, Place("column", -1)):
        assert position.card_under(51, place, 1) is None
