"""Games whose cards go both ways: columns built up and down, cards that come back from home."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers import faults
from helpers.naive_search import breadth_first

from dbmsolver.api import prove, solve
from dbmsolver.errors import UsageError
from dbmsolver.game.cards import CARDS, RANKS
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limits, Options, Question
from dbmsolver.search import session
from dbmsolver.search.sequences.session import Sequences
from dbmsolver.steps import follow

TWO_WAY = (
    Rules("back, two colours", 8, 3, "alternate", "any", removable=True),
    Rules("back, any suit", 8, 0, "any", "none", removable=True),
    Rules("back, any suit, cells", 8, 3, "any", "kings", removable=True),
    Rules("back, reserve", 8, 3, "any", "any", reserve=True, removable=True),
    Rules("up and down", 8, 2, "suit-both", "any"),
    Rules("up and down, kings", 8, 1, "suit-both", "kings"),
    Rules("up and down, no fill", 8, 0, "suit-both", "none"),
)
MOST = 2500
LOW = "home " + " ".join(RANKS[:9])
ONLY_BACK = """\
Foundations: H-9 C-9 D-9 S-9
KH KS QC JH KC KD
QS TC JC JD QD
TH JS TS QH TD
"""
"""Winnable in 23 moves, but only if cards come back."""

SHORTER_BACK = """\
Foundations: H-9 C-9 D-9 S-9
JS KC KH QH
QS KD JH QC
TH JC TC JD
TS TD KS QD
"""
"""Winnable in 23 moves if cards come back, and in 26 if not."""


def small_deck(rules: Rules, random: Random) -> Deal:
    """Two to four ranks in two to five columns, the lower ones home for good."""
    columns, ranks = random.randint(2, 5), random.randint(2, 4)
    cells = min(rules.freecells, random.randint(0, 2))
    home = "home " + " ".join(RANKS[: 13 - ranks])
    rules = replace(
        rules, columns=columns, freecells=cells, reserve=rules.reserve and cells > 0, layout=home
    )
    cards = list(range(CARDS - 4 * ranks, CARDS))
    random.shuffle(cards)
    filled = [cards.pop() for _ in range(cells if rules.reserve else 0)]
    empty = [None] * (cells - len(filled))
    piles = tuple(tuple(cards[index::columns]) for index in range(columns))
    return Deal(Position(piles, (*filled, *empty), (13 - ranks,) * 4), rules)


def check(rules: Rules, seed: int, decks: int, store: Path | None = None) -> None:
    """Verdict, length and number of positions are those of a breadth-first search.

    With a store: the check accepts it, and refuses it with a state less.
    """
    random = Random(f"{rules.name} {seed}")
    compared, refused = 0, store is None
    while compared < decks or not refused:
        deal, policy = small_deck(rules, random), random.choice(POLICIES)
        found = breadth_first(deal.position, deal.rules, policy, MOST)
        if found is None:
            continue
        length, positions = found
        folders = [None if store is None else store / f"{compared} {word}" for word in "ps"]
        proof = prove(deal, policy=policy, store=folders[0])
        shortest = solve(deal, policy=policy, store=folders[1])
        assert proof.verdict == shortest.verdict == ("unsolvable" if length is None else "solved")
        assert shortest.length == length, (deal, policy)
        if length is None:
            assert proof.states + proof.forced == positions, (deal, policy)
            assert shortest.states + shortest.forced == positions, (deal, policy)
        compared += 1
        for folder in filter(None, folders):
            assert faults.check(folder).valid, (deal, policy)
        if length is None and folders[0] is not None:
            states = faults.closed_states(folders[0])
            if len(states) > 1:
                key, number = random.choice(states)
                faults.change_block(folders[0], key, lambda runs, n=number: faults.without(runs, n))
                faults.make_counts_fit(folders[0])
                assert not faults.check(folders[0]).valid, (deal, policy)
                refused = True


@pytest.mark.parametrize(
    "rules",
    [TWO_WAY[4], pytest.param(TWO_WAY[0], marks=pytest.mark.slow)],  # two-byte codes
    ids=lambda rules: rules.name,
)
def test_small_decks(rules: Rules) -> None:
    check(rules, 1, 6)


@pytest.mark.slow
@pytest.mark.parametrize("rules", TWO_WAY, ids=lambda rules: rules.name)
def test_more_small_decks(rules: Rules) -> None:
    check(rules, 2, 10)


@pytest.mark.slow
@pytest.mark.parametrize("rules", TWO_WAY, ids=lambda rules: rules.name)
def test_stores_are_accepted_and_refused_with_a_state_less(rules: Rules, tmp_path: Path) -> None:
    check(rules, 3, 3, tmp_path)


@pytest.mark.parametrize(
    ("board", "build", "fill", "kept"),
    [(ONLY_BACK, "any", "kings", None), (SHORTER_BACK, "alternate", "any", 26)],
)
def test_cards_that_come_back_make_a_difference(
    board: str, build: str, fill: str, kept: int | None
) -> None:
    columns = board.count("\n") - 1
    stay = Rules("stay", columns, 0, build, fill, layout=LOW)  # type: ignore[arg-type]
    back = replace(stay, name="back", removable=True)
    assert solve(Deal.from_text(board, stay)).length == kept
    answer = solve(Deal.from_text(board, back))
    assert answer.length == 23
    assert any(move.source.kind == "foundation" for move in answer.moves)
    assert prove(Deal.from_text(board, back)).verdict == "solved"


def test_by_suit_cards_that_come_back_change_nothing() -> None:
    rules = Rules("by suit", 3, 1, "suit", "any", removable=True)
    assert not rules.takes_back
    assert is_safe_home(rules, 4, (1, 0, 0, 0), "horne")


@pytest.mark.slow
def test_a_proof_over_cards_that_come_back_does_not_depend_on_interruptions(
    tmp_path: Path,
) -> None:
    """Stopped after some states again and again, it closes the same ones."""
    rules = replace(TWO_WAY[2], columns=3, freecells=0, layout=LOW)
    random = Random(4)
    while True:
        cards = list(range(36, 52))
        random.shuffle(cards)
        position = Position(tuple(tuple(cards[i::3]) for i in range(3)), (), (9,) * 4)
        deal = Deal(position, rules)
        whole = prove(deal)
        if whole.verdict == "unsolvable" and whole.states > 300:
            break
    options = Options(store=tmp_path / "store")
    result = follow(session.run(Question.PROVE, deal, options, Limits(max_states=40)))
    runs = 1
    while result.verdict == "undecided":
        limits = Limits(max_states=40 * (runs + 1))
        result = follow(session.resume(tmp_path / "store", limits=limits))
        runs += 1
    assert runs > 2
    assert (result.digest, result.states) == (whole.digest, whole.states)
    assert faults.check(tmp_path / "store").valid


def test_what_is_not_played_is_refused() -> None:
    with pytest.raises(UsageError, match=r"come back .*expected moves of single cards"):
        Rules("x", 8, 0, "any", "any", moves="runs", removable=True)
    with pytest.raises(UsageError, match=r"up or down by suit.*expected moves of single cards"):
        Rules("x", 8, 0, "suit-both", "any", moves="runs")
    deal = Deal.from_number(1, GAMES["fortress"])
    with pytest.raises(UsageError, match="metric runs: built up or down by suit in fortress"):
        solve(deal, metric="runs")
    rules = Rules("back", 1, 0, "any", "any", removable=True)
    back = Deal(Position(((48,),), (), (12, 13, 13, 13)), rules)
    with pytest.raises(UsageError, match="metric moves: cards come back from the foundations"):
        solve(back, metric="moves")
    assert solve(back).length == 1
    with pytest.raises(UsageError, match="up or down by suit in fortress: shortest solutions are"):
        Sequences(deal)
