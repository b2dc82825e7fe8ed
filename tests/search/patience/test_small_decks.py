"""Klondike and its relatives on small decks: the searches agree with slow ones, and the check."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import faults
from helpers.kernels import patience_bound, patience_states, patience_words
from helpers.naive_search import fewest_moves
from helpers.patience_games import (
    PATIENCE_GAMES,
    plays,
    small_canfield,
    small_deck,
    states_of,
    whole_deck,
    without_low_ranks,
)
from helpers.selection import few_fast

from dbmsolver import api
from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.brevity import brief_successors
from dbmsolver.game.deals import Deal
from dbmsolver.game.features import OF_PATIENCE
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.measures import measure_of
from dbmsolver.game.patience import Patience
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.bound import make_weights
from dbmsolver.kits.klondike.keys import PatienceKeys, key_of
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.tables import make_board, make_found
from dbmsolver.kits.states import State
from dbmsolver.results import Options, Question
from dbmsolver.search import inspect, session
from dbmsolver.search.astar import layers, rounds
from dbmsolver.search.improve import beams_ahead
from dbmsolver.search.improve.beam import BeamShape
from dbmsolver.search.sequences.session import Sequences
from dbmsolver.steps import follow
from dbmsolver.storage.blocks import Runs

prove = partial(api.prove, method="every-position")
MOST = 4000
"""Positions of the largest deck that is searched slowly."""
MOST_STATES = 1500
METRICS = OF_PATIENCE


def compare(
    seed: object,
    decks: int,
    monkeypatch: pytest.MonkeyPatch,
    games: Sequence[str] = PATIENCE_GAMES,
) -> None:
    """As many decks: verdict, length and counts are those of the slow searches."""
    random = Random(f"patience {seed}")
    compared, verdicts = 0, set[bool]()
    while compared < decks or len(verdicts) < 2:
        deal, policy = small_deck(random.choice(games), random), random.choice(POLICIES)
        metric = random.choice(METRICS)
        states = states_of(deal, policy, MOST_STATES, free=deal.rules.passes == 0)
        if states is None:
            continue
        # The truth knows no safe moves, and leaves nothing out.
        truth = fewest_moves(deal, measure_of(deal.rules, "none", metric), MOST)
        if truth is None:
            continue
        shapes = random.choice(((), (BeamShape(20),)))
        monkeypatch.setattr(beams_ahead, "FIRST_OF_PATIENCE", shapes)
        monkeypatch.setattr(layers, "ENOUGH", random.choice((1, 50, 1 << 16)))
        monkeypatch.setattr(rounds, "_LEAST_STOP", random.choice((1, 16)))
        proof = prove(deal, policy=policy)
        asked = {"policy": policy, "metric": metric, "any_solution": random.random() < 0.3}
        shortest = api.solve(deal, **asked)
        assert shortest.length == truth[0], (deal, policy, metric)
        wanted = "unsolvable" if truth[0] is None else "solved"
        assert proof.verdict == shortest.verdict == wanted
        if truth[0] is None:
            assert proof.states == len(states)
        compared += 1
        verdicts.add(truth[0] is None)


@pytest.mark.parametrize("game", PATIENCE_GAMES)
def test_small_decks(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    compare(f"{game} by name", 2, monkeypatch, [game])


@pytest.mark.slow
def test_many_small_canfields(monkeypatch: pytest.MonkeyPatch) -> None:
    compare("many canfields", 15, monkeypatch, ["canfield"])


@pytest.mark.slow
def test_many_small_decks(monkeypatch: pytest.MonkeyPatch) -> None:
    compare("many", 18, monkeypatch)


@pytest.mark.slow
def test_safe_moves_change_no_length_where_columns_go_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A base in a column takes cards of the last rank, so it does not go home by itself."""
    random, compared = Random("round"), 0
    while compared < 30:
        deal, metric = small_canfield("canfield", random, base="round"), random.choice(METRICS)
        found = [
            api.solve(deal, policy=policy, metric=metric, max_states=30000) for policy in POLICIES
        ]
        if not any(result.limit for result in found):
            assert len({result.length for result in found}) == 1, (deal, metric)
            compared += 1


def closure(keys: PatienceKeys, most: int) -> dict[State, list[tuple[State, int]]] | None:
    """For each state that the kernel reaches, what follows and what it costs; None if too many."""
    board, found = make_board(), make_found()
    following: dict[State, list[tuple[State, int]]] = {}
    seen, waiting = {keys.root}, [keys.root]
    while waiting:
        state = waiting.pop()
        if keys.position(state).is_goal():
            following[state] = []
            continue
        number = moves_of(keys.game, patience_words(state), board, found)
        after = []
        states = patience_states(keys, found.words[:number])
        for one, code, cost in zip(states, found.codes, found.costs, strict=False):
            assert keys.parent(one, int(code)) == state
            after.append((one, int(cost)))
        following[state] = after
        for one, _ in after:
            if one not in seen:
                seen.add(one)
                waiting.append(one)
        if len(seen) > most:
            return None
    return following


