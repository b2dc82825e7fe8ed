"""Small decks of wide games, for tests, and breadth-first search on the readable model."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from dbmsolver.errors import UsageError
from dbmsolver.game.boards import parse_board
from dbmsolver.game.cards import rank
from dbmsolver.game.deals import Deal
from dbmsolver.game.layouts import layout_of
from dbmsolver.game.moves import Place
from dbmsolver.game.packs import cards_of, packs_text
from dbmsolver.game.positions import lay_out
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.kits.wide.moves import MOST_FOUND
from dbmsolver.kits.wide.tables import ROW_WORDS, make_board
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Step
from helpers.kernels import wide_successors

WIDE_GAMES = [name for name, rules in GAMES.items() if rules.is_wide]
_BUILDS = ("any", "suit", "alternate", "colour", "other", "none")


def small_deck(random: Random, game: str | None = None) -> Deal:
    """Return a deal of a short deck on a few columns: of a shipped game's rules, or of any."""
    while True:
        try:
            return _small_deck(random, game)
        except UsageError:
            continue  # rules that do not go together


def _small_deck(random: Random, game: str | None) -> Deal:
    packs = [0, 0, 0, 0]
    for _ in range(random.randint(1, 4)):
        packs[random.randrange(4)] += 1
    hearts, spades, diamonds, clubs = packs
    text, ranks = packs_text((hearts, spades, diamonds, clubs)), random.randint(2, 4)
    deck = [card for card in cards_of(text) if rank(card) > 13 - ranks]
    columns = random.randint(2, 4)
    how: dict[str, Any] = _rules_of(GAMES[game]) if game else _any_rules(random)
    stocked = how["draw"] or how["row_deals"] != "none"
    stock = random.randint(0, 2 * len(deck) // 3) if stocked else 0
    lengths = [(len(deck) - stock + columns - 1 - i) // columns for i in range(columns)]
    hidden = " ".join(str(random.randint(0, max(0, length - 1))) for length in lengths)
    home = "home " + " ".join("A23456789TJQK"[: 13 - ranks])
    layout = home if set(hidden) <= {"0", " "} else f"{home}; hidden {hidden}"
    rules = Rules("small", columns, 0, layout=layout, stock=stock, packs=text, **how)
    if not rules.is_wide:
        raise UsageError("not wide")
    random.shuffle(deck)
    return Deal(lay_out(deck, layout_of(layout), rules), rules)


def _rules_of(rules: Rules) -> dict[str, Any]:
    names = ("build", "fill", "moves", "whole_suits", "removable", "draw", "passes", "row_deals")
    return {name: getattr(rules, name) for name in names}


def _any_rules(random: Random) -> dict[str, Any]:
    draw = random.choice((0, 0, 0, 1, 2))
    moves = random.choice(("single", "runs", "suit-runs", "groups"))
    whole = moves != "single" and random.random() < 0.6
    return {
        "build": random.choice(_BUILDS),
        "fill": random.choice(("any", "kings", "none")),
        "moves": moves,
        "whole_suits": whole,
        "removable": not whole and random.random() < 0.4,
        "draw": draw,
        "passes": 1 if draw else 0,
        "row_deals": "none" if draw else random.choice(("none", "rows", "full-rows")),
    }


def listed_by_kernel(keys: WideKeys, position: Wide) -> list[tuple[list[int], int]]:
    """Return the row and the bound of each state that the kernel's moves lead to."""
    rows = np.zeros((MOST_FOUND, ROW_WORDS), np.uint64)
    moves, sizes, bounds = np.zeros((3, MOST_FOUND), np.int64)
    board = make_board(keys.tables)
    found = moves, rows, sizes, bounds
    count = int(wide_successors(keys.tables, board, keys.row(position), *found))
    return [
        (row[:size].tolist(), int(bound))
        for row, size, bound in zip(rows[:count], sizes, bounds, strict=False)
    ]


def last_suit() -> Solution:
    """Return the end of a game of Spider: a run moves, and the last whole suit goes home."""
    rules = GAMES["spider"]
    board = "Foundations: H-K H-K C-K C-K D-K D-K S-K\n2S AS\nKS QS JS TS 9S 8S 7S 6S 5S 4S 3S\n"
    start = parse_board(board, rules)
    onto, home = Place("column", 1), Place("foundation", 1)
    steps = (Step(Place("column", 0), onto, 2), Step(onto, home, 13))
    return Solution(rules, start, steps, start).ended()


def shortest(deal: Deal, most: int = 4000) -> tuple[int | None, int] | None:
    """Return the length of a shortest solution, None without one, and how many positions are met.

    All of them are met where there is no solution. None if there are more than ``most``.
    """
    layer, length = [deal.position], 0
    seen = {_key(deal.position, deal.rules)}
    while layer:
        following = []
        for position in layer:
            if position.is_goal():
                return length, len(seen)
            for _, after in position.successors(deal.rules, "none"):
                key = _key(after, deal.rules)
                if key not in seen:
                    if len(seen) == most:
                        return None
                    seen.add(key)
                    following.append(after)
        layer, length = following, length + 1
    return None, len(seen)


def _key(position: Any, rules: Rules) -> Any:
    assert isinstance(position, Wide)
    return position.canonical_for(rules)
