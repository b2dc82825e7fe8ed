"""The search for a stored record of dominating positions that covers a position."""

from __future__ import annotations

from collections.abc import Iterator

from dbmsolver.errors import InputError
from dbmsolver.game.dominance.covering import covering_records
from dbmsolver.game.dominance.records import Record, covers, normalise, plain_record
from dbmsolver.game.position import Position
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import State
from dbmsolver.search.trace import Finder


def stored_cover(finder: Finder, keys: RecordKeys, position: Position) -> tuple[State, int] | None:
    """Return a closed record that covers a position, and its code; None if there is none.

    Not every position's own record is stored: the one that covers it may have parked cards back in
    columns.
    """
    seen: set[Record] = set()
    for record in _candidates(keys, position):
        if record in seen:
            continue
        seen.add(record)
        try:
            state = keys.state_of(record)
        except InputError:
            continue  # no game from the deal comes to it
        code = finder.code(state)
        if code is not None:
            return state, code
    return None


def _candidates(keys: RecordKeys, position: Position) -> Iterator[Record]:
    """Yield the records that cover the position.

    Its own normal form comes first: that is stored more often than others.
    """
    own = normalise(plain_record(position, keys.rules), keys.rules, keys.policy)
    if covers(own, position, keys.rules):
        yield own
    yield from covering_records(position, keys.deal.position, keys.rules)
