"""Proofs over dominating positions give the verdicts of the search over every position."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from helpers.dominance_brute import random_deck
from helpers.searching import small_pieces, without_dives
from helpers.selection import few_fast

from dbmsolver.api import prove
from dbmsolver.errors import UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import FILLS, POLICIES, Build, Fill, Policy
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Method, Result, Verdict

DATA = Path(__file__).parents[2] / "data"
MOST = 400_000
"""States of the largest games compared."""


def check_solution(result: Result) -> None:
    """Check that the moves are legal, and win."""
    position = result.deal.position
    for move in result.moves:
        assert move._replace(forced=False) in position.moves(result.deal.rules)
        position = position.apply(move)
    assert position.is_goal()


def compare(deal: Deal, policy: Policy = "wkr", most: int = MOST) -> str | None:
    """Both methods give the same verdict; which, or None if there are too many states to know."""
    records = prove(deal, policy=policy, max_states=most)
    states = prove(deal, method=Method.EVERY_POSITION, policy=policy, max_states=most)
    if Verdict.UNDECIDED in (records.verdict, states.verdict):
        return None
    assert records.method == Method.DOMINATING
    assert records.verdict == states.verdict, (deal, policy)
    if records.verdict == Verdict.SOLVED:
        check_solution(records)
    else:
        assert records.states <= states.states, (deal, policy)
        assert records.forced == 0
    return str(records.verdict)


@pytest.mark.parametrize(("build", "fill"), few_fast(product(["alternate", "suit"], FILLS), 1))
def test_small_decks(build: Build, fill: Fill) -> None:
    found = set()
    for seed in range(60):
        deck = random_deck(Random(f"states {build} {fill} {seed}"), build, fill)
        if has_dominance(deck.rules):
            found.add(compare(Deal(deck.start, deck.rules), deck.policy, 20_000))
    assert {"solved", "unsolvable"} <= found


@pytest.mark.parametrize(("cells", "deals"), few_fast([(0, 60), (1, 12)], 1))
def test_real_deals(cells: int, deals: int) -> None:
    rules = rules_for("freecell", freecells=cells)
    verdicts = [compare(Deal.from_number(number, rules)) for number in range(1, deals + 1)]
    assert verdicts.count("unsolvable") > deals // 3


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "deals"), [(0, 30), (1, 15), (2, 5)])
@pytest.mark.parametrize("policy", POLICIES)
def test_hundreds_of_real_deals(cells: int, deals: int, policy: Policy) -> None:
    rules = rules_for("freecell", freecells=cells)
    first = 1001 + deals * POLICIES.index(policy)
    for number in range(first, first + deals):
        compare(Deal.from_number(number, rules), policy)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["bakers_game", "eight_off", "seahaven_towers", "forecell"])
def test_real_deals_of_other_games(game: str) -> None:
    for cells in (0, 1, 2, None):
        try:
            rules = rules_for(game, freecells=cells)
            deals = [Deal.from_number(number, rules) for number in range(1, 9)]
        except UsageError:  # cards are dealt to freecells
            continue
        if has_dominance(rules):
            for deal in deals:
                compare(deal, most=100_000)


def oracle() -> list[tuple[int, int]]:
    """(deal, freecells) of the published counts that are small."""
    text = (DATA / "state-counts.tsv").read_text().splitlines()
    rows = [line.split("\t") for line in text if not line.startswith("#")][1:]
    return [(int(row[0]), int(row[1])) for row in rows if int(row[3]) <= 600_000]


COUNTS = {(11982, 4): 11_162, (1, 2): 14_555, (5979, 3): 135_776}
"""Records of some unsolvable deals; they depend on nothing but the deal and the policy."""


@pytest.mark.parametrize(("number", "cells"), few_fast(oracle(), 4))
def test_published_counts(number: int, cells: int) -> None:
    deal = Deal.from_number(number, rules_for("freecell", freecells=cells))
    assert compare(deal, most=2_000_000) == "unsolvable"


@pytest.mark.parametrize(("deal", "records"), COUNTS.items())
def test_counts(deal: tuple[int, int], records: int) -> None:
    result = prove(Deal.from_number(deal[0], rules_for("freecell", freecells=deal[1])))
    assert (result.verdict, result.states, result.forced) == (Verdict.UNSOLVABLE, records, 0)


# However the proof is made, it is the same.


def facts(result: Result) -> tuple[object, ...]:
    return result.verdict, result.states, result.forced, result.digest, result.strata


@pytest.mark.slow
@pytest.mark.parametrize(("number", "cells"), [(1, 2), (11982, 4)])
def test_dives_and_the_search_on_disk_prove_the_same(
    monkeypatch: pytest.MonkeyPatch, number: int, cells: int
) -> None:
    """An exhausted dive, signatures in one go, and signatures in pieces: the same records."""
    deal = Deal.from_number(number, rules_for("freecell", freecells=cells))
    found = {facts(prove(deal))}
    found.add(facts(prove(deal, keep="none", threads=1)))
    without_dives(monkeypatch)
    found.add(facts(prove(deal, threads=2)))
    small_pieces(monkeypatch, 500)
    found.add(facts(prove(deal, threads=2, keep="none")))
    assert len(found) == 1


@pytest.mark.slow
def test_pieces_of_a_larger_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = Deal.from_number(5979, rules_for("freecell", 3))
    found = {facts(prove(deal))}
    without_dives(monkeypatch)
    small_pieces(monkeypatch, 5000)
    found.add(facts(prove(deal, threads=3)))
    assert len(found) == 1
