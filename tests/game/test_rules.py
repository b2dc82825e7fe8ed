"""Games, their rules, and what is safe to send home."""

from dataclasses import asdict, replace
from itertools import product

import pytest
from helpers.selection import few_fast

from dbmsolver.errors import UsageError
from dbmsolver.game.bases import ACE, Base
from dbmsolver.game.cards import parse_card, rank, suit
from dbmsolver.game.kinds import BUILDS
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.shipped import GAMES, rules_for, rules_from, unknown_game


def rules_with(build: str, fill: str = "any") -> Rules:
    return Rules("test", 8, 4, build, fill)  # type: ignore[arg-type]


def test_the_games() -> None:
    facts = {
        name: (g.columns, g.freecells, g.dealt_to_freecells, g.build, g.fill, g.kings_sunk)
        for name, g in GAMES.items()
    }
    assert len(facts) >= 20
    assert (
        facts
        | {
            "freecell": (8, 4, 0, "alternate", "any", False),
            "bakers_game": (8, 4, 0, "suit", "any", False),
            "eight_off": (8, 8, 4, "suit", "kings", False),
            "seahaven_towers": (10, 4, 2, "suit", "kings", False),
            "forecell": (8, 4, 4, "alternate", "kings", False),
            "bakers_dozen": (13, 0, 0, "any", "none", True),
        }
        == facts
    )
    assert all(name == game.name for name, game in GAMES.items())


def test_a_game_with_other_numbers_of_columns_and_freecells() -> None:
    rules = rules_for("freecell", freecells=2, columns=7)
    assert (rules.name, rules.columns, rules.freecells) == ("freecell", 7, 2)
    assert rules_for("eight_off", freecells=3).dealt_to_freecells == 3
    assert rules_for("eight_off", freecells=13).dealt_to_freecells == 4
    assert rules_for("freecell") == GAMES["freecell"]


def test_rules_without_a_layout_are_those_of_their_game() -> None:
    """Stores and certificates of the time before there were layouts do not name one."""
    for name in ("eight_off", "bakers_dozen"):
        data = asdict(GAMES[name])
        del data["layout"]
        assert rules_from(data) == GAMES[name]
    data["columns"] = 7
    assert rules_from(data).layout == ""
    assert rules_from(asdict(GAMES["citadel"])) == GAMES["citadel"]
    with pytest.raises(TypeError):
        rules_from({**data, "suits": 4})


@pytest.mark.parametrize("freecells, columns", [(-1, 8), (14, 8), (4, 0), (4, 19), (10**30, 8)])
def test_numbers_out_of_range(freecells: int, columns: int) -> None:
    with pytest.raises(UsageError, match=r"expected (0 to 13|1 to 18)$"):
        rules_for("freecell", freecells, columns)


def test_an_unknown_game_is_answered_with_the_nearest() -> None:
    with pytest.raises(
        UsageError, match=r"'Eightof', did you mean eight_off\? expected one that `games` lists$"
    ) as caught:
        rules_for("Eightof")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("klon", "did you mean klondike or klondike_3_left_to_right or klondike_by_threes? "),
        ("hole", "did you mean black_hole? "),
        ("seahavn", "did you mean seahaven_towers? "),
        ("russin", "did you mean russian_solitaire? "),
        ("beleagured", "did you mean beleaguered_castle? "),
        ("spiders", "did you mean spider? "),
        ("tripeaks", ""),
        ("x", ""),
    ],
)
def test_games_that_are_suggested(said: str, hint: str) -> None:
    message = unknown_game(said).message
    assert message == f"unknown game '{said}', {hint}expected one that `games` lists"


@pytest.mark.parametrize(
    "changed",
    [
        {"build": "colour"},
        {"fill": "queens"},
        {"dealt_to_freecells": 5},
        {"dealt_to_freecells": -1},
    ],
)
def test_impossible_rules(changed: dict) -> None:
    facts = {"name": "x", "columns": 8, "freecells": 4, "build": "any", "fill": "any"}
    with pytest.raises(UsageError):
        Rules(**{**facts, **changed})


@pytest.mark.parametrize(
    "build, parents",
    [
        ("alternate", {"9S", "9C"}),
        ("suit", {"9H"}),
        ("any", {"9H", "9S", "9D", "9C"}),
        ("suit-both", {"9H", "7H"}),
    ],
)
def test_parents(build: str, parents: set[str]) -> None:
    rules = rules_with(build)
    child = parse_card("8H")
    found = {card for card in range(52) if rules.can_stack(child, card)}
    assert found == {parse_card(name) for name in parents}
    numbers = range(len(parents))
    assert found == {rules.parent(child, number) for number in numbers}
    assert sorted(rules.parent_number(child, card) for card in found) == list(numbers)
    on_king = {card for card in range(52) if rules.can_stack(parse_card("KH"), card)}
    assert on_king == ({parse_card("QH")} if build == "suit-both" else set())


@pytest.mark.parametrize(
    ("game", "base", "child", "takers"),
    [
        ("freecell", ACE, "9D", "TS TC"),
        ("penguin", Base(6), "9D", "TD"),
        ("penguin", Base(6), "KD", "AD"),
        ("penguin", Base(6), "5D", "6D"),
        ("canfield", Base(6), "5D", "6S 6C"),
        ("canfield", Base(6, 4), "KD", "4S 4C"),  # a short deck goes from king to its lowest rank
        ("golf", ACE, "9D", ""),
    ],
)
def test_takers(game: str, base: Base, child: str, takers: str) -> None:
    expected = {parse_card(name) for name in takers.split()}
    rules = rules_for(game)
    assert rules.takers(parse_card(child), base) == expected
    if base == Base(6):  # nothing goes on a base where columns do not go round
        rules = replace(rules, base="deal")
        assert rules.takers(parse_card(child), base) == (set() if child == "5D" else expected)


