"""Blocks that are intact and make no sense for their deal: they are refused before any use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.searching import prove

from dbmsolver.errors import StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.kits.states import StateCodec
from dbmsolver.storage.blocks import Runs, read_block
from dbmsolver.storage.intake import Intake
from dbmsolver.storage.store import Store

LOST = Deal.from_number(1, rules_for("freecell", 1))
CODEC = StateCodec(LOST, "wkr")


@pytest.fixture(scope="module")
def block(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Runs]:
    """Return the key and the states of a block of closed states, which has several signatures."""
    path = tmp_path_factory.mktemp("lost") / "store"
    prove(LOST, store=path)
    with Store.open(path, readonly=True) as store:
        for key in store.keys(b"C"):
            runs = read_block(store, key)
            if runs.signatures.size > 1:
                return key, runs
    raise AssertionError("no block has several signatures")


def with_last(array: np.ndarray, value: int, kind: Any = None) -> np.ndarray:
    """Return a copy of an array with another last item."""
    changed = array.astype(kind or array.dtype)
    changed[-1] = value
    return changed


def test_what_a_search_writes_is_taken(block: tuple[bytes, Runs]) -> None:
    key, runs = block
    for kind in (b"C", b"A"):
        Intake(CODEC)(kind + key[1:], runs, "here")
    in_a_layer = key[:1] + bytes([0, 7]) + key[3:]
    Intake(CODEC)(in_a_layer, runs, "here")
    highest = with_last(runs.codes, CODEC.codes - 1)
    Intake(CODEC)(key, replace(runs, codes=highest), "here")


@pytest.mark.parametrize("kind", [b"C", b"A"])
def test_a_key_that_names_other_signatures(block: tuple[bytes, Runs], kind: bytes) -> None:
    key, runs = block
    for place in (12, 20):  # the last bytes of the first signature and of the last one
        named = kind + key[1:place] + bytes([key[place] ^ 1]) + key[place + 1 :]
        with pytest.raises(StoreError, match="signatures that its key does not name"):
            Intake(CODEC)(named, runs, "here")


def test_a_key_that_names_another_stratum(block: tuple[bytes, Runs]) -> None:
    key, runs = block
    named = key[:4] + bytes([key[4] ^ 1]) + key[5:]
    with pytest.raises(StoreError, match="here: the block is wrong: signatures of another stratum"):
        Intake(CODEC)(named, runs, "here")


def test_keys_that_their_kind_refuses(
    block: tuple[bytes, Runs], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StateCodec, "are_keys", lambda _, keys: keys.size != block[1].keys.size)
    with pytest.raises(StoreError, match="here: the block is wrong: keys that cannot be"):
        Intake(CODEC)(*block, "here")


def test_bits_that_no_signature_has(block: tuple[bytes, Runs]) -> None:
    key, runs = block
    used = sum(mask << shift for shift, mask, _ in CODEC.most_in_fields())
    bit = next(1 << place for place in range(64) if not used >> place & 1)
    signatures = with_last(runs.signatures, int(runs.signatures[-1]) | bit)
    with pytest.raises(StoreError, match="here: the block is wrong: signatures that cannot be"):
        Intake(CODEC)(b"B" + key[1:], replace(runs, signatures=signatures), "here")


@pytest.mark.parametrize(
    ("said", "change"),
    [
        (
            "parent-move codes that cannot be",
            lambda runs: {"codes": with_last(runs.codes, CODEC.codes)},
        ),
        ("parent-move codes that cannot be", lambda runs: {"codes": runs.codes.astype(np.int32)}),
        (
            "signatures that cannot be",
            lambda runs: {"signatures": with_last(runs.signatures, (1 << 64) - 1)},
        ),
        ("keys that cannot be", lambda runs: {"keys": with_last(runs.keys, (1 << 64) - 1)}),
    ],
    ids=["code", "width of codes", "signature", "key"],
)
def test_states_that_cannot_be(
    block: tuple[bytes, Runs], said: str, change: Callable[[Runs], dict[str, Any]]
) -> None:
    key, runs = block
    with pytest.raises(StoreError, match=f"here: the block is wrong: {said}"):
        Intake(CODEC)(key, replace(runs, **change(runs)), "here")
