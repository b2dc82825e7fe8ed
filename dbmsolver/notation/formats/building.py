"""Steps put together one by one, each played on the slow model as it is read."""

from __future__ import annotations

from dataclasses import replace

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.automoves import Automove
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Move, Place
from dbmsolver.notation.formats.source import MAX_MOVES, InvalidError
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Origin, Step, moving_card, play

OWN_FOUNDATION = Place("foundation", -1)
"""The foundation of the card that moves, whichever it is."""


class Builder:
    """A solution as far as it is read."""

    def __init__(self, deal: Deal, where: str, surplus: bool = False) -> None:
        self.leaves_surplus = surplus
        """True if moves after the win are left out, False if they are illegal."""
        self.surplus = 0
        self.deal = deal
        self.where = where
        self.position = deal.position
        self.steps: list[Step] = []

    def add(self, step: Step) -> None:
        """Play one more step.

        Raises IllegalStepError if the position does not allow it.
        """
        if self.leaves_surplus and self.steps and self.won():
            self.surplus += 1
            return
        self.steps.append(step)
        if len(self.steps) > MAX_MOVES:
            index = len(self.steps) - 1
            raise InvalidError(f"more than {MAX_MOVES} moves", self.solution().place(index))
        try:
            card = moving_card(self.position, step)
            if step.destination == OWN_FOUNDATION:
                self.steps[-1] = step = replace(step, destination=Place("foundation", card & 3))
            self.position = play(self.position, step, self.deal.rules)
        except IllegalMoveError as error:
            index = len(self.steps) - 1
            raise self.solution().illegal(index, error, self.position) from None
        self.steps[-1] = replace(step, card=card)

    def won(self) -> bool:
        """Return True if all cards are home."""
        return self.position.pile is None and self.position.is_goal()

    def add_automoves(self, moves: list[Move], policy: Automove) -> None:
        """Play the moves that a game plays by itself."""
        for move in moves:
            self.add(Step.of(move, policy))

    def tell_origin(self, source: Place, origin: Origin) -> None:
        """Attach the words that repeat an automove to it: the last from there without any."""
        for index in range(len(self.steps) - 1, -1, -1):
            step = self.steps[index]
            if step.automove != "none" and step.source == source and step.origin is None:
                self.steps[index] = replace(step, origin=origin)
                return

    def comment(self, comment: Comment) -> None:
        """Attach a comment to the last move of the player."""
        for index in range(len(self.steps) - 1, -1, -1):
            step = self.steps[index]
            if step.automove == "none":
                said = step.comment
                if said is not None:
                    comment = replace(said, text=f"{said.text} {comment.text}")
                self.steps[index] = replace(step, comment=comment)
                return

    def solution(self, tag: str = "", remarks: tuple[str, ...] = ()) -> Solution:
        """Return the solution so far."""
        return Solution(
            self.deal.rules,
            self.deal.position,
            tuple(self.steps),
            self.position,
            self.deal.number,
            tag,
            remarks,
            where=self.where,
            notes=self.notes(),
        )

    def notes(self) -> tuple[str, ...]:
        """Return lines of text that say which moves were left out."""
        if not self.surplus:
            return ()
        moves = "1 move" if self.surplus == 1 else f"{self.surplus} moves"
        return (f"{self.where}: {moves} after the win left out as surplus",)
