"""Moves of several runs: how many cards there can be, and how long they are looked for."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from dbmsolver.game.cards import parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Place
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.formats import between
from dbmsolver.notation.formats.between import composite, steps_between
from dbmsolver.notation.steps import Step
from dbmsolver.notation.supermoves import move_run

SIMON = GAMES["simple_simon"]


def simon(*columns: str) -> Position:
    """Return a position of Simple Simon with these columns, and nothing in the others."""
    cards = [tuple(map(parse_card, column.split())) for column in columns]
    cards += [()] * (SIMON.columns - len(cards))
    return replace(Deal.from_number(1, SIMON).position, columns=tuple(cards))


def test_one_card_is_no_composite() -> None:
    position = simon("KS 7S", "8C")
    assert composite(position, SIMON, 0, 1, 1) is None
    assert composite(position, SIMON, 0, 1, 0) is None


def test_runs_of_a_game_whose_deal_says_the_base() -> None:
    """Each run that may move as one is such a move to an empty column, whatever the base is."""
    penguin, found = GAMES["penguin"], 0
    for number in range(40):
        position, random = Deal.from_number(number + 1, penguin).position, Random(number)
        for _ in range(60):
            for source, column in enumerate(position.columns):
                count = max(
                    n for n in range(len(column) + 1) if position.is_run(column[-n:], penguin)
                )
                empty = [n for n, other in enumerate(position.columns) if not other]
                if count < 2 or not empty or not position.can_fill(column[-count], penguin):
                    continue
                steps = composite(position, penguin, source, empty[0], count)
                assert steps is not None and [step.count for step in steps] == [count]
                found += 1
            moves = position.moves(penguin)
            if not moves:
                break
            position = position.apply(random.choice(moves))
    assert found > 20


def test_all_cards_of_a_column() -> None:
    position = simon("7S 6H", "8C")
    steps = composite(position, SIMON, 0, 1, 2)
    assert steps is not None and [step.count for step in steps] == [1, 1, 1]
    assert composite(position, SIMON, 0, 1, 3) is None
    assert composite(position, SIMON, 0, SIMON.columns, 2) is None
    assert composite(position, SIMON, -1, 1, 2) is None


@pytest.mark.parametrize(
    ("columns", "source", "destination"),
    [(("7S 6H", "8C", ""), 0, 1), (("8C", "7S 6H", ""), 1, 0)],
)
def test_tries_are_counted(
    monkeypatch: pytest.MonkeyPatch, columns: tuple[str, ...], source: int, destination: int
) -> None:
    """Two runs take four tries: the move as a whole, and three moves by way of the first column."""
    position = simon(*columns)
    monkeypatch.setattr(between, "MOST_TRIES", 4)
    steps = composite(position, SIMON, source, destination, 2)
    assert steps is not None
    assert [step.destination.index for step in steps] == [2, destination, destination]
    monkeypatch.setattr(between, "MOST_TRIES", 3)
    assert composite(position, SIMON, source, destination, 2) is None


def test_runs_wait_only_where_they_may_lie() -> None:
    position = simon("7S 6H", "8C")
    assert composite(position, SIMON, 0, 1, 2) is not None
    for fill in ("none", "kings"):
        rules = replace(SIMON, fill=fill)  # type: ignore[arg-type]
        assert composite(position, rules, 0, 1, 2) is None
        beside = simon("7S 6H", "8C", "7D")
        steps = composite(beside, rules, 0, 1, 2)
        assert steps is not None and [step.destination.index for step in steps] == [2, 1, 1]


def test_a_part_of_a_run_is_found_between_boards() -> None:
    """Two of three cards go to an empty column: as many as possible would be three."""
    deal = Deal.from_text("Foundations: H-J C-T D-K S-J\nKS QH JC\nKC QS\nKH QC\n")
    after = move_run(deal.position, 0, 3, 2)
    steps = steps_between(deal.position, after, deal.rules)
    assert steps == [Step(Place("column", 0), Place("column", 3), 2, card=parse_card("QH"))]
    assert steps_between(deal.position, move_run(after, 1, 4, 1), deal.rules) is None
