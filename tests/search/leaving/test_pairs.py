"""Pairing games on small decks: keys, kernels, searches and check against the readable model."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import faults
from helpers.kernels import pair_successors
from helpers.naive_search import fewest_moves
from helpers.pair_games import PAIR_GAMES, pyramid, small_deck
from helpers.verifier import Costs, expand_one

from dbmsolver import api
from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.kernels.digest import digest_runs
from dbmsolver.kernels.hooks import undo_code
from dbmsolver.kernels.runs import progress_of
from dbmsolver.kits.pairs.keys import PairKeys
from dbmsolver.kits.pairs.moves import FIRST, WON
from dbmsolver.kits.states import State
from dbmsolver.results import Question, Verdict
from dbmsolver.search import inspect
from dbmsolver.search.improve import leaving_dives
from dbmsolver.search.sequences.session import Sequences
from dbmsolver.search.trace import legal_move
from dbmsolver.storage.blocks import Runs
from dbmsolver.storage.records import layer_and_stratum
from dbmsolver.verify.leaving_format import keys_of_leaving

SOME, MANY = 24, 100
MOST = 1_000_000
"""More positions than any deck here has."""
WHOLE = {"pyramid": (3, 33), "relaxed_pyramid": (14, 37)}
"""Deals with few states, and the lengths of their shortest solutions."""


@pytest.fixture
def no_dives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving_dives, "SCHEDULE", ())


def compare(seeds: range) -> set[tuple[bool, str, bool, int]]:
    """Compare verdict, length and counts with breadth first; return the kinds of decks."""
    kinds = set()
    for seed in seeds:
        deal = small_deck(Random(seed))
        found = fewest_moves(deal, Measure(deal.rules, "none", "turns"), MOST)
        assert found is not None
        length, positions = found
        proof, solved = api.prove(deal, threads=1), api.solve(deal, threads=1)
        assert proof.verdict == solved.verdict == ("unsolvable" if length is None else "solved")
        assert (solved.length, solved.shortest) == (length, length is not None), seed
        if length is None:
            assert proof.states == positions
            assert solved.states >= positions
        rules = deal.rules
        kinds.add((length is None, rules.pairs, rules.free_stock, rules.passes))
    return kinds


@pytest.mark.usefixtures("no_dives")
def test_small_decks() -> None:
    kinds = compare(range(SOME))
    assert {kind[:2] for kind in kinds} == {
        (lost, pairs) for lost in (True, False) for pairs in ("pyramid", "all")
    }


def test_small_decks_with_dives() -> None:
    compare(range(SOME, SOME + SOME // 2))


@pytest.mark.slow
@pytest.mark.usefixtures("no_dives")
def test_a_hundred_small_decks() -> None:
    assert len(compare(range(1000, 1000 + MANY))) > 5


def walks(decks: range, question: Question) -> Iterator[tuple[PairKeys, State, Position]]:
    """Yield states of random games, with their positions."""
    found = np.zeros((64, 5), np.uint64)
    for seed in decks:
        random, deal = Random(seed), small_deck(Random(seed))
        keys = PairKeys(deal, question)
        state, position = keys.root, deal.position
        while True:
            yield keys, state, position
            if position.is_goal():
                break
            words = np.uint64(state.signature), np.uint64(state.off)
            count = int(pair_successors(keys.tables, *words, found))
            moves = position.moves(deal.rules)
            if not moves:
                assert count == 0
                break
            rows = {keys._step(int(row[4])): State(*map(int, row[:3]), 0) for row in found[:count]}
            assert len(rows) == count == len(moves)
            step, state = random.choice(sorted(rows.items()))
            move = legal_move(keys, position, step)
            assert move in moves
            position = position.apply(move)


@pytest.mark.parametrize("question", list(Question))
def test_kernels_agree_with_the_readable_model(question: Question) -> None:
    """Successors, the way back by codes, layers and strata, keys there and back."""
    found = np.zeros((64, 5), np.uint64)
    for keys, state, position in walks(range(80), question):
        t = keys.tables
        own = int(t.columns_mask) | int(WON)
        again = keys.decode(keys.encode(position))
        assert again.canonical() == position.canonical() == keys.position(state).canonical()
        assert sorted(again.removed) == sorted(position.removed)  # type: ignore[attr-defined]
        place = int(progress_of(t, np.array([state.signature], np.uint64), 0)[0])
        if position.is_goal():
            assert place == keys.last_stratum
            continue
        layer, stratum = layer_and_stratum(place)
        assert place < keys.last_stratum
        assert stratum == t.in_columns - sum(map(len, position.columns))
        words = np.uint64(state.signature), np.uint64(state.off)
        count = int(pair_successors(t, *words, found))
        expected = {
            (keys.state(after).signature & own, keys.state(after).off): move
            for move, after in position.successors(keys.rules, "none")
        }
        assert len(expected) == count
        for row in found[:count].tolist():
            after, code = State(*row[:4]), row[4]
            move = expected[after.signature & own, after.off]
            assert legal_move(keys, position, keys.step(after, code)) == move
            assert undo_code(t, *map(np.uint64, after), code) == state
            later = int(progress_of(t, np.array([after.signature], np.uint64), 0)[0])
            rise = layer_and_stratum(later)[0] - layer
            if later == keys.last_stratum or question == Question.PROVE:
                continue
            if move.destination.kind == "removed":
                assert rise == 0 if keys.rules.pairs == "all" else rise in (0, 1)
            else:
                assert rise == keys.measure.cost(move)


def test_a_position_is_closed_as_one_of_its_states() -> None:
    """There is one state, or one for each layer where a shortest solution is wanted."""
    for keys, state, position in walks(range(12), Question.PROVE):
        assert list(keys.states(position)) == [state]
    for keys, state, position in walks(range(6), Question.SOLVE):
        if not position.is_goal():
            assert state in keys.states(position)


@pytest.mark.parametrize("question", list(Question))
def test_the_check_has_the_same_keys(question: Question) -> None:
    layered = question == Question.SOLVE
    for keys, state, position in walks(range(30), question):
        form = keys_of_leaving(keys.deal, layered)
        key = keys.encode(position)
        shown = form.position((key, 0, 0, 0))
        assert shown is not None and shown.canonical() == position.canonical()
        shown.validate(keys.rules)
        if position.is_goal():
            continue
        signature, local = (np.array([word], np.uint64) for word in state[:2])
        layer, stratum = layer_and_stratum(int(progress_of(keys.tables, signature, 0)[0]))
        assert form.form.progress(signature).tolist() == [stratum]
        found = expand_one(
            form.tables, (key, layer, 0, 0), costs=Costs(layer, layer, 999),
            table=form.make_table(),
        )  # fmt: skip
        expected = digest_runs(keys.tables, signature, np.array([1], np.int64), local, 1)
        assert (found.error, found.digest) == (0, expected)
        assert not layered or form.root_made == PairKeys(keys.deal, Question.SOLVE).least


def test_what_is_no_key() -> None:
    """All words with one bit changed are keys of positions, whose key they are, or none."""
    outcomes = set()
    for keys, _, position in walks(range(10), Question.PROVE):
        key, form = keys.encode(position), keys_of_leaving(keys.deal, False)
        for bit in range(64):
            other = key ^ (1 << bit)
            try:
                decoded = keys.decode(other)
            except InputError:
                assert form.position((other, 0, 0, 0)) is None
                outcomes.add(False)
                continue
            assert keys.encode(decoded) == other
            assert form.position((other, 0, 0, 0)) is not None
            outcomes.add(True)
    assert outcomes == {True, False}


def test_codes_that_lead_nowhere() -> None:
    """The code of the deal stands for no move, and greater ones are no codes."""
    for keys, state, _ in walks(range(10), Question.PROVE):
        words = [np.uint64(word) for word in state]
        for code in (FIRST, FIRST + 1, 255):
            assert undo_code(keys.tables, *words, code) == (WON, 0, 0, 0)


def test_states_that_kernels_may_not_see() -> None:
    """Kernels get local keys of positions; none with a top card that is gone, or turns too many."""
    refused = set()
    for keys, state, position in walks(range(20), Question.PROVE):
        t = keys.tables
        assert isinstance(position, Pairing)
        assert keys.are_keys(np.array([state.off], np.uint64))
        held = (*position.waste, *position.stock)
        wrong = [
            ("top", state.off & ~int(t.at_mask) | number)
            for number, card in enumerate(keys._held, 1)
            if card not in held
        ]
        field = int(t.turns_mask) << int(t.turns_shift)
        wrong += [
            ("turns", state.off & ~field | turns << int(t.turns_shift))
            for turns in range(t.turns + 1, int(t.turns_mask) + 1)
        ]
        for what, local in wrong:
            assert not keys.are_keys(np.array([state.off, local], np.uint64))
            refused.add(what)
    assert refused == {"top", "turns"}


def test_positions_of_other_deals() -> None:
    deal = small_deck(Random(3), 4, 5)
    keys = PairKeys(deal)
    assert isinstance(deal.position, Pairing)
    for wrong in (replace(deal.position, foundations=(1, 0, 0, 0)), Deal.from_number(1).position):
        with pytest.raises(InputError, match="is not of this deal's deck"):
            keys.encode(wrong)
    for other in (Deal.from_number(1, GAMES["pyramid"]), small_deck(Random(4), 4, 5)):
        with pytest.raises(InputError):
            keys.encode(other.position)
    later = [position for _, _, position in walks(range(3, 4), Question.PROVE)][-2]
    assert isinstance(later, Pairing) and later.removed
    keys = PairKeys(Deal(later, small_deck(Random(3)).rules))
    assert keys.state(later) == keys.root
    assert set(keys.decode(keys.encode(later)).removed) == set(later.removed)
    with pytest.raises(InputError, match="a card is not removed that is in the deal"):
        keys.encode(replace(later, removed=later.removed[1:]))


def test_positions_that_no_game_reaches() -> None:
    """Cards leave columns and stock from one end, and turns are never gained."""
    deal = small_deck(Random(3), 4, 5)
    keys, start = PairKeys(deal), deal.position
    assert isinstance(start, Pairing) and len(start.stock) > 1 and start.turns is not None
    assert keys.encode(replace(start, stock=start.stock[1:])) != keys.encode(start)
    other = start.columns[2][0]
    for wrong, said in (
        (replace(start, stock=start.stock[::-1]), "stock and waste lie otherwise"),
        (replace(start, stock=(other, *start.stock[1:])), "stock and waste lie otherwise"),
        (replace(start, columns=start.columns[::-1]), "column 1: its cards lie otherwise"),
        (
            replace(start, columns=(*start.columns[:3], (other, *start.columns[3][1:]))),
            "column 4: its cards lie otherwise",
        ),
        (replace(start, turns=start.turns + 1), f"may be turned over {start.turns} times"),
    ):
        with pytest.raises(InputError, match=said):
            keys.encode(wrong)


def positions_of(deal: Deal) -> list[Position]:
    """All positions that can be reached and are not won."""
    found = {deal.position.canonical(): deal.position}
    waiting = [deal.position]
    while waiting:
        for _, after in waiting.pop().successors(deal.rules, "none"):
            if after.canonical() not in found:
                found[after.canonical()] = after
                waiting.append(after)
    return [position for position in found.values() if not position.is_goal()]


@pytest.mark.parametrize("search", [api.prove, api.solve])
def test_every_position_of_a_lost_deal_has_a_way(search: Any, tmp_path: Path) -> None:
    """A shortest solution is looked for by layers, which positions do not tell."""
    deal = pyramid(Verdict.UNSOLVABLE)
    search(deal, store=tmp_path)
    assert faults.check(tmp_path).valid
    status = inspect.status(tmp_path)
    assert status.checked[-1] == "3 random games from the deal stay among the closed states"
    for position in positions_of(deal)[::20]:
        moves = inspect.lookup(tmp_path, position)
        assert moves is not None
        reached = deal.position
        for move in moves:
            assert move in reached.moves(deal.rules)
            reached = reached.apply(move)
        assert reached.canonical() == position.canonical()
    assert inspect.lookup(tmp_path, small_deck(Random(1), 4, 5).position) is None


@pytest.mark.usefixtures("no_dives")
@pytest.mark.parametrize("search", [api.prove, api.solve])
def test_stores_are_checked(search: Any, tmp_path: Path) -> None:
    checked = set()
    for seed in range(6):
        store = tmp_path / str(seed)
        result = search(small_deck(Random(seed)), store=store)
        report = faults.check_in_parts(store)
        assert report.valid, (seed, report.reason)
        if report.digest is not None and result.digest is not None:
            assert report.digest == result.digest
        checked.add((result.verdict, report.digest is not None))
    assert len(checked) > 1


@pytest.fixture(scope="module", params=[api.prove, api.solve])
def searched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the store of a lost deal, which tests copy before they change it."""
    store = tmp_path_factory.mktemp("searched") / "store"
    request.param(pyramid(Verdict.UNSOLVABLE), store=store)
    return store


