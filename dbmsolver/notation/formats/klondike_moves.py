"""Moves of Klondike as its solvers write them. They are read, and not written.

`klondike-solver`, of Klondike-Solver and KSolve:

    DR7 W1 31-2 F3 3C NEW H1    draw seven times; waste to column 1; two cards from column 3 to 1;
                                the move turns the top of column 3 up; column 3 to the clubs; turn
                                the waste over; from the hearts to column 1

Where several cards are turned at once, Klondike-Solver writes how often that is done, and KSolve
how many cards it turns. Moves are read in the second way if they are illegal in the first, or do
not win. Both programs write `F3` behind each move that uncovers a card lying face down. Here that
is no move of its own, but it has to be true.

`minimal-klondike`, of MinimalKlondike:

    @@AL KL CF                  each @ draws, and turns the waste over first where the stock is
                                empty; A is the waste, B to E are clubs, diamonds, spades and
                                hearts, F to L the columns

What stands around the moves in the output of these programs is passed over, but for the deal: its
156 digits, the board with its talon, or the piles one by one. Otherwise the deal has to be given.
The game is Klondike with one card turned at once or, if that cannot be, with three. If moves win in
both games, it is the one whose length is the one that the text states: `in 97 moves`, with or
without cards that are turned up. One text may be the output about many deals: each that follows
moves begins another solution.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from dbmsolver.errors import InputError, any_of, quoted
from dbmsolver.game.boards import LABEL, parse_board
from dbmsolver.game.cards import SUITS, is_card
from dbmsolver.game.deals import Deal
from dbmsolver.game.decks import DIGITS, deal_of_line, deck_of_digits, is_deck, lay_klondike
from dbmsolver.game.moves import STOCK, WASTE, Place
from dbmsolver.game.rules import Rules
from dbmsolver.game.texts import LINE_END, WHICH_GAME
from dbmsolver.notation.formats.building import Builder
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.source import MAX_MOVES, InvalidError, Source
from dbmsolver.notation.solution import IllegalStepError, Solution
from dbmsolver.notation.steps import Origin, Step

COLUMNS = 7
"""The number of lines of cards that follow that of the talon, without a colon before them."""
GAMES_TRIED = ("klondike", "klondike_by_threes")

_LETTERED = re.compile(
    r"DR(?P<draws>[0-9]{1,3})|(?P<new>NEW)|F(?P<flip>[1-7])"
    r"|(?P<source>[1-7WCDSH])(?P<destination>[1-7CDSH])(?:-(?P<count>[0-9]{1,2}))?",
    re.IGNORECASE | re.ASCII,
)
_PILED = re.compile(
    r"(?P<draws>@+)?(?:(?P<source>[A-L])(?P<destination>[B-L]))?", re.IGNORECASE | re.ASCII
)
_MARKS = re.compile(r"(?:^|\s)(?:DR[0-9]+|NEW|W[1-7CDSH])(?=\s|$)", re.ASCII)
_BEGINNING = re.compile(r"(?:^|\s)(?:DR[0-9]|W[1-7CDSH](?=\s|$)|@)", re.ASCII)
"""A move of the stock, which a line of moves has if some of its words are mistyped."""
_PILES = re.compile(r"(?:TABLEAU |\s)(?P<column>[1-7]) ?:(?P<cards>.*)", re.ASCII)
_STOCK_PILE = re.compile(r"(?:STOCK\s*| 8):(?P<cards>.*)", re.ASCII)
_OTHER_PILE = re.compile(r"[A-Z]+ *:|\s*[0-9]+: *$")
"""An empty pile among those that have cards."""
_SOLVED = re.compile(r"(?:Minimal solution|Solved) in (?P<length>[0-9]{1,6}) moves\b", re.ASCII)
_COUNTED = re.compile(r"\bMoves: (?P<length>[0-9]{1,6}) Rounds:", re.ASCII)
"""The length in the last line of MinimalKlondike."""
_UNSOLVED = re.compile(
    r"^(?:(?P<klondike_solver>Impossible|Unknown)\. Max cards in foundation"
    r"|(?P<ksolve>Unsolvable|Too big|Impossible|Unknown|Memory exceeded)\.\s*Took [0-9])",
    re.ASCII | re.MULTILINE,
)
"""The words in place of a solution."""
_DECK = re.compile(rf"(?<![0-9])[0-9]{{{DIGITS}}}(?![0-9])")
_SUIT_LETTERS = "CDSH"

Match = re.Match[str]


class _Game(Builder):
    """A solution as far as it is read, and the cards that its moves turned up."""

    def __init__(self, deal: Deal, where: str) -> None:
        super().__init__(deal, where, surplus=True)
        self.uncovered: set[int] = set()
        """The columns whose last move turned a card up or left none, if no word has told so yet."""

    def add(self, step: Step) -> None:
        """Play one more step, and note the column in which it uncovers a card."""
        before = self.position
        super().add(step)
        after = self.position
        if after is before:  # a move after the win
            return
        touched = {index for kind, index in (step.source, step.destination) if kind == "column"}
        self.uncovered -= touched
        for index in touched:
            # A KSolve of 2025 writes that a card is turned up where the column is empty, too.
            if after.hidden[index] < before.hidden[index] or not after.columns[index]:
                self.uncovered.add(index)

    def tell_turned_up(self, column: int, origin: Origin) -> None:
        """Check a word that says that the last move of a column has turned a card up.

        Raises IllegalStepError if it has not. Nothing is checked if no card lies face down at the
        start: a board may not say which do, as in KSolve's format.
        """
        start = self.deal.position
        if self.surplus or not any(start.hidden):  # moves after the win are not played
            return
        if column not in self.uncovered:
            text = f"{quoted(origin.text)} says that a card of column {column + 1} is turned up"
            expected = "expected that behind the move that uncovers one lying face down"
            where = f"{self.where}, line {origin.line}, column {origin.column}"
            raise IllegalStepError(f"{text}, {expected}", where, self.position, len(self.steps))
        self.uncovered.remove(column)


def format_of_moves(text: str) -> str | None:
    """Return the format, of these two, that a text has moves of; None if it has none."""
    lines = re.split(LINE_END, text)
    for line in lines:
        words = _words(line)
        if not words:
            continue
        if _MARKS.search(line.upper()) and all(map(_LETTERED.fullmatch, words)):
            return "klondike-solver"
        # In lower case, `ah bh` are moves of FreeCell, too: only a draw tells the format.
        is_told = "@" in line or (line.startswith("Moves:") and "".join(words).isupper())
        if is_told and all(map(_is_piled, words)):
            return "minimal-klondike"
    # Where no line has nothing but moves, one with a mistyped word tells the format. Comments of
    # other formats may quote such moves.
    for line in lines:
        words = _words(line)
        told = line.partition("#")[0]
        if "@" in told:
            piled = [_PILED.fullmatch(word) for word in words]
            if _is_mistyped(told, piled) and any(map(_is_told, piled)):
                return "minimal-klondike"
        elif _is_mistyped(told, [_LETTERED.fullmatch(word) for word in words]):
            return "klondike-solver"
    return None


def tells_of_none(text: str) -> bool:
    """Return True if a text says that no solution of a deal was found."""
    return _UNSOLVED.search(text) is not None


def starts(source: Source) -> list[int]:
    """Return the number of the line with which each solution of a text begins.

    The first solution begins with the text. Another one begins with the first line of a deal, or of
    a result, that comes after moves, or after words in place of a solution ("Impossible."). A board
    with neither moves nor such words after it belongs to the solution before it.
    """
    lines = source.lines()
    unsolved = {source.at(match.start())[0] for match in _UNSOLVED.finditer(source.text)}
    found = [source.first]
    next_one: int | None = None
    has_ended = False
    board_end = 0
    for index, (number, line) in enumerate(lines):
        if number <= board_end:
            continue
        if number in unsolved or _has_moves(line):
            if next_one is None and has_ended and number in unsolved:
                next_one = number
            if next_one is not None:
                found.append(next_one)
            next_one, has_ended = None, True
            continue
        board = _board(lines[at] for at in range(index, len(lines))) if _is_of_board(line) else []
        board_end = board[-1][0] if board else 0
        is_start = bool(board) or _SOLVED.match(line) or is_deck(line) or _DECK.search(line)
        if is_start and has_ended and next_one is None:
            next_one = number
    return found


def _has_moves(line: str) -> bool:
    """Return True if a line has moves of either format, one of which may be mistyped."""
    words = _words(line)
    if _start(line):
        return True
    matches = [_LETTERED.fullmatch(word) for word in words]
    if words and (None not in matches or all(map(_is_piled, words))):
        return True
    return _is_mistyped(line, matches) or _is_mistyped(line, list(map(_PILED.fullmatch, words)))


def _is_told(match: Match | None) -> bool:
    """Return True for a move of MinimalKlondike.

    Return False for what may be a move of FreeCell, with a comment behind it on its line.
    """
    return bool(match and match["source"] and (match["draws"] or match["source"].isupper()))


def _words(line: str) -> list[str]:
    """Return the words of a line, without that which says that they are moves."""
    return line[_start(line) :].split()


def _start(line: str) -> int:
    """Return where the moves of a line begin, behind `Moves:`."""
    return len("Moves:") if line.lower().startswith("moves:") else 0


def _is_mistyped(line: str, matches: Sequence[Match | None]) -> bool:
    """Return True if a line has a move of the stock, and most, but not all, words are moves.

    ``matches`` are what the pattern of a move finds in each word, None for a word that is none.
    """
    good = sum(match is not None for match in matches)
    return len(matches) > good > len(matches) / 2 and _BEGINNING.search(line.upper()) is not None


def read_lettered(source: Source, given: Given) -> Solution:
    """Read moves of Klondike-Solver and KSolve."""
    plays = (_lettered, _lettered_by_cards)
    return _read(source, given, _LETTERED.fullmatch, "DR7 W1 31-2 F3 NEW", plays)


def read_piled(source: Source, given: Given) -> Solution:
    """Read moves of MinimalKlondike."""
    parse = _PILED.fullmatch
    return _read(source, given, lambda word: parse(word) if word else None, "@@AL KL", (_piled,))


def _is_piled(word: str) -> bool:
    return bool(word) and _PILED.fullmatch(word) is not None


def _read(
    source: Source,
    given: Given,
    parse: Callable[[str], Match | None],
    examples: str,
    plays: Sequence[Callable[[_Game, Match, Origin], None]],
) -> Solution:
    """Return the reading of the moves that wins; without one, the first that is legal.

    For each game that it may be, all words are read by each of ``plays`` in turn; these differ only
    where several cards are turned at once. If several games can be won, the first counts whose
    length is what the text states, or the first of all with a note.
    """
    words = _moves(source, parse, examples)
    games: tuple[str | Rules | None, ...] = (given.game,)
    if given.game is None and not isinstance(given.deal, Deal):
        games = GAMES_TRIED
    failure: InputError | None = None
    found: Solution | None = None
    won: list[Solution] = []
    for game in games:
        wanted = given if game is None else replace(given, game=game)
        rules = wanted.rules({}, source.where)
        if not rules.is_patience or not rules.draw:
            text = f"moves of Klondike, expected klondike or a relative, not {rules.name}"
            raise InvalidError(text, source.named(), WHICH_GAME)
        deal = _deal(source, wanted, rules)
        for play in plays if rules.draw > 1 else plays[:1]:
            builder = _Game(deal, source.where)
            try:
                for match, origin in words:
                    play(builder, match, origin)
            except IllegalStepError as error:
                if not isinstance(failure, IllegalStepError) or error.index > failure.index:
                    failure = error
                continue
            solution = builder.solution()
            found = found or solution
            if solution.final.is_goal():
                won.append(solution)
                break
    if won:
        return _chosen(won, source)
    if found is None:
        assert failure is not None
        raise failure
    return found


def _chosen(won: list[Solution], source: Source) -> Solution:
    """Return the first of solutions by several games whose length the text states.

    If it states none, or that of more or less than one game, that is the first with a note.
    """
    stated = _SOLVED.search(source.text) or _COUNTED.search(source.text)
    fitting = [each for each in won if stated and int(stated["length"]) in _lengths(each)]
    if len(fitting) == 1 or len(won) == 1:
        return (fitting or won)[0]
    first, *others = fitting or won
    names = any_of([each.rules.name for each in others])
    note = f"{source.where}: read as {first.rules.name}; the moves win in {names}, too"
    return replace(first, notes=(*first.notes, f"{note} (--game)"))


def _lengths(solution: Solution) -> tuple[int, int]:
    """Return the length of a solution as KSolve and as Klondike-Solver state it.

    Neither counts that the waste is turned over; the latter counts cards that are turned up.
    """
    start = solution.initial
    length = sum((step.source, step.destination) != (WASTE, STOCK) for step in solution.steps)
    return length, length + sum(start.hidden)


def _moves(
    source: Source, parse: Callable[[str], Match | None], examples: str
) -> list[tuple[Match, Origin]]:
    """Return the words of the lines that hold only moves.

    A line of a column is none of them: cards as 7S or AD are moves of these formats, too.
    InvalidError without any, and for a line of moves with another word; `examples` are told then.
    """
    found: list[tuple[Match, Origin]] = []
    lines = source.lines()
    board = {number for number, _ in _board(lines)}
    for number, line in lines:
        if number in board:
            continue
        places = list(re.compile(r"\S+").finditer(line, _start(line)))
        matches = [parse(place.group()) for place in places]
        if matches and None not in matches:
            origins = [Origin(place.group(), number, place.start() + 1) for place in places]
            found += [pair for pair in zip(matches, origins, strict=True) if pair[0]]  # type: ignore[misc]
        elif _is_mistyped(line, matches):
            wrong = places[matches.index(None)]
            text = f"unknown move {quoted(wrong.group())}, expected moves as in {examples}"
            raise InvalidError(text, source.named(number, wrong.start() + 1))
        if len(found) > MAX_MOVES:
            raise InvalidError(f"more than {MAX_MOVES} moves", source.named(number))
    if not found and (match := _UNSOLVED.search(source.text)):
        words = match["klondike_solver"] or match["ksolve"]
        raise InvalidError(f"no solution ({words!r}), expected one", source.place(match.start()))
    if not found:
        text = "no moves, expected a line of them (Klondike-Solver and KSolve write it with -moves)"
        raise InvalidError(text, source.named())
    return found


def _deal(source: Source, given: Given, rules: Rules) -> Deal:
    """Return the deal in the text, or the one given."""
    said: Deal | None = None
    lines = source.lines()
    place = source.named()
    if match := _DECK.search(source.text):
        place = source.place(match.start())
        said = Deal(lay_klondike(deck_of_digits(match.group(), place), rules, place), rules)
    elif board := _board(lines):
        place = source.named(board[0][0])
        numbered = [""] * (board[-1][0])
        for number, line in board:
            numbered[number - 1] = line
        said = Deal(parse_board("\n".join(numbered), rules, source.where), rules)
    else:
        for number, line in lines:
            named = source.named(number)
            if (position := deal_of_line(line, rules, named)) is not None:
                place, said = named, Deal(position, rules)
                break
    return given.start(said, rules, place)


def _is_of_board(line: str) -> bool:
    """Return True if a line can be the first one of a board."""
    return bool(LABEL.match(line) or _PILES.fullmatch(line) or _STOCK_PILE.fullmatch(line))


def _board(lines: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the first board of a text, in lines as `boards` reads them; empty if there is none."""
    board: list[tuple[int, str]] = []
    left = 0
    for number, line in lines:
        words = [word.strip("<>()") for word in line.split()]
        if LABEL.match(line) and not _STOCK_PILE.fullmatch(line):
            board.append((number, line))
            if line.strip() == ":":  # an empty column, whether or not others have colons
                left = max(0, left - 1)
            else:
                left = 0 if line.startswith(":") else COLUMNS
        elif board and left and words and all(map(is_card, words)):
            board.append((number, line))
            left -= 1
        elif piles := _PILES.fullmatch(line):
            names = re.split(r"[\s-]+", piles["cards"].strip())[::-1]
            down = "-" in piles["cards"]
            cards = [*(f"<{name}>" for name in names[:-1]), names[-1]] if down else names
            board.append((number, ": " + " ".join(cards)))
        elif stock := _STOCK_PILE.fullmatch(line):
            board.append((number, "Stock: " + stock["cards"].strip()))
        elif board and not _OTHER_PILE.match(line):
            break
    return board