def kernel_and_model(seed: object, decks: int, games: Sequence[str] = PATIENCE_GAMES) -> None:
    """Check the kernel's states against the model's, the keys, and the bound's consistency."""
    random = Random(f"kernel {seed}")
    compared = 0
    while compared < decks:
        deal, policy = small_deck(random.choice(games), random), random.choice(POLICIES)
        metric = random.choice(METRICS)
        keys = PatienceKeys(deal, policy, metric, Question.SOLVE)
        following = closure(keys, MOST_STATES)
        if following is None:
            continue
        free, brief = bool(keys.game.free), bool(keys.game.brief)
        won = [state for state in following if keys.position(state).is_goal()]
        # Where turns are free, a state stands for several wastes, and by ones it depends on the
        # waste which moves are left out: then the model's states depend on its way.
        if not (free and brief and deal.rules.draw == 1):
            states = states_of(deal, policy, MOST_STATES, free=free, brief=brief)
            assert states is not None
            assert len(following) - len(won) == len(states), (deal, policy, metric)
        board, weights = make_board(), make_weights()
        assert keys.are_keys(np.concatenate([patience_words(state) for state in following]))
        t, b = keys.game, keys.bounds.positions
        least = {
            state: int(patience_bound(t, b, patience_words(state), board, weights))
            for state in following
        }
        assert all(least[state] == 0 for state in won)
        for state, after in following.items():
            key = key_of(state[1:])
            assert keys.encode(keys.decode(key)) == key
            assert keys.state(keys.position(state)) == state
            for one, cost in after:
                assert least[state] <= cost + least[one]
        compared += 1


def test_kernel_and_model() -> None:
    kernel_and_model(1, 6)


def test_kernel_and_model_of_canfield() -> None:
    kernel_and_model("canfield", 2, ["canfield"])


@pytest.mark.slow
def test_kernel_and_model_on_many_canfields() -> None:
    kernel_and_model("many canfields", 15, ["canfield"])


@pytest.mark.slow
def test_kernel_and_model_on_many_decks() -> None:
    kernel_and_model("many decks", 50)


def any_game(random: Random) -> Deal:
    """Return a small deck of any of the games."""
    return small_deck(random.choice(PATIENCE_GAMES), random)


def short_deck(random: Random) -> Deal:
    """Return a small deck of any of the games, without low ranks by its rules."""
    return without_low_ranks(any_game(random))


def any_canfield(random: Random) -> Deal:
    """Return a small deck of Canfield or of a game like it."""
    return small_deck("canfield", random)


def canfield_with_twins(random: Random) -> Deal:
    """One in which runs move, and only cards of the waste go to empty columns."""
    given = {"moves": "runs", "fill": "waste", "base": "deal", "build": "alternate"}
    return small_canfield("canfield", random, **given)


@pytest.mark.parametrize(
    ("make", "decks"),
    [
        (any_game, 60),
        (short_deck, 30),
        (any_canfield, 40),
        (canfield_with_twins, 40),
        (whole_deck, 30),
    ],
)
def test_moves_are_those_of_the_model(make: Callable[[Random], Deal], decks: int) -> None:
    """In each position of a random game the kernel finds the plays of the model at their cost."""
    random = Random(f"moves {make.__name__}")
    board, found = make_board(), make_found()
    for _ in range(decks):
        deal, policy = make(random), random.choice(POLICIES)
        metric = random.choice(METRICS)
        keys = PatienceKeys(deal, policy, metric, Question.SOLVE)
        position = deal.position
        for _ in range(15):
            assert isinstance(position, Patience)
            if position.is_goal():
                break
            state = keys.state(position)
            position = keys.decode(keys.encode(position))
            brief = bool(keys.game.brief)
            following = list(plays(position, deal.rules, policy, brief=brief))
            length = keys.measure.length
            wanted = {(keys.state(after), 1 + length(turns)) for turns, _, after in following}
            number = moves_of(keys.game, patience_words(state), board, found)
            after = patience_states(keys, found.words[:number])
            assert set(zip(after, found.costs.tolist(), strict=False)) == wanted, (deal, position)
            for one, code in zip(after, found.codes, strict=False):
                assert keys.parent(one, int(code)) == state, (deal, position)
            if not following:
                break
            position = random.choice(following)[2]


def a_deck(
    game: str, seed: int, *, wanted: bool, least: int = 40, most: int = 150
) -> tuple[Deal, Policy]:
    """Return a deck that can be won or not, with at least ``least`` states and ``most`` at most."""
    random = Random(f"{game} {seed}")
    while True:
        deal, policy = small_deck(game, random), random.choice(POLICIES)
        proof = prove(deal, policy=policy, max_states=most)
        if proof.verdict == ("solved" if wanted else "unsolvable") and proof.evaluated >= least:
            return deal, policy


def reached(keys: PatienceKeys) -> list[Patience]:
    """All positions that a search reaches, with the turns of the stock between plays."""
    deal = keys.deal
    start = deal.position
    assert isinstance(start, Patience)
    found = {start.canonical(): start}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        following: Sequence[Any] = keys.measure.successors(position)
        if keys.game.brief:
            following = brief_successors(position, deal.rules, keys.measure.policy)
        for _, after in following:
            assert isinstance(after, Patience)
            if after.canonical() not in found:
                found[after.canonical()] = after
                waiting.append(after)
    return list(found.values())


