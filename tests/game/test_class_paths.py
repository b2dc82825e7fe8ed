"""Legal moves along paths of classes of small decks, and between positions of one class."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest
from helpers.small_klondikes import small_klondike, small_listed

from dbmsolver.game.class_paths import moves_along, shifts_to
from dbmsolver.game.classes import Class, Classes
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import Patience


def after_legal(start: Patience, moves: Iterable[Move], deal: Deal) -> Patience:
    """Return the position after moves, each of which has to be one of the readable model."""
    position = start
    for move in moves:
        after = position.apply(move)
        legal = {position.apply(one).canonical() for one in position.moves(deal.rules)}
        assert after.canonical() in legal, (str(position), move)
        position = after
    return position


def test_moves_along_random_paths() -> None:
    random, won, steps = Random("paths"), 0, 0
    for _ in range(150):
        deal = small_klondike(random, 16)
        classes = Classes(deal.position, deal.rules)
        found, path = classes.root, list[Class | None]([classes.root])
        while len(path) < 25 and not classes.is_won(found):
            following = classes.moves(found, frozenset())
            if not following:
                break
            found = random.choice(following)[1]
            path.append(found)
        if classes.is_won(found):
            path[-1] = None
            won += 1
        moves, end = moves_along(classes, path)
        assert after_legal(classes.deal, moves, deal) == end
        assert end.is_goal() if path[-1] is None else classes.class_of(end) == found
        steps += len(path)
        if len(path) > 2 and not classes.is_won(classes.root):
            for wrong in ([path[0], *path[2:], path[0]], [path[0], None]):
                reached = [one for _, one in classes.moves(classes.root, frozenset())]
                if wrong[1] in reached or any(map(classes.is_won, reached)):
                    continue
                with pytest.raises(ValueError, match="a class does not follow from the one before"):
                    moves_along(classes, wrong)
    assert won > 20 and steps > 600


def test_shifts_between_positions_of_one_class() -> None:
    """They are legal, change no class, and come to most of the positions that are meant."""
    arrived = missed = 0
    for deal, listed in small_listed(7, 40, 250):
        classes = Classes(deal.position, deal.rules)
        alike: dict[Class, list[Patience]] = {}
        for position in listed.positions:
            alike.setdefault(classes.class_of(position), []).append(position)
        for positions in alike.values():
            start = positions[0]
            for goal in positions[1:4]:
                end = after_legal(start, shifts_to(start, goal, deal.rules), deal)
                assert classes.class_of(end) == classes.class_of(start)
                if end.canonical() == goal.canonical():
                    arrived += 1
                else:
                    missed += 1
    assert (arrived, missed) == (580, 40)
