"""Searches as a Python program begins them."""

from __future__ import annotations

import pytest

from dbmsolver import Deal, UsageError, prove, prove_many, rules_for
from dbmsolver.errors import WrongTypeError
from dbmsolver.game.titles import title


def test_many_deals_have_no_store() -> None:
    with pytest.raises(UsageError, match="many deals have no common store, expected none"):
        prove_many([1, 2], store="kept")
    with pytest.raises(WrongTypeError, match="deals is"):
        prove_many(Deal.from_number(1))  # type: ignore[arg-type]


@pytest.mark.parametrize("game", ["freecell", "klondike", "pyramid"])
def test_no_states_at_all_are_a_limit(game: str) -> None:
    result = prove(Deal.from_number(9, rules_for(game)), max_states=0, threads=1)
    assert str(result) == f"{title(result.deal)}: undecided (max-states)"
