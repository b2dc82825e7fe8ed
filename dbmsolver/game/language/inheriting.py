"""A game that extends another: what its text leaves out is as in the other one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def resolved(game: Description, load: Callable[[str], Description]) -> Description:
    """The game with all that it inherits; `load` gives the game of a name.

    Of the Header, each line is inherited by itself. Of Setup and Move, all lines of an element are
    inherited that the game has no line for. Of the other blocks, a whole block.
    """
    chain = [game]
    names: list[str] = []
    while (name := chain[-1].extends) is not None:
        if name in names or len(names) == MOST:
            at = place_of(game.extends)
            text = f"Extends {quoted(name)} leads back to itself, expected an end"
            raise InputError(text, str(at) if at else None)
        names.append(name)
        chain.append(load(name))
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
    """Their lines, with all lines of an element replaced if there are own ones; then the rest."""
    mine = {line.element for line in own}
    kept = [line for line in theirs if line.element not in mine]
    return (*kept, *own)