BOTH = [
    (game, question)
    for game in ("klondike_by_threes", "canfield", "yukon", "whitehead")
    for question in (prove, api.solve)
]


@pytest.mark.parametrize(("game", "search"), few_fast(BOTH, 1))
def test_every_position_has_a_way(game: str, search: Any, tmp_path: Path) -> None:
    deal, policy = a_deck(game, 4, wanted=False)
    question, metric = Question.PROVE, "turns"
    if search is api.solve:
        question, metric = Question.SOLVE, "runs"  # in which no dives come first
        search = partial(search, metric=metric)
    search(deal, policy=policy, store=tmp_path)
    for position in reached(PatienceKeys(deal, policy, metric, question)):
        moves = inspect.lookup(tmp_path, position)
        assert moves is not None
        at = deal.position
        for move in moves:
            assert move._replace(forced=False) in at.moves(deal.rules)
            at = at.apply(move)
        assert at.canonical() == position.canonical()


def spoil(store: Path, random: Random) -> str:
    """Change one thing in a store, and let its counts fit; what was done."""
    key, number = random.choice(faults.closed_states(store))
    what = random.choice(["state", "code", "key"])

    def change(runs: Runs) -> Runs | None:
        if what == "state":
            return faults.without(runs, number)
        if what == "code":
            others = [code for code in range(1 << 12) if code != runs.codes[number]]
            return faults.with_code(runs, number, random.choice(others))
        words = runs.keys.copy()
        words[3 * number + random.randrange(3)] ^= np.uint64(1 << random.randrange(40))
        return Runs(runs.signatures, runs.counts, words, runs.codes, 3)

    faults.change_block(store, key, change)
    return what


@pytest.mark.parametrize(("game", "search"), few_fast(BOTH, 1))
def test_planted_faults_are_found(game: str, search: Any, tmp_path: Path) -> None:
    deal, policy = a_deck(game, 9, wanted=False)
    searched, found = tmp_path / "searched", 0
    search(deal, policy=policy, store=searched)
    assert faults.check(searched).valid
    for number in range(6):
        random = Random(number)
        store = Path(shutil.copytree(searched, tmp_path / str(number)))
        what = spoil(store, random)
        faults.make_counts_fit(store)
        report = faults.check(store)
        assert report.reason if not report.valid else what == "code", number
        found += not report.valid
    assert found > 2


def test_a_claim_of_a_shorter_length_is_refuted(tmp_path: Path) -> None:
    deal, policy = a_deck("klondike_by_threes", 7, wanted=True)
    for metric in METRICS:
        store = tmp_path / metric
        result = api.solve(deal, policy=policy, metric=metric, store=store)
        assert result.shortest and faults.check(store).valid

        def shorter(manifest: dict[str, Any]) -> None:
            manifest["path"] = manifest["path"][:-1]
            manifest["length"] -= 1

        faults.change_manifest(store, shorter)
        assert not faults.check(store).valid


def test_states_of_a_shortest_solution_are_checked(tmp_path: Path) -> None:
    random = Random("shortest")
    for number in range(60):
        deal = small_deck("klondike_by_threes", random)
        store = tmp_path / str(number)
        result = api.solve(deal, store=store, max_states=2000)
        if result.length is None or result.states < 20 or faults.check(store).states < 2:
            continue
        assert faults.check(store).valid
        states = [
            (key, place)
            for key, place in faults.closed_states(store)
            if int.from_bytes(key[1:3], "big") < result.length
        ]
        key, place = random.choice(states)
        faults.change_block(store, key, partial(faults.without, number=place))
        faults.make_counts_fit(store)
        assert not faults.check(store).valid
        return
    raise AssertionError("no deck whose shortest solution is longer than the bound")


def test_keys_that_are_none() -> None:
    deal = Deal.from_number(24, GAMES["klondike_by_threes"])
    keys = PatienceKeys(deal, "wkr", "runs", Question.SOLVE)
    root = keys.encode(deal.position)
    for wrong in (1, 7, 1 << 63, 1 << 158, 1 << 166, 25 << 160, 1 << 200):
        with pytest.raises(InputError, match="is not the key of a position"):
            keys.decode(root ^ wrong)
    assert keys.decode(root) == deal.position
    other = Deal.from_number(25, deal.rules).position
    with pytest.raises(InputError):
        keys.encode(other)


def test_what_is_not_possible_is_refused_by_name() -> None:
    deal = Deal.from_number(1, GAMES["klondike"])
    with pytest.raises(UsageError, match="klondike has a stock"):
        Sequences(deal)
    with pytest.raises(UsageError, match="expected turns, runs or plays"):
        api.solve(deal, metric="cards")
    with pytest.raises(UsageError, match="solve is not spread over a cluster, expected prove"):
        follow(session.run(Question.SOLVE, deal, Options(cluster="auto")))
