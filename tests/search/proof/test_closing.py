"""The kernels that close signatures: what they cannot make sense of is told, and never counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dbmsolver.errors import InternalError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels import exhaust
from dbmsolver.kernels.record_groups import RecordSpace
from dbmsolver.kits.cards.groups import PositionSpace
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.search.proof.closing import Kernels, count_flips

FREECELL = Deal.from_number(11982)
KLONDIKE = Deal.from_number(12, GAMES["klondike_by_threes"])


def test_what_is_closed_as_records_are() -> None:
    codecs = [StateCodec(FREECELL, "wkr"), RecordKeys(FREECELL, "wkr"), ClassKeys(KLONDIKE, "wkr")]
    kinds = [type(Kernels(codec, 1).space) for codec in codecs]
    assert kinds == [PositionSpace, RecordSpace, RecordSpace]


def test_a_piece_tells_of_forced_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fourth number of a kernel is for itself."""
    monkeypatch.setattr(exhaust, "close_piece", lambda *args: (1, 2, 3, 4, 5))
    nothing: Any = None
    kernels = Kernels(StateCodec(FREECELL, "wkr"), 1)
    assert kernels.close_piece(nothing, 0, 8, (0, 0, 0), (1, 1)) == (1, 2, 3, 5)


@pytest.mark.parametrize("words", [1, 3])
def test_no_states_have_no_flips(words: int) -> None:
    nothing = np.empty(0, np.uint64), np.empty(0, np.uint8)
    ones, flips = count_flips(RecordKeys(FREECELL, "wkr"), 0, *nothing, words)
    assert (ones.tolist(), flips.tolist()) == ([0] * 64, [0] * 64)


def test_records_that_cannot_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel says by a negative number that it is at a loss; nothing it says then is used."""
    kernels = Kernels(RecordKeys(FREECELL, "wkr"), 1)
    monkeypatch.setattr(exhaust, "exhaust_batch", lambda *args: -1)
    monkeypatch.setattr(exhaust, "close_piece", lambda *args: (-1, 2, 3, 0, 0))
    nothing: Any = None
    groups: Any = ()
    with pytest.raises(InternalError, match="a record cannot be"):
        kernels.close_batch(nothing, nothing, groups, 0, 1, 1)
    with pytest.raises(InternalError, match="a record cannot be"):
        kernels.close_piece(nothing, 0, 8, (0, 0, 0), (1, 1))
