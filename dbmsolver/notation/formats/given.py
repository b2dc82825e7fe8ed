"""Facts about a solution that are given beside its text: options of a command, arguments of a call.

Everything given counts. Where the text says something else, reading ends with an error that names
both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple, get_args

from dbmsolver.arguments import (
    checked_choice,
    checked_flag,
    checked_function,
    checked_instance,
    checked_int,
    set_checked,
)
from dbmsolver.errors import InputError, UsageError, WrongValueError, any_of
from dbmsolver.game.automoves import AUTOMOVES, Automove
from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Build, Fill
from dbmsolver.game.moving import moving, with_moving
from dbmsolver.game.numbers import NUMBERS, Numbers
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, changed, rules_for, usual_rules
from dbmsolver.notation.formats.source import InvalidError
from dbmsolver.notation.steps import Origin

Lengths = Literal["longest", "shortest", "ask"]

SAYS_DEAL = "--deal says it"
"""The advice where a text does not say which deal it solves."""

Said = Mapping[str, tuple[str | int, str]]
"""The rules that a text states: by the names of their fields (`game` for the name), each value and
the place where it stands."""


class Parting(NamedTuple):
    """A move that can be of several lengths, each of which can still solve the deal."""

    number: int
    """The number of the move, counted from 1."""
    origin: Origin
    counts: tuple[int, ...]
    """Numbers of cards, the smallest first."""

    def __str__(self) -> str:
        counts = f"{any_of([str(count) for count in self.counts])} cards"
        place = f"line {self.origin.line}, column {self.origin.column}"
        return f"move {self.number} {self.origin.text!r} ({place}): {counts}"


@dataclass(frozen=True, slots=True)
class Given:
    """Facts that the text of a solution need not say, and must not contradict."""

    game: str | Rules | None = None
    """A game by its name, or its rules."""
    freecells: int | None = None
    columns: int | None = None
    build: Build | None = None
    fill: Fill | None = None
    deal: Deal | str | None = None
    """The beginning of the solution: a deal, or the text that names one on the command line."""
    policy: Automove | None = None
    """The automoves that a text in Standard FreeCell Notation leaves out."""
    lengths: Lengths | None = None
    """The choice of how many cards go to an empty column where such a text leaves it open."""
    ask: Callable[[Parting], int] | None = None
    """Chooses one of the lengths; for `lengths` being `ask`."""
    numbers: Numbers = "microsoft"
    """The program whose number `deal` is, if it is one."""
    rows: bool = False
    """True if the lines of a board that `deal` names are its rows."""

    def __post_init__(self) -> None:
        checked_instance("game", self.game, str | Rules | None)
        if isinstance(self.game, str):
            set_checked(self, "game", rules_for(self.game).name)
        for name in ("freecells", "columns"):
            if getattr(self, name) is not None:
                set_checked(self, name, checked_int(name, getattr(self, name)))
        checked_choice("build", self.build, (None, *get_args(Build)))
        checked_choice("fill", self.fill, (None, *get_args(Fill)))
        checked_instance("deal", self.deal, Deal | str | None)
        checked_choice("policy", self.policy, (None, *AUTOMOVES))
        checked_choice("lengths", self.lengths, (None, *get_args(Lengths)))
        checked_function("ask", self.ask)
        checked_choice("numbers", self.numbers, NUMBERS)
        set_checked(self, "rows", checked_flag("rows", self.rows))
        if isinstance(self.deal, Deal):
            self._agree_with(self.deal.rules)
        if not isinstance(self.deal, str):
            said = "rows" if self.rows else f"numbers {self.numbers}"
            if self.rows or self.numbers != "microsoft":
                raise WrongValueError(f"{said} says nothing without a text that names the deal")

    def _agree_with(self, rules: Rules) -> None:
        """Raise UsageError if the rules of the deal are not those that are given beside it."""
        of_deal = _wanted_of(rules)
        for key, value in self._beside().items():
            if value != of_deal[key]:
                text = f"{key} is {value}, the deal says {of_deal[key]}, expected the same"
                raise WrongValueError(text)

    def rules(self, said: Said, where: str) -> Rules:
        """Return the rules that the text and the given facts state; those of FreeCell otherwise.

        Raises InvalidError where the two differ, or where they are no rules.
        """
        wanted = self._wanted()
        for key, value in wanted.items():
            if key in said and said[key][0] != value:
                raise self._conflict(key, said[key], value)
        if isinstance(self.deal, Deal):
            return self.deal.rules
        known = {key: value for key, (value, _) in said.items()} | wanted
        name = str(known.get("game", "freecell"))
        place = said["game"][1] if "game" in said else where
        try:
            rules = self._named(name, known)
            if "moves" in known:
                place = said["moves"][1]
                build: Any = known.pop("build", None)
                rules = with_moving(rules, str(known["moves"]), build)
            for key in ("freecells", "columns", "build", "fill"):
                if key in known:
                    place = said[key][1] if key in said else where
                    rules = changed(rules, **{key: known[key]})  # type: ignore[arg-type]
        except UsageError as error:
            raise InvalidError(error.message, place) from None
        return rules

    def _named(self, name: str, known: Mapping[str, str | int]) -> Rules:
        """Return the rules of a name: those given, a shipped game's, or those told in full."""
        if isinstance(self.game, Rules):
            return self.game
        if name not in GAMES and known.keys() >= {"freecells", "columns", "build", "fill"}:
            return Rules(name, 1, 0, "any", "any")  # all of which is changed
        return rules_for(name)

    def agreed(self, rules: Rules, where: Mapping[str, str]) -> Rules:
        """Return the rules that a text states completely, if they are those given.

        `where` has the places of `game`, `freecells` and `columns`. A name that is no game's gives
        way to that of a game with the same rules. Raises InvalidError if the rules differ.
        """
        said: dict[str, tuple[str | int, str]] = {
            "game": (rules.name, where["game"]),
            "freecells": (rules.freecells, where["freecells"]),
            "columns": (rules.columns, where["columns"]),
            "build": (rules.build, where["game"]),
            "fill": (rules.fill, where["game"]),
        }
        for key, value in self._wanted().items():
            if said[key][0] == value:
                continue
            game = self.game if isinstance(self.game, Rules) else GAMES.get(str(value))
            if key != "game" or rules.name in GAMES or not _alike(rules, game):
                raise self._conflict(key, said[key], value)
            rules = usual_rules(replace(rules, name=str(value)))
        if isinstance(self.game, Rules) and rules == usual_rules(rules):
            # The text does not say how its game is dealt, the game that is given does.
            return usual_rules(rules, self.game)
        return rules

    def board(self, lines: Sequence[str], rules: Rules, where: str) -> Position:
        """Return the position of a board in the text; InvalidError if it is none."""
        try:
            return parse_board("\n".join(lines), rules, where)
        except InputError as error:
            options = self.options()
            if not options:
                raise InvalidError(error.message, error.where, error.advice) from None
            raise InvalidError(f"{error.message} ({options})", error.where) from None

    def not_dealt(self, what: str, number: int | None, where: str) -> InvalidError:
        """Return the error of a board, called `what`, that the text's number does not deal."""
        options = self.options()
        under = f" under {options}" if options else ""
        text = f"the {what} is not that of deal {number}{under}, expected the same"
        return InvalidError(text, where)

    def start(self, said: Deal | None, rules: Rules, where: str) -> Deal:
        """Return the deal that the solution begins with.

        It is the one in the text or the one given. InvalidError if there is none, or they differ.
        """
        given = self.given_deal(rules)
        if given is None:
            if said is None:
                text = "the text does not say which deal it solves, expected one that does"
                raise InvalidError(text, where, SAYS_DEAL)
            return said
        if said is not None and said.position != given.position:
            raise self.other_deal(said, given, where)
        return said if said is not None and given.number is None else given

    def given_deal(self, rules: Rules) -> Deal | None:
        """Return the deal that is given, under these rules; None if there is none."""
        if isinstance(self.deal, str):
            return Deal.load(self.deal, rules, numbers=self.numbers, rows=self.rows)
        return self.deal

    def other_deal(self, said: Deal, given: Deal, where: str) -> InvalidError:
        """Return the error of a text that begins with another deal than the one given."""
        text = f"the text starts from {_named(said)}, the deal given is {_named(given)}"
        return InvalidError(f"{text}, expected the same; position: {said.position}", where)

    def options(self) -> str:
        """Return the options of the rules as a command would get them; empty if there are none."""
        given = {field.name: getattr(self, field.name) for field in fields(self)[:5]}
        if isinstance(self.game, Rules):
            given["game"] = self.game.name
        return " ".join(f"--{key} {value}" for key, value in given.items() if value is not None)

    def _wanted(self) -> dict[str, str | int]:
        if isinstance(self.deal, Deal):
            return _wanted_of(self.deal.rules)
        return self._beside()

    def _beside(self) -> dict[str, str | int]:
        """Return the facts about the rules that are given beside the deal."""
        wanted = {
            "game": self.game.name if isinstance(self.game, Rules) else self.game,
            "freecells": self.freecells,
            "columns": self.columns,
            "build": self.build,
            "fill": self.fill,
        }
        return {key: value for key, value in wanted.items() if value is not None}

    def _conflict(self, key: str, said: tuple[str | int, str], wanted: str | int) -> InvalidError:
        source = "the deal given" if isinstance(self.deal, Deal) else f"--{key}"
        text = f"the text says {said[0]} for {key}, {source} says {wanted}, expected the same"
        return InvalidError(text, said[1])


def _wanted_of(rules: Rules) -> dict[str, str | int]:
    """Return the facts about rules that a text can contradict."""
    return {
        "game": rules.name,
        "freecells": rules.freecells,
        "columns": rules.columns,
        "build": rules.build,
        "fill": rules.fill,
    }


def _alike(rules: Rules, game: Rules | None) -> bool:
    """Return True if the rules are the game's in all but the numbers of columns and freecells."""
    return game is not None and (game.build, game.fill, moving(game)) == (
        rules.build,
        rules.fill,
        moving(rules),
    )


def _named(deal: Deal) -> str:
    return deal.name if deal.number is None else f"deal {deal.number}"
