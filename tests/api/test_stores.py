"""Stores as a Python program looks at them, and has them checked."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from dbmsolver import (
    Deal,
    InputError,
    Method,
    UsageError,
    open_store,
    prove,
    rules_for,
    solve,
    verify_store,
)

DEAL = Deal.from_number(1, rules_for("freecell", 1))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stores")
    prove(DEAL, store=folder / "proof")
    prove(DEAL, method="every-position", store=folder / "every")
    for name in ("proof", "every"):
        (folder / f"{name}.json").write_text(open_store(folder / name).certificate())
    return folder


def test_method(stores: Path) -> None:
    assert open_store(stores / "proof").method is Method.DOMINATING
    assert open_store(stores / "every").method is Method.EVERY_POSITION


def test_a_certificate_that_agrees(stores: Path) -> None:
    report = verify_store(stores / "proof", certificate=stores / "proof.json")
    assert report.valid
    assert "the certificate agrees with the store" in report.checked
    assert "the certificate agrees with the store" not in verify_store(stores / "proof").checked


def test_a_certificate_of_another_search(stores: Path) -> None:
    report = verify_store(stores / "proof", certificate=str(stores / "every.json"))
    assert not report.valid
    assert report.reason is not None
    assert report.reason.startswith("the store differs from the certificate: ")


def test_no_certificate(stores: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    for path in (other, tmp_path / "none.json"):
        with pytest.raises(InputError):
            verify_store(stores / "proof", certificate=path)


@pytest.mark.parametrize("given", [{}, {"depth": "lemma"}, {"sample": 0.25}, {"threads": 2}])
def test_what_a_check_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, given: dict[str, Any]
) -> None:
    """Sizes may be words; what is not given is left to the check."""
    asked: list[tuple[Path, dict[str, Any]]] = []
    answer = object()

    def verify(path: Path, **options: Any) -> Generator[None, None, object]:
        asked.append((path, options))
        yield from ()
        return answer

    monkeypatch.setattr("dbmsolver.verify.check.verify", verify)
    for memory, size in ((None, None), ("64M", 64 << 20)):
        assert verify_store(str(tmp_path), memory=memory, **given) is answer
        usual = {"threads": None, "sample": None, "depth": None, "against": None}
        assert asked.pop() == (tmp_path, {**usual, "memory": size, **given})


END = "Foundations: H-K S-K D-K C-Q\nKC\n"


@pytest.mark.parametrize(("game", "other"), [("klondike", "freecell"), ("freecell", "klondike")])
def test_a_position_of_another_kind_of_game_is_refused(
    tmp_path: Path, game: str, other: str
) -> None:
    deal = Deal.from_text(END, rules_for(game))
    solve(deal, store=tmp_path / "store", threads=1)
    stored = open_store(tmp_path / "store")
    with pytest.raises(UsageError, match=rf"^position is a .*, expected a .*, as {game} has$"):
        stored.lookup(Deal.from_text(END, rules_for(other)).position)