def _lettered_by_cards(builder: _Game, match: Match, origin: Origin) -> None:
    """Play a word in which a number behind `DR` counts the cards that are turned."""
    left = int(match["draws"] or 0)
    if not left:
        _lettered(builder, match, origin)
    while left > 0:
        left -= _draw(builder, left, origin)


def _lettered(builder: _Game, match: Match, origin: Origin) -> None:
    position, rules = builder.position, builder.deal.rules
    if match["draws"]:
        for _ in range(int(match["draws"])):
            _draw(builder, rules.draw, origin)
    elif match["new"]:
        builder.add(Step(WASTE, STOCK, max(1, len(position.waste)), origin=origin))
    elif match["flip"]:
        builder.tell_turned_up(int(match["flip"]) - 1, origin)
    else:
        source, destination = _place(match["source"]), _place(match["destination"])
        count = int(match["count"] or 1)
        if source.kind == destination.kind == "column":
            builder.add(Step(source, destination, count, origin=origin))
            return
        for _ in range(count):
            builder.add(Step(source, destination, origin=origin))


def _piled(builder: Builder, match: Match, origin: Origin) -> None:
    for _ in match["draws"] or "":
        position = builder.position
        if not position.stock:
            builder.add(Step(WASTE, STOCK, max(1, len(position.waste)), origin=origin))
        _draw(builder, builder.deal.rules.draw, origin)
    if not match["source"]:
        return
    source, destination = _pile(match["source"]), _pile(match["destination"])
    count = 1
    if source.kind == destination.kind == "column":
        count = _fitting(builder, source.index, destination.index)
    builder.add(Step(source, destination, count, origin=origin))


