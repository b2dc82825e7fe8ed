"""Freecell Solver's text: boards and lines such as `Move a card from stack 0 to freecell 1`.

Written are the board at the start and one line per move, `Move 3 cards from stack 1 to stack 5` for
supermoves and runs, and of a suit that goes home as a whole `Move the sequence on top of stack 1 to
the foundations`. In games of one pile that is what the foundations are, and `Deal talon` turns the
stock, as Black Hole Solver writes it. Read is that, and what Freecell Solver prints itself: a board
after every move is checked against the replay, and its lines of decoration are passed over. Where
there are boards without moves between them, and in the logs of its solvers with databases, the
moves are found (`between`). Stacks and freecells count from 0. `# ` lines are comments: before the
moves about the deal, later about the move above.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dbmsolver.errors import IllegalMoveError, InputError, UsageError, quoted
from dbmsolver.game.bases import ACE
from dbmsolver.game.boards import LABEL, format_board
from dbmsolver.game.cards import RANKS, SUITS, cards_in, is_card, suit_letters
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import PILE, STOCK, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.notation.formats.between import composite, steps_between
from dbmsolver.notation.formats.building import OWN_FOUNDATION, Builder
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.preamble import Preamble, opening
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.formats.unsaid import check_things
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Origin, Step, rest_of_suit
from dbmsolver.notation.xhtml import one_line

_MOVE = re.compile(
    r"Move (?:a card|(?P<count>[0-9]{1,2}) cards) from (?P<source>stack|freecell) "
    r"(?P<from>[0-9]{1,2}) (?:to (?P<destination>stack|freecell) (?P<to>[0-9]{1,2})"
    r"|to the foundations) ?\.?"
    r"|Move the sequence on top of stack (?P<suit>[0-9]{1,2}) to the foundations ?\.?"
    r"|(?P<turn>Deal talon) ?\.?",
    re.IGNORECASE | re.ASCII,
)
_DECORATION = re.compile(
    r"(?:[-=]{3,}|This game is solveable\.|Total number of states checked is [0-9]+\."
    r"|The number of (?:the )?moves is [0-9]+\.?|This scan generated [0-9]+ states\."
    r"|Solved!|Info: Card moved is \S{2,3}|Move: \S+)?",
    re.IGNORECASE | re.ASCII,
)
_LOG = re.compile(r"^Success!\s*?$", re.MULTILINE)
"""The line above the solution in the log of a solver with a database."""
_IN_LOG = re.compile(
    r"(?:==|END|handle_and_destroy_instance_solution end"
    r"|(?:Column|Freecell) [0-9]+ -> (?:Column|Freecell|Foundation) [0-9]+)?"
)
_UNSOLVED = re.compile(
    r"^(?:(?:Could not solve successfully|I could not solve this game|Iterations count exceeded)\."
    r"|Unsolved!)",
    re.MULTILINE,
)
"""The words of Freecell Solver and Black Hole Solver in place of a solution."""
_PICTURE = re.compile(r"\s*H-\S+ C-\S+ D-\S+ S-\S+\s*|(?:--- )+\s*")
_WANTED = "-p -t and -sam, -sn or -snx, or -m with one of these"
_EXPECTED = (
    "expected `Move a card from stack 0 to freecell 1`, `Move 3 cards from stack 1 to stack 2`"
)


def write(solution: Solution) -> str:
    """Return the board and a line for each step.

    UsageError for a card that comes back from its foundation, and for games of Klondike's kind.
    """
    check_rules(solution.rules)
    if any(step.source.kind == "foundation" for step in solution.steps):
        what = f"a card comes back from its foundation in {solution.rules.name}"
        raise UsageError(f"{what}: the format moves has no such line")
    lines = [*opening(solution, board=False), "-=-=-=-=-=-=-=-=-=-=-=-", ""]
    lines += [*_board_lines(solution.initial), "", "====================", ""]
    for step in solution.steps:
        cards = "a card" if step.count == 1 else f"{step.count} cards"
        if step.source == STOCK:
            lines.append("Deal talon")
        elif step.count > 1 and step.destination.kind == "foundation":
            lines.append(f"Move the sequence on top of {_place(step.source)} to the foundations")
        else:
            lines.append(f"Move {cards} from {_place(step.source)} to {_place(step.destination)}")
        if step.comment is not None:
            lines.append("# " + one_line(step.comment))
    lines += ["", "This game is solveable."] if solution.final.is_goal() else []
    return "".join(f"{line}\n" for line in lines)


def read(source: Source, given: Given) -> Solution:
    """Read moves; the deal is the text's first board, or what the text names, or the one given."""
    preamble = Preamble(source, given)
    builder: Builder | None = None
    board: list[tuple[int, str]] = []
    made = 0
    lines, is_log = _solution_lines(source)
    for number, line in [*lines, (0, "")]:
        if is_board_line(line) or _has_suits_first(line):
            board.append((number, line))
            continue
        if board and builder is None:
            builder = Builder(_deal(preamble, board, source), source.where, surplus=True)
        elif board and builder is not None:
            _compare(builder, board, source, made == len(builder.steps))
            made = len(builder.steps)
        board = []
        if is_log and _IN_LOG.fullmatch(" ".join(line.split())):
            continue
        if line.lstrip().startswith("#"):
            text = line.lstrip()[1:]
            if builder is None or not builder.steps:
                preamble.take(number, text)
            else:
                builder.comment(Comment(text.strip()))
        elif match := _MOVE.fullmatch(" ".join(line.split())):
            builder = builder or Builder(preamble.deal(), source.where, surplus=True)
            origin = Origin(line.strip(), number, len(line) - len(line.lstrip()) + 1)
            _add(builder, _step(match, builder, origin))
        elif _PICTURE.fullmatch(line):
            text = f"boards as pictures, expected the output of fc-solve with {_WANTED}"
            raise InvalidError(text, source.named(number))
        elif not _DECORATION.fullmatch(" ".join(line.split())):
            column = len(line) - len(line.lstrip()) + 1
            text = f"unknown line {quoted(line.strip())}, {_EXPECTED}"
            raise InvalidError(text, source.named(number, column))
    builder = builder or Builder(preamble.deal(), source.where)
    return builder.solution(preamble.tag, preamble.remarks)


