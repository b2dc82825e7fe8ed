"""The universal format's tree of plain values as a solution, every field checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dbmsolver.errors import DbmError, IllegalMoveError, UsageError, quoted
from dbmsolver.game.automoves import AUTOMOVES, Automove, moves_home
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.kinds import Build
from dbmsolver.game.moving import with_moving
from dbmsolver.game.packs import MOST_PACKS
from dbmsolver.game.position import Position
from dbmsolver.game.rules import MAX_COLUMNS, MAX_FREECELLS, MAX_RESERVE, Rules
from dbmsolver.game.shipped import game_name, usual_rules
from dbmsolver.notation.formats.given import SAYS_DEAL, Given
from dbmsolver.notation.formats.source import MAX_MOVES
from dbmsolver.notation.formats.universal import (
    AUTOMOVE_NAMES,
    BUILDS,
    FILLS,
    FORMAT,
    FORMAT_VERSION,
    KNOWN,
    decks_of,
)
from dbmsolver.notation.formats.universal_positions import PositionReader
from dbmsolver.notation.formats.universal_values import shown
from dbmsolver.notation.solution import Path, Solution
from dbmsolver.notation.steps import NO_CARD, Comment, Origin, Step, moving_card, play
from dbmsolver.notation.xhtml import check_subset


class TreeReader(PositionReader):
    """A reader of one tree, which compares it with the facts given beside it."""

    def __init__(self, where: str, at: Callable[[Path], tuple[int, int]], given: Given) -> None:
        super().__init__(where, at)
        self.given = given
        self.implicit: list[int] = []
        """The moves that are automoves of a policy which is not said."""

    def solution(self, whole: Any) -> Solution:
        """Return the solution in the whole document."""
        self.object(whole, (), "root", ("format", "format_version"))
        if whole.get("format", FORMAT) != FORMAT:
            self.fail(("format",), f"{shown(whole['format'])}, expected {FORMAT}")
        if whole.get("format_version", FORMAT_VERSION) != FORMAT_VERSION:
            found, expected = shown(whole["format_version"]), quoted(FORMAT_VERSION)
            self.fail(("format_version",), f"version {found}, expected {expected}")
        header, at = whole["header"], ("header",)
        optional = ("NUM_FREECELLS", "cards_move", "deal_number", "deal_name", "remarks")
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
        remarks = self.items(header.get("remarks", []), (*at, "remarks"), 1000)
        return Solution(
            self.rules,
            deal.position,
            tuple(steps),
            final,
            deal.number,
            self.text(header.get("deal_name", ""), (*at, "deal_name"), 1000),
            tuple(self.text(each, (*at, "remarks", i)) for i, each in enumerate(remarks)),
            self.extra,
            self.where,
        )

    def first_position(self, body: Any, moves: list[Any]) -> tuple[Any, Path]:
        """Return the first position, or None if there is none, and its path in the tree."""
        if "initial_position" in body:
            return body["initial_position"], ("solution", "initial_position")
        if not moves:
            return body["final_position"], ("solution", "final_position")
        first = moves[0].get("pos_before_move") if isinstance(moves[0], dict) else None
        return first, ("solution", "moves", 0, "pos_before_move")

    def deal(self, header: Any, said: Any, path: Path) -> Deal:
        """Return the deal that the solution begins with."""
        number = self.number(header)
        named = (
            None if number is None else Deal(deal_number(number, self.rules), self.rules, number)
        )
        if said is None and named is None:
            if self.given.deal is None:
                text = "no initial_position, and no pos_before_move of the first move"
                self.fail(("solution",), f"{text}, expected one of them", SAYS_DEAL)
        elif said is not None:
            stated = Deal(self.position(said, path), self.rules)
            if named is not None and named.position != stated.position:
                place = self.place_of(("header", "deal_number"))
                raise self.given.not_dealt("initial position", number, place)
            named = named or stated
        return self.given.start(named, self.rules, self.place_of(path))

    def find_policies(self, steps: list[Step], position: Position) -> None:
        """Give implicit moves the narrowest policy that makes them.

        From an illegal move on, the others are left as they are: playing the solution ends there,
        too.
        """
        waiting = set(self.implicit)
        for index, step in enumerate(steps):
            if not waiting:
                return
            try:
                if index in waiting:
                    waiting.remove(index)
                    card = moving_card(position, step)
                    home = step.destination.kind == "foundation" and step.count == 1
                    policies = (p for p in AUTOMOVES if moves_home(position, card, self.rules, p))
                    policy = next(policies, None) if home else None
                    if policy is None:
                        path = ("solution", "moves", index, "move", "implicit")
                        self.fail(path, "true, expected false: no automove makes this move")
                    steps[index] = replace(step, automove=policy)
                position = play(position, steps[index], self.rules)
            except IllegalMoveError:
                return

    def header_rules(self, header: Any, at: Path, cells: int | None) -> Rules:
        """Return the rules that the header says; ``cells`` are the freecells where it says none."""
        decks = self.integer(header["NUM_DECKS"], (*at, "NUM_DECKS"), 1, MOST_PACKS)
        self.integer(header["MAX_RANK"], (*at, "MAX_RANK"), 13, 13)
        columns = self.integer(header["NUM_COLUMNS"], (*at, "NUM_COLUMNS"), 1, MAX_COLUMNS)
        variant = self.text(header["variant"], (*at, "variant"), 100)
        name = game_name(variant) or variant
        build = self.choice(
            header["sequences_are_built_by"], (*at, "sequences_are_built_by"), BUILDS
        )
        limits = {"single": "LIMITED", "runs": "UNLIMITED"}
        usual = self.choice(header["sequence_move"], (*at, "sequence_move"), limits)
        if build == "none":  # without runs all moves are of single cards
            usual = "single"
        how = self.text(header.get("cards_move", usual), (*at, "cards_move"), 100)
        freecells = header.get("NUM_FREECELLS", cells)
        if freecells is None:
            text = "expected it, since no initial position has them"
            self.fail(at, f"no NUM_FREECELLS, {text}")
        most = MAX_RESERVE if "reserve" in how else MAX_FREECELLS
        freecells = self.integer(freecells, (*at, "NUM_FREECELLS"), 0, most)
        fill = self.choice(header["empty_stacks_filled_by"], (*at, "empty_stacks_filled_by"), FILLS)
        try:
            plain: Build = "any" if build in ("colour", "other") else build
            first = "any" if fill == "waste" else fill
            rules = with_moving(Rules(name, 1, 0, plain, first), how, build)
            rules = replace(rules, fill=fill) if fill == "waste" else rules
            rules = usual_rules(replace(rules, columns=columns, freecells=freecells))
        except UsageError as error:
            self.fail((*at, "cards_move"), error.message)
        if decks != decks_of(rules):
            self.fail((*at, "NUM_DECKS"), f"{decks}, expected {decks_of(rules)}")
        keys = {"game": "variant", "freecells": "NUM_FREECELLS", "columns": "NUM_COLUMNS"}
        return self.given.agreed(
            rules, {key: self.place_of((*at, name)) for key, name in keys.items()}
        )

    def number(self, header: Any) -> int | None:
        """Return the number of the deal, None if the header has none."""
        if "deal_number" not in header:
            return None
        path: Path = ("header", "deal_number")
        number = self.integer(header["deal_number"], path, -2, 2**33 - 1)
        try:
            deal_number(number, self.rules)
        except DbmError as error:
            self.fail(path, str(error))
        return number

    def step(self, value: Any, path: Path) -> Step:
        """Return the step of a move, with the position before it where that is given."""
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
        most = len(self.rules.deck) if self.rules.features.moves_many else 13
        count = self.integer(move.get("num_cards", 1), (*at, "num_cards"), 1, most)
        card = onto = None
        if "source_card" in move:
            card = self.card(move["source_card"], (*at, "source_card"))
        if "dest_card" in move:
            onto = self.card(move["dest_card"], (*at, "dest_card"), empty=True)
            if onto is None and not self.rules.has_pairs:  # kings are no pairs
                onto = NO_CARD
        automove = self.automove(move, at, int(path[-1]))
        comment = None
        if "comment" in move:
            comment = self.comment(move["comment"], (*at, "comment"))
        step = Step(source, destination, count, automove, card, onto, comment, before)
        return replace(step, origin=Origin(str(step), line, column))

    def automove(self, move: Any, at: Path, index: int) -> Automove:
        """Return the policy that makes the move; `none`, too, where only a replay can tell."""
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
        """Return a comment, in plain text or in the subset of XHTML."""
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
