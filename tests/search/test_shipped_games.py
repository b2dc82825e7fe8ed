"""Every shipped game on small decks: search, readable model and check agree."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers import faults, pile_games
from helpers.any_rules import any_base
from helpers.naive_search import breadth_first
from helpers.searching import prove

from dbmsolver.api import solve
from dbmsolver.game.cards import CARDS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, changed

MOST = 800
"""Positions of the largest deck that is searched slowly."""

SOME = 4
MANY = 10
"""Decks of each game: some, or enough to make hundreds with all games."""


def small_deck(game: str, random: Random) -> Deal:
    """Two to five ranks in three to six columns, cells filled as far as the game fills them.

    The lower ranks are home: a short deck is the upper end of a whole one. Where the deal gives the
    base, it is any rank, and some cards of it are home.
    """
    if GAMES[game].has_pile:
        return pile_games.small_deck(game, random)
    columns, ranks = random.randint(3, 6), random.randint(2, 5)
    cells = min(GAMES[game].freecells, random.randint(0, 3))
    plain = replace(GAMES[game], layout="", dealt_to_freecells=0, kings_sunk=False)
    rules: Rules = changed(plain, cells, columns)
    cards = list(range(CARDS - 4 * ranks, CARDS))
    random.shuffle(cards)
    base, heights = any_base(random, rules, cards, 14 - ranks)
    filled = [cards.pop() for _ in range(min(cells, GAMES[game].dealt_to_freecells))]
    position = Position(
        tuple(tuple(cards[index::columns]) for index in range(columns)),
        (*filled, *[None] * (cells - len(filled))),
        heights,
        base=base,
    )
    position.validate(rules)
    return Deal(position, rules)


def check(game: str, seed: int, decks: int, store: Path) -> None:
    """As many decks, and more until a proof's store was verified, and refused with a state less."""
    random = Random(f"{game} {seed}")
    compared, checked = 0, False
    while compared < decks or not checked:
        deal, policy = small_deck(game, random), random.choice(POLICIES)
        found = breadth_first(deal.position, deal.rules, policy, MOST)
        if found is None:
            continue
        length, positions = found
        folder = store / f"{game} {compared}"
        proof = prove(deal, policy=policy, store=folder)
        shortest = solve(deal, policy=policy)
        assert shortest.length == length, (deal.position, policy)
        assert proof.verdict == shortest.verdict == ("unsolvable" if length is None else "solved")
        if length is None:
            assert proof.states + proof.forced == positions
            assert shortest.states + shortest.forced == positions
        compared += 1
        if length is None and not checked:
            report = faults.check(folder)
            assert report.valid, report
            states = faults.closed_states(folder)
            if len(states) > 1:
                key, number = random.choice(states)
                faults.change_block(folder, key, lambda runs, n=number: faults.without(runs, n))
                faults.make_counts_fit(folder)
                assert not faults.check(folder).valid
                checked = True


PLAYED = [
    name
    for name, rules in GAMES.items()
    if not (rules.is_patience or rules.has_pairs or rules.is_wide)
]
"""Klondike and its relatives, pairing games and wide games have tests of their own."""


@pytest.mark.parametrize("game", PLAYED)
def test_small_decks(game: str, tmp_path: Path) -> None:
    check(game, 1, SOME, tmp_path)


BY_NAME = (
    "search/test_shipped_games.py::test_small_decks",
    "search/leaving/test_pairs.py::test_whole_decks",
    "search/patience/test_small_decks.py::test_small_decks",
    "search/wide/test_small_decks.py::test_small_decks",
)
"""The fast tests that have each game of a kind, by its name."""


def test_every_game_has_a_fast_test() -> None:
    """None is left out, or slow, as the list of games grows."""
    tests = [str(Path(__file__).parents[1] / name) for name in BY_NAME]
    asked = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    listed = subprocess.run([*asked, *tests], capture_output=True, text=True, check=True).stdout
    assert set(re.findall(r"::test_\w+\[(\w+)\]$", listed, re.M)) >= set(GAMES)


@pytest.mark.slow
@pytest.mark.parametrize("game", PLAYED)
def test_hundreds_of_small_decks(game: str, tmp_path: Path) -> None:
    check(game, 2, MANY, tmp_path)
