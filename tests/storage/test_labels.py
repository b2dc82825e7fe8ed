"""Labels of a search that may be right each by itself, and are not those of one search."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dbmsolver.game.shipped import GAMES
from dbmsolver.storage.labels import wrong_label

FREECELL, KLONDIKE = GAMES["freecell"], GAMES["klondike"]
MANY_SLOTS = replace(FREECELL, columns=18)
LIMITED = replace(KLONDIKE, passes=3)
EVERY, RECORDS, CLASSES, ANY = "every-position", "dominating", "classes", "classes-any-passes"
LOST, WON, OPEN = "unsolvable", "solved", "undecided"


@pytest.mark.parametrize(
    ("rules", "labels"),
    [
        (FREECELL, ("solve", EVERY, "cards", WON, True)),
        (FREECELL, ("solve", EVERY, "cards", WON, False)),
        (FREECELL, ("solve", EVERY, "runs", None, False)),
        (FREECELL, ("solve", EVERY, "runs", LOST, False)),
        (FREECELL, ("solve", RECORDS, "cards", LOST, False)),
        (FREECELL, ("prove", RECORDS, "cards", OPEN, False)),
        (FREECELL, ("prove", EVERY, "cards", WON, False)),
        (MANY_SLOTS, ("prove", RECORDS, "cards", LOST, False)),  # of an earlier version
        (KLONDIKE, ("prove", CLASSES, "turns", WON, False)),
        (KLONDIKE, ("solve", CLASSES, "turns", LOST, False)),
        (LIMITED, ("prove", CLASSES, "turns", None, False)),
        (LIMITED, ("prove", ANY, "turns", LOST, False)),
    ],
)
def test_labels_of_one_search(rules, labels) -> None:  # type: ignore[no-untyped-def]
    assert wrong_label(rules, *labels) is None


@pytest.mark.parametrize(
    ("rules", "labels", "said"),
    [
        (
            KLONDIKE,
            ("prove", RECORDS, "turns", LOST, False),
            "klondike has no dominating",
        ),
        (FREECELL, ("prove", CLASSES, "cards", LOST, False), "freecell has no classes"),
        (KLONDIKE, ("prove", ANY, "turns", LOST, False), "limited passes unsolvable"),
        (LIMITED, ("prove", ANY, "turns", WON, False), "limited passes unsolvable"),
        (LIMITED, ("prove", ANY, "turns", None, False), "limited passes unsolvable"),
        (LIMITED, ("solve", ANY, "turns", LOST, False), "needs every position"),
        (FREECELL, ("solve", RECORDS, "cards", OPEN, False), "needs every position"),
        (FREECELL, ("solve", RECORDS, "cards", WON, False), "needs every position"),
        (KLONDIKE, ("solve", CLASSES, "turns", None, False), "needs every position"),
        (FREECELL, ("prove", EVERY, "runs", LOST, False), "a proof of freecell is told in cards"),
        (FREECELL, ("solve", RECORDS, "runs", LOST, False), "a proof of freecell is told in cards"),
        (FREECELL, ("prove", EVERY, "cards", WON, True), "a shortest solution"),
        (FREECELL, ("solve", EVERY, "cards", LOST, True), "a shortest solution"),
        (FREECELL, ("solve", EVERY, "cards", None, True), "a shortest solution"),
    ],
)
def test_labels_that_contradict_each_other(rules, labels, said: str) -> None:  # type: ignore[no-untyped-def]
    wrong = wrong_label(rules, *labels)
    assert wrong is not None and said in wrong
