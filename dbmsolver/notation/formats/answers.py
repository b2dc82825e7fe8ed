"""The answers of `dbmsolver solve` and its kin, as people (`text`) and programs (`json`) get them.

They are read only: a solution that was kept this way can still be converted and checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dbmsolver.errors import DbmError, quoted
from dbmsolver.game.automoves import AUTOMOVES, Automove, moves_home
from dbmsolver.game.cards import SUITS, parse_card, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.json_boards import of_board
from dbmsolver.game.moves import COLUMNS, PILE, REMOVED, RESERVE, STOCK, WASTE, Place
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import UNUSUAL, rules_from
from dbmsolver.game.titles import rules_of_notes
from dbmsolver.notation.formats.building import OWN_FOUNDATION, Builder
from dbmsolver.notation.formats.given import Given
from dbmsolver.notation.formats.json_text import parse
from dbmsolver.notation.formats.source import InvalidError, Source
from dbmsolver.notation.formats.stated_length import (
    check_fields,
    check_title,
    remarks_of_fields,
    remarks_of_title,
)
from dbmsolver.notation.solution import Path, Solution
from dbmsolver.notation.steps import Origin, Step

TITLE = re.compile(r"Deal (\S+)(?: \(([^()]*)\))?: solved in .*", re.ASCII)
ANSWER = re.compile(
    r"Deal \S+(?: \([^()]*\))?: (?:solved(?: in |, but )|unsolvable[ ,]|undecided, )", re.ASCII
)
"""The beginning of such a text, whatever its verdict."""
_MOVE = re.compile(
    r"\s*(?:[0-9]+)?\s+(?P<card>\S{2})\s+"
    r"(?P<source>column|freecell|stock|waste|reserve|home)(?:\s(?P<from>[0-9]{1,2}))?\s->\s"
    r"(?:home|(?P<pile>pile|stock|waste|removed|columns)(?:,\swith\s(?P<other>\S{2}))?|"
    r"(?P<destination>column|freecell)\s(?P<to>[0-9]{1,2}))"
    r"(?:\s+\((?P<count>[0-9]{1,2})\scards\))?(?P<forced>\s+\((?:forced|automove)\))?\s*",
    re.ASCII,
)
_FACT = re.compile(
    r"(?:Lengths|States|Time|Memory|Disk|Digest|Store|Proof|Go on):\s.*|No move is needed\.\s*|\s*"
)
_PILED = {"pile": PILE, "stock": STOCK, "waste": WASTE, "reserve": RESERVE, "removed": REMOVED}
_PILED["columns"] = COLUMNS
_NUMBER = re.compile(r"-?[0-9]{1,12}")


def read_text(source: Source, given: Given) -> Solution:
    """Read what `solve` prints for people; boards between the moves are passed over.

    A move that is called forced, or an automove, is one of the narrowest policy that makes it.
    """
    moves = [(n, line, found) for n, line in source.lines() if (found := _MOVE.fullmatch(line))]
    deal = deal_of_text(source, given, moves[0][0] if moves else None)
    builder = Builder(deal, source.where)
    for number, line, found in moves:
        destination = OWN_FOUNDATION
        if found["pile"]:
            destination = _PILED[found["pile"]]
        elif found["destination"]:
            destination = _place(found["destination"], found["to"])
        origin = Origin(line.strip(), number, len(line) - len(line.lstrip()) + 1)
        card = parse_card(found["card"], source.named(number, found.start("card") + 1))
        place = _place(found["source"], found["from"] or "1")
        place = Place("foundation", suit(card)) if found["source"] == "home" else place
        count = int(found["count"] or 1)
        other = None
        if found["other"]:
            other = parse_card(found["other"], source.named(number, found.start("other") + 1))
        step = Step(place, destination, count, card=card, onto=other, origin=origin)
        builder.add(_forced(step, builder) if found["forced"] else step)
    solution = builder.solution()
    first, title = _title(source)
    check_title(title, solution, source.named(first))
    return replace(solution, remarks=remarks_of_title(title, solution.rules))


def deal_of_text(source: Source, given: Given, end: int | None) -> Deal:
    """Return the deal of such a text.

    Its title and board stand above line ``end``, the line of the first move; None without moves.
    """
    lines = source.lines()
    first, title = _title(source)
    match = TITLE.fullmatch(title.strip())
    if match is None:
        raise InvalidError("no solution, expected `Deal ...: solved in ...`", source.named(first))
    return _deal(source, given, match, first, len(lines) + 1 if end is None else end)


def _title(source: Source) -> tuple[int, str]:
    """Return the first line that is not empty, with its number."""
    return next(((n, line) for n, line in source.lines() if line.strip()), (1, ""))


def _forced(step: Step, builder: Builder) -> Step:
    """Return the step as an automove of the narrowest policy that makes it, if one does."""
    for policy in AUTOMOVES:
        at, rules = builder.position, builder.deal.rules
        if step.card is not None and moves_home(at, step.card, rules, policy):
            return replace(step, automove=policy)
    return step


def _deal(source: Source, given: Given, title: re.Match[str], first: int, end: int) -> Deal:
    try:
        rules = rules_of_notes(title[2] or "")
    except DbmError as error:
        raise InvalidError(error.message, source.named(first)) from None
    place = source.named(first)
    rules = given.agreed(rules, dict.fromkeys(("game", "freecells", "columns"), place))
    board = [
        line if first < number < end and not _FACT.fullmatch(line) else ""
        for number, line in source.lines()
    ]
    deal = _numbered(Deal(given.board(board, rules, source.where), rules), title[1])
    if _NUMBER.fullmatch(title[1]) and deal.number is None:
        raise _other_number(title[1], place)
    return given.start(deal, rules, place)


def _numbered(deal: Deal, name: str) -> Deal:
    """Return the deal with the number ``name``, if it is the deal of that number."""
    if _NUMBER.fullmatch(name):
        try:
            numbered = Deal.from_number(int(name), deal.rules)
        except DbmError:
            return deal
        if numbered.position == deal.position:
            return numbered
    return deal


def _other_number(number: str, where: str) -> InvalidError:
    text = f"deal {quoted(number)}, expected the number of the deal with this board"
    return InvalidError(text, where)


def _place(kind: str, number: str) -> Place:
    if kind in _PILED:
        return _PILED[kind]
    return Place("column" if kind == "column" else "freecell", int(number) - 1)


def read_json(source: Source, given: Given) -> Solution:
    """Read what `solve --json` prints."""
    value, places = parse(source)

    def problem(path: Path, message: str) -> InvalidError:
        while path and path not in places:
            path = path[:-1]
        return InvalidError(message, source.place(places[path]))

    if not isinstance(value, dict) or value.get("verdict") != "solved":
        raise problem(("verdict",), "no solution, expected the verdict `solved`")

    deal = deal_of_json(value, places, source, given)
    try:
        moves = list(value["moves"])
        policy: Automove = next(name for name in AUTOMOVES if name == value["automove"])
    except (KeyError, TypeError, AttributeError, StopIteration) as error:
        raise _no_answer(error, places, source) from None
    builder = Builder(deal, source.where)
    for index, move in enumerate(moves):
        path: Path = ("moves", index)
        try:
            where = source.place(places[path])
            card = parse_card(str(move["card"]), where)
            start, end = (_json_place(move[key]) for key in ("source", "destination"))
            start = Place("foundation", suit(card)) if start == OWN_FOUNDATION else start
            other = parse_card(str(move["other"]), where) if "other" in move else None
        except (KeyError, TypeError, ValueError) as error:
            raise problem(path, f"no move ({error}), expected card, source, destination") from None
        for key in ("source", "destination"):
            if (said := move[key].get("suit", SUITS[suit(card)])) != SUITS[suit(card)]:
                text = f"suit {quoted(str(said))}, expected that of {move['card']}"
                raise problem((*path, key, "suit"), text)
        line, column = source.at(places[path])
        end_name = "home" if end == OWN_FOUNDATION else str(end)
        origin = Origin(f"{move['card']} to {end_name}", line, column)
        made_by = policy if move.get("forced") is True else "none"
        count = move.get("count", 1)
        if not isinstance(count, int) or isinstance(count, bool):
            raise problem((*path, "count"), "expected a number of cards")
        builder.add(Step(start, end, count, made_by, card=card, onto=other, origin=origin))
    solution = builder.solution()
    check_fields(value, solution, policy, problem)
    return replace(solution, remarks=remarks_of_fields(value, solution.rules))


def deal_of_json(
    value: Mapping[str, Any], places: Mapping[Path, int], source: Source, given: Given
) -> Deal:
    """Return the deal of such JSON, whose values stand at ``places`` of the text."""

    def place(*path: str) -> str:
        return source.place(next(places[path[:n]] for n in (2, 1, 0) if path[:n] in places))

    try:
        keys = ("game", "freecells", "columns")
        try:
            said = _rules(value["rules"])
        except DbmError as error:
            raise InvalidError(error.message, place("rules")) from None
        rules = given.agreed(said, {key: place("rules", key) for key in keys})
        board = list(map(str, value["deal"]["board"]))
        deal = Deal(given.board(board, rules, of_board(source.where)), rules)
        number = value["deal"].get("number")
        deal = _numbered(deal, str(value["deal"]["name"] if number is None else number))
        if number is not None and number != deal.number:
            raise _other_number(str(number), place("deal", "number"))
        return given.start(deal, rules, place("deal"))
    except (KeyError, TypeError, AttributeError, StopIteration) as error:
        raise _no_answer(error, places, source) from None


def _no_answer(error: Exception, places: Mapping[Path, int], source: Source) -> InvalidError:
    text = f"no answer of dbmsolver ({error}), expected one"
    return InvalidError(text, source.place(places[()]))


def _rules(value: dict[str, object]) -> Rules:
    names = ("columns", "freecells", "build", "fill", "dealt_to_freecells", "kings_sunk")
    data = {"name": str(value["game"]), **{name: value[name] for name in names}}
    if "layout" in value:
        data["layout"] = str(value["layout"])
    data |= {name: value[name] for name in UNUSUAL if name in value}
    return rules_from(data)


def _json_place(value: dict[str, object]) -> Place:
    if value["kind"] == "foundation":
        return OWN_FOUNDATION
    if value["kind"] in _PILED:
        return _PILED[str(value["kind"])]
    if value["kind"] not in ("column", "freecell") or not isinstance(value["index"], int):
        raise ValueError("a place")
    return Place("column" if value["kind"] == "column" else "freecell", value["index"])