@pytest.mark.parametrize("game", GAMES)
def test_takers_are_those_that_the_rules_name_for_counted_ranks(game: str) -> None:
    rules = rules_for(game)
    for base in (ACE, Base(7), Base(5, 4)):
        for child, card in product(range(52), repeat=2):
            stacks = rules.can_stack(base.counted(child), base.counted(card), base.lowest)
            assert (card in rules.takers(child, base)) == stacks


@pytest.mark.parametrize("fill, count", [("any", 52), ("kings", 4), ("none", 0)])
def test_what_goes_to_an_empty_column(fill: str, count: int) -> None:
    rules = rules_with("any", fill)
    found = [card for card in range(52) if rules.can_fill(card)]
    assert len(found) == count
    assert fill != "kings" or all(rank(card) == 13 for card in found)


# Card, heights of H S D C, and whether it is safe by wkr and by horne.
@pytest.mark.parametrize(
    "build, card, heights, wkr, horne",
    [
        ("alternate", "AH", (0, 0, 0, 0), True, True),
        ("alternate", "2H", (1, 0, 0, 0), True, True),
        ("alternate", "3H", (2, 1, 0, 1), True, False),
        ("alternate", "3H", (2, 1, 0, 0), False, False),
        ("alternate", "3H", (2, 2, 0, 2), True, True),
        ("alternate", "7H", (6, 5, 4, 5), True, False),
        ("alternate", "7H", (6, 5, 3, 5), False, False),
        ("alternate", "7H", (6, 6, 0, 6), False, True),
        ("alternate", "7H", (6, 6, 4, 4), False, False),
        ("alternate", "7C", (4, 5, 6, 6), False, False),
        ("alternate", "7C", (6, 3, 6, 6), False, True),
        ("alternate", "7H", (5, 13, 13, 13), False, False),
        ("alternate", "7H", (7, 13, 13, 13), False, False),
        ("suit", "KH", (12, 0, 0, 0), True, True),
        ("suit", "KH", (11, 13, 13, 13), False, False),
        ("any", "2H", (1, 0, 0, 0), True, True),
        ("any", "5S", (3, 4, 3, 3), True, False),
        ("any", "5S", (4, 4, 4, 4), True, True),
        ("any", "5S", (2, 4, 4, 4), False, False),
    ],
)
def test_safe_home(
    build: str, card: str, heights: tuple[int, int, int, int], wkr: bool, horne: bool
) -> None:
    rules = rules_with(build)
    number = parse_card(card)
    assert is_safe_home(rules, number, heights, "wkr") == wkr
    assert is_safe_home(rules, number, heights, "horne") == horne
    assert not is_safe_home(rules, number, heights, "none")


@pytest.mark.parametrize("build", few_fast(BUILDS, 2))
def test_safe_means_that_nothing_loose_needs_the_card(build: str) -> None:
    """The argument itself, for all heights up to 5.

    A card is dispensable if each card that goes on it is home, or next to go and dispensable.
    """
    rules = rules_with(build)

    def dispensable(card: int, heights: tuple[int, ...]) -> bool:
        children = [child for child in range(52) if rules.can_stack(child, card)]
        after = [height + (s == suit(card)) for s, height in enumerate(heights)]
        return all(
            rank(child) <= after[suit(child)]
            or (rank(child) == after[suit(child)] + 1 and dispensable(child, tuple(after)))
            for child in children
        )

    for heights in product(range(6), repeat=4):
        for s, height in enumerate(heights):
            card = (height << 2) + s
            wkr, horne = (is_safe_home(rules, card, heights, policy) for policy in ("wkr", "horne"))
            assert dispensable(card, heights) or not (wkr or horne), (card, heights)
            # By alternate colour neither policy catches all, nor all that the other one does.
            assert build == "alternate" or wkr == dispensable(card, heights), (card, heights)


@pytest.mark.parametrize(
    ("game", "kind"),
    [
        ("golf", "of one pile"),
        ("pyramid", "of pairs"),
        ("spider", "of several packs, or with a stock that is dealt onto columns"),
        ("klondike", "of Klondike's kind"),
        ("yukon", "of Klondike's kind"),
    ],
)
def test_freecells_where_there_are_none(game: str, kind: str) -> None:
    with pytest.raises(UsageError) as error:
        rules_for(game, freecells=3)
    assert str(error.value) == f"freecells in a game {kind}: expected none"


def test_descriptions() -> None:
    assert GAMES["bakers_dozen"].describe() == (
        "13 columns, no freecells, built down by any suit, empty columns take nothing, "
        "kings sunk when dealt"
    )
    assert GAMES["seahaven_towers"].describe() == (
        "10 columns, 4 freecells (2 filled by the deal), built down by suit, "
        "empty columns take kings only"
    )
    assert Rules("x", 1, 1, "alternate", "any").describe() == (
        "1 column, 1 freecell, built down by alternate colour, empty columns take any card"
    )
