"""Standard FreeCell Notation: a layout, and the moves of a player in two characters each.

What the notation says is told in `sfn_text`, what it leaves open in `sfn_reading`. Beyond it:

- The game is FreeCell, unless the line with the number names another one that fits: 8 columns and
  4 freecells at most.
- A tag is written in double quotes. Tags are not followed: what a file names is not opened, since
  it need not be trusted, and `--deal` says which deal it is.
- The home cards stand in the order of the notation's own text, C D H S; any order is read.
- Freecells that a game does not have are written as the last ones, `BB`. When blocked ones are
  read, the others are counted from the left.
"""

from __future__ import annotations

import re
from dataclasses import replace

from dbmsolver.errors import DbmError, InputError, UsageError, quoted
from dbmsolver.game.cards import RANKS, card_name, parse_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import MOVES_WORDS, REMOVABLE_WORDS, Policy
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, usual_rules
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats.given import SAYS_DEAL, Given
from dbmsolver.notation.formats.moves import read_board
from dbmsolver.notation.formats.sfn_lengths import understand
from dbmsolver.notation.formats.sfn_reading import WrittenGame
from dbmsolver.notation.formats.sfn_text import (
    CELLS,
    MAX_COLUMNS,
    MAX_FREECELLS,
    MAX_OUTPUT_COLUMNS,
    MAX_ROWS,
    SfnText,
    parse,
)
from dbmsolver.notation.formats.short import place_letter
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.formats.unsaid import check_things, check_wide
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step
from dbmsolver.notation.supermoves import largest
from dbmsolver.notation.xhtml import one_line

PER_LINE = 10
HOME_ORDER = (3, 2, 0, 1)
"""C D H S."""

_CARD = re.compile(r"[A2-9TJQK][CDHS]")


def write(solution: Solution, policy: Policy = "horne", mark: int | None = None) -> str:
    """Return the solution in the fewest explicit moves under a policy, Horne or WKR.

    It has no more moves of cards than before, so a shortest solution stays one. With a mark, the
    layout shown is the position after that many explicit moves, the next one stands in brackets,
    and only a numbered deal can be the beginning.

    Raises UsageError for what the notation cannot say.
    """
    check_rules(solution.rules, policy)
    if mark is not None and solution.number is None:
        raise UsageError("a partly played solution needs the number of its deal")
    player = explicit(solution, policy, as_short=True)
    shown, words = _words(player, mark)
    lines = _game_lines(solution)
    lines.append(_cells_line(shown, solution.rules, policy))
    deepest = max(len(column) for column in shown.columns)
    if deepest > MAX_ROWS:
        raise UsageError(f"a column of {deepest} cards: the notation has {MAX_ROWS} rows")
    for row in range(deepest):
        cards = (card_name(c[row]) if row < len(c) else "  " for c in shown.columns)
        lines.append(" ".join(cards).rstrip())
    lines += [f"# {' '.join(remark.split())}" for remark in solution.remarks]
    return "".join(f"{line}\n" for line in lines + _move_lines(words))


def read(source: Source, given: Given) -> Solution:
    """Read the notation; with a deal given, the moves begin there."""
    text = parse(source)
    rules = _rules(text, given, source)
    check_wide(rules, "Standard FreeCell Notation")
    layout = _layout(text, rules, given, source)
    start, shown = _beginning(text, rules, layout, given, source)
    letters = CELLS[: max(rules.freecells, 0)]
    if text.cells is not None and layout is not None:
        letters = "".join(
            letter for letter, cell in zip(CELLS, text.cells, strict=False) if not _blocked(cell)
        )
    cells = {letter: index for index, letter in enumerate(letters)}
    written = WrittenGame(text, start, cells, shown, source, _later(text, rules, source))
    try:
        builder, notes = understand(written, given)
    except InputError as error:
        if text.mistyped is not None:
            fault, position, rest = error.message.partition("; position: ")
            error.message = f"{fault}; {text.mistyped}{position}{rest}"
        raise
    found = builder.solution(text.tag, tuple(text.remarks))
    if text.mistyped is not None and not found.final.is_goal():
        notes = (*notes, text.mistyped)
    return replace(found, notes=(*notes, *found.notes))


