"""Proofs over classes of positions of Klondike, against all positions of small decks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from helpers.interruptions import interrupt
from helpers.searching import small_pieces, without_dives
from helpers.small_klondikes import small_klondike, small_listed

from dbmsolver import api
from dbmsolver.errors import StoreError
from dbmsolver.game.classes import Classes
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import POLICIES
from dbmsolver.game.moves import Move
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.workspace import BUFFER
from dbmsolver.results import Method, Verdict
from dbmsolver.search import inspect, session
from dbmsolver.search.proof import dives
from dbmsolver.search.proof.piece_set import PieceSet
from dbmsolver.steps import follow
from dbmsolver.verify.check import verify
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.listing import list_positions
from dbmsolver.verify.refutation import Refuted

THREES = GAMES["klondike_by_threes"]
LOST, CLASSES, DIGEST = 12, 132_887, "6e01cdabdbc9ff2f"
DIVIDED = BUFFER + 100
"""The classes of a signature, about a hundred, from which on pieces of it are closed: two dozen of
the signatures of deal 38 have so many."""


def check_win(deal: Deal, moves: Iterable[Move]) -> None:
    """Play moves on the readable model: they are legal, and win."""
    position = deal.position
    for move in moves:
        assert move._replace(forced=False) in position.moves(deal.rules)
        position = position.apply(move)
    assert position.is_goal()


def compare(seed: int, count: int, most: int) -> None:
    """Compare the verdicts of small decks with those of all positions; wins are played."""
    random, verdicts = Random(seed), set()
    for deal, listed in small_listed(seed, count, most):
        policy = random.choice(POLICIES)
        result = api.prove(deal, policy=policy, threads=random.choice((1, 2)))
        assert result.method in (Method.CLASSES, Method.CLASSES_ANY_PASSES)
        assert (result.verdict == Verdict.SOLVED) == listed.won, str(deal.position)
        if listed.won:
            check_win(deal, result.moves)
        verdicts.add(listed.won)
    assert verdicts == {True, False}


@pytest.mark.parametrize("dives", [True, False])
def test_verdicts_of_small_decks(dives: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not dives:
        without_dives(monkeypatch)
    compare(11 + dives, 15, 200)


def is_won(deal: Deal) -> bool:
    """Return True if a position of a deal is won, by the check's list of all positions."""
    try:
        follow(list_positions(keys_of_cards(deal, "none", None), 1 << 30))
    except Refuted:
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("dives", [True, False])
def test_verdicts_of_hundreds_of_small_decks(dives: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not dives:
        without_dives(monkeypatch)
    random, verdicts = Random(dives), Counter[bool]()
    for _ in range(200):
        deal = small_klondike(random, 16)
        policy = random.choice(POLICIES)
        won = is_won(deal)
        assert (api.prove(deal, policy=policy, threads=1).verdict == "solved") == won, deal
        verdicts[won] += 1
    assert min(verdicts.values()) > 30


def ten_passes() -> Deal:
    """Return a lost deal by threes with ten passes."""
    return Deal.from_number(LOST, replace(THREES, passes=10))


@pytest.fixture
def only_any_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no dive over the deal's own classes decide it."""
    monkeypatch.setattr(dives, "CLASS_SCHEDULE", ())


@pytest.mark.usefixtures("only_any_passes")
def test_a_deal_that_is_lost_with_any_number_of_passes(tmp_path: Path) -> None:
    deal, store = ten_passes(), tmp_path / "store"
    result = api.prove(deal, store=store)
    assert (result.verdict, result.states, result.digest) == ("unsolvable", CLASSES, DIGEST)
    assert result.method == Method.CLASSES_ANY_PASSES
    for again in (api.prove(deal, store=store), follow(session.resume(store))):
        assert (again.method, again.states) == (result.method, result.states)
    with pytest.raises(StoreError, match="another method: classes-any-passes, not every-position"):
        api.prove(deal, store=store, method="every-position")
    report = follow(verify(store, depth="lemma"))
    assert (report.valid, report.states, report.digest) == (True, CLASSES, DIGEST)
    assert "with any number of passes, so with those there are, too" in report.checked


@pytest.mark.usefixtures("only_any_passes")
def test_the_same_search_again_for_a_certificate() -> None:
    deal = ten_passes()
    own = api.prove(deal, method="classes")
    any_passes = api.prove(deal, method="classes-any-passes")
    assert own.method == Method.CLASSES and own.states > CLASSES
    assert (any_passes.method, any_passes.digest) == (Method.CLASSES_ANY_PASSES, DIGEST)
    little = api.prove(deal, method="classes-any-passes", memory="4M")
    assert (little.verdict, little.limit) == ("undecided", "memory")


@pytest.mark.usefixtures("only_any_passes")
def test_verdicts_of_small_decks_with_few_passes() -> None:
    """Deals that more passes would win are searched with the passes that there are."""
    random, found = Random(9), Counter[tuple[bool, Method]]()
    while len(found) < 3 or min(found.values()) < 5:
        deal = small_klondike(random)
        if deal.rules.passes:
            result = api.prove(deal, threads=1)
            assert (result.verdict == "solved") == is_won(deal), deal
            if result.verdict == "solved":
                check_win(deal, result.moves)
            found[result.verdict == "solved", result.method] += 1
    assert (True, Method.CLASSES_ANY_PASSES) not in found


@pytest.mark.parametrize(
    ("number", "classes", "digest", "small"),
    [
        (38, 13_121, "9f289c5035166151", DIVIDED),
        pytest.param(LOST, CLASSES, DIGEST, 500, marks=pytest.mark.slow),
    ],
)
def test_counts_do_not_depend_on_how_it_is_searched(
    number: int,
    classes: int,
    digest: str,
    small: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deal = Deal.from_number(number, THREES)
    without_dives(monkeypatch)
    cut, divided = PieceSet.cut, 0

    def counted(self: PieceSet) -> None:
        nonlocal divided
        cut(self)
        divided += len(self.pieces) > 1

    monkeypatch.setattr(PieceSet, "cut", counted)
    whole = api.prove(deal, threads=1)
    assert not divided
    small_pieces(monkeypatch, small)
    pieces = api.prove(deal, threads=2, store=tmp_path / "pieces", memory="32M")
    assert divided > 20
    for result in (whole, pieces):
        assert (result.verdict, result.states, result.digest) == ("unsolvable", classes, digest)


def test_stopped_and_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_dives(monkeypatch)
    deal, store = Deal.from_number(LOST, THREES), tmp_path / "store"
    begun = api.prove(deal, store=store, max_states=20_000)
    assert begun.limit == "max-states"
    ended = follow(session.resume(store))
    assert (ended.verdict, ended.states, ended.digest) == ("unsolvable", CLASSES, DIGEST)


@pytest.mark.parametrize(
    ("deal", "small", "classes"),
    [(38, DIVIDED, 13_121), pytest.param(LOST, 2000, CLASSES, marks=pytest.mark.slow)],
)
def test_killed_and_continued(deal: int, small: int, classes: int, tmp_path: Path) -> None:
    found = interrupt(
        tmp_path / "store", 3, share=0.9, dives=False, memory=256 << 20, question="prove",
        game="klondike_by_threes", deal=deal, method="classes", small=small,
    )  # fmt: skip
    assert found["undisturbed"]["states"] == classes
    for outcome in found["outcomes"]:
        assert outcome == found["undisturbed"]


def test_a_won_deal_needs_no_search() -> None:
    """Nothing is covered, and the stock is empty or free to turn."""
    random = Random(3)
    while True:
        deal = small_klondike(random)
        classes = Classes(deal.position, deal.rules)
        if classes.is_won(classes.root) and deal.position.stock and deal.position.left > 5:
            break
    result = api.prove(deal)
    assert result.verdict == "solved"
    check_win(deal, result.moves)


def test_positions_are_looked_up_by_their_class(tmp_path: Path) -> None:
    """The moves lead to a position of the same class, and to the position itself by shifts."""
    same = 0
    for number, (deal, listed) in enumerate(small_listed(21, 30, 200)):
        if listed.won:
            continue
        store = tmp_path / str(number)
        api.prove(deal, store=store)
        classes = Classes(deal.position, deal.rules)
        for position in listed.positions:
            moves = inspect.lookup(store, position)
            if moves is None:
                continue  # left out
            at = deal.position
            for move in moves:
                assert move._replace(forced=False) in at.moves(deal.rules)
                at = at.apply(move)
            assert classes.class_of(at) == classes.class_of(position)
            same += at.canonical() == position.canonical()
    assert same > 10


def test_every_position_is_searched_when_it_is_asked_for() -> None:
    deal = Deal.from_number(1, THREES)
    result = api.prove(deal, method="every-position", max_states=1000)
    assert result.method == Method.EVERY_POSITION


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "number", "classes"),
    [
        ("klondike_by_threes", 166, 536_699),
        ("klondike_by_threes", 95, 4_941_973),
        ("klondike_by_threes", 54, 17_257_113),
        ("klondike_by_threes", 68, 19_760_045),
        ("klondike", 12, 602_640),
        ("klondike", 36, 463_538),
    ],
)
def test_proofs_of_lost_deals(game: str, number: int, classes: int) -> None:
    result = api.prove(Deal.from_number(number, GAMES[game]))
    assert (result.verdict, result.states) == ("unsolvable", classes)
