"""The record that covers a position: it is asked for in order, each once, and it does cover it."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import covers, normalise, plain_record
from dbmsolver.game.position import Position
from dbmsolver.kits.states import State
from dbmsolver.results import Method
from dbmsolver.search.covering import stored_cover
from dbmsolver.search.proof.orders import Proof

DEAL = Deal.from_number(3)
KEYS: Any = Proof(DEAL, "wkr", Method.DOMINATING).keys()


def positions(count: int) -> list[Position]:
    """Return positions of a game in which safe cards may be left where they are."""
    random, at, found = Random(3), DEAL.position, []
    while len(found) < count:
        moves = at.moves(DEAL.rules)
        at = at.apply(random.choice(moves)) if moves else DEAL.position
        found.append(at)
    return found


def test_records_are_asked_for_until_one_is_closed() -> None:
    """The first is the normal form, unless cards are home there that are not in the position."""
    left = 0
    for position in positions(60):
        own = normalise(plain_record(position, DEAL.rules), DEAL.rules, "wkr")
        asked: list[State] = []
        none: Any = SimpleNamespace(code=asked.append)
        assert stored_cover(none, KEYS, position) is None
        assert len(asked) == len(set(asked))
        records = [KEYS.record(state) for state in asked]
        assert all(covers(record, position, DEAL.rules) for record in records)
        if covers(own, position, DEAL.rules):
            assert records[0] == own
        else:
            left += 1
        for closed in asked[:3]:
            one: Any = SimpleNamespace(code={closed: 7}.get)
            assert stored_cover(one, KEYS, position) == (closed, 7)
    assert left
