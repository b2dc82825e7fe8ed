"""Arguments that cannot be: each function of the library says so itself, in one line."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

import dbmsolver
from dbmsolver import Deal, Given, UsageError, load_rules, read_solution, rules_for, solve
from dbmsolver.api.searches import Settings
from dbmsolver.errors import DbmError, WrongTypeError, WrongValueError
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limits, Method, Options

DEAL = Deal.from_number(3)
NAN, INF = float("nan"), float("inf")
MAD: tuple[Any, ...] = (
    None, True, False, 0, -1, 7, 10**30, 0.5, -0.5, NAN, INF, -INF, "", "3", "10m", "nonsense",
    "a\0b", "x" * 5000, b"bytes", [], (), {}, set(), [None], {"a": 1}, object(), int, len, 1j,
    np.int64(-3), np.float64("nan"), np.zeros(3), Path("/nowhere/at/all"), DEAL, DEAL.rules,
    DEAL.position, lambda: 1 / 0,
)  # fmt: skip

CALLS: dict[str, dict[str, Any]] = {
    "all_solutions": {"deal": DEAL},
    "count_solutions": {"deal": DEAL},
    "draw_board": {"position": DEAL.position, "title": "title"},
    "first_moves": {"deal": DEAL},
    "format_board": {"position": DEAL.position},
    "hint": {"deal": DEAL},
    "load_rules": {"source": "freecell"},
    "open_store": {"path": "nowhere"},
    "prove": {"deal": DEAL},
    "prove_many": {"deals": []},
    "read_solution": {"source": "no solution"},
    "rules_for": {"game": "freecell"},
    "solution_of": {"result": None},
    "solve": {"deal": DEAL},
    "survey_deals": {"ranges": "1", "output": "nowhere/table.csv"},
    "verify_store": {"path": "nowhere"},
    "write_solution": {"solution": None, "to_format": "moves"},
}
"""Each function with arguments that it takes; where that is no matter, it fails for others."""


BEGINNINGS = (
    "dbmsolver.search.session.run",
    "dbmsolver.search.decisions.decide",
    "dbmsolver.search.advice.worth.worth",
    "dbmsolver.search.advice.first_moves.first_moves",
    "dbmsolver.search.sequences.session.Sequences",
    "dbmsolver.survey.filling.fill",
)
"""The functions with which the work of these begins."""


class Reached(Exception):
    """The work would begin: all arguments were taken."""


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have no work begin, and nothing written where a test is not looking."""

    def begin(*_: Any, **__: Any) -> Any:
        raise Reached

    for name in BEGINNINGS:
        resolve_name(name)  # what is imported later would keep the replaced functions
    for name in BEGINNINGS:
        monkeypatch.setattr(name, begin)
    monkeypatch.chdir(tmp_path)


def arguments_of(name: str) -> list[str]:
    """Return the names of all arguments of a function."""
    found = []
    for one in inspect.signature(getattr(dbmsolver, name)).parameters.values():
        found += list(Settings.__annotations__) if one.kind == one.VAR_KEYWORD else [one.name]
    return found


def call(function: Callable[..., Any], **given: Any) -> None:
    """Call a function, and take what it yields; its own errors, of one line, are well."""
    try:
        found = function(**given)
        if inspect.isgenerator(found):
            next(found, None)
    except Reached:
        pass
    except DbmError as error:
        assert str(error), error
        assert "\n" not in str(error)
        assert len(str(error)) < 600


def test_every_function_is_tried() -> None:
    functions = [name for name in dbmsolver.__all__ if name[0].islower()]
    assert sorted(CALLS) == sorted(functions)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("idle")
def test_mad_values(name: str) -> None:
    function = getattr(dbmsolver, name)
    for argument in arguments_of(name):
        for value in MAD:
            call(function, **{**CALLS[name], argument: value})
    if "policy" in arguments_of(name) and name != "write_solution":
        call(function, **CALLS[name], nonsense=1)


@pytest.mark.parametrize("make", [Deal.from_number, Deal.from_text, Deal.load])
def test_mad_deals(make: Callable[..., Any]) -> None:
    for value in MAD:
        call(lambda value=value: make(value))
        call(lambda value=value: make(3 if make == Deal.from_number else "3", rules=value))


@pytest.mark.parametrize("kind", [Limits, Options])
def test_mad_limits_and_options(kind: Any) -> None:
    for name in kind.__dataclass_fields__:
        for value in MAD:
            call(lambda name=name, value=value: kind(**{name: value}))