@pytest.mark.parametrize("fault", ["state", "code", "key"])
def test_what_is_wrong_with_a_store_is_found(searched: Path, fault: str, tmp_path: Path) -> None:
    """A state less, another code, or another key: none of them passes."""
    random = Random(fault)
    for number in range(4):
        store = Path(shutil.copytree(searched, tmp_path / str(number)))
        key, state = random.choice(faults.closed_states(store))

        def change(runs: Runs, state: int = state) -> Runs | None:
            if fault == "state":
                return faults.without(runs, state)
            if fault == "code":
                codes = runs.codes.copy()
                codes[state] = random.choice(
                    [code for code in range(FIRST + 1) if code != codes[state]]
                )
                return Runs(runs.signatures, runs.counts, runs.keys, codes, runs.key_words)
            keys = runs.keys.copy()
            keys[state] ^= np.uint64(1 << random.randrange(30))
            return Runs(runs.signatures, runs.counts, keys, runs.codes, runs.key_words)

        faults.change_block(store, key, change)
        faults.make_counts_fit(store)
        assert not faults.check_in_parts(store).valid


@pytest.mark.parametrize("game", PAIR_GAMES)
def test_whole_decks(game: str, tmp_path: Path) -> None:
    number, length = WHOLE[game]
    deal = Deal.from_number(number, GAMES[game])
    result = api.solve(deal, store=tmp_path, threads=2, memory=64 << 20)
    assert (result.verdict, result.length, result.shortest) == ("solved", length, True)
    assert faults.check(tmp_path).valid
    position = deal.position
    for move in result.moves:
        assert move in position.moves(deal.rules)
        position = position.apply(move)
    assert isinstance(position, Pairing) and position.is_goal()


def test_what_is_not_possible_is_refused_by_name() -> None:
    deal = Deal.from_number(1, GAMES["pyramid"])
    with pytest.raises(UsageError, match="pairs are removed in pyramid"):
        Sequences(deal)
    with pytest.raises(UsageError, match=r"^metric cards in pyramid, expected turns$"):
        api.solve(deal, metric="cards")
