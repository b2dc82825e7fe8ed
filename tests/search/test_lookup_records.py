"""Looking positions up in stores of dominating positions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random

import pytest
from helpers.dominance_brute import Deck, position_of, random_deck, reached, settled
from helpers.faults import change_block, closed_keys, without
from helpers.searching import without_dives
from helpers.selection import few_fast

from dbmsolver.api import prove, solve
from dbmsolver.errors import StoreError
from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal, deal_number
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import FILLS, Build, Fill
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.results import Result
from dbmsolver.search import inspect
from dbmsolver.storage.store import manifest_of


def check_lookup(store: Path, start: Position, position: Position, deal: Deal) -> None:
    """Check that the moves are legal, and lead there."""
    moves = inspect.lookup(store, position)
    assert moves is not None, position
    at = start
    for move in moves:
        assert move._replace(forced=False) in at.moves(deal.rules)
        at = at.apply(move)
    assert at.canonical() == position.canonical()


def unsolvable_deck(build: Build, fill: Fill, seed: int) -> tuple[Deck, Deal]:
    """Return the first small deck after the seed that has records and cannot be won."""
    random = Random(f"lookup {build} {fill} {seed}")
    while True:
        deck = random_deck(random, build, fill)
        states = reached(deck, 600) if has_dominance(deck.rules) else None
        if states and len(states) > 20 and not any(sum(one[0]) == 52 for one in states):
            return deck, Deal(deck.start, deck.rules)


@pytest.mark.parametrize(("build", "fill"), few_fast(product(["alternate", "suit"], FILLS), 1))
def test_positions_of_small_decks(tmp_path: Path, build: Build, fill: Fill) -> None:
    """Every position that plain moves reach is covered after its safe moves; no other is."""
    for seed in range(3):
        store = tmp_path / f"store{seed}"
        deck, deal = unsolvable_deck(build, fill, seed)
        assert prove(deal, policy=deck.policy, store=store).verdict == "unsolvable"
        assert manifest_of(store).method == "dominating"
        states = reached(deck, 600)
        assert states is not None
        last = sorted({settled(state, deck) for state in states}, key=repr)
        for state in Random(seed).sample(last, min(25, len(last))):
            check_lookup(store, deck.start, position_of(state, deck.rules), deal)
        check_lookup(store, deck.start, deck.start, deal)
        assert inspect.status(store).checked


def test_games_of_a_real_deal(tmp_path: Path) -> None:
    """Random games from the deal stay covered; a win and another deal's positions are not."""
    deal = Deal.from_number(11982)
    store = tmp_path / "store"
    prove(deal, store=store)
    for seed in range(3):
        random = Random(seed)
        at = deal.position
        for _ in range(40):
            following = at.successors(deal.rules, "wkr")
            if not following:
                break
            at = random.choice(following)[1]
        while (safe := at.forced(deal.rules, "wkr")) is not None:
            at = at.apply(safe)
        check_lookup(store, deal.position, at, deal)
    check_lookup(store, deal.position, deal.position, deal)
    assert inspect.lookup(store, deal_number(1, deal.rules)) is None
    won = Position(((),) * 8, (None,) * 4, (13, 13, 13, 13))
    assert inspect.lookup(store, won) is None


def test_a_proof_that_is_not_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """States closed so far are answered; the rest is not covered yet."""
    without_dives(monkeypatch)
    deal = Deal.from_number(5979, rules_for("freecell", 3))
    store = tmp_path / "store"
    assert prove(deal, store=store, max_states=20_000).verdict == "undecided"
    check_lookup(store, deal.position, deal.position, deal)
    assert inspect.status(store).pending > 0


def test_the_command_says_covered(tmp_path: Path) -> None:
    """And that a position which differs by parked cards only is covered, too; others are not."""
    deal = Deal.from_number(11982)
    store = tmp_path / "store"
    prove(deal, store=store)
    parked = deal.position
    for _ in range(2):
        top = next(card for card, place in parked.available() if place.kind == "column")
        move = next(
            move
            for move in parked.moves(deal.rules)
            if move.card == top and move.destination.kind == "freecell"
        )
        parked = parked.apply(move)
    boards = {"parked": parked, "other": deal_number(1, deal.rules)}
    told = {}
    for name, position in boards.items():
        (tmp_path / name).write_text(format_board(position))
        done = subprocess.run(
            [sys.executable, "-m", "dbmsolver", "lookup", str(store), str(tmp_path / name)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        told[name] = done.stdout.splitlines()[0]
    assert told == {
        "parked": "Deal 11982: covered, 2 card moves away",
        "other": "Deal 11982: not covered",
    }


@pytest.mark.parametrize("removed", range(3))
def test_a_missing_record_is_noticed_or_not_needed(tmp_path: Path, removed: int) -> None:
    """Without its first records a store does not answer for the deal."""
    deal = Deal.from_number(11982)
    store = tmp_path / "store"
    prove(deal, store=store)
    key = closed_keys(store)[removed]
    change_block(store, key, lambda runs: without(runs, 0))
    with pytest.raises(StoreError):
        inspect.status(store)


def test_the_deal_is_met_before_anything_is_closed(tmp_path: Path) -> None:
    deal = Deal.from_number(3)
    solve(deal, store=tmp_path, cancel=lambda: True, threads=1)
    assert inspect.status(tmp_path).closed == 0
    assert inspect.lookup(tmp_path, deal.position) == []


@pytest.mark.parametrize("question", [prove, solve])
def test_a_store_that_has_not_kept_its_positions_knows_few(
    tmp_path: Path, question: Callable[..., Result]
) -> None:
    """It must not say of any other position that the search did not come upon it."""
    deal = Deal.from_number(1, GAMES["golf"])
    question(deal, store=tmp_path, keep="none")
    assert inspect.lookup(tmp_path, deal.position) == []
    other = deal.position.apply(deal.position.moves(deal.rules)[0])
    with pytest.raises(StoreError, match="was made with --keep none, and has no closed states to"):
        inspect.lookup(tmp_path, other)


def test_a_deal_that_a_dive_wins(tmp_path: Path) -> None:
    """Nothing is closed then, but the positions of the solution are known."""
    deal = Deal.from_number(1)
    moves = prove(deal, store=tmp_path).moves
    assert moves is not None
    on_the_way = deal.position.apply(moves[0]).apply(moves[1])
    assert inspect.lookup(tmp_path, on_the_way) == list(moves[:2])
    other = next(
        after
        for move in deal.position.moves(deal.rules)
        if (after := deal.position.apply(move)) != deal.position.apply(moves[0])
    )
    with pytest.raises(StoreError, match="has no closed states to look in: it was decided before"):
        inspect.lookup(tmp_path, other)
