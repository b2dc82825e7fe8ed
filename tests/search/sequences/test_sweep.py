"""All shortest solutions are counted and told: against brute force, and in any memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from helpers.naive_sequences import bounded_ways, small_deal
from helpers.searching import end_of

from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Limit, Limits, Options, SolutionCount
from dbmsolver.search.limits import OutOfBudget
from dbmsolver.search.sequences import listing, sweep
from dbmsolver.search.sequences.listing import Listing, Moves
from dbmsolver.search.sequences.session import FOLDER, Sequences
from dbmsolver.search.sequences.sweep import Sweep
from dbmsolver.storage.levels import Levels

LENGTH, WAYS = 73, 1_680_842_911_038_333_660
"""Of deal 3."""


def levels_of(path: Path, durable: bool = False) -> Levels:
    return Levels(path, "a test", durable=durable)


def to_end(work: Sweep | Listing) -> None:
    try:
        while not work.step():
            pass
    finally:
        work.close()


def swept(deal: Deal, length: int, path: Path, memory: int = 64 << 20, threads: int = 1) -> Sweep:
    found = Sweep(StateCodec(deal, "none"), length, levels_of(path), threads, memory, keep=True)
    to_end(found)
    return found


def listed(made: Sweep, most: int | None, memory: int = 64 << 20) -> list[Moves]:
    wanted = Listing(made.codec, made.length, made.levels, memory, most)
    to_end(wanted)
    return list(wanted.solutions())


def check_solutions(deal: Deal, length: int, solutions: list[Moves]) -> None:
    """All are different, legal, of that length, and win."""
    assert len(set(solutions)) == len(solutions)
    for moves in solutions:
        assert len(moves) == length
        position = deal.position
        for move in moves:
            assert move in position.moves(deal.rules)
            position = position.apply(move)
        assert position.is_goal()


def check_small(seed: int, path: Path) -> None:
    deal, length, ways = small_deal(seed)
    made = swept(deal, length, path)
    assert made.ways() == ways, (seed, deal)
    if ways <= 300:
        every = listed(made, None)
        assert len(every) == ways, (seed, deal)
        check_solutions(deal, length, every)
        assert set(listed(made, 2)) <= set(every)
    some = listed(made, 7)
    assert len(some) == min(7, ways), (seed, deal)
    check_solutions(deal, length, some)
    made.levels.close()


def test_small_decks(tmp_path: Path) -> None:
    for seed in range(4):
        check_small(seed, tmp_path / str(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 1_200, 100))
def test_many_small_decks(seed: int, tmp_path: Path) -> None:
    for number in range(seed, seed + 40):
        check_small(number, tmp_path / str(number))


def test_the_end_of_a_real_deal(tmp_path: Path) -> None:
    """From a position on the way, the count is that of a slow search with a slow bound."""
    deal = Deal.from_number(3)
    made = swept(deal, LENGTH, tmp_path / "whole")
    assert made.ways() == WAYS
    position = deal.position
    for move in listed(made, 1)[0][:40]:
        position = position.apply(move)
    rest = Deal(position, deal.rules)
    found = swept(rest, LENGTH - 40, tmp_path / "rest")
    assert found.ways() == bounded_ways(position, deal.rules, LENGTH - 40) > 10**6


@pytest.fixture
def small_rooms(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Levels begin small, are made in parts, and grow; little is known."""
    monkeypatch.setattr(sweep, "_FIRST_ROOM", 300)
    monkeypatch.setattr(sweep, "_FIRST_KNOWN", 256)
    monkeypatch.setattr(Sweep, "room", property(lambda _: 1_500))
    yield


@pytest.mark.usefixtures("small_rooms")
@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_in_parts(tmp_path: Path, threads: int) -> None:
    deal = Deal.from_number(3)
    made = swept(deal, LENGTH, tmp_path / "levels", memory=1 << 16, threads=threads)
    assert made.ways() == WAYS
    # Less is known, so more states are gone through.
    assert made.states > swept(deal, LENGTH, tmp_path / "others").states


def test_what_is_told_does_not_depend_on_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal = Deal.from_number(3)
    one = listed(swept(deal, LENGTH, tmp_path / "one"), 25)
    monkeypatch.setattr(Sweep, "room", property(lambda _: 2_000))
    monkeypatch.setattr(listing, "_SORT", 3)
    other = listed(swept(deal, LENGTH, tmp_path / "other", threads=2), 25)
    assert one == other
    assert len(one) == 25
    check_solutions(deal, LENGTH, one)