@pytest.mark.usefixtures("idle")
def test_mad_facts_about_a_solution() -> None:
    for name in Given.__dataclass_fields__:
        for value in MAD:
            call(
                lambda name=name, value=value: read_solution("1a 2a", None, Given(**{name: value}))
            )


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"game": "nosuch"}, WrongValueError, "unknown game 'nosuch', expected one that"),
        ({"game": 5}, WrongTypeError, "game is 5, expected a text or a Rules or None"),
        ({"freecells": "4"}, WrongTypeError, "freecells is '4', expected a whole number"),
        ({"deal": 3}, WrongTypeError, "deal is 3, expected a Deal or a text or None"),
        ({"lengths": "x"}, WrongValueError, "unknown lengths 'x', expected one of None, longest"),
        ({"rows": "x"}, WrongTypeError, "rows is 'x', expected True or False"),
        (
            {"deal": DEAL, "game": "eight_off"},
            WrongValueError,
            "game is eight_off, the deal says freecell, expected the same",
        ),
        (
            {"deal": DEAL, "freecells": 2},
            WrongValueError,
            "freecells is 2, the deal says 4, expected the same",
        ),
    ],
)
def test_what_is_said_of_facts_about_a_solution(
    given: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        Given(**given)
    assert str(caught.value).startswith(message)


def test_a_fact_about_a_solution_names_its_game_as_people_do() -> None:
    assert Given(game="Seahaven Towers") == Given(game="seahaven_towers")


@pytest.mark.parametrize("number", [np.int64(3), np.float64(3.0), np.array(3), 3.0])
def test_rules_hold_numbers_of_python_whatever_was_given(number: Any) -> None:
    for rules in (rules_for("freecell", number, number), replace(DEAL.rules, columns=number)):
        assert type(rules.columns) is type(rules.freecells) is int
        assert hash(rules) == hash(replace(rules))


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"freecells": -5}, WrongValueError, "-5 freecells: expected 0 to 13"),
        ({"reserve": "no"}, WrongTypeError, "reserve is 'no', expected True or False"),
        ({"name": 3}, WrongTypeError, "name is 3, expected a text"),
    ],
)
def test_rules_of_wrong_values_are_refused(
    change: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        replace(DEAL.rules, **change)


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"threads": 0}, WrongValueError, "threads is 0, expected 1 to 256"),
    ({"threads": -1}, WrongValueError, "threads is -1, expected 1 to 256"),
    ({"threads": "2"}, WrongTypeError, "threads is '2', expected a whole number"),
    ({"threads": True}, WrongTypeError, "threads is True, expected a whole number"),
    ({"threads": 1.5}, WrongTypeError, "threads is 1.5, expected a whole number"),
    ({"max_time": "soon"}, WrongValueError, "max_time: 'soon' is no time, expected one like"),
    ({"max_time": -1}, WrongValueError, "max_time is -1, expected 0 or more seconds"),
    ({"max_time": NAN}, WrongValueError, "max_time is nan, expected 0 or more seconds"),
    ({"memory": "much"}, WrongValueError, "memory: 'much' is no size, expected one like"),
    ({"memory": 0}, WrongValueError, "memory is 0, expected 1 or more"),
    ({"max_states": 0}, WrongValueError, "max_states is 0, expected 1 or more"),
    ({"max_states": []}, WrongTypeError, "max_states is of the type list, expected a whole"),
    ({"max_disk": -5}, WrongValueError, "max_disk is -5, expected 0 or more"),
    ({"store": 3}, WrongTypeError, "store is 3, expected a path"),
    ({"store": ""}, WrongValueError, "store is '', expected a path"),
    ({"policy": "never"}, WrongValueError, "unknown policy 'never', expected one of"),
    ({"keep": None}, WrongTypeError, "unknown keep None, expected one of all, none"),
    ({"metric": []}, WrongTypeError, "unknown metric of the type list, expected one of"),
    ({"any_solution": "yes"}, WrongTypeError, "any_solution is 'yes', expected True or False"),
    ({"progress": 1}, WrongTypeError, "progress is 1, expected a function"),
    ({"cancel": True}, WrongTypeError, "cancel is True, expected a function"),
    ({"thread": 1}, WrongTypeError, "unknown argument 'thread', expected policy, threads"),
    ({"cluster": "auto"}, WrongTypeError, "unknown argument 'cluster'"),
]


@pytest.mark.parametrize(("given", "kind", "message"), WRONG)
@pytest.mark.usefixtures("idle")
def test_what_is_said(given: dict[str, Any], kind: type[Exception], message: str) -> None:
    """It is an error of the library, and one of those that Python has for such a thing."""
    with pytest.raises(UsageError) as caught:
        solve(DEAL, **given)
    assert isinstance(caught.value, kind)
    assert isinstance(caught.value, ValueError if kind == WrongValueError else TypeError)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("number", ["3", None, b"3", 3.5, True])
