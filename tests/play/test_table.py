"""Legal moves: every one of them and no other, in every game."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from helpers.playing import PLAYED
from helpers.selection import few_fast
from helpers.support import ALL_RULES

from dbmsolver.errors import DbmError, IllegalMoveError, InputError, UsageError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import PILE, RESERVE, STOCK, WASTE, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation.addresses import deal_name, rules_name
from dbmsolver.notation.steps import Step, play
from dbmsolver.play.codes import code_of, read_line
from dbmsolver.play.table import PositionCache, deal_of, drawn, legal, options_of, rules_of


def every_step(position: Position) -> list[Step]:
    """Every step that could be thought of."""
    places = [
        *(Place("column", index) for index in range(len(position.columns))),
        *(Place("freecell", index) for index in range(len(position.freecells))),
        *(Place("foundation", suit) for suit in range(4)),
        *(PILE, STOCK, WASTE, RESERVE),
    ]
    return [
        Step(source, target, count)
        for source, target in product(places, places)
        for count in range(1, 1 + (25 if "stock" in (source.kind, target.kind) else 13))
        if source != target and (count == 1 or source.kind in ("column", "stock", "waste"))
    ]


def changes_nothing(position: Position, step: Step) -> bool:
    """Return True if a step only exchanges empty places."""
    (kind, index), target = step.source, step.destination
    if kind == "freecell" and target.kind == "freecell":
        return True
    alone = kind == "column" and len(position.columns[index]) == step.count
    return alone and target.kind == "column" and not position.columns[target.index]


def check(position: Position, rules: Rules) -> None:
    found = legal(position, rules)
    assert set(found.values()) == {code_of(option.move) for option in options_of(position, rules)}
    possible = set()
    for step in every_step(position):
        try:
            play(position, step, rules)
        except DbmError:
            continue
        if not changes_nothing(position, step):
            possible.add(code_of(step))
    assert set(found) == possible
    for code, like in found.items():
        one, other = (play(position, read_line(text)[0], rules) for text in (code, like))
        assert one.canonical() == other.canonical()


def walk(deal: Deal, seed: int, length: int) -> list[Position]:
    """Return the positions of a random game."""
    random, positions = Random(seed), [deal.position]
    for _ in range(length):
        options = options_of(positions[-1], deal.rules)
        if not options:
            break
        positions.append(random.choice(options).after)
    return positions


@pytest.mark.parametrize("game", few_fast(PLAYED, 8))
def test_legal_moves(game: str) -> None:
    rules = GAMES[game]
    for position in walk(Deal.from_number(11, rules), 1, 60)[::12]:
        check(position, rules)


@pytest.mark.parametrize("name", ["freecell", "simple_simon", "klondike", "golf"])
def test_what_a_move_costs(name: str) -> None:
    """A run that moves at once is as many moves as its single cards take, turning over is none."""
    rules = GAMES[name]
    seen = set()
    for position in walk(Deal.from_number(7, rules), 4, 80):
        for option in options_of(position, rules):
            seen.add(option.cost)
            assert (option.cost == 0) == (option.move.destination == STOCK)
            if option.cost <= 1:
                assert option.after == position.apply(option.move)
            else:
                assert option.cost >= option.move.count
    assert (max(seen) > 1) == (name == "freecell")
    assert (0 in seen) == (name == "klondike")


@pytest.mark.parametrize("game", few_fast(PLAYED, 6))
def test_drawn_positions_hold_every_card(game: str) -> None:
    for position in walk(Deal.from_number(5, GAMES[game]), 2, 40)[::8]:
        value = drawn(position)
        cards = [card for column in value["columns"] for card in column]
        cards += [card for card in value["freecells"] if card]
        for kind in ("pile", "stock", "waste", "reserve"):
            cards += value.get(kind) or []
        assert len(cards) == len(set(cards)) == 52 - sum(position.foundations)


@pytest.mark.parametrize("game", ["penguin", "opus", "canfield"])
def test_the_base_of_a_game_is_drawn(game: str) -> None:
    """Foundations that go round from a base hold no cards below it."""
    value = drawn(Deal.from_number(3, GAMES[game]).position)
    assert (value["base"], value["lowest"]) == (13, 1)
    assert "base" not in drawn(Deal.from_number(3).position)


@pytest.mark.parametrize("number", range(len(ALL_RULES)))
def test_rules_come_back(number: int) -> None:
    rules = ALL_RULES[number]
    assert rules_of(rules_name(rules)) == rules


def test_deals_come_back() -> None:
    for rules in (GAMES["freecell"], rules_for("klondike"), rules_for("freecell", 2)):
        deal = Deal.from_number(9, rules)
        assert deal_of(deal_name(deal)) == deal
        board = Deal(deal.position, rules)
        assert deal_of(deal_name(board)) == board


@pytest.mark.parametrize(
    "given",
    [
        *(None, {}, {"number": "3"}, {"number": True}, {"number": 0}, {"number": 10**30}),
        *({"game": "nothing", "number": 3}, {"game": 3, "number": 3}, {"board": "KH"}),
        *({"game": {"name": "x"}, "number": 3}, {"game": "/etc/passwd", "number": 3}),
        {"board": format_board(Deal.from_number(3).position).replace("KC", "QC")},
    ],
)
def test_what_is_no_deal(given: object) -> None:
    with pytest.raises((UsageError, InputError)):
        deal_of(given)


def test_illegal_moves_are_named() -> None:
    with pytest.raises(InputError, match="illegal move 2"):
        PositionCache().positions(Deal.from_number(3), "AaAB")
    table, deal = PositionCache(), Deal.from_number(3)
    assert table.positions(deal, "Aa") == table.positions(deal, "Aa")
    with pytest.raises(IllegalMoveError):
        play(deal.position, read_line("AB")[0], deal.rules)