def _solution_lines(source: Source) -> tuple[list[tuple[int, str]], bool]:
    """Return the lines of the solution, and True if they are a log's; InvalidError if none."""
    lines = source.lines()
    if match := _UNSOLVED.search(source.text):
        text = f"no solution ({match.group()[:-1]!r}), expected one"
        raise InvalidError(text, source.place(match.start()))
    if match := _LOG.search(source.text):
        return lines[source.at(match.start())[0] + 1 - source.first :], True
    return lines, False


def tells_of_none(text: str) -> bool:
    """Return True if a text says that no solution was found."""
    return _UNSOLVED.search(text) is not None


def _add(builder: Builder, step: Step) -> None:
    """Play a step; where runs move, one of cards that are no run may be several moves."""
    rules, position = builder.deal.rules, builder.position
    kinds = step.source.kind, step.destination.kind
    has_parts = rules.has_runs and rules.features.moves_parts
    if has_parts and step.count > 1 and kinds == ("column",) * 2:
        places = step.source.index, step.destination.index
        parts = composite(position, rules, *places, step.count) or [step]
        if len(parts) > 1:
            for part in parts:
                builder.add(replace(part, origin=step.origin))
            return
    builder.add(step)


def _step(match: re.Match[str], builder: Builder, origin: Origin) -> Step:
    def place(kind: str, index: str) -> Place:
        return Place("column" if kind.lower() == "stack" else "freecell", int(index))

    if match["turn"]:
        return Step(STOCK, PILE, origin=origin)
    destination = PILE if builder.deal.rules.has_pile else OWN_FOUNDATION
    if match["destination"]:
        destination = place(match["destination"], match["to"])
    count = int(match["count"] or 1)
    if match["suit"]:
        place_of_suit = place("stack", match["suit"])
        count = rest_of_suit(builder.position, place_of_suit.index)
        return Step(place_of_suit, OWN_FOUNDATION, count, origin=origin)
    return Step(place(match["source"], match["from"]), destination, count, origin=origin)


def _place(place: Place) -> str:
    if place.kind in ("foundation", "pile"):
        return "the foundations"
    return f"{'stack' if place.kind == 'column' else 'freecell'} {place.index}"


def _board_lines(position: Position) -> list[str]:
    if position.pile is not None or position.base != ACE:
        return format_board(position).splitlines()
    tops = "0" + RANKS
    heights = " ".join(f"{SUITS[s]}-{tops[position.foundations[s]]}" for s in (0, 3, 2, 1))
    rest = format_board(replace(position, foundations=(0, 0, 0, 0))).splitlines()
    lines = [f"Foundations: {heights}"]
    if rest and rest[0].startswith("Freecells"):
        lines.append(rest.pop(0))
    else:
        lines.append("Freecells:" + " -" * len(position.freecells))
    return lines + [line if line.startswith(":") else f": {line}" for line in rest]


def is_board_line(line: str) -> bool:
    """Return True if a line is one of a board; a column need not begin with a colon."""
    words = line.split()
    return LABEL.match(line) is not None or (
        bool(words) and all(is_card(word) or len(cards_in(word)) > 1 for word in words)
    )


def _has_suits_first(line: str) -> bool:
    """Return True if a line is one of cards with their suits first, which look like moves."""
    words = [suit_letters(word) for word in line.split()]
    return bool(words) and all(is_card(word[1:] + word[:1]) for word in words)


def read_board(
    board: list[tuple[int, str]], rules: Rules, source: Source, given: Given
) -> Position:
    """Return the position of numbered lines of a board, also as Freecell Solver prints it."""
    lines = [""] * board[-1][0]
    for number, line in board:
        lines[number - 1] = suit_letters(line)
    return given.board(lines, rules, source.where)


def check_rules(rules: Rules) -> None:
    """Raise UsageError for games that the format has no words for."""
    check_things(rules, "Freecell Solver's text")


def _deal(preamble: Preamble, board: list[tuple[int, str]], source: Source) -> Deal:
    rules = preamble.rules()
    check_rules(rules)
    said = Deal(read_board(board, rules, source, preamble.given), rules)
    if "deal" in preamble.values:
        said = preamble.numbered(said, rules)
    return preamble.given.start(said, rules, source.named(board[0][0]))


def _compare(
    builder: Builder, board: list[tuple[int, str]], source: Source, no_moves: bool
) -> None:
    """Compare a board with the position; if no move was read since the last one, find it."""
    try:
        position = read_board(board, builder.deal.rules, source, Given())
    except InputError as error:
        raise InvalidError(error.message, error.where) from None
    if position == builder.position or (
        no_moves and position.canonical() == builder.position.canonical()
    ):
        return
    if no_moves:
        steps = steps_between(builder.position, position, builder.deal.rules)
        if steps is None:
            text = "no move of the game leads to this board from the one before, expected one"
            text += f"; position: {builder.position}"
            raise IllegalMoveError(text, source.named(board[0][0]))
        origin = Origin("a board", board[0][0], 1)
        for step in steps:
            builder.add(replace(step, origin=origin))
    else:
        text = "the board is not the position at that point, expected the same"
        text += f"; position: {builder.position}"
        raise IllegalMoveError(text, source.named(board[0][0]))