def test_no_number(number: Any) -> None:
    with pytest.raises(WrongTypeError, match=r"^number is .*, expected a whole number$"):
        Deal.from_number(number)
    with pytest.raises(WrongTypeError, match=r"^deal is .*, expected a Deal or a whole number$"):
        solve(number)


def test_no_game() -> None:
    with pytest.raises(WrongTypeError, match=r"^source is 3, expected a text or a Path$"):
        load_rules(3)  # type: ignore[arg-type]


def test_what_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    from dbmsolver.search import session

    class Asked(Exception):
        pass

    def begin(_question: Any, deal: Deal, options: Options, limits: Limits) -> Any:
        raise Asked(deal, options, limits)

    monkeypatch.setattr(session, "run", begin)
    with pytest.raises(Asked) as caught:
        solve(
            np.int64(3),
            max_time="10m",
            memory="512M",
            max_disk="1.5GiB",
            max_states=1e6,
            threads=np.int32(2),
            store="here",
        )
    deal, options, limits = caught.value.args
    assert deal == DEAL
    assert type(deal.number) is int
    assert options == Options(threads=2, store=Path("here"), method=Method.EVERY_POSITION)
    assert limits == Limits(1_000_000, 600.0, 512 << 20, 3 << 29)
    assert all(type(value) in (int, float) for value in (limits.max_states, limits.memory))
    assert Limits(max_time=INF) == Limits()
    assert Options(method="dominating").method is Method.DOMINATING  # type: ignore[arg-type]
    assert rules_for("freecell", np.int8(2)).freecells == 2


def test_a_position_that_the_rules_cannot_have_is_refused() -> None:
    """A position that a program puts together is looked at as one that is read from a file."""
    position = replace(DEAL.position, columns=(*DEAL.position.columns[1:], ()))
    with pytest.raises(dbmsolver.InputError, match=r"^the deal: .*missing"):
        solve(Deal(position, DEAL.rules))


KLONDIKE = Deal.from_number(3, GAMES["klondike"])


@pytest.mark.parametrize(
    ("deal", "expected"),
    [
        (Deal(DEAL.position, GAMES["klondike"]), "position is a Position, expected a Patience"),
        (Deal(KLONDIKE.position, GAMES["spider"]), "position is a Patience, expected a Wide"),
        (Deal(KLONDIKE.position, GAMES["pyramid"]), "position is a Patience, expected a Pairing"),
        (Deal(KLONDIKE.position, DEAL.rules), "position is a Patience, expected a Position"),
        (Deal("3", DEAL.rules), "position is a str, expected a Position"),  # type: ignore[arg-type]
        (Deal(DEAL.position, "freecell"), "rules is 'freecell', expected a Rules"),  # type: ignore[arg-type]
        (
            Deal(replace(DEAL.position, columns=[*DEAL.position.columns]), DEAL.rules),  # type: ignore[arg-type]
            "columns is .*expected a tuple",
        ),
        (
            Deal(replace(DEAL.position, columns=(*map(list, DEAL.position.columns),)), DEAL.rules),  # type: ignore[arg-type]
            "a column is .*expected a tuple",
        ),
        (
            Deal(replace(DEAL.position, columns=(("AH",), *DEAL.position.columns[1:])), DEAL.rules),  # type: ignore[arg-type]
            "'AH' in column 1, expected a number",
        ),
        (Deal(replace(DEAL.position, foundations=(0, 0, 0)), DEAL.rules), "3 foundations"),  # type: ignore[arg-type]
        (Deal(replace(DEAL.position, foundations=(0, 0, 0, "1")), DEAL.rules), "'1' in home"),  # type: ignore[arg-type]
        (
            Deal(replace(KLONDIKE.position, turns="2"), KLONDIKE.rules),
            "turns is '2', expected an? int",
        ),  # type: ignore[call-arg]
        (
            Deal(replace(KLONDIKE.position, stock=None), KLONDIKE.rules),
            "stock is None, expected a tuple",
        ),  # type: ignore[arg-type]
    ],
)
def test_a_deal_of_other_types_is_refused(deal: Deal, expected: str) -> None:
    for ask in (solve, dbmsolver.prove, dbmsolver.hint):
        with pytest.raises(dbmsolver.DbmError, match=expected):
            ask(deal)


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES.keys())
def test_deals_of_all_games_are_taken(rules: Rules) -> None:
    Deal.from_number(3, rules).validate("the deal")
