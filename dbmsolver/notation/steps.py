"""One step of a solution: a card or a run of cards that moves; and what playing it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.automoves import Automove, moves_home
from dbmsolver.game.cards import card_name, suit
from dbmsolver.game.moves import REMOVED, Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.room import capacity
from dbmsolver.game.rules import Rules
from dbmsolver.notation.supermoves import move_run


class Origin(NamedTuple):
    """The place that a step was read from: its text, and line and column counted from 1."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on a move."""

    text: str
    xhtml: bool = False
    """True if the text is of the XHTML subset; plain text if not."""
    originator: str = ""
    identifier: str = ""


NO_CARD = -1
"""The card that a step puts its card on, where it says that there is none."""


@dataclass(frozen=True, slots=True)
class Step:
    """One move of a solution: a card, or `count` cards from column to column.

    Where only whole suits go home, the cards of a suit from a column to their foundation.
    """

    source: Place
    destination: Place
    count: int = 1
    automove: Automove = "none"
    """The policy that makes this move by itself; `none` if the player makes it."""
    card: int | None = None
    """The card that moves, of a run the deepest one: optional, and checked."""
    onto: int | None = None
    """The card it is put on, or NO_CARD: optional, checked. Of a pair the other card, needed."""
    comment: Comment | None = None
    before: Position | None = None
    """The position before the step: optional, and checked."""
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        what = "a card" if self.card is None else card_name(self.card)
        if self.destination == REMOVED and self.onto is not None:
            what += f" with {card_name(self.onto)}"
        if self.count != 1:
            what = f"{self.count} cards"
        return f"{what} from {self.source} to {self.destination}"

    @property
    def is_left_out(self) -> bool:
        """True if the step is an automove that no text has; its reader has added it."""
        return self.automove != "none" and self.origin is None

    @classmethod
    def of(cls, move: Move, automove: Automove = "none") -> Step:
        """Return the step that makes one move."""
        return cls(
            move.source, move.destination, move.count, automove, card=move.card, onto=move.other
        )


def moving_card(position: Position, step: Step) -> int:
    """Return the card that the step moves, of a run the deepest one."""
    return position.card_moved(step.source, step.destination, step.count, step.card)


def move_of(position: Position, step: Step, card: int, rules: Rules) -> Move:
    """Return the move of a step that moves this card; of a pair, the lower number first."""
    other = step.onto if rules.has_pairs else None
    move = Move(card, step.source, step.destination, count=step.count, other=other)
    return position.with_lower_first(move)


def card_under(position: Position, step: Step, card: int, rules: Rules) -> int | None:
    """Return the card that a step puts its card on; of a pair, the other card."""
    if rules.has_pairs:
        return step.onto
    return position.card_under(card, step.destination, step.count)


def rest_of_suit(position: Position, column: int) -> int:
    """Return the number of cards of a column's suit that are not home, at least 1.

    The suit is that of the last card of the column.
    """
    cards = position.columns[column] if 0 <= column < len(position.columns) else ()
    return max(1, 13 - position.foundations[suit(cards[-1])]) if cards else 1


def play(position: Position, step: Step, rules: Rules) -> Position:
    """Return the position after the step, which must be legal, and true in all that it says.

    Raises IllegalMoveError, which says why, if the step is not legal.
    """
    source, destination, count = step.source, step.destination, step.count
    if step.before is not None and step.before != position:
        raise IllegalMoveError(f"the position before the move is given as {step.before}")
    if count < 1:
        raise IllegalMoveError(f"{count} cards, expected at least 1")
    card = moving_card(position, step)
    _check_card("moves", step.card, card)
    if step.automove != "none" and not (
        count == 1
        and destination.kind == "foundation"
        and source.kind not in ("waste", "reserve")
        and moves_home(position, card, rules, step.automove)
    ):
        raise IllegalMoveError(f"no automove of the policy {step.automove}")
    move = move_of(position, step, card, rules)
    if count > 1 and destination.kind == "column" and rules.has_supermoves:
        after = _play_supermove(position, move, rules)
    else:
        after = position.play(move, rules)
    _check_card("is the card under it", step.onto, card_under(position, step, card, rules))
    return after


def _play_supermove(position: Position, move: Move, rules: Rules) -> Position:
    """Return the position after a run was moved, for which there must be room."""
    position.check_column(move.card, move.destination, rules)
    position.check_run(move, rules)
    source, destination, count = move.source.index, move.destination.index, move.count
    most = capacity(position, rules, destination)
    if count > most:
        raise IllegalMoveError(f"{count} cards, there is room for {most} at once")
    return move_run(position, source, destination, count)


def _check_card(what: str, given: int | None, found: int | None) -> None:
    if given is None or given == (NO_CARD if found is None else found):
        return
    said = "no card" if given == NO_CARD else card_name(given)
    name = "none" if found is None else card_name(found)
    raise IllegalMoveError(f"{said} {what} by what it says, {name} by the position")