def check_rules(rules: Rules, policy: Policy) -> None:
    """Raise UsageError for games, and for automoves, that the notation cannot say."""
    if policy not in ("horne", "wkr"):
        text = "Standard FreeCell Notation states Horne's automoves or WKR's"
        raise UsageError(f"automove {policy}: {text}, expected horne or wkr")
    check_wide(rules, "Standard FreeCell Notation")
    if rules.has_runs:
        what = f"{MOVES_WORDS[rules.moves]} in {rules.name}"
        raise UsageError(f"{what}: Standard FreeCell Notation does not say how many cards move")
    check_things(rules, "Standard FreeCell Notation")
    if rules.takes_back:
        what = f"{REMOVABLE_WORDS[True]} in {rules.name}"
        raise UsageError(f"{what}: Standard FreeCell Notation has no such move")
    if rules.has_pile:
        raise UsageError(f"{rules.name}: Standard FreeCell Notation has no pile and no stock")
    if rules.columns > MAX_COLUMNS or rules.freecells > MAX_FREECELLS:
        what = f"{rules.columns} columns and {rules.freecells} freecells"
        raise UsageError(f"{what}: Standard FreeCell Notation has 8 and 4 at most")
    known = GAMES.get(rules.name)
    same = ("build", "fill", "reserve", "removable")
    # The text says how many freecells there are; it is read with as many columns as the game has.
    readable = known is not None and known.columns <= MAX_COLUMNS
    if not readable or any(getattr(known, key) != getattr(rules, key) for key in same):
        raise UsageError(f"Standard FreeCell Notation has no name for {quoted(rules.name)}")


def _game_lines(solution: Solution) -> list[str]:
    name = "Game" if solution.rules.name == "freecell" else f"{solution.rules.name} game"
    tag = " ".join(solution.tag.replace('"', "'").split())
    if solution.number is not None and usual_rules(solution.rules) == solution.rules:
        return [f"{name} #{solution.number}" + (f' "{tag}"' if tag else "")]
    return [f'{name} "{tag}"'] if tag or name != "Game" else []


def _cells_line(position: Position, rules: Rules, policy: Policy) -> str:
    between = "=" if policy == "wkr" else "-"
    cells = ["  " if card is None else card_name(card) for card in position.freecells]
    cells += ["BB"] * (MAX_FREECELLS - rules.freecells)
    heights = [(s, position.foundations[s]) for s in HOME_ORDER]
    home = [f"{RANKS[height - 1]}{'HSDC'[s]}" if height else "  " for s, height in heights]
    return between.join(cells) + "+" + " ".join(home)


def _words(player: Solution, mark: int | None) -> tuple[Position, list[tuple[str, str]]]:
    """Return the layout to show, and each explicit move, with its prefix, and the comment on it."""
    words: list[tuple[str, str]] = []
    shown = player.initial
    for step, before, after in player.replay():
        if step.automove == "none":
            word = place_letter(step.source) + place_letter(step.destination)
            if mark == len(words):
                word = f"[{word}]"
            comment = one_line(step.comment) if step.comment else ""
            words.append((_prefix(step, before, player.rules) + word, comment))
        if mark is not None and len(words) <= mark:
            shown = after
    if mark is not None and mark >= len(words):
        words.append((" [??]", ""))
    return shown, words


def _prefix(step: Step, before: Position, rules: Rules) -> str:
    if step.source.kind != "column" or step.destination.kind != "column":
        return " "
    if before.columns[step.destination.index] or step.count > 1:
        return " "
    return " " if largest(before, rules, step.source.index, step.destination.index) == 1 else "."


def _move_lines(words: list[tuple[str, str]]) -> list[str]:
    lines, line, count = [], "", 0
    for word, comment in words:
        line += word
        count += 1
        if comment:
            # Two spaces: what follows them cannot be read as a move.
            line += f"  {comment}"
        if comment or count == PER_LINE:
            lines.append(line)
            line, count = "", 0
    return [*lines, line] if line else lines


