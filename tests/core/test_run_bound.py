"""What the bound of runs has to be on boards that tell its parts apart."""

import numpy as np
import pytest
from helpers import naive_bound
from helpers.naive_search import breadth_first

from dbmsolver.core import families
from dbmsolver.core.bound import make_scratch
from dbmsolver.game.cards import parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.keys.states import StateCodec

WHOLE = Rules("whole suits", 4, 0, "any", "any", moves="suit-runs", whole_suits=True)
BY_SUIT = Rules("by suit", 4, 0, "suit", "any", moves="runs")
BOTH = Rules("both colours", 4, 0, "alternate", "any", moves="runs")

BOARDS = [
    # A suit that lies whole goes home by one move.
    (WHOLE, ["KH QH JH", "KS QS JS", "KD QD JD", "KC QC JC"], 4, 4),
    # Each card that is not on the next one of its suit heads a move.
    (WHOLE, ["KH", "QH", "KS QS JS JH", "KD QD JD KC QC JC"], 6, 6),
    # The queen lies above its king and goes twice; the king above its jack goes once.
    (WHOLE, ["KH JH QH KS QS JS", "KD QD JD", "KC QC JC", ""], 7, None),
    (WHOLE, ["JH KH QH", "KS QS JS", "KD QD JD", "KC QC JC"], None, None),
    # Two blockers in one run count once, in two runs twice.
    (BY_SUIT, ["JH KH QH", "KS QS JS", "KD QD JD", "KC QC JC"], 13, None),
    (BY_SUIT, ["JH QH JS KH", "KS QS", "KD QD JD", "KC QC JC"], 14, None),
    (BOTH, ["JH KH QS QH", "KS JS", "KD QD JD", "KC QC JC"], 14, None),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "columns", "bound", "shortest"), BOARDS)
def test_parts(rules: Rules, columns: list[str], bound: int | None, shortest: int | None) -> None:
    cards = [tuple(map(parse_card, column.split())) for column in columns]
    start = Position(tuple(cards), (), (10, 10, 10, 10))
    start.validate(rules)
    codec = StateCodec(Deal(start, rules), "none")
    tables = families.make_bound_tables(codec.tables, start.columns)
    over, work = make_scratch()
    words = (np.uint64(word) for word in codec.state(start))
    found = int(families.bound_of_state(tables, codec.tables, *words, over[0], work, 255))
    assert found == naive_bound.bound_of(start, rules)
    if bound is not None:
        assert found == bound
    least = breadth_first(start, rules, "none", 20_000)
    assert least is not None
    length, _ = least
    assert length is None or found <= length
    if shortest is not None:
        assert length == shortest
