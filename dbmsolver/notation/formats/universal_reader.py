"""The universal format's tree of plain values as a solution, every field checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from dbmsolver.errors import DbmError, IllegalMoveError, quoted
from dbmsolver.game.cards import SUIT_NAMES, SUITS
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.moves import Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import GAMES, MAX_COLUMNS, MAX_FREECELLS, Rules
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.source import MAX_MOVES, InvalidError
from dbmsolver.notation.formats.universal import (
    AUTOMOVE_NAMES,
    BUILDS,
    FILLS,
    FORMAT,
    FORMAT_VERSION,
    KNOWN,
)
from dbmsolver.notation.formats.xhtml import check_subset
from dbmsolver.notation.solution import Comment, Origin, Path, Solution, Step, moving_card, play
from dbmsolver.notation.supermoves import AUTOMOVES, Automove, goes_home

Value = TypeVar("Value")

_MAX_TEXT = 100_000


class TreeReader:
    """Reads one tree; `at` says line and column of a path in the text that it came from."""

    def __init__(self, where: str, at: Callable[[Path], tuple[int, int]], given: Given) -> None:
        self.where = where
        self.at = at
        self.given = given
        self.extra: dict[Path, dict[str, Any]] = {}
        self.rules = GAMES["freecell"]
        self.implicit: list[int] = []
        """The moves that are automoves of a policy which is not said."""

    def place_of(self, path: Path) -> str:
        line, column = self.at(path)
        return f"{self.where}, line {line}, column {column}"

    def fail(self, path: Path, message: str) -> NoReturn:
        name = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
        what = f"{name.lstrip('.')}: " if name else ""
        raise InvalidError(f"{what}{message}", self.place_of(path))

    def object(self, value: Any, path: Path, kind: str, optional: Sequence[str] = ()) -> Any:
        """Check that all fields are there, and keep those that nobody knows."""
        if not isinstance(value, dict):
            self.fail(path, f"expected an object with {', '.join(KNOWN[kind])}")
        known = KNOWN[kind]
        for name in known:
            if name not in value and name not in optional:
                self.fail(path, f"no {name}, expected {', '.join(known)}")
        unknown = {name: content for name, content in value.items() if name not in known}
        if unknown:
            self.extra[path] = unknown
        return value

    def integer(self, value: Any, path: Path, low: int, high: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fail(path, f"{quoted(str(value))}, expected a number from {low} to {high}")
        return value

    def flag(self, value: Any, path: Path) -> bool:
        if not isinstance(value, bool):
            self.fail(path, f"{quoted(str(value))}, expected true or false")
        return value

    def text(self, value: Any, path: Path, limit: int = _MAX_TEXT) -> str:
        if not isinstance(value, str) or len(value) > limit:
            self.fail(path, f"{quoted(str(value))}, expected text of at most {limit} characters")
        return value

    def items(self, value: Any, path: Path, most: int) -> list[Any]:
        if not isinstance(value, list) or len(value) > most:
            self.fail(path, f"expected a list of at most {most}")
        return value

    def choice(self, value: Any, path: Path, choices: dict[Value, str]) -> Value:
        for meaning, name in choices.items():
            if value == name:
                return meaning
        names = ", ".join(choices.values())
        self.fail(path, f"{quoted(str(value))}, expected one of {names}")

    def solution(self, whole: Any) -> Solution:
        """The whole document."""
        self.object(whole, (), "root", ("format", "format_version"))
        if whole.get("format", FORMAT) != FORMAT:
            self.fail(("format",), f"{quoted(str(whole['format']))}, expected {FORMAT}")
        if whole.get("format_version", FORMAT_VERSION) != FORMAT_VERSION:
            found = quoted(str(whole["format_version"]))
            self.fail(("format_version",), f"version {found}, expected {FORMAT_VERSION}")
        header, at = whole["header"], ("header",)
        optional = ("NUM_FREECELLS", "deal_number", "deal_name", "remarks")
        self.object(header, at, "header", optional)
        body = self.object(whole["solution"], ("solution",), "solution", ("initial_position",))
        moves = self.items(body["moves"], ("solution", "moves"), MAX_MOVES)
        stated = self.integer(header["NUM_MOVES"], (*at, "NUM_MOVES"), 0, MAX_MOVES)
        if stated != len(moves):
            self.fail((*at, "NUM_MOVES"), f"{stated} moves, there are {len(moves)}")
        said, path = self.first_position(body, moves)
        cells: Any = said.get("freecells") if isinstance(said, dict) else None
        self.rules = self.header_rules(header, at, len(cells) if isinstance(cells, list) else None)
        deal = self.deal(header, said, path)
        final = self.position(body["final_position"], ("solution", "final_position"))
        steps = [self.step(item, ("solution", "moves", i)) for i, item in enumerate(moves)]
        self.find_policies(steps, deal.position)
        unlimited = self.choice(
            header["sequence_move"],
            (*at, "sequence_move"),
            {False: "LIMITED", True: "UNLIMITED"},
        )
        remarks = self.items(header.get("remarks", []), (*at, "remarks"), 1000)
        return Solution(
            self.rules,
            deal.position,
            tuple(steps),
            final,
            deal.number,
            self.text(header.get("deal_name", ""), (*at, "deal_name"), 1000),
            tuple(self.text(each, (*at, "remarks", i)) for i, each in enumerate(remarks)),
            unlimited,
            self.extra,
            self.where,
        )

    def first_position(self, body: Any, moves: list[Any]) -> tuple[Any, Path]:
        """What says where the solution starts, and its path: None if nothing does."""
        if "initial_position" in body:
            return body["initial_position"], ("solution", "initial_position")
        if not moves:
            return body["final_position"], ("solution", "final_position")
        first = moves[0].get("pos_before_move") if isinstance(moves[0], dict) else None
        return first, ("solution", "moves", 0, "pos_before_move")

    def deal(self, header: Any, said: Any, path: Path) -> Deal:
        """Where the solution starts."""
        number = self.number(header)
        named = (
            None if number is None else Deal(deal_number(number, self.rules), self.rules, number)
        )
        if said is None and named is None:
            if self.given.deal is None:
                text = "no initial_position, and no pos_before_move of the first move"
                self.fail(("solution",), f"{text}, expected one of them, or --deal")
        elif said is not None:
            stated = Deal(self.position(said, path), self.rules)
            if named is not None and named.position != stated.position:
                text = f"the initial position is not that of deal {number}"
                self.fail(("header", "deal_number"), text)
            named = named or stated
        return self.given.start(named, self.rules, self.place_of(path))

    def find_policies(self, steps: list[Step], position: Position) -> None:
        """Give implicit moves the narrowest policy that makes them.

        At an illegal move the rest is left as it is: whoever plays the solution ends there, too.
        """
        waiting = set(self.implicit)
        for index, step in enumerate(steps):
            if not waiting:
                return
            try:
                if index in waiting:
                    waiting.remove(index)
                    card, heights = moving_card(position, step), position.foundations
                    home = step.destination.kind == "foundation" and step.count == 1
                    policies = (p for p in AUTOMOVES if goes_home(card, heights, self.rules, p))
                    policy = next(policies, None) if home else None
                    if policy is None:
                        path = ("solution", "moves", index, "move", "implicit")
                        self.fail(path, "true, expected false: no automove makes this move")
                    steps[index] = replace(step, automove=policy)
                position = play(position, steps[index], self.rules, unlimited=True)
            except IllegalMoveError:
                return

    def header_rules(self, header: Any, at: Path, cells: int | None) -> Rules:
        self.integer(header["NUM_DECKS"], (*at, "NUM_DECKS"), 1, 1)
        self.integer(header["MAX_RANK"], (*at, "MAX_RANK"), 13, 13)
        columns = self.integer(header["NUM_COLUMNS"], (*at, "NUM_COLUMNS"), 1, MAX_COLUMNS)
        freecells = header.get("NUM_FREECELLS", cells)
        if freecells is None:
            text = "expected it, since no initial position has them"
            self.fail(at, f"no NUM_FREECELLS, {text}")
        freecells = self.integer(freecells, (*at, "NUM_FREECELLS"), 0, MAX_FREECELLS)
        name = self.text(header["variant"], (*at, "variant"), 100)
        build = self.choice(
            header["sequences_are_built_by"], (*at, "sequences_are_built_by"), BUILDS
        )
        fill = self.choice(header["empty_stacks_filled_by"], (*at, "empty_stacks_filled_by"), FILLS)
        rules = Rules(name, columns, freecells, build, fill)
        if name in GAMES:
            filled = min(GAMES[name].dealt_to_freecells, freecells)
            sunk = GAMES[name].kings_sunk
            rules = replace(rules, dealt_to_freecells=filled, kings_sunk=sunk)
        keys = {"game": "variant", "freecells": "NUM_FREECELLS", "columns": "NUM_COLUMNS"}
        return self.given.agreed(
            rules, {key: self.place_of((*at, name)) for key, name in keys.items()}
        )

    def number(self, header: Any) -> int | None:
        if "deal_number" not in header:
            return None
        path: Path = ("header", "deal_number")
        number = self.integer(header["deal_number"], path, -2, 2**33 - 1)
        try:
            deal_number(number, self.rules)
        except DbmError as error:
            self.fail(path, str(error))
        return number

    def position(self, value: Any, path: Path) -> Position:
        self.object(value, path, "position")
        heights: dict[int, int] = {}
        at = (*path, "foundations")
        for index, item in enumerate(self.items(value["foundations"], at, 4)):
            self.object(item, (*at, index), "foundation")
            own = self.foundation(item["foundation"], (*at, index, "foundation"))
            if own in heights:
                self.fail((*at, index), f"the foundation of {SUIT_NAMES[own]} a second time")
            heights[own] = self.integer(item["rank"], (*at, index, "rank"), 0, 13)
        if len(heights) != 4:
            self.fail(at, f"{len(heights)} foundations, expected all 4")
        at = (*path, "freecells")
        cells = [
            self.card(item, (*at, index), empty=True)
            for index, item in enumerate(self.items(value["freecells"], at, MAX_FREECELLS))
        ]
        columns = []
        at = (*path, "columns")
        for index, item in enumerate(self.items(value["columns"], at, MAX_COLUMNS)):
            self.object(item, (*at, index), "column")
            cards = self.items(item["cards"], (*at, index, "cards"), 52)
            if self.integer(item["len"], (*at, index, "len"), 0, 52) != len(cards):
                self.fail((*at, index, "len"), f"{item['len']}, there are {len(cards)} cards")
            where = (*at, index, "cards")
            columns.append(
                tuple(int(self.card(card, (*where, i)) or 0) for i, card in enumerate(cards))
            )
        hearts, spades, diamonds, clubs = (heights[index] for index in range(4))
        position = Position(tuple(columns), tuple(cells), (hearts, spades, diamonds, clubs))
        try:
            position.validate(self.rules)
        except DbmError as error:
            self.fail(path, error.message)
        return position

    def card(self, value: Any, path: Path, empty: bool = False) -> int | None:
        self.object(value, path, "card", ("rank", "suit", "deck"))
        if self.flag(value["is_hidden"], (*path, "is_hidden")):
            self.fail((*path, "is_hidden"), "a hidden card, expected all cards in sight")
        if "deck" in value:
            self.integer(value["deck"], (*path, "deck"), 0, 0)
        if self.flag(value["is_empty"], (*path, "is_empty")):
            if not empty:
                self.fail((*path, "is_empty"), "no card, expected one")
            return None
        for name in ("rank", "suit"):
            if name not in value:
                self.fail(path, f"no {name}, expected rank and suit of the card")
        height = self.integer(value["rank"], (*path, "rank"), 1, 13)
        return (height - 1) * 4 + self.suit(value["suit"], (*path, "suit"))

    def suit(self, value: Any, path: Path) -> int:
        return self.choice(value, path, dict(enumerate(SUITS)))

    def foundation(self, value: Any, path: Path) -> int:
        self.object(value, path, "foundation_id")
        self.integer(value["deck"], (*path, "deck"), 0, 0)
        return self.suit(value["suit"], (*path, "suit"))

    def place(self, value: Any, path: Path) -> Place:
        self.object(value, path, "place", KNOWN["place"])
        named = [name for name in KNOWN["place"] if name in value]
        if len(named) != 1:
            self.fail(path, "expected one of col, freecell and foundation")
        name = named[0]
        at = (*path, name)
        if name == "foundation":
            return Place("foundation", self.foundation(value[name], at))
        if name == "col":
            return Place("column", self.integer(value[name], at, 0, self.rules.columns - 1))
        if not self.rules.freecells:
            self.fail(at, "there are no freecells")
        return Place("freecell", self.integer(value[name], at, 0, self.rules.freecells - 1))

    def step(self, value: Any, path: Path) -> Step:
        self.object(value, path, "move_with_position", ("pos_before_move",))
        before = None
        if "pos_before_move" in value:
            before = self.position(value["pos_before_move"], (*path, "pos_before_move"))
        move, at = value["move"], (*path, "move")
        optional = ("num_cards", "source_card", "dest_card", "automove", "implicit", "comment")
        self.object(move, at, "move", optional)
        line, column = self.at(at)
        source = self.place(move["source"], (*at, "source"))
        destination = self.place(move["dest"], (*at, "dest"))
        count = self.integer(move.get("num_cards", 1), (*at, "num_cards"), 1, 13)
        cards = [
            self.card(move[name], (*at, name), empty=True) if name in move else None
            for name in ("source_card", "dest_card")
        ]
        automove = self.automove(move, at, int(path[-1]))
        comment = None
        if "comment" in move:
            comment = self.comment(move["comment"], (*at, "comment"))
        step = Step(source, destination, count, automove, cards[0], cards[1], comment, before)
        return replace(step, origin=Origin(str(step), line, column))

    def automove(self, move: Any, at: Path, index: int) -> Automove:
        """The policy that makes the move; `none`, too, where only a replay can tell."""
        policy: Automove = "none"
        if "automove" in move:
            policy = self.choice(move["automove"], (*at, "automove"), AUTOMOVE_NAMES)
        elif "implicit" not in move:
            self.fail(at, "no automove, expected automove, or implicit")
        if "implicit" in move:
            implicit = self.flag(move["implicit"], (*at, "implicit"))
            if "automove" not in move and implicit:
                self.implicit.append(index)
            elif "automove" in move and implicit != (policy != "none"):
                text = f"{str(implicit).lower()}, automove says {move['automove']}"
                self.fail((*at, "implicit"), f"{text}, expected the same")
        return policy

    def comment(self, value: Any, path: Path) -> Comment:
        kinds = KNOWN["comment"][:2]
        self.object(value, path, "comment", kinds)
        named = [name for name in kinds if name in value]
        if len(named) != 1:
            self.fail(path, f"expected one of {' and '.join(kinds)}")
        at = (*path, named[0])
        text = self.text(value[named[0]], at)
        xhtml = named[0] == kinds[1]
        if xhtml and (problem := check_subset(text)):
            self.fail(at, problem)
        originator = self.text(value["originator"], (*path, "originator"), 1000)
        return Comment(text, xhtml, originator, self.text(value["ID"], (*path, "ID"), 1000))
