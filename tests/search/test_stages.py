"""The searches of a run, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Metric
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.results import Limits, Method, Options, Question, Report
from dbmsolver.search import session
from dbmsolver.search.answers import keys_of_manifest
from dbmsolver.search.ledger import NOTHING
from dbmsolver.search.proof.dive_ahead import UncountedDives
from dbmsolver.search.recorder import Recorder
from dbmsolver.search.stages import Stages
from dbmsolver.storage.manifest import new_manifest
from dbmsolver.storage.records import Closed
from dbmsolver.storage.store import Store

PROVE, SOLVE = Question.PROVE, Question.SOLVE
USUAL, ANY = Options(), Options(any_solution=True)
THREE_PASSES = replace(GAMES["klondike_by_threes"], passes=3)


@pytest.mark.parametrize(
    ("metric", "phases"),
    [("cards", ["dive", "improve", "search"]), ("moves", ["improve", "search"])],
)
def test_dives_come_ahead_where_single_cards_are_counted(metric: Metric, phases: list[str]) -> None:
    """Expect none where a move takes as many cards as there is room for."""
    seen: list[str] = []
    options = Options(any_solution=True, metric=metric)
    run = session.run(Question.SOLVE, Deal.from_number(11982), options, Limits(max_states=1))
    for event in run:
        if isinstance(event, Report) and event.phase not in seen:
            seen.append(event.phase)
    assert seen == phases


@contextmanager
def stages(
    folder: Path,
    rules: Rules,
    question: Question,
    options: Options = USUAL,
    *,
    begun: bool = False,
    resumable: bool = True,
    memory: int = 1 << 30,
) -> Iterator[tuple[Stages, Store]]:
    """Yield the searches of a run over deal 1, and its store, which has states of a look ahead."""
    deal = Deal.from_number(1, rules)
    manifest = new_manifest(question, deal, options)
    with Store.create(folder / "store", manifest, durable=False) as store:
        with store.write() as txn:
            txn.put_closed(Closed(0, 1, 1, 1, 1, bytes(8)), b"A")
        recorder = Recorder(store, question, Limits(), resumable=resumable, keep_closed=True)
        keys = keys_of_manifest(manifest, deal)
        yield Stages(deal, keys, recorder, options, Limits(memory=memory), begun), store


@pytest.mark.parametrize(
    ("game", "question", "options", "all_of_them", "when_begun"),
    [
        ("freecell", PROVE, USUAL, "DiveAhead BesideProof", "BesideProof"),
        (
            "freecell",
            PROVE,
            Options(method=Method.EVERY_POSITION),
            "LookAhead BesideProof",
            "BesideProof",
        ),
        ("freecell", SOLVE, USUAL, "ShortestBelow", "ShortestBelow"),
        (
            "freecell",
            SOLVE,
            ANY,
            "LostAhead FirstBeams ShortestBelow",
            "LostAhead FirstBeams ShortestBelow",
        ),
        ("fan", PROVE, USUAL, "LookAhead BesideProof", "BesideProof"),
        ("fan", SOLVE, ANY, "FirstBeams ShortestBelow", "FirstBeams ShortestBelow"),
        ("simple_simon", PROVE, USUAL, "BeamsAhead BesideProof", "BesideProof"),
        ("simple_simon", SOLVE, ANY, "FirstBeams ShortestBelow", "FirstBeams ShortestBelow"),
        ("klondike", PROVE, USUAL, "DiveAhead BesideProof", "BesideProof"),
        ("klondike", SOLVE, USUAL, "LostAhead LostAhead ByClasses", "ByClasses"),
        ("klondike", SOLVE, Options(lost_ahead=False), "ByClasses", "ByClasses"),
        (
            "klondike",
            SOLVE,
            ANY,
            "LostAhead FirstBeams LostAhead ByClasses",
            "FirstBeams ByClasses",
        ),
        ("yukon", PROVE, USUAL, "BeamsAhead BesideProof", "BesideProof"),
        ("yukon", SOLVE, ANY, "FirstBeams ShortestBelow", "FirstBeams ShortestBelow"),
        ("golf", PROVE, USUAL, "LeavingDives ProofSearch", "ProofSearch"),
        ("golf", SOLVE, USUAL, "ProofSearch", "ProofSearch"),
        ("golf", SOLVE, ANY, "LeavingDives ProofSearch", "ProofSearch"),
        ("black_hole", SOLVE, USUAL, "LeavingDives ProofSearch", "ProofSearch"),
        ("spider", PROVE, USUAL, "WideDives", "WideDives"),
        ("spider", SOLVE, USUAL, "WideLayers", "WideLayers"),
        ("spider", SOLVE, ANY, "WideDives WideLayers", "WideDives WideLayers"),
    ],
)
def test_the_searches_of_a_run(
    tmp_path: Path,
    game: str,
    question: Question,
    options: Options,
    all_of_them: str,
    when_begun: str,
) -> None:
    """Fewer are those of a run that goes on, whose last search has begun."""
    for begun, expected in ((False, all_of_them), (True, when_begun)):
        with stages(tmp_path / str(begun), GAMES[game], question, options, begun=begun) as (one, _):
            assert [type(search).__name__ for search in one.searches()] == expected.split()


@pytest.mark.parametrize(
    ("game", "all_of_them", "when_begun"),
    [
        ("freecell", "FirstBeams ShortestBelow", "ShortestBelow"),
        ("klondike", "LostAhead FirstBeams LostAhead ByClasses", "ByClasses"),
        ("canfield", "FirstBeams ShortestBelow", "ShortestBelow"),
    ],
)
def test_beams_come_first_where_memory_is_small(
    tmp_path: Path, game: str, all_of_them: str, when_begun: str
) -> None:
    """There is no memory for beams beside the search, which begins once they are over."""
    for begun, expected in ((False, all_of_them), (True, when_begun)):
        folder = tmp_path / str(begun)
        with stages(folder, GAMES[game], SOLVE, begun=begun, memory=1 << 26) as (one, _):
            assert [type(search).__name__ for search in one.searches()] == expected.split()


@pytest.mark.parametrize(
    ("passes", "method", "searches"),
    [
        (3, Method.DOMINATING, "DiveAhead UncountedDives BesideProof"),
        (3, Method.CLASSES, "DiveAhead BesideProof"),
        (3, Method.CLASSES_ANY_PASSES, "UncountedDives BesideProof"),
        (3, Method.EVERY_POSITION, "BeamsAhead BesideProof"),
        (0, Method.DOMINATING, "DiveAhead BesideProof"),
        (0, Method.CLASSES, "DiveAhead BesideProof"),
    ],
)
def test_classes_of_any_number_of_passes_come_ahead_of_those_of_some(
    tmp_path: Path, passes: int, method: Method, searches: str
) -> None:
    """They do where no method is asked for; where they are the method, dives over them come."""
    rules, options = replace(THREE_PASSES, passes=passes), Options(method=method)
    with stages(tmp_path, rules, PROVE, options) as (one, _):
        found = [*one.searches()]
        assert [type(search).__name__ for search in found] == searches.split()
        needed = [search.needed for search in found if isinstance(search, UncountedDives)]
        assert all(one == (method == Method.CLASSES_ANY_PASSES) for one in needed)


@pytest.mark.parametrize(
    ("game", "question", "resumable", "pending"),
    [
        ("freecell", PROVE, True, 1),
        ("freecell", PROVE, False, 1),
        ("freecell", SOLVE, True, 1),
        ("freecell", SOLVE, False, 0),  # by cost, in memory
        ("golf", SOLVE, False, 1),
    ],
)
def test_a_search_begins_with_the_deal(
    tmp_path: Path, game: str, question: Question, resumable: bool, pending: int
) -> None:
    """It is known and waits; what a look ahead has closed is gone."""
    with stages(tmp_path, GAMES[game], question, resumable=resumable) as (one, store):
        assert (store.manifest.phase, store.manifest.known) == ("new", 0)
        assert store.keys(b"A") and not store.keys(b"P")
        assert [*one.searches()] and one.begun
        manifest = store.manifest
        assert (manifest.phase, manifest.known) == ("search", 1)
        assert not store.keys(b"A") and len(store.keys(b"P")) == pending
        assert manifest.waiting[0] == pending
        assert (manifest.waiting == NOTHING.to_json()) == (not pending)


@pytest.mark.parametrize("question", [PROVE, SOLVE])
@pytest.mark.parametrize("game", ["freecell", "klondike", "golf"])
def test_a_search_begins_once(tmp_path: Path, game: str, question: Question) -> None:
    """A run that goes on leaves what is known and what waits as it is."""
    with stages(tmp_path, GAMES[game], question, begun=True) as (one, store):
        before = store.manifest
        assert [*one.searches()] and store.manifest == before
        assert store.keys(b"A") and not store.keys(b"P")
