"""One step of a solution: a card or a run of cards that moves; and what playing it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from dbmsolver.errors import IllegalMoveError
from dbmsolver.game.automoves import Automove, moves_home
from dbmsolver.game.cards import card_name, rank, suit
from dbmsolver.game.moves import COLUMNS, REMOVED, STOCK, Move, Place
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.room import capacity, run_length
from dbmsolver.game.rules import Rules
from dbmsolver.game.wide import Wide
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
    """The card it is put on: optional, and checked. Of a pair, the other card: needed."""
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

    @classmethod
    def of(cls, move: Move, automove: Automove = "none") -> Step:
        """Return the step that makes one move."""
        return cls(
            move.source, move.destination, move.count, automove, card=move.card, onto=move.other
        )


def moving_card(position: Position, step: Step) -> int:
    """Return the card that the step moves, of a run the deepest one."""
    kind, index = step.source
    if isinstance(position, Wide) and kind in ("stock", "foundation"):
        return _card_of_wide(position, step)
    if isinstance(position, Patience) and kind in ("stock", "waste", "foundation", "reserve"):
        return _card_of_patience(position, step)
    if kind == "column" and 0 <= index < len(position.columns):
        column = position.columns[index]
        if len(column) < step.count:
            if not column:
                raise IllegalMoveError("no card there", str(step.source))
            text = f"{step.count} cards, there are {len(column)}"
            raise IllegalMoveError(text, str(step.source))
        return column[-step.count]
    if kind == "freecell" and 0 <= index < len(position.freecells):
        card = position.freecells[index]
        if card is None:
            raise IllegalMoveError("no card there", str(step.source))
        return card
    if kind == "stock" and position.stock:
        return position.stock[0]
    if kind == "foundation" and 0 <= index < 4 and position.pile is None:
        top = position.top_home(index)
        if top is None:
            raise IllegalMoveError("no card there", str(step.source))
        return top
    if kind == "pile":
        raise IllegalMoveError("no card leaves a pile", str(step.source))
    raise IllegalMoveError("no such place", str(step.source))


def rest_of_suit(position: Position, column: int) -> int:
    """Return the number of cards of a column's suit that are not home, at least 1.

    The suit is that of the last card of the column.
    """
    cards = position.columns[column] if 0 <= column < len(position.columns) else ()
    return max(1, 13 - position.foundations[suit(cards[-1])]) if cards else 1


def play(position: Position, step: Step, rules: Rules, unlimited: bool = False) -> Position:
    """Return the position after the step, which must be legal, and true in all that it says."""
    source, destination, count = step.source, step.destination, step.count
    if step.before is not None and step.before != position:
        raise IllegalMoveError(f"the position before the move is given as {step.before}")
    if count < 1:
        raise IllegalMoveError(f"{count} cards, expected at least 1")
    card = moving_card(position, step)
    if isinstance(position, Pairing):
        _check_card("moves", step.card, card)
        return _play_pairing(position, step, card, rules)
    if isinstance(position, Wide):
        _check_card("moves", step.card, card)
        return _play_wide(position, step, card, rules)
    if isinstance(position, Patience):
        _check_card("moves", step.card, card)
        return _play_patience(position, step, card, rules)
    if source.kind == "foundation" and not rules.takes_back:
        raise IllegalMoveError("no card leaves a foundation", str(source))
    if source.kind == "foundation" and rank(card) <= rules.kept_rank:
        raise IllegalMoveError(f"{card_name(card)} never leaves its foundation", str(source))
    _check_card("moves", step.card, card)
    if position.pile is not None:
        return _play_to_pile(position, step, card, rules)
    target: int | None = None
    if destination.kind == "column" and 0 <= destination.index < len(position.columns):
        column = position.columns[destination.index]
        target = column[-1] if column else None
        if target is not None and not position.can_stack(card, target, rules):
            raise IllegalMoveError(f"{card_name(card)} cannot be put on {card_name(target)}")
        if target is None and not position.can_fill(card, rules):
            raise IllegalMoveError(f"{card_name(card)} cannot be put into an empty column")
    elif destination.kind == "foundation":
        target = position.top_home(suit(card))
    _check_card("is the card under it", step.onto, target)
    if step.automove != "none" and not (
        count == 1
        and destination.kind == "foundation"
        and moves_home(position, card, rules, step.automove)
    ):
        raise IllegalMoveError(f"no automove of the policy {step.automove}")
    if destination.kind == "freecell" and rules.reserve:
        raise IllegalMoveError("no card is put into a freecell", str(destination))
    if destination.kind == "foundation" and rules.whole_suits:
        if not position.goes_home(card, count, rules):
            raise IllegalMoveError("no whole suit, expected its cards from the king on")
        return position.apply(Move(card, source, destination, count=count))
    if count == 1:
        return position.apply(Move(card, source, destination))
    if source.kind != "column" or destination.kind != "column":
        raise IllegalMoveError(f"{count} cards, expected 1 unless from column to column")
    if not 0 <= destination.index < len(position.columns) or source == destination:
        raise IllegalMoveError("no column to move to", str(destination))
    column = position.columns[source.index]
    broken = rules.has_runs and not position.is_run(column[-count:], rules)
    if broken or count > run_length(position, column, rules):
        raise IllegalMoveError(f"the last {count} cards are no run", str(source))
    if rules.has_runs:
        return position.apply(Move(card, source, destination, count=count))
    most = capacity(position, rules, destination.index)
    if count > most and not unlimited:
        raise IllegalMoveError(f"{count} cards, there is room for {most} at once")
    return move_run(position, source.index, destination.index, count)


def _card_of_patience(position: Patience, step: Step) -> int:
    """Return the card of a step in a game of Klondike's kind that is from no column."""
    kind, index = step.source
    if kind == "foundation":
        top = position.top_home(index) if 0 <= index < 4 else None
        cards: tuple[int, ...] = () if top is None else (top,)
    elif kind == "reserve":
        cards = position.reserve[-1:] if step.count == 1 else ()
    else:
        turned = kind == "stock"
        cards = position.stock[: step.count] if turned else position.waste[-step.count :]
        cards = cards if len(cards) == step.count else ()
    if not cards:
        raise IllegalMoveError("no card there", str(step.source))
    return cards[-1]


