"""Words for the ways cards move, as solutions have them: written and read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import get_args

from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.kinds import PAIRS, PILES, Bases, Build, Moves, Pairs, Pile, RowDeals
from dbmsolver.game.rules import Rules

_PATIENCE = re.compile(
    r"(?P<moves>runs|suit-runs|groups|card-or-column|columns)?(?: ?stock-(?P<stock>[0-9]{1,2}) "
    r"draw-(?P<draw>[1-9][0-9]?) passes-(?P<passes>[0-9]{1,2}))?(?: ?base-(?P<base>deal|round))?"
    r"(?: ?stacked-(?P<stacked>[1-9][0-9]?))?(?P<back> ?removable)?"
)

_PAIRS = re.compile(
    r"pairs-(?P<pairs>pyramid|all)(?: stock-(?P<stock>[0-9]{1,2}) draw-(?P<draw>1) "
    r"passes-(?P<passes>[1-9][0-9]?)(?P<free> free-stock)?)?"
)


_WIDE = re.compile(
    r"packs-(?P<packs>whole|[1-8][HSDC](?:-[1-8][HSDC])*)(?: (?P<moves>runs|suit-runs|groups))?"
    r"(?P<whole> whole-suits)?(?: stock-(?P<stock>[0-9]{1,3}))?"
    r"(?: dealt-(?P<rows>rows|full-rows)| draw-(?P<draw>[1-9][0-9]?))?(?P<back> removable)?"
)


def moving(rules: Rules) -> str:
    """Return the ways cards move, in words for solutions, as in "suit-runs whole-suits".

    "single" where each card is a move of its own and nothing else is unusual.
    """
    words = [str(rules.moves)] if rules.has_runs else []
    words += ["whole-suits"] * rules.whole_suits + ["reserve"] * rules.reserve
    if rules.has_pile:
        words.append(f"pile-{rules.pile}")
        words += [f"stock-{rules.stock}"] * bool(rules.stock)
    if rules.has_pairs:
        return " ".join([f"pairs-{rules.pairs}", *_pairs_stock(rules)])
    if rules.is_wide:
        return " ".join(_wide_words(rules))
    if rules.draw:
        words += [f"stock-{rules.stock}", f"draw-{rules.draw}", f"passes-{rules.passes}"]
    words += [f"base-{rules.base}"] * (rules.base != "ace")
    words += [f"stacked-{rules.stacked}"] * (rules.stacked > 0)
    words += ["removable"] * rules.removable
    return " ".join(words) or "single"


def _pairs_stock(rules: Rules) -> list[str]:
    """Return the words for the stock of a game of pairs."""
    if not rules.draw:
        return []
    words = [f"stock-{rules.stock}", f"draw-{rules.draw}", f"passes-{rules.passes}"]
    return words + ["free-stock"] * rules.free_stock


def _wide_words(rules: Rules) -> list[str]:
    """Return the words for a wide game."""
    words = ["packs-" + (rules.packs.replace(" ", "-") or "whole")]
    words += [str(rules.moves)] * rules.has_runs + ["whole-suits"] * rules.whole_suits
    words += [f"stock-{rules.stock}"] * bool(rules.stock)
    words += [f"dealt-{rules.row_deals}"] * (rules.row_deals != "none")
    words += [f"draw-{rules.draw}"] * bool(rules.draw)
    return words + ["removable"] * rules.removable


def with_moving(rules: Rules, text: str, build: Build | None = None) -> Rules:
    """Return the rules with cards that move as the words of `moving` say.

    `build`, if given, is another way of building. UsageError for other words.
    """
    words = set(text.split())
    if text.startswith("pairs-"):
        return _with_pairs(rules, text)
    if text.startswith("packs-"):
        return _with_packs(rules, text, build)
    if "groups" in words or "draw-" in text:
        return _with_patience(rules, text, build)
    stock = next((word for word in words if re.fullmatch("stock-[1-9][0-9]?", word)), None)
    piles: dict[str, Pile] = {f"pile-{pile}": pile for pile in PILES if pile != "none"}
    bases: dict[str, Bases] = {"base-deal": "deal", "base-round": "round"}
    takes = {"runs", "suit-runs", "single"}
    known = {*takes, "whole-suits", "reserve", "removable", *piles, *bases, stock}
    pile: Pile = next((pile for word, pile in piles.items() if word in words), "none")
    unknown = sorted(words - known) or len(words & takes) > 1 or len(words & bases.keys()) > 1
    if unknown or ((pile != "none" or stock) and words - {f"pile-{pile}", stock}):
        expected = (
            "runs, suit-runs or single, then whole-suits, reserve, base-deal or base-round, and "
            "removable where they are so; or pile-wrap or pile-ends, then stock- and its cards; or "
            "runs, suit-runs, groups or nothing, then stock-, draw- and passes- with numbers, then "
            "removable"
        )
        raise UsageError(f"{quoted(text, 40)} for how cards move, expected {expected}")
    if pile != "none":
        cards = int(stock[6:]) if stock else 0
        return replace(rules, build="none", fill="none", pile=pile, stock=cards)
    one: Moves = "runs" if "runs" in words else "single"
    return replace(
        rules,
        build=build or rules.build,
        moves="suit-runs" if "suit-runs" in words else one,
        whole_suits="whole-suits" in words,
        reserve="reserve" in words,
        removable="removable" in words,
        pile="none",
        stock=0,
        draw=0,
        passes=0,
        base=next((base for word, base in bases.items() if word in words), "ace"),
        stacked=0,
    )


def _with_pairs(rules: Rules, text: str) -> Rules:
    """Return the rules as `with_moving` does, for a game of pairs."""
    found = _PAIRS.fullmatch(text)
    if not found:
        raise UsageError(
            f"{quoted(text, 40)} for how cards move, expected pairs-pyramid or pairs-all, then "
            "stock-, draw- and passes- with numbers, and free-stock, as far as they are so"
        )
    pairs: dict[str, Pairs] = {name: name for name in PAIRS}
    return replace(
        rules,
        build="none",
        fill="none",
        pairs=pairs.get(found["pairs"], "none"),
        stock=int(found["stock"] or 0),
        draw=int(found["draw"] or 0),
        passes=int(found["passes"] or 0),
        free_stock=bool(found["free"]),
    )


def _with_packs(rules: Rules, text: str, build: Build | None) -> Rules:
    """Return the rules as `with_moving` does, for a wide game."""
    found = _WIDE.fullmatch(text)
    if not found:
        raise UsageError(
            f"{quoted(text, 40)} for how cards move, expected packs-whole or packs- with packs, "
            "then runs, suit-runs or groups, whole-suits, stock- with a number, dealt-rows, "
            "dealt-full-rows or draw- with a number, and removable, as far as they are so"
        )
    takes = {name: name for name in get_args(Moves)}
    row_deals = {name: name for name in get_args(RowDeals)}
    packs = found["packs"]
    return replace(
        rules,
        build=build or rules.build,
        moves=takes.get(found["moves"], "single"),
        whole_suits=bool(found["whole"]),
        stock=int(found["stock"] or 0),
        row_deals=row_deals.get(found["rows"], "none"),
        draw=int(found["draw"] or 0),
        passes=1 if found["draw"] else 0,
        packs="" if packs == "whole" else packs.replace("-", " "),
        removable=bool(found["back"]),
    )


def _with_patience(rules: Rules, text: str, build: Build | None) -> Rules:
    """Return the rules as `with_moving` does, for a game of Klondike's kind."""
    found = _PATIENCE.fullmatch(text)
    if not found:
        expected = (
            "runs, suit-runs, groups, card-or-column or columns, then stock-, draw- and passes- "
            "with numbers, then base-deal or base-round, stacked- with a number, and removable, as "
            "far as they are so"
        )
        raise UsageError(f"{quoted(text, 40)} for how cards move, expected {expected}")
    takes = {name: name for name in get_args(Moves)}
    bases = {name: name for name in get_args(Bases)}
    return replace(
        rules,
        build=build or rules.build,
        moves=takes.get(found["moves"], "single"),
        whole_suits=False,
        reserve=False,
        pile="none",
        stock=int(found["stock"] or 0),
        draw=int(found["draw"] or 0),
        passes=int(found["passes"] or 0),
        base=bases.get(found["base"], "ace"),
        stacked=int(found["stacked"] or 0),
        removable=bool(found["back"]),
    )
