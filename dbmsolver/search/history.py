"""The history of a store: the states closed by each moment, in a list that stays short.

Every commit adds a point. When there are too many, the one goes that is missed least: the one whose
neighbours are closest to each other in time. So the points that stay lie about evenly in time,
however long a search takes, and which of them stay depends on the points alone.
"""

from __future__ import annotations

from typing import NamedTuple

from dbmsolver.storage.fields import MOST_MOMENTS


class Moment(NamedTuple):
    """A commit: the states closed by then, and the layer and stratum of the search.

    `layer` and `stratum` are those of the states closed last; 0 where a search has none, and
    before its first states.
    """

    milliseconds: int
    """Time of all runs on the store together."""
    layer: int
    stratum: int
    states: int
    forced: int


def extended(history: list[Moment], moment: Moment, most: int = MOST_MOMENTS) -> list[Moment]:
    """Return the history with one more moment, thinned to `most` of them (at least 3).

    A commit that closed nothing has the layer and the stratum of the one before. One at the same
    time as the one before replaces it. Times never go back: an earlier one counts as the last.
    """
    longer = list(history)
    if longer:
        last = longer[-1]
        if moment.milliseconds <= last.milliseconds:
            moment = moment._replace(milliseconds=last.milliseconds)
            longer.pop()
        if (moment.states, moment.forced) == (last.states, last.forced):
            moment = moment._replace(layer=last.layer, stratum=last.stratum)
    longer.append(moment)
    while len(longer) > most:
        del longer[_least_missed(longer)]
    return longer


def _least_missed(history: list[Moment]) -> int:
    """Return the index of the moment whose neighbours are closest in time.

    It is never that of the first or the last moment.
    """
    return min(
        range(1, len(history) - 1),
        key=lambda at: history[at + 1].milliseconds - history[at - 1].milliseconds,
    )