def _card_of_wide(position: Wide, step: Step) -> int:
    """Return the card of a step in a wide game that is from the stock or from a foundation.

    Of a suit's foundations it is the one whose top card the step names.
    """
    if step.source.kind == "stock":
        cards = position.stock[: step.count]
        if not cards or len(cards) != step.count:
            raise IllegalMoveError("no card there", str(step.source))
        return cards[0] if step.destination == COLUMNS else cards[-1]
    heights = position.home[step.source.index] if 0 <= step.source.index < 4 else ()
    tops = [4 * (height - 1) + step.source.index for height in heights if height]
    if not tops:
        raise IllegalMoveError("no card there", str(step.source))
    return step.card if step.card in tops else tops[0]


def under(position: Wide, step: Step, card: int) -> int | None:
    """Return the card that the cards of a step come to lie on in a wide game, None for none.

    ``card`` is the first of them. A foundation that takes them has the next lower card on top.
    """
    if step.destination.kind == "foundation":
        return card - 4 * step.count if card >= 4 * step.count else None
    if step.destination.kind == "column" and 0 <= step.destination.index < len(position.columns):
        return next(iter(position.columns[step.destination.index][-1:]), None)
    return None


def _play_wide(position: Wide, step: Step, card: int, rules: Rules) -> Position:
    """Return the position of a wide game after the step, which must be legal."""
    if step.automove != "none":
        raise IllegalMoveError(f"no automove of the policy {step.automove}")
    _check_card("is the card under it", step.onto, under(position, step, card))
    move = Move(card, step.source, step.destination, count=step.count)
    after = position.apply(move)
    if move not in position.moves(rules):
        raise IllegalMoveError(f"{card_name(card)} cannot go there", str(step.destination))
    return after


def move_of_pairing(position: Pairing, step: Step, card: int) -> Move:
    """Return the move of a step in a game of pairs, which may name the cards of a pair either way.

    `card` is the one that it moves.
    """
    move = Move(card, step.source, step.destination, count=step.count, other=step.onto)
    if move.destination == REMOVED and move.other is not None and move.other < card:
        free = [*position.available(), *((one, STOCK) for one in position.stock[:1])]
        place = dict(free).get(move.other)
        if place is not None:
            return move._replace(card=move.other, source=place, other=card)
    return move


def _play_pairing(position: Pairing, step: Step, card: int, rules: Rules) -> Position:
    """Return the position of a game of pairs after the step, which must be legal."""
    if step.automove != "none":
        raise IllegalMoveError(f"no automove of the policy {step.automove}")
    move = move_of_pairing(position, step, card)
    after = position.apply(move)
    if move not in position.moves(rules):
        if position.is_goal():
            raise IllegalMoveError("the game is won, and nothing is left to be played")
        if move.destination != REMOVED:
            raise IllegalMoveError(f"{card_name(card)} cannot go there", str(move.destination))
        alone = "alone" if move.other is None else f"with {card_name(move.other)}"
        raise IllegalMoveError(f"{card_name(move.card)} is not removed {alone}")
    return after


def _play_patience(position: Patience, step: Step, card: int, rules: Rules) -> Position:
    """Return the position of a game of Klondike's kind after the step, which must be legal."""
    destination = step.destination
    target: int | None = None
    if destination.kind == "column" and 0 <= destination.index < len(position.columns):
        column = position.columns[destination.index]
        target = column[-1] if column else None
    elif destination.kind == "foundation":
        target = position.top_home(suit(card))
    _check_card("is the card under it", step.onto, target)
    move = Move(card, step.source, destination, count=step.count)
    after = position.apply(move)
    same = move
    if destination.kind == "column" and target is None:  # empty columns differ in nothing
        first = next(i for i, column in enumerate(position.columns) if not column)
        same = move._replace(destination=Place("column", first))
    if same not in position.moves(rules):
        raise IllegalMoveError(f"{card_name(card)} cannot be put there", str(destination))
    if step.automove != "none" and not (
        step.source.kind == "column"
        and destination.kind == "foundation"
        and moves_home(position, card, rules, step.automove)
    ):
        raise IllegalMoveError(f"no automove of the policy {step.automove}")
    return after


def _play_to_pile(position: Position, step: Step, card: int, rules: Rules) -> Position:
    """Return the position of a game of one pile after the step, which must be legal."""
    top = position.pile[-1] if position.pile else None
    _check_card("is the card under it", step.onto, top)
    if step.automove != "none":
        raise IllegalMoveError(f"no automove of the policy {step.automove}")
    move = Move(card, step.source, step.destination, count=step.count)
    after = position.apply(move)
    if move not in position.moves(rules):
        if position.is_goal():
            raise IllegalMoveError("the columns are empty, and nothing is left to be played")
        what = "an empty pile" if top is None else card_name(top)
        raise IllegalMoveError(f"{card_name(card)} cannot be put on {what}")
    return after


def _check_card(what: str, given: int | None, found: int | None) -> None:
    if given is not None and given != found:
        name = "none" if found is None else card_name(found)
        raise IllegalMoveError(f"{card_name(given)} {what} by what it says, {name} by the position")
