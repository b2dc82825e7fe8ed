"""The meaning of the moves of a text in Standard FreeCell Notation, found by playing them.

The notation leaves things unsaid that texts of other programs answer in different ways. Each answer
is a reading, and readings are tried in a fixed order until one solves the deal:

- the automove policy: the stated one first, then Horne, WKR, none, and every possible move home;
- whether automoves are made before the first move, too (the notation says nothing; games do not);
- whether moves home are written though automoves made them already;
- whether a named freecell is the one taken, or the leftmost empty one is, or whether cards in
  freecells close up after each move, so that a letter counts the cards that are there.

The length of a move to an empty column is what the notation says: one card after a period, or as
many as possible. If no reading solves the deal so, all lengths are tried. Where the style of a line
leaves them open, other lengths may solve it, too: `sfn_lengths` finds and tells them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from dbmsolver.errors import IllegalMoveError, InputError
from dbmsolver.game.automoves import Automove, automoves
from dbmsolver.game.cards import rank
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import Place
from dbmsolver.game.position import Position
from dbmsolver.notation.formats.building import OWN_FOUNDATION, Builder
from dbmsolver.notation.formats.sfn_text import CELLS, SfnText, Token
from dbmsolver.notation.formats.source import Source
from dbmsolver.notation.steps import Comment, Step
from dbmsolver.notation.supermoves import largest

Cells = Literal["named", "leftmost", "packed"]


class Reading(NamedTuple):
    """One way to answer what is left unsaid."""

    policy: Automove
    at_start: bool = False
    repeated: bool = False
    cells: Cells = "named"


class WrittenGame(NamedTuple):
    """The facts that all readings of a text have in common."""

    text: SfnText
    deal: Deal
    cells: dict[str, int]
    """The freecells that are not blocked, by their letters."""
    shown: Position | None
    """The position that the layout shows, if that is not where the moves begin."""
    source: Source
    later: Mapping[int, tuple[Position, int]]
    """Positions that are shown after some number of moves, with the number of the line."""


_CELLS: tuple[Cells, ...] = ("named", "leftmost", "packed")


def readings(game: WrittenGame, policy: Automove | None) -> Iterator[Reading]:
    """Yield the readings in the order in which they are tried."""
    order: list[Automove] = ["horne", "wkr", "none", "max"]
    if policy is not None:
        order = [policy]
    elif game.text.policy is not None:
        order.sort(key=lambda name: name != game.text.policy)
    for name in order:
        for cells in _CELLS:
            for at_start in (False, True):
                for repeated in (False, True):
                    if name != "none" or not (at_start or repeated):
                        yield Reading(name, at_start, repeated, cells)


class PlayedReading:
    """One reading, played move by move."""

    def __init__(self, game: WrittenGame, reading: Reading) -> None:
        self.game = game
        self.reading = reading
        self.builder = Builder(game.deal, game.source.where, surplus=True)
        self.reached = 0
        cells = enumerate(self.builder.position.freecells)
        self.taken = [index for index, card in cells if card is not None]
        """The freecells with cards, in the order in which these came."""
        self.unclaimed: list[Place] = []
        """The places that automoves took cards from and no move home of the text has repeated."""
        if reading.at_start:
            self.automoves()
        self.compare()

    def copy(self) -> PlayedReading:
        """Return a reading that has come as far, and can be played on by itself."""
        other = PlayedReading.__new__(PlayedReading)
        other.game, other.reading, other.reached = self.game, self.reading, self.reached
        other.unclaimed, other.taken = list(self.unclaimed), list(self.taken)
        other.builder = Builder(self.game.deal, self.game.source.where, surplus=True)
        other.builder.surplus = self.builder.surplus
        other.builder.steps = list(self.builder.steps)
        other.builder.position = self.builder.position
        return other

    def more(self) -> bool:
        """Return True if moves of the text are left."""
        return self.reached < len(self.game.text.tokens)

    def one(self, count: int | None) -> None:
        """Play the next move; `count` cards if it goes to an empty column."""
        token = self.game.text.tokens[self.reached]
        won = self.builder.steps and self.builder.won()
        source = self.place(token.source) if not won or self.reading.repeated else None
        if token.destination == "h" and self.reading.repeated and source in self.unclaimed:
            self.unclaimed.remove(source)
            self.builder.tell_origin(source, token.origin)
        elif source is None or won:
            self.builder.surplus += 1
        else:
            if token.destination != "h":
                self.unclaimed = []
            self.builder.add(self.step(token, source, count))
            self.automoves()
            self.close_up()
        self.reached += 1
        if said := self.game.text.comments.get(self.reached):
            self.builder.comment(Comment(said))
        self.compare()

    def close_up(self) -> None:
        """Drop the freecells that are empty from the order of those that are not."""
        cells = self.builder.position.freecells
        self.taken = [index for index in self.taken if cells[index] is not None]
        now = [index for index, card in enumerate(cells) if card is not None]
        self.taken += [index for index in now if index not in self.taken]

    def automoves(self) -> None:
        """Make the automoves of the reading's policy."""
        policy = self.reading.policy
        moves, _ = automoves(self.builder.position, self.game.deal.rules, policy)
        self.unclaimed += [move.source for move in moves]
        self.builder.add_automoves(moves, policy)

    def compare(self) -> None:
        """Compare the position with the layout that is shown for this point."""
        text, position = self.game.text, self.builder.position
        mark = len(text.tokens) if text.mark is None else text.mark
        if self.game.shown not in (None, position) and self.reached == mark:
            message = f"the layout is not the position after {mark} moves, expected the same"
            message += f"; position: {position}"
            raise IllegalMoveError(message, self.game.source.named(text.layout_line or 1))
        if self.reached in self.game.later:
            told, line = self.game.later[self.reached]
            if told != position:
                message = f"the board is not the position after {self.reached} moves"
                message += f", expected the same; position: {position}"
                raise IllegalMoveError(message, self.game.source.named(line))

    def place(self, letter: str) -> Place:
        """Return the place of a letter; IllegalMoveError if it is no freecell that can be named."""
        if letter.isdigit():
            return Place("column", int(letter) - 1)
        if self.is_any(letter):
            # Any freecell, which is chosen where the move is made.
            return Place("freecell", 0)
        if self.reading.cells == "packed" and CELLS.index(letter) < len(self.taken):
            return Place("freecell", self.taken[CELLS.index(letter)])
        if letter not in self.game.cells:
            token = self.game.text.tokens[self.reached]
            what = f"illegal move {self.reached + 1} {token.origin.text!r}"
            message = f"{what}: freecell {letter} is blocked, or not there"
            place = self.game.source.named(token.origin.line, token.origin.column)
            raise IllegalMoveError(f"{message}; position: {self.builder.position}", place)
        return Place("freecell", self.game.cells[letter])

    def is_any(self, letter: str) -> bool:
        """Return True if a letter stands for the next empty freecell, and is the name of none."""
        return letter in "fr" and letter not in self.game.cells

    def step(self, token: Token, source: Place, count: int | None) -> Step:
        """Return the step of a move from ``source``.

        To a column go ``count`` cards; as many as the notation says if it is None.
        """
        destination = OWN_FOUNDATION if token.destination == "h" else self.place(token.destination)
        cells = self.builder.position.freecells
        if destination.kind == "freecell":
            empty = [index for index, card in enumerate(cells) if card is None]
            if empty and (self.reading.cells != "named" or self.is_any(token.destination)):
                destination = Place("freecell", empty[0])
            return Step(source, destination, origin=token.origin)
        count = 1 if destination == OWN_FOUNDATION else count or self.count(token, destination)
        return Step(source, destination, count, origin=token.origin)

    def count(self, token: Token, destination: Place) -> int:
        """Return how many cards move, by the notation."""
        if token.cards:
            return token.cards
        most = self.most(token)
        if most is None or (token.single and not self.column(destination.index)):
            return 1
        if most == 0 and (target := self.column(destination.index)):
            # What would have to be moved, for the error to tell why it cannot be.
            column = self.column(self.place(token.source).index)
            return min(max(rank(target[-1]) - rank(column[-1]), 1), len(column)) if column else 1
        return max(most, 1)

    def most(self, token: Token) -> int | None:
        """Return the largest number of cards; None for a move that is not from column to column."""
        if not (token.source + token.destination).isdigit():
            return None
        places = [self.place(token.source), self.place(token.destination)]
        if max(place.index for place in places) >= len(self.builder.position.columns):
            return None
        rules = self.game.deal.rules
        return largest(self.builder.position, rules, places[0].index, places[1].index)

    def open_length(self, every: bool) -> int:
        """Return the largest length of the next move to an empty column; 0 if it is no such move.

        It is 0 as well if the text says how many cards move. With `every`, a text that merely
        leaves out a period does not say it.
        """
        token = self.game.text.tokens[self.reached]
        is_said = token.single or token.cards
        most = self.most(token) if (token.open or every) and not is_said else None
        if most is None or self.column(self.place(token.destination).index):
            return 0
        return most

    def column(self, index: int) -> tuple[int, ...]:
        """Return the cards of a column."""
        return self.builder.position.columns[index]


def by_single_cards(game: WrittenGame) -> Builder | None:
    """Return the moves as single-card moves without automoves; None if they do not solve the deal.

    That is another notation in the same letters. A text that can be read so leaves nothing open:
    all 52 moves home are in it, and no move is of more than one card.
    """
    try:
        attempt = PlayedReading(game, Reading("none"))
        while attempt.more():
            attempt.one(1 if attempt.open_length(every=True) else None)
    except InputError:
        return None
    single = all(step.count == 1 for step in attempt.builder.steps)
    return attempt.builder if single and attempt.builder.position.is_goal() else None
