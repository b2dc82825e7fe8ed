"""The check of proofs over classes of positions."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import faults
from helpers.class_distances import successors_of_words
from helpers.searching import end_of
from helpers.small_klondikes import (
    five_columns_and_four_kings,
    small_klondike,
    small_listed,
)

from dbmsolver import api
from dbmsolver.errors import StoreError
from dbmsolver.game import classes
from dbmsolver.game.classes import Class, Classes
from dbmsolver.game.deals import Deal
from dbmsolver.game.patience import Patience
from dbmsolver.game.position import Position
from dbmsolver.game.shipped import GAMES
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.results import Method, Options, Question
from dbmsolver.storage import labels
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.manifest import deal_of, new_manifest
from dbmsolver.storage.meanings import meaning_of
from dbmsolver.storage.records import parse_closed_key
from dbmsolver.storage.store import Store
from dbmsolver.verify import class_format
from dbmsolver.verify import listing as listing_of_check
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.format import keys_of_cards
from dbmsolver.verify.kernels.classes import make_board
from dbmsolver.verify.listing import list_positions
from dbmsolver.verify.refutation import Refuted

LOST = (229, 657, 909, 922, 980, 990, 1023, 1139)
"""Seeds of small decks that are lost, with 20 to 116 classes: one of a hundred has so many."""


@cache
def lost() -> list[Deal]:
    """Return small decks that are lost."""
    return [small_klondike(Random(seed), 13) for seed in LOST]


@pytest.mark.parametrize("depth", ["lemma", "full"])
def test_sound_proofs_are_valid(depth: str, tmp_path: Path) -> None:
    checked = 0
    for number, deal in enumerate(lost()):
        result = api.prove(deal, store=tmp_path / str(number))
        assert result.verdict == "unsolvable" and result.states >= 20
        check = faults.check_in_parts if depth == "lemma" else faults.check
        report = check(tmp_path / str(number), depth=depth)
        assert report.valid, report.reason
        assert (report.states, report.digest) == (result.states, result.digest)
        assert (report.covered is not None, report.depth) == (depth == "full", depth)
        assert not any("any number of passes" in said for said in report.checked)
        assert [said.strip() for said in report.checked] == report.checked
        checked += 1
    assert checked == 8


def spoil(store: Path, random: Random) -> None:
    """Leave out a class, or let one have another key."""
    key, number = random.choice(faults.closed_states(store))

    def change(runs: Runs) -> Runs | None:
        if random.random() < 0.5:
            return faults.without(runs, number)
        other = int(runs.keys[number]) ^ 1 << random.randrange(30)
        return faults.with_key(runs, number, other)

    faults.change_block(store, key, change)


def test_planted_faults_are_found(tmp_path: Path) -> None:
    random, found = Random(9), 0
    for number, deal in enumerate(lost()):
        store = tmp_path / str(number)
        api.prove(deal, store=store)
        spoil(store, random)
        faults.make_counts_fit(store)
        report = faults.check_in_parts(store, depth="lemma")
        assert not report.valid and report.reason, number
        assert "clos" in report.reason
        found += 1
    assert found == 8


@pytest.mark.parametrize(
    "deal",
    [
        Deal.from_number(1997, GAMES["klondike"]),
        Deal.from_number(26, GAMES["trigon"]),
        Deal.from_number(212, GAMES["klondike_by_threes"]),
        five_columns_and_four_kings(),
    ],
    ids=["by ones", "by suit", "by threes", "small"],
)
def test_each_class_is_needed(deal: Deal, tmp_path: Path) -> None:
    """A proof without one of its classes is none, whichever it is."""
    store, spoilt = tmp_path / "store", tmp_path / "spoilt"
    proof = api.prove(deal, store=store, method="classes")
    assert proof.verdict == "unsolvable" and proof.states > 3
    for key, place in faults.closed_states(store):
        shutil.copytree(store, spoilt)
        faults.change_block(spoilt, key, partial(faults.without, number=place))
        faults.make_counts_fit(spoilt)
        report = faults.check_in_parts(spoilt, depth="lemma")
        assert not report.valid and report.reason, (key, place)
        shutil.rmtree(spoilt)


def test_a_win_among_the_classes_is_found(tmp_path: Path) -> None:
    """The search of a deal that is won, made to say that it is not."""
    deal = next(
        deal
        for deal, listed in small_listed(8, 40, 250)
        if listed.won and len(listed.positions) > 20
    )
    store = tmp_path / "store"
    result = api.prove(deal, store=store)
    assert result.verdict == "solved"

    def lie(manifest: dict[str, object]) -> None:
        rows = manifest["strata"]
        assert isinstance(rows, list)
        manifest |= {"verdict": "unsolvable", "path": None, "length": None}
        manifest["states"] = sum(row[2] for row in rows)

    faults.change_manifest(store, lie)
    assert not faults.check_in_parts(store, depth="lemma").valid


def test_the_root_is_made_from_the_deal_alone() -> None:
    for deal, _ in small_listed(3, 60, 60):
        keys, form = ClassKeys(deal, "wkr"), ClassFormat(deal, "wkr")
        assert form.root == keys.root[:2]
        if keys.root.signature != keys.goal:
            shown = form.position(form.root)
            assert shown is not None
            assert keys.classes.class_of(shown) == keys.classes.root


def listing(deal: Deal) -> int | str:
    """Return the number of positions that the full check lists, or why it refuses the proof."""
    try:
        return end_of(list_positions(keys_of_cards(deal, "none", None), 1 << 26))
    except Refuted as refuted:
        assert isinstance(refuted.shown, Position) and refuted.shown.is_goal()
        return refuted.reason


def test_lists_of_positions_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """All positions are listed, however often there is no room, and no win is missed."""
    cases = list(small_listed(5, 10, 150))
    wholes = [listing(deal) for deal, _ in cases]
    monkeypatch.setattr(listing_of_check, "_FIRST_ROOM", 1)
    assert [listing(deal) for deal, _ in cases] == wholes
    for whole, (_, listed) in zip(wholes, cases, strict=True):
        if listed.won:
            assert whole == "the moves of the game lead to a win"
        else:
            assert isinstance(whole, int) and whole <= len(listed.positions)
    assert len({listed.won for _, listed in cases}) == 2


def test_proofs_have_no_layers(tmp_path: Path) -> None:
    store = tmp_path / "store"
    api.prove(lost()[0], store=store)
    key = faults.closed_keys(store)[0]
    place = parse_closed_key(key)
    with Store.open(store) as opened:
        runs = read_block(opened, key)
        with opened.write() as txn:
            txn.delete(key)
            faults.put_block(txn, place.layer + 1, place.stratum, runs)
    assert faults.check(store, depth="lemma").reason == "a proof has no layers"


def test_classes_that_cannot_be_are_refused() -> None:
    deal = lost()[0]
    form = ClassFormat(deal, "wkr")
    signature, key = form.root
    waste = key | 63 << len(form.pack) + 16
    for words in ((signature, waste), (signature ^ 1 << 62, key)):
        assert form.position(words) is None
    assert np.uint64(signature) == signature


NO_THEOREM = """Foundations: H-9 C-9 D-9 S-9
Stock: TC JS
QH JC TH
<QC> <JD> JH QD TD
<KC> <KD> TS KH QS KS
"""
"""A board that can be won. JH and QD lie face up beneath TD: the queen and what lies on her can
move together later. The moves of classes do not have that, and lead to no win."""


def as_dealt(classes: Classes, deal: Position) -> Class:
    """Return a class in which all dealt cards lie where they were dealt."""
    assert isinstance(deal, Patience)
    counts = tuple(map(len, classes.columns))
    return Class(counts, deal.foundations, classes.stock, len(deal.waste), deal.turns)


def proof_by_classes(deal: Deal, store: Path) -> int:
    """Write the proof of a deal by all classes that moves lead to; return their number.

    These are the moves of the check, whether or not classes describe the games from this deal.
    """
    form = ClassFormat(deal, "wkr")
    game, board = form.game, make_board(form.game)
    found, waiting = {form.root}, [form.root]
    while waiting:
        words = np.array(waiting.pop(), np.uint64)
        for number in range(successors_of_words(game, board, words, False)):
            assert not board.won[number], "it is won"
            after = int(board.after[number, 0]), int(board.after[number, 1])
            if after not in found:
                found.add(after)
                waiting.append(after)
    manifest = new_manifest(Question.PROVE, deal, Options(method=Method.EVERY_POSITION))
    Store.create(store, manifest).close()
    strata: dict[int, list[tuple[int, int]]] = {}
    counts = list(zip(game.shifts.tolist(), game.widths.tolist(), strict=True))
    for signature, key in sorted(found):
        left = sum(signature >> shift & (1 << width) - 1 for shift, width in counts)
        strata.setdefault(game.total - left, []).append((signature, key))
    with Store.open(store) as opened, opened.write() as txn:
        for stratum, closed in strata.items():
            signatures, sizes = np.unique(
                [signature for signature, _ in closed], return_counts=True
            )
            keys = np.array([key for _, key in closed], np.uint64)
            codes = np.zeros(keys.size, np.uint8)
            faults.put_block(
                txn, 0, stratum, Runs(signatures.astype(np.uint64), sizes, keys, codes, 1)
            )

    def claim(manifest: dict[str, Any]) -> None:
        method, question = Method.CLASSES, Question.PROVE
        manifest |= {"verdict": "unsolvable", "method": method, "states": len(found)}
        manifest["meaning"] = meaning_of(deal.rules, "wkr", "turns", method, question)

    faults.change_manifest(store, claim)
    return len(found)


@pytest.mark.parametrize("depth", [None, "lemma", "full"])
def test_deals_that_the_theorem_does_not_speak_of(
    depth: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = replace(
        GAMES["klondike"], columns=3, layout="", stock=2, draw=3, passes=0, removable=False
    )
    deal = Deal.from_text(NO_THEOREM, rules)
    assert api.prove(deal).verdict == "solved"
    store = tmp_path / "store"
    with monkeypatch.context() as patch:
        for module in (class_format, classes, labels):
            patch.setattr(module, "is_in_a_class", lambda *_: True)
        patch.setattr(Classes, "class_of", as_dealt)
        assert proof_by_classes(deal, store) == 37
        faults.make_counts_fit(store)
        # Nothing but the theorem is wrong with it.
        assert faults.check(store, depth="lemma").valid
    report = faults.check(store, depth=depth)
    assert (report.valid, report.reason) == (
        False,
        "the theorem of classes does not hold for this deal",
    )
    with Store.open(store, readonly=True) as opened:
        manifest = opened.manifest
    with pytest.raises(StoreError, match="method classes: the theorem of classes does not"):
        deal_of(manifest, "here")
