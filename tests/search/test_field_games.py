"""Small decks of the games of rules-driven solvers, against a search straight on their JSON rules.

The eleven games of tests/data/games/small-decks.json, each with other numbers of piles and ranks,
other policies, one deck or two.
"""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers.field_games import FieldGame
from helpers.selection import few_fast

from dbmsolver.api import prove
from dbmsolver.errors import DbmError
from dbmsolver.game.deals import Deal
from dbmsolver.game.language.json_games import parse_json
from dbmsolver.game.language.understanding import understand

DATA = json.loads((Path(__file__).parents[1] / "data" / "games" / "small-decks.json").read_text())
SETS = {entry["game"]: entry for entry in DATA["games"]}


def changed(rules: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return similar rules, which may be such as are not played."""
    rules = deepcopy(rules)
    piles, stock = rules["tableau piles"], rules.get("stock")
    rules["max rank"] = random.randint(1, rules["max rank"] + 1 - rules.get("two decks", False))
    piles["count"] = max(1, piles["count"] + random.choice((-2, -1, 0, 0, 1)))
    if random.random() < 0.3 and not piles.get("spaces policy", "").startswith("auto"):
        piles["spaces policy"] = random.choice(("any", "kings", "no-build"))
    whole = piles.get("move built group") == "whole-pile"
    if not (rules.get("hole") or whole or "move built group policy" in piles):
        if random.random() < 0.3:
            piles["build policy"] = random.choice(("any-suit", "red-black", "same-suit"))
        if random.random() < 0.2:
            piles["move built group"] = random.choice(("yes", "no"))
    if random.random() < 0.2:
        rules.setdefault("foundations", {})["removable"] = random.random() < 0.5
    if random.random() < 0.15:
        rules["two decks"] = not rules.get("two decks", False)
    if random.random() < 0.2:
        piles["face up cards"] = random.choice(("top", "all"))
    cards = 4 * rules["max rank"] * (1 + rules.get("two decks", False))
    if stock:
        stock["size"] = random.randint(0, min(cards - 1, stock["size"] + 2))
        if stock.get("deal type") is None:
            stock["deal count"] = random.randint(1, 3)
        if random.random() < 0.1:
            stock["deal type"] = random.choice(("waste", "tableau piles"))
        if random.random() < 0.2:
            stock["redeal"] = random.random() < 0.5
    if reserve := rules.get("reserve"):
        reserve["size"] = random.randint(0, min(cards - 1, reserve["size"] + 1))
    return rules


@pytest.mark.parametrize("game", few_fast(sorted(SETS), 2))
def test_sets_by_the_model_itself(game: str) -> None:
    """The model that the others are compared with gives the published verdicts."""
    for deck in SETS[game]["decks"]:
        board = deck["deck"]
        base = int(board["foundations"][0][0].replace("A", "1")) if game == "canfield" else 1
        model = FieldGame(SETS[game]["rules"], base)
        assert model.is_solvable(board, 100_000) == (deck["verdict"] == "solvable")


@pytest.mark.parametrize(
    ("game", "count"),
    [
        ("spider", 12),
        ("alpha-star", 12),
        *(pytest.param(game, 50, marks=pytest.mark.slow) for game in sorted(SETS)),
    ],
)
def test_other_decks(game: str, count: int) -> None:
    random, verdicts = Random(game), []
    while len(verdicts) < count:
        rules = changed(SETS[game]["rules"], random)
        try:
            described = parse_json(json.dumps(rules), "r.json")
            played = understand(described, "r").playable("r", "r.json")
        except DbmError:
            continue  # other tests say what is refused
        model = FieldGame(rules)
        board = model.deal(random)
        if not any(board["tableau piles"]):
            continue
        wanted = model.is_solvable(board, 4000)
        if wanted is not None:
            found = prove(Deal.from_text(json.dumps(board), played)).verdict
            assert found == ("solved" if wanted else "unsolvable"), (rules, board)
            verdicts.append(wanted)
    assert len(set(verdicts)) == 2
