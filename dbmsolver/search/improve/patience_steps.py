"""The steps of a solution that dives or a beam have found in Klondike or a relative."""

from __future__ import annotations

from collections.abc import Iterable

from dbmsolver.errors import InternalError
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.turning import with_turns
from dbmsolver.search.trace import Step


def steps_of_plays(keys: PatienceKeys, plays: Iterable[tuple[int, int]]) -> list[Step]:
    """Return the steps of a solution, with the turns of the stock.

    ``plays`` are the key of the state after each play, and its parent-move code. InternalError if
    they cannot be played.
    """
    moved = ((keys.card_of(code), keys.place(key, code)) for key, code in plays)
    steps = with_turns(keys.deal, moved)
    if steps is None:
        raise InternalError("a solution that was found cannot be played")
    return steps
