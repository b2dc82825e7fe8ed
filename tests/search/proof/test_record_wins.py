"""Wins over dominating positions: as legal moves, tidied, and traced where they come late."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from helpers.dominance_brute import random_deck
from helpers.searching import check_win, small_pieces, without_dives
from helpers.selection import few_fast

from dbmsolver.api import prove
from dbmsolver.errors import InternalError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import FILLS, POLICIES, Build, Fill, Policy
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.game.tidying import tidied, without_detours
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import State
from dbmsolver.results import Keep, Limits, Question
from dbmsolver.search.candidates import Candidates
from dbmsolver.search.proof import late_dives, record_trace
from dbmsolver.search.proof.dives import SCHEDULE, Diver, Dives
from dbmsolver.search.proof.initial import stored_candidates
from dbmsolver.search.proof.record_trace import RecordFinder, moves_along, record_in
from dbmsolver.search.recorder import Recorder
from dbmsolver.storage.blocks import read_block
from dbmsolver.storage.store import Store

DOMINATED = [rules for rules in GAMES.values() if has_dominance(rules)]
DOMINATED += [replace(GAMES["freecell"], name=f"{n} freecells", freecells=n) for n in range(4)]


def wins(rules: Rules, policy: Policy, numbers: range) -> list[tuple[Deal, list[Move]]]:
    """Return the moves of deals that a dive wins."""
    found = []
    for number in numbers:
        deal = Deal.from_number(number, rules)
        keys = RecordKeys(deal, policy)
        for order, limit in SCHEDULE[:10]:
            dived = Diver(limit).dive(keys, keys.root, order, limit)
            if dived.outcome == "won":
                found.append((deal, moves_along(keys, dived.path)))
            if dived.outcome != "open":
                break
    return found


@pytest.mark.parametrize("rules", few_fast(DOMINATED, 2))
def test_wins_of_dives(rules: Rules) -> None:
    won = 0
    for policy in POLICIES:
        for deal, moves in wins(rules, policy, range(1, 5)):
            check_win(deal, moves, policy)
            again = tidied(deal.position, moves, rules, policy)
            check_win(deal, again, policy)
            assert len(again) <= len(moves)
            won += 1
    assert won or rules.freecells < 2 or rules.name == "bakers_game"


@pytest.mark.parametrize(
    ("build", "columns", "freecells", "method"),
    [
        ("alternate", 10, 6, "dominating"),
        ("suit", 8, 8, "dominating"),
        ("alternate", 17, 4, "every-position"),
        ("alternate", 18, 13, "every-position"),
    ],
)
def test_games_with_many_slots(build: Build, columns: int, freecells: int, method: str) -> None:
    """A record with 16 slots may have a thousand successors; with more, positions are searched."""
    rules = replace(rules_for("freecell", freecells), columns=columns, build=build)
    found = prove(Deal.from_number(1, rules), threads=1)
    assert (found.verdict, found.method) == ("solved", method)
    check_win(found.deal, [move._replace(forced=False) for move in found.moves], "wkr")


def column(number: int) -> Place:
    return Place("column", number)


def cell(number: int) -> Place:
    return Place("freecell", number)


def test_detours() -> None:
    """A card that is parked and goes on waits where it was, or goes on at once, if it can."""
    aside = Move(7, column(5), column(6))
    park, on = Move(20, column(0), cell(0)), Move(20, cell(0), column(3))
    straight = Move(20, column(0), column(3))
    assert without_detours([park, aside, on]) == [aside, straight]
    below = Move(9, column(0), column(6))
    assert without_detours([park, below, on]) == [straight, below]
    onto = Move(8, column(3), column(6))
    needed = [park, below, onto, on]
    assert without_detours(needed) == needed
    back = Move(20, cell(0), column(0))
    assert without_detours([park, aside, back]) == [aside]
    home = Move(20, cell(0), Place("foundation", 0))
    assert without_detours([park, aside, home]) == [aside, home._replace(source=column(0))]
    last = [straight, Move(20, column(3), Place("foundation", 0))]
    assert without_detours([park, on, last[1]]) == [last[1]._replace(source=column(0))]


def test_a_path_that_nobody_can_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that does not follow, or moves that are not legal, are told, and never written."""
    keys = RecordKeys(Deal.from_number(7, rules_for("freecell", 2)), "wkr")
    ended = State(keys.goal, 0, 0, 0)
    with pytest.raises(InternalError, match="does not follow from the one before it"):
        moves_along(keys, [keys.root, ended])

    def illegal(*args: Any) -> None:
        raise ValueError("the card is not there")

    monkeypatch.setattr(record_trace, "follow_edges", illegal)
    with pytest.raises(InternalError, match="cannot be played: the card is not there"):
        moves_along(keys, [keys.root])


# Wins that a proof on disk meets.


@pytest.mark.parametrize(("build", "fill"), few_fast(product(["alternate", "suit"], FILLS), 1))
def test_late_wins_of_small_decks(
    monkeypatch: pytest.MonkeyPatch, build: Build, fill: Fill
) -> None:
    without_dives(monkeypatch)
    won = 0
    for seed in range(40):
        deck = random_deck(Random(f"late {build} {fill} {seed}"), build, fill)
        if not has_dominance(deck.rules):
            continue
        deal = Deal(deck.start, deck.rules)
        result = prove(deal, max_states=20_000, policy=deck.policy)
        if result.verdict == "solved":
            check_win(deal, [move._replace(forced=False) for move in result.moves], deck.policy)
            won += 1
    assert won