def _draw(builder: Builder, most: int, origin: Origin) -> int:
    """Turn cards of the stock once, ``most`` at most, and return their number."""
    count = max(1, min(builder.deal.rules.draw, len(builder.position.stock), most))
    builder.add(Step(STOCK, WASTE, count, origin=origin))
    return count


def _fitting(builder: Builder, source: int, destination: int) -> int:
    """Return how many cards of a column go to another: only one number fits."""
    position, rules = builder.position, builder.deal.rules
    target = position.columns[destination]
    cards = position.face_up(source)
    for count in range(len(cards), 0, -1):
        card, onto = cards[-count], target[-1] if target else None
        fits = (
            position.can_fill(card, rules)
            if onto is None
            else position.can_stack(card, onto, rules)
        )
        if fits:
            return count
    return 1


def _place(letter: str) -> Place:
    letter = letter.upper()
    if letter == "W":
        return WASTE
    if letter in SUITS:
        return Place("foundation", SUITS.index(letter))
    return Place("column", int(letter) - 1)


def _pile(letter: str) -> Place:
    number = ord(letter.upper()) - ord("A")
    if number == 0:
        return WASTE
    if number <= 4:
        return Place("foundation", SUITS.index(_SUIT_LETTERS[number - 1]))
    return Place("column", number - 5)