def test_numbers_of_several_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ways take as many words as they need; here a second one is needed early."""
    deal = Deal.from_number(3)
    monkeypatch.setattr(sweep, "_SAFE_BITS", 9)
    made = swept(deal, LENGTH, tmp_path / "levels")
    assert made.ways() == WAYS
    assert max(ways.shape[1] for _, ways in made.levels.read(LENGTH)) > 1


def test_large_numbers_are_exact(tmp_path: Path) -> None:
    """Begun with a number of ways of 120 bits, the count is so many times as large."""
    deal, length, ways = small_deal(8)
    made = Sweep(StateCodec(deal, "none"), length, levels_of(tmp_path), 1, 64 << 20, keep=True)
    root = sweep.np.array([made.codec.root], sweep.np.uint64)
    factor = 2**120 - 12345
    words = sweep.np.array([[factor % 2**64, factor >> 64]], sweep.np.uint64)
    with made.levels.writing(0) as writer:
        writer.put(sweep.encode_chunks(root, words))
    to_end(made)
    assert made.ways() == factor * ways


def test_too_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "MOST_PARTS", 2)
    monkeypatch.setattr(Sweep, "room", property(lambda _: 400))
    monkeypatch.setattr(sweep, "_FIRST_ROOM", 400)
    with pytest.raises(OutOfBudget):
        swept(Deal.from_number(3), LENGTH, tmp_path / "levels")
    monkeypatch.undo()
    made = swept(Deal.from_number(3), LENGTH, tmp_path / "others")
    with pytest.raises(OutOfBudget):
        listed(made, None, memory=1_000)


def counted(deal: Deal, store: Path | None, **limits: int) -> SolutionCount:
    with Sequences(deal, Options(store=store), Limits(**limits)) as sequences:
        return end_of(sequences.count())


def test_limits_and_going_on(tmp_path: Path) -> None:
    deal, store = Deal.from_number(3), tmp_path / "store"
    first = counted(deal, store, max_states=40_000)
    assert (first.result.shortest, first.count, first.limit) == (True, None, Limit.MAX_STATES)
    kept = {path: path.stat().st_mtime_ns for path in (store / FOLDER).glob("*.level")}
    assert len(kept) > 5
    assert not list((store / FOLDER).glob("*.part"))
    full = counted(deal, store, max_disk=500_000)
    assert (full.count, full.limit) == (None, Limit.MAX_DISK)
    last = counted(deal, store)
    assert (last.count, last.limit) == (WAYS, None)
    assert last.states == counted(deal, None).states
    assert all(path.stat().st_mtime_ns == time for path, time in kept.items())


def test_forged_levels(tmp_path: Path) -> None:
    """States that cannot be, in a level whose checksums are right, are refused."""
    deal = Deal.from_number(3)
    made = swept(deal, LENGTH, tmp_path / "levels")
    rows, ways = next(made.levels.read(40))
    made.levels.close()
    kept = {path: path.read_bytes() for path in (tmp_path / "levels").glob("*.level")}
    random = Random(0)
    refused = 0
    for _ in range(6):
        forged = rows.copy()
        word = random.randrange(4)
        forged[random.randrange(rows.shape[0]), word] ^= sweep.np.uint64(1 << random.randrange(64))
        again = Sweep(made.codec, LENGTH, levels_of(tmp_path / "levels"), 1, 64 << 20, keep=True)
        with again.levels.writing(40) as writer:
            writer.put(sweep.encode_chunks(forged, ways))
        try:
            to_end(again)
        except StoreError as error:
            assert "states that cannot be" in error.message
            refused += 1
        again.levels.close()
        for path, content in kept.items():
            path.write_bytes(content)
    assert refused >= 5  # a bit may lead from one position to another


def test_no_solution_and_no_move() -> None:
    lost = Deal.from_number(1, rules_for("seahaven_towers", freecells=2))
    assert counted(lost, None).count == 0
    two = Deal.from_text("Foundations: H-K C-K D-K S-J\nQS KS\n")
    assert counted(two, None).count == 2  # the king waits in a freecell or in an empty column
    goal = Deal.from_text("Foundations: H-K C-K D-K S-K\n")
    with Sequences(goal) as sequences:
        assert end_of(sequences.count()).count == 1
        assert end_of(sequences.choose(None)) is None
        assert list(sequences.solutions()) == [()]