def near_the_end(left: int) -> Deal:
    """Deal 7 with two freecells, that many moves before a win."""
    ((deal, moves),) = wins(rules_for("freecell", 2), "wkr", range(7, 8))
    position = deal.position
    for move in moves[:-left]:
        position = position.apply(move)
    return Deal(position, deal.rules)


@pytest.mark.parametrize("in_pieces", few_fast([False, True], 1))
def test_a_win_met_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_pieces: bool) -> None:
    """The way back through closed records, however they were closed, of a stopped proof."""
    deal = near_the_end(46)
    without_dives(monkeypatch)
    if in_pieces:
        small_pieces(monkeypatch, 5000)
    store = tmp_path / "store"
    assert prove(deal, max_states=200, store=store).verdict == "undecided"
    result = prove(deal, store=store)
    assert (result.verdict, result.shortest) == ("solved", False)
    check_win(deal, [move._replace(forced=False) for move in result.moves], "wkr")


@pytest.mark.parametrize("keep", ["all", "none"])
def test_a_win_of_a_late_dive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: Keep) -> None:
    """Dives from pending records, and from the deal's, while strata are closed."""
    without_dives(monkeypatch)
    monkeypatch.setattr(late_dives, "_LEAST", 1 << 8)
    monkeypatch.setattr(late_dives.LateDives, "due", lambda self: True)
    started: list[State] = []
    real = late_dives.Dives

    def dives_from(*args: Any) -> Dives:
        started.append(args[-1])
        return real(*args)

    monkeypatch.setattr(late_dives, "Dives", dives_from)
    deal = Deal.from_number(7, rules_for("freecell", 2))
    result = prove(deal, store=tmp_path / "store", keep=keep)
    assert (result.verdict, result.shortest) == ("solved", False)
    assert len(set(started)) > 1 if keep == "all" else set(started) == {started[0]}
    check_win(deal, [move._replace(forced=False) for move in result.moves], "wkr")
    again = prove(deal, store=tmp_path / "store", keep=keep)
    assert again.moves == result.moves


def test_late_dives_begin_with_a_record_and_its_own_code(tmp_path: Path) -> None:
    """Records that are drawn are pending ones of the highest stratum, each with its code."""
    deal = Deal.from_number(1, rules_for("freecell", 2))
    prove(deal, store=tmp_path / "store", max_states=3000)
    keys = RecordKeys(deal, "wkr")
    with Store.open(tmp_path / "store") as store:
        strata: dict[int, list[Candidates]] = {}
        recorder = Recorder(store, Question.PROVE, Limits(), resumable=True, keep_closed=True)
        for one in stored_candidates(recorder):
            strata.setdefault(one.stratum, []).append(one)
        highest = [one.load(store) for one in strata[max(strata)]]
        pending = {
            (record_in(keys, runs, place), int(code))
            for runs in highest
            for place, code in enumerate(runs.codes)
        }
        assert len({code for _, code in pending}) > 1
        recorder = SimpleNamespace(store=store, statistics=SimpleNamespace(closed=0))
        dives = late_dives.LateDives(keys, recorder, 1, 1 << 20)
        drawn = set()
        for number in range(20):
            dives._number = number
            drawn.add(dives._pending(strata))
    assert drawn <= pending
    assert len(drawn) > 1


@pytest.mark.parametrize("threads", [1, 2])
def test_late_dives_are_due_by_what_is_closed(threads: int) -> None:
    """Not by the clock: a slow machine makes the same dives."""
    statistics = SimpleNamespace(closed=1000)
    recorder = SimpleNamespace(statistics=statistics, keep_closed=True)
    keys = RecordKeys(Deal.from_number(1, rules_for("freecell", 2)), "wkr")
    dives = late_dives.LateDives(keys, recorder, threads, 1 << 20)
    enough = threads * late_dives._LEAST / late_dives.SHARE
    statistics.closed = 999 + int(enough)
    assert not dives.due()
    statistics.closed += 2
    assert dives.due()


def test_a_way_back_that_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parents that are not among the closed records: a clear error, no endless search."""
    deal = Deal.from_number(1, rules_for("freecell", 2))
    store = tmp_path / "store"
    prove(deal, store=store)
    keys = RecordKeys(deal, "wkr")
    with Store.open(store, readonly=True) as opened:
        finder = RecordFinder(opened, keys)
        with pytest.raises(StoreError, match="a parent is missing"):
            finder.path(State(keys.goal, 0, 0, 0), 7)


def test_the_way_back_goes_round_no_circle(tmp_path: Path) -> None:
    """From every record of a store, those with a descendant that looks like the parent, too."""
    deal = Deal.from_number(1, rules_for("freecell", 2))
    store = tmp_path / "store"
    prove(deal, store=store)
    keys = RecordKeys(deal, "wkr")
    looked = 0
    with Store.open(store, readonly=True) as opened:
        finder = RecordFinder(opened, keys)
        for key in opened.keys(b"C")[::8]:
            runs = read_block(opened, key)
            for place in range(0, runs.codes.size, 6):
                state = record_in(keys, runs, place)
                path = finder.path(state, int(runs.codes[place]))
                assert (path[0], path[-1]) == (keys.root, state)
                assert len(set(path)) == len(path)
                looked += 1
    assert looked > 200
