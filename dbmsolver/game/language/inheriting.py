"""A game that extends another: what its text leaves out is as in the other one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, replace
from typing import Protocol, TypeVar

from dbmsolver.errors import InputError, quoted
from dbmsolver.game.language.description import Description, Header, place_of


class _OfElement(Protocol):
    @property
    def element(self) -> str:
        """The element that a line is about."""


Line = TypeVar("Line", bound=_OfElement)

MOST = 20
"""More games than can be thought to extend each other in a row."""

Loaded = tuple[Description, Hashable]
"""A game, and what tells its file from others."""


def resolved(
    game: Description, file: Hashable, load: Callable[[Description], Loaded]
) -> Description:
    """Return the game in a file with all that it inherits; `load` gives the game it extends.

    Of the Header, each line is inherited by itself. Of Setup and Move, all lines of an element are
    inherited that the game has no line for. Of the other blocks, a whole block.
    """
    chain = [game]
    files = {file}
    while (name := chain[-1].extends) is not None:
        at = place_of(name)
        where = str(at) if at else None
        if len(chain) > MOST:
            text = f"more than {MOST} games extend each other in a row"
            raise InputError(f"{text}, expected {MOST} at most", where)
        found, file = load(chain[-1])
        if file in files:
            text = f"Extends {quoted(name)} leads back to itself, expected an end"
            raise InputError(text, where)
        files.add(file)
        chain.append(found)
    result = chain.pop()
    while chain:
        result = _joined(chain.pop(), result)
    return result


def _joined(game: Description, base: Description) -> Description:
    found = replace(base, extends=None)
    for block in fields(Description):
        own = getattr(game, block.name)
        theirs = getattr(base, block.name)
        if own is None or block.name == "extends":
            continue
        if isinstance(own, Header) and theirs is not None:
            said = {
                one.name: getattr(own, one.name)
                for one in fields(Header)
                if getattr(own, one.name) is not None
            }
            own = replace(theirs, **said)
        elif block.name in ("setup", "moves") and theirs is not None:
            own = _lines(own, theirs)
        found = replace(found, **{block.name: own})
    return found


def _lines(own: Sequence[Line], theirs: Sequence[Line]) -> tuple[Line, ...]:
    """Return the lines of a game that extends another.

    Of ``theirs``, lines are left out whose element has a line in ``own``. All of ``own`` follow.
    """
    mine = {line.element for line in own}
    kept = [line for line in theirs if line.element not in mine]
    return (*kept, *own)
