"""A solution as people exchange it: where it starts, its moves, where it ends, and comments.

The model of the universal solitaire solutions format, version 0.1, with what its discussion added:
the position before a move is optional, and checked where it is given; whether a move is an
automove says which policy makes it. One step moves a card or a run of cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dbmsolver.errors import IllegalMoveError, InputError, quoted
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.titles import title
from dbmsolver.notation.pictures.board import draw_board
from dbmsolver.notation.steps import Step, move_of, moving_card, play
from dbmsolver.notation.supermoves import split

Path = tuple[str | int, ...]


class IllegalStepError(IllegalMoveError):
    """A step that the position before it does not allow."""

    def __init__(
        self,
        message: str,
        where: str | None,
        position: Position,
        index: int,
        rules: Rules | None = None,
    ) -> None:
        super().__init__(message, where)
        self.position = position
        self.rules = rules
        self.index = index


class NotSolvedError(InputError):
    """A solution whose moves are legal, but do not end where they should."""

    def __init__(self, message: str, where: str | None, position: Position, rules: Rules) -> None:
        super().__init__(message, where)
        self.position = position
        self.rules = rules


def what_is_left(position: Position) -> str:
    """Return how many cards a game still has to bring where they belong, in words."""
    cards = "1 card is" if position.left == 1 else f"{position.left} cards are"
    return f"{cards} {position.left_where}"


@dataclass(frozen=True, slots=True)
class Solution:
    """Rules, the initial position, the steps, and the final position."""

    rules: Rules
    initial: Position
    steps: tuple[Step, ...]
    final: Position
    number: int | None = None
    """The number of the deal, if the initial position is a numbered deal."""
    tag: str = ""
    """Another name of the deal: a tag or the name of a file."""
    remarks: tuple[str, ...] = ()
    extra: Mapping[Path, Mapping[str, Any]] = field(default_factory=dict)
    """Unknown fields of the universal format, by the path of the object that had them."""
    where: str = field(default="<solution>", compare=False)
    """The file or text that it was read from, for messages."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """The choices of its reader where the text could mean several things, a sentence each."""

    @classmethod
    def from_moves(cls, deal: Deal, moves: Iterable[Move], policy: Policy = "none") -> Solution:
        """Return the solution that makes these moves; forced ones are the policy's automoves.

        Raises IllegalStepError for an illegal move. That it solves the deal is for `check`.
        """
        steps = tuple(Step.of(move, policy if move.forced else "none") for move in moves)
        # Forced moves follow the rule of the search, which any automove policy of its name
        # includes: a flag that fails the check of `replay` is an error here, too.
        start = cls(deal.rules, deal.position, steps, deal.position, deal.number)
        return start.ended()

    def __str__(self) -> str:
        """Return the title of the deal that it solves and the number of moves, for people."""
        moves = "1 move" if len(self.steps) == 1 else f"{len(self.steps)} moves"
        left = "" if self.final.is_goal() else ", not to the end"
        return f"{title(self.deal)}: {moves}{left}"

    def _repr_svg_(self) -> str:
        """Return a picture of the board that the solution begins with, which notebooks show."""
        return draw_board(self.initial, str(self), self.rules)

    @property
    def deal(self) -> Deal:
        """The deal that the solution begins with."""
        return Deal(self.initial, self.rules, self.number)

    def ended(self) -> Solution:
        """Return the same, its final position being where the steps lead."""
        return replace(self, final=self.reached())

    def reached(self) -> Position:
        """Return the position that the steps lead to."""
        position = self.initial
        for _, _, following in self.replay():
            position = following
        return position

    def replay(self) -> Iterator[tuple[Step, Position, Position]]:
        """Yield each step with the positions before and after it, everything about it checked.

        Raises IllegalStepError for the first step that is not legal.
        """
        position = self.initial
        for index, step in enumerate(self.steps):
            try:
                following = play(position, step, self.rules)
            except IllegalMoveError as error:
                raise self.illegal(index, error, position) from None
            yield step, position, following
            position = following

    def illegal(self, index: int, error: IllegalMoveError, position: Position) -> IllegalStepError:
        """Return the error of one step, told with its number, its text and the position."""
        step = self.steps[index]
        reason = f"{error.message} ({error.where})" if error.where else error.message
        number = index + 1
        if step.origin is not None:  # counted as in the text, which may leave automoves out
            number -= sum(before.is_left_out for before in self.steps[:index])
        text = f"illegal move {number} {quoted(step.origin.text if step.origin else str(step))}"
        message = f"{text}: {reason}; position: {position}"
        return IllegalStepError(message, self.place(index), position, index, self.rules)

    def place(self, index: int) -> str:
        """Return the place of a step in its text, for messages."""
        if 0 <= index < len(self.steps) and (origin := self.steps[index].origin):
            return f"{self.where}, line {origin.line}, column {origin.column}"
        return self.where

    def check(self, solved: bool = True) -> None:
        """Raise an error unless the steps are legal, end where it says, and solve the deal."""
        self.initial.validate(self.rules, self.where)
        position = self.reached()
        last = self.place(len(self.steps) - 1)
        if position != self.final:
            text = f"the final position is not where the moves end: {self.final}"
            raise NotSolvedError(f"{text}; position: {position}", last, position, self.rules)
        if solved and not position.is_goal():
            text = f"not solved after {len(self.steps)} moves: {what_is_left(position)}"
            raise NotSolvedError(f"{text}; position: {position}", last, position, self.rules)

    def moves(self) -> list[Move]:
        """Return the moves it stands for: of single cards, unless a run is a move of the game."""
        return [move for _, moves in self.moves_of_steps() for move in moves]

    def moves_of_steps(self) -> list[tuple[Step, list[Move]]]:
        """Return each step with the moves it stands for, as for `moves`."""
        found = []
        for index, (step, position, _) in enumerate(self.replay()):
            move = move_of(position, step, moving_card(position, step), self.rules)
            moves = [move._replace(forced=step.automove != "none")]
            if step.count > 1 and self.rules.has_supermoves and move.destination.kind == "column":
                source, destination = step.source.index, step.destination.index
                try:
                    moves = split(position, self.rules, source, destination, step.count)
                except IllegalMoveError as error:
                    raise self.illegal(index, error, position) from None
            found.append((step, moves))
        return found

    def course(self) -> tuple[tuple[int, str, int | None], ...]:
        """Return, for each single-card move, the card, its kind of place, and the card under it.

        It is the same for solutions that differ only in which empty column or freecell they use.
        """
        found = []
        for step, position, _ in self.single().replay():
            target = step.destination
            onto = None
            if target.kind == "column" and position.columns[target.index]:
                onto = position.columns[target.index][-1]
            found.append((moving_card(position, step), target.kind, onto))
        return tuple(found)

    def single(self) -> Solution:
        """Return the same solution in single-card moves."""
        steps: list[Step] = []
        for step, moves in self.moves_of_steps():
            if step.count == 1:
                steps.append(step)
                continue
            parts = [replace(Step.of(move), origin=step.origin) for move in moves]
            parts[0] = replace(parts[0], comment=step.comment, before=step.before)
            steps += parts
        # Where steps are split, the paths of unknown fields name other steps.
        extra = self.extra if len(steps) == len(self.steps) else {}
        return replace(self, steps=tuple(steps), extra=extra)
