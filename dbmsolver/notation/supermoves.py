"""What players and notations count as one move: runs of cards moved together, and automoves.

A run is the end of a column in which each card lies on its legal parent. A supermove moves a run,
or the end of it, as far as single-card moves through free cells and empty columns could.

Automoves are the moves to foundations that a game makes by itself after a move of the player.
Two policies have names in the field, and their rules for a card of rank r are

`horne`  both foundations of the other colour are >= r-1, or r <= 2. The rule of the first FreeCell
         for Windows, and the same as the search's.
`wkr`    `horne`, or both foundations of the other colour are >= r-2 and the other one of the
         card's own colour is >= r-3. The search's rule of that name is the second half alone: it
         keeps back a card such as the 5H, clubs and spades at 4, diamonds at 0. Nothing is lost
         by that in a search, but a game that is played with these automoves would move the card.

Both are safe: see `Rules.safe_home`. Games built by suit or by any suit have no such tradition;
for them both halves come from the rules of the search.

A third one is met in collections of solutions: `max` makes every move home that is possible, safe
or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules

Automove = Literal["none", "horne", "wkr", "max"]
AUTOMOVES: tuple[Automove, ...] = get_args(Automove)


def run_length(column: Sequence[int], rules: Rules) -> int:
    """How many cards at the end of the column form a run."""
    length = min(1, len(column))
    while length < len(column) and rules.can_stack(column[-length], column[-length - 1]):
        length += 1
    return length


def capacity(position: Position, rules: Rules, destination: int) -> int:
    """How many cards can be moved to a column at once: (freecells + 1) * 2 ** empty columns.

    The destination is no empty column in this sense, and empty columns that do not take every
    card are none either.
    """
    cells = 0 if rules.reserve else sum(card is None for card in position.freecells)
    empty = _empty_columns(position, destination) if rules.fill == "any" else []
    return (cells + 1) << len(empty)


def largest(position: Position, rules: Rules, source: int, destination: int) -> int:
    """How many cards "as many as possible" are: 0 if there is no such move.

    On a card, only one number of cards fits. Into an empty column it is the longest end of the
    run that can be moved at once and may lie there.
    """
    column, target = position.columns[source], position.columns[destination]
    if source == destination:
        return 0
    lengths = range(min(run_length(column, rules), capacity(position, rules, destination)), 0, -1)
    for length in lengths:
        card = column[-length]
        if rules.can_stack(card, target[-1]) if target else rules.can_fill(card):
            return length
    return 0


def move_run(position: Position, source: int, destination: int, count: int) -> Position:
    """The position after moving `count` cards from column to column, whatever the rules."""
    columns = list(position.columns)
    columns[destination] += columns[source][-count:]
    columns[source] = columns[source][:-count]
    return Position(tuple(columns), position.freecells, position.foundations)


def split(
    position: Position, rules: Rules, source: int, destination: int, count: int
) -> list[Move]:
    """The single-card moves that a supermove stands for."""
    if count > capacity(position, rules, destination):
        raise IllegalMoveError(f"{count} cards are too many to be moved at once")
    cells = [index for index, card in enumerate(position.freecells) if card is None]
    cells = [] if rules.reserve else cells
    empty = _empty_columns(position, destination) if rules.fill == "any" else []
    cards = list(position.columns[source][-count:])
    moves: list[Move] = []

    def shift(start: int, here: int, there: int, through: Sequence[int]) -> None:
        """Move cards[start:], the end of column `here`, to column `there`."""
        size, level = len(moving) - start, 0
        while size > (len(cells) + 1) << level:
            level += 1
        if level:
            # The upper part waits in an empty column while the lower part takes the way that is
            # left; then it follows.
            middle = len(moving) - (size - ((len(cells) + 1) << (level - 1)))
            aside, rest = through[0], through[1:]
            shift(middle, here, aside, rest)
            upper = moving[middle:]
            del moving[middle:]
            shift(start, here, there, rest)
            moving.extend(upper)
            shift(middle, aside, there, rest)
            return
        parked = list(zip(reversed(moving[start + 1 :]), cells, strict=False))
        for card, cell in parked:
            moves.append(Move(card, Place("column", here), Place("freecell", cell)))
        moves.append(Move(moving[start], Place("column", here), Place("column", there)))
        for card, cell in reversed(parked):
            moves.append(Move(card, Place("freecell", cell), Place("column", there)))

    moving = cards
    shift(0, source, destination, empty)
    return moves


def goes_home(card: int, foundations: Sequence[int], rules: Rules, policy: Automove) -> bool:
    """Whether a game with these automoves moves the free card to its foundation."""
    if rules.whole_suits or rules.has_pile or rules.takes_back:
        return False
    if policy == "max":
        return foundations[card & 3] == card >> 2
    if policy == "wkr" and rules.safe_home(card, foundations, "horne"):
        return True
    return rules.safe_home(card, foundations, policy)


def automoves(position: Position, rules: Rules, policy: Automove) -> tuple[list[Move], Position]:
    """The automoves of a position and where they end. Their order makes no difference there."""
    moves: list[Move] = []
    while policy != "none":
        for card, source in position.available():
            if goes_home(card, position.foundations, rules, policy):
                move = Move(card, source, Place("foundation", card & 3))
                break
        else:
            break
        moves.append(move)
        position = position.apply(move)
    return moves, position


def _empty_columns(position: Position, destination: int) -> list[int]:
    columns = enumerate(position.columns)
    return [index for index, column in columns if not column and index != destination]
