"""Searches where a run is one move: stores, resuming, beams before proofs, decks with verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers import faults
from helpers.naive_search import breadth_first
from helpers.searching import check_win, small_pieces

from dbmsolver.api import prove, solve, verify_store
from dbmsolver.errors import StoreError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, changed
from dbmsolver.search.improve import beams_ahead

SIMON = replace(GAMES["simple_simon"], name="simon", columns=4, layout="")
RELAXED = replace(GAMES["relaxed_freecell"], name="relaxed", columns=4, freecells=0, layout="")
LOST = [
    pytest.param(SIMON, 12, 4, 1331, marks=pytest.mark.slow),  # codes of two bytes
    (RELAXED, 92, 5, 332),
]
"""Decks that cannot be won: rules, seed, ranks, positions."""


def deck(rules: Rules, seed: int, ranks: int) -> Deal:
    """Return the upper ranks, shuffled and dealt in turn; the others are home."""
    cards = list(range(52 - 4 * ranks, 52))
    Random(seed).shuffle(cards)
    columns = tuple(tuple(cards[index :: rules.columns]) for index in range(rules.columns))
    return Deal(Position(columns, (None,) * rules.freecells, (13 - ranks,) * 4), rules)


@pytest.mark.parametrize(("rules", "seed", "ranks", "positions"), LOST)
def test_pieces_and_interruptions_change_nothing(
    rules: Rules,
    seed: int,
    ranks: int,
    positions: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deal = deck(rules, seed, ranks)
    assert breadth_first(deal.position, rules, "wkr", 2000) == (None, positions)
    whole = prove(deal)
    assert whole.states + whole.forced == positions
    store = tmp_path / "store"
    assert prove(deal, store=store, max_states=50).verdict == "undecided"
    small_pieces(monkeypatch, 20)
    ended = prove(deal, store=store)
    assert (ended.verdict, ended.states, ended.digest) == (
        "unsolvable",
        whole.states,
        whole.digest,
    )
    assert faults.check(store).valid


def test_a_store_says_how_cards_move(tmp_path: Path) -> None:
    deal = deck(RELAXED, 92, 5)
    prove(deal, store=tmp_path / "store")
    other = Deal(deal.position, changed(deal.rules, moves="single"))
    with pytest.raises(StoreError, match="under other rules: moves runs, not single"):
        prove(other, store=tmp_path / "store", method="every-position")


def check_shortest(rules: Rules, board: str, length: int, store: Path) -> None:
    """Check that all searches of a board find that length, and that the store is valid."""
    deal = Deal.from_text(board, rules)
    for policy in POLICIES:
        least = breadth_first(deal.position, rules, policy, 10_000)
        assert least is not None and least[0] == length
    assert solve(deal, store=store).length == length
    assert verify_store(store).valid


def test_a_king_goes_home_from_a_freecell(tmp_path: Path) -> None:
    """It is the whole rest of its suit."""
    rules = Rules("whole", 5, 2, "suit", "any", moves="runs", whole_suits=True)
    board = "Foundations: H-J C-Q D-J S-T\nFreecells: KC KD\nQD\nJS KH\nQS\nKS\nQH\n"
    check_shortest(rules, board, 9, tmp_path / "store")


def test_a_card_is_taken_away_in_a_run_of_several_suits(tmp_path: Path) -> None:
    """It was above the next higher one of its suit, and the bound counts no move of its own."""
    rules = Rules("mine", 3, 2, "any", "any", moves="runs", whole_suits=True)
    board = "Foundations: H-T C-T D-T S-T\nFreecells:\nKS JH KD KH\nJS JD QC QS\nQH QD KC JC\n"
    check_shortest(rules, board, 14, tmp_path / "store")


@pytest.mark.slow
def test_a_beam_finds_what_the_proof_would(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = Deal.from_number(2, GAMES["simple_simon"])
    found = prove(deal, max_time=60.0)
    assert (found.verdict, found.metric, found.shortest) == ("solved", "runs", False)
    check_win(deal, found.moves, "wkr")
    assert any(move.count > 1 for move in found.moves)
    monkeypatch.setattr(beams_ahead, "OF_RUNS", ())
    assert prove(deal, max_states=1000).verdict == "undecided"


def test_the_beams_keep_to_limits() -> None:
    deal = Deal.from_number(30, GAMES["simple_simon"])
    assert prove(deal, max_time=0.2).limit == "max-time"
    assert prove(deal, cancel=lambda: True).limit == "interrupt"


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, rules in GAMES.items()
        if rules.has_runs and not (rules.is_patience or rules.is_wide)
    ],
)
def test_the_metric_is_named(name: str) -> None:
    rules = replace(GAMES[name], columns=6, layout="", freecells=0, dealt_to_freecells=0)
    result = solve(deck(rules, 5, 3))
    assert result.metric == "runs"
    with pytest.raises(UsageError, match=r"metric cards: .*, expected runs"):
        solve(deck(rules, 5, 3), metric="cards")
