"""Deals as the page names them, positions as it draws them, and their legal moves.

The page knows no rules. It gets every legal move of a position, and its moves are played here, on
the readable model. A game in progress is its deal and its moves. The server keeps nothing of it but
the positions that were asked for last.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbmsolver.errors import IllegalMoveError, InputError, UsageError, quoted
from dbmsolver.game.bases import ACE
from dbmsolver.game.cards import SUITS, card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure, measure_of
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.room import supermoves
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import SHIPPED, rules_for, rules_from
from dbmsolver.game.titles import title
from dbmsolver.notation.steps import Step, play
from dbmsolver.play.codes import code_of, read_line

MOST_MOVES = 10_000
"""The most moves that a game may have: more than anybody plays."""
_KEPT = 4_000
"""Positions that are kept, as they are likely to be asked for again."""


def rules_of(given: object) -> Rules:
    """Return the rules that the page names by a shipped game or by all fields; else UsageError."""
    if isinstance(given, str):
        return rules_for(given)
    if not isinstance(given, Mapping):
        raise UsageError(f"{quoted(str(given))} for a game, expected its name")
    try:
        return rules_from(given)
    except TypeError:
        raise UsageError("unknown rules, expected those that the page was given") from None


def check_played(rules: Rules) -> None:
    """Raise UsageError for a game that the page does not play."""
    unplayed = rules.features.unplayed
    if unplayed:
        raise UsageError(f"{rules.name}: {unplayed} are not played on the page, expected others")


def deal_of(given: object) -> Deal:
    """Return the deal that the page names: its game, and its number or board.

    UsageError or InputError if there is no such deal.
    """
    if not isinstance(given, Mapping):
        raise UsageError("no deal, expected its game, and its number or board")
    rules = rules_of(given.get("game", "freecell"))
    check_played(rules)
    number, board = given.get("number"), given.get("board")
    if isinstance(board, str):
        return Deal.from_text(board, rules, "the board")
    if not isinstance(number, int) or isinstance(number, bool):
        raise UsageError(f"{quoted(str(number))} for the number of a deal, expected a number")
    return Deal.from_number(number, rules)


def heading(deal: Deal) -> dict[str, Any]:
    """Return the heading of a deal: title, game, rules, and the unit of moves.

    `reserve` is true if freecells are a reserve, which cards only leave.
    """
    rules = deal.rules
    game = SHIPPED[rules.name].title if rules.name in SHIPPED else rules.name.replace("_", " ")
    cards = measure_of_play(rules).metric == "cards" and not rules.has_pile
    unit = "card move" if cards else "move"
    return {
        "title": title(deal),
        "game": game,
        "rules": rules.describe(),
        "unit": unit,
        "reserve": rules.reserve,
    }


def drawn(position: Position) -> dict[str, Any]:
    """Return a position for the page: cards by their names, foundations by their top rank."""
    value: dict[str, Any] = {
        "columns": [_names(column) for column in position.columns],
        "freecells": [None if card is None else card_name(card) for card in position.freecells],
        "foundations": {
            SUITS[index]: 0 if (top := position.top_home(index)) is None else (top >> 2) + 1
            for index in range(4)
        },
        "pile": None if position.pile is None else _names(position.pile),
        "stock": _names(position.stock),
    }
    if position.has_waste:
        value |= {
            "waste": _names(position.waste),
            "hidden": list(position.hidden),
            "reserve": _names(position.reserve),
            "turns": position.turns,
        }
    if position.base != ACE:
        value |= {"base": position.base.rank, "lowest": position.base.lowest}
    return value


def _names(cards: Sequence[int]) -> list[str]:
    return [card_name(card) for card in cards]


@dataclass(frozen=True, slots=True)
class Option:
    """A legal move, its cost in the usual metric of the game, and the position after it.

    The cost of a run that moves at once is 1 where the rules allow that. Where cards move one by
    one, it is the number of single moves that bring the run there.
    """

    move: Move
    cost: int
    after: Position


def options_of(position: Position, rules: Rules) -> list[Option]:
    """Return every legal move; where the rules move single cards, also runs moved at once.

    Of equivalent destinations only one is used, as by `Position.moves`.
    """
    cost = measure_of_play(rules).cost
    found = [Option(move, cost(move), position.apply(move)) for move in position.moves(rules)]
    if not rules.has_supermoves:
        return found
    for move in supermoves(position, rules):
        step = Step(move.source, move.destination, move.count)
        found.append(Option(move, _cards_moved(position, rules, move), play(position, step, rules)))
    return found


def measure_of_play(rules: Rules) -> Measure:
    """Return the measure of the games that the page plays: no move is made by itself."""
    return measure_of(rules, "none")


def _cards_moved(position: Position, rules: Rules, move: Move) -> int:
    """Count the moves of single cards that a run takes."""
    from dbmsolver.notation.supermoves import split

    return len(split(position, rules, move.source.index, move.destination.index, move.count))


def legal(position: Position, rules: Rules) -> dict[str, str]:
    """Return, by the code of each legal move, the code of its equivalent move in `options_of`.

    Here, unlike there, each empty column and each empty freecell is a destination.
    """
    found = {}
    moves = position.moves(rules)
    if rules.has_supermoves:
        moves += supermoves(position, rules)
    for move in moves:
        code = code_of(move)
        for place in _equivalent_places(position, move.destination):
            found[code_of(move._replace(destination=place))] = code
    return found


def _equivalent_places(position: Position, place: Place) -> list[Place]:
    """Return all empty columns or freecells if the place is one; else the place alone."""
    if place.kind == "column" and not position.columns[place.index]:
        return [Place("column", i) for i, column in enumerate(position.columns) if not column]
    if place.kind == "freecell":
        return [Place("freecell", i) for i, card in enumerate(position.freecells) if card is None]
    return [place]


def node(position: Position, rules: Rules) -> dict[str, Any]:
    """Return a position for the page, with its legal moves."""
    return {
        "position": drawn(position),
        "legal": legal(position, rules),
        "won": position.is_goal(),
    }


class PositionCache:
    """The positions of games in progress; those that were reached last are kept."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[Deal, str], Position] = OrderedDict()

    def positions(self, deal: Deal, line: str) -> list[Position]:
        """Return the positions of a game: the deal, then one after each move.

        InputError for a text that is no moves, or for an illegal move.
        """
        steps = read_line(line)
        if len(steps) > MOST_MOVES:
            raise InputError(f"{len(steps)} moves, expected at most {MOST_MOVES}")
        found, so_far = [deal.position], ""
        for index, step in enumerate(steps):
            so_far += code_of(step)
            found.append(self.after(deal, found[-1], so_far, step, index))
        return found

    def after(self, deal: Deal, position: Position, line: str, step: Step, index: int) -> Position:
        """Return the position after a move; `line` are the moves of the game up to this one."""
        key = deal, line
        known = self._known.get(key)
        if known is None:
            try:
                known = play(position, step, deal.rules)
            except IllegalMoveError as error:
                why = f"{error.message} ({error.where})" if error.where else error.message
                raise InputError(f"illegal move {index + 1}, {step}: {why}") from None
            self._known[key] = known
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
        return known