def _blocked(cell: str) -> bool:
    return not cell.isspace() and not _CARD.fullmatch(cell)


def _rules(text: SfnText, given: Given, source: Source) -> Rules:
    said: dict[str, tuple[str | int, str]] = {}
    if text.game is not None:
        said["game"] = (text.game, source.named(text.game_line))
    if text.cells is not None:
        freecells = sum(not _blocked(cell) for cell in text.cells)
        said["freecells"] = (freecells, source.named(text.layout_line or 1))
    rules = given.rules(said, source.named(text.game_line))
    if text.is_output:
        if rules.columns > MAX_OUTPUT_COLUMNS:
            what = f"{rules.name} has {rules.columns} columns, in Freecell Solver's letters"
            where = source.named(text.game_line)
            raise InvalidError(f"{what}, expected at most {MAX_OUTPUT_COLUMNS}", where)
    elif rules.columns > MAX_COLUMNS or rules.freecells > MAX_FREECELLS:
        what = f"{rules.name} has {rules.columns} columns and {rules.freecells} freecells"
        advice = "--from short reads single-card moves of more"
        raise InvalidError(
            f"{what}, expected at most 8 and 4", source.named(text.game_line), advice
        )
    return rules


def _layout(text: SfnText, rules: Rules, given: Given, source: Source) -> Position | None:
    """Return the position that the layout shows; None if there is no layout."""
    if text.board:
        lines = [""] * text.board[-1][0]
        for number, line in text.board:
            lines[number - 1] = line
        return given.board(lines, rules, source.where)
    if text.layout_line is None or not (text.columns or text.home):
        return None
    columns = [tuple(column) for column in text.columns]
    columns += [()] * (rules.columns - len(columns))
    cells = [cell for cell in text.cells or [] if not _blocked(cell)]
    freecells = [None if cell.isspace() else parse_card(cell) for cell in cells]
    freecells += [None] * (rules.freecells - len(freecells))
    hearts, spades, diamonds, clubs = (text.home.get(suit, 0) for suit in range(4))
    position = Position(tuple(columns), tuple(freecells), (hearts, spades, diamonds, clubs))
    try:
        position.validate(rules)
    except DbmError as error:
        options = given.options()
        fault = text.of_layout(error.message)
        message = f"{fault} ({options})" if options else fault
        raise InvalidError(message, source.named(text.layout_line)) from None
    return position


def _later(text: SfnText, rules: Rules, source: Source) -> dict[int, tuple[Position, int]]:
    """Return the positions of boards between moves, by the number of moves before them.

    With each position comes the number of the board's first line.
    """
    return {
        count: (read_board(lines, rules, source, Given()), lines[0][0])
        for count, lines in text.later.items()
    }


def _beginning(
    text: SfnText, rules: Rules, layout: Position | None, given: Given, source: Source
) -> tuple[Deal, Position | None]:
    """Return the deal that the moves begin with, and the layout's position if it is another."""
    named: Deal | None = None
    place = source.named(text.layout_line or text.game_line)
    if text.number is not None:
        try:
            named = Deal.from_number(text.number, rules)
        except DbmError as error:
            raise InvalidError(str(error), source.named(text.game_line)) from None
        later = layout is not None and (any(layout.foundations) or text.mark is not None)
        if layout is not None and layout != named.position and not later and _fresh(layout):
            raise given.not_dealt("layout", text.number, place)
    if layout is None:
        return given.start(named, rules, source.named(text.game_line)), None
    if named is not None or given.deal is not None:
        if text.mark is not None or layout.is_goal():
            return given.start(named, rules, source.named(text.game_line)), layout
        if named is not None and named.position == layout:
            return given.start(named, rules, place), None
    elif text.mark:
        message = "the layout is of a later position, expected a text that tells the first one, too"
        raise InvalidError(message, place, SAYS_DEAL)
    return given.start(Deal(layout, rules), rules, place), None


def _fresh(layout: Position) -> bool:
    """Return True if the layout looks like a deal."""
    depths = {len(column) for column in layout.columns}
    return not any(layout.foundations) and max(depths) - min(depths) <= 1
