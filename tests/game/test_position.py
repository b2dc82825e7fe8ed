"""The slow model: what moves there are, what they do, and what it counts."""

import csv
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.errors import IllegalMoveError, InputError
from dbmsolver.game.cards import parse_card, suit
from dbmsolver.game.deals import deal_number, parse_board
from dbmsolver.game.kinds import POLICIES, Policy
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.game.wide import Wide

DATA = Path(__file__).parents[1] / "data"
FREECELL = GAMES["freecell"]
GOAL = Position(((),) * 8, (None,) * 4, (13, 13, 13, 13))


def rows(name: str) -> list[dict[str, str]]:
    lines = (DATA / name).read_text().splitlines()
    return list(csv.DictReader((x for x in lines if x[0] != "#"), delimiter="\t"))


def reachable(start: Position, rules: Rules, policy: Policy) -> tuple[int, int]:
    """Return the number of positions without a forced move, and the last breadth-first layer."""
    seen = {start.canonical()}
    layer, depth, count = [start], -1, 0
    while layer:
        depth += 1
        count += sum(position.forced(rules, policy) is None for position in layer)
        following = []
        for position in layer:
            for _, successor in position.successors(rules, policy):
                key = successor.canonical()
                if key not in seen:
                    seen.add(key)
                    following.append(successor)
        layer = following
    return count, depth


def small(rows: list[dict[str, str]], column: str) -> list[tuple[int, int, dict[str, str]]]:
    return [(int(r["deal"]), int(r["freecells"]), r) for r in rows if int(r[column]) < 1200]


@pytest.mark.parametrize("deal, cells, row", small(rows("state-counts.tsv"), "states_wkr"))
@pytest.mark.parametrize("policy", ["wkr", "horne"])
def test_counts_of_the_oracle(deal: int, cells: int, row: dict[str, str], policy: Policy) -> None:
    rules = rules_for("freecell", freecells=cells)
    count, _ = reachable(deal_number(deal, rules), rules, policy)
    assert count == int(row[f"states_{policy}"])


@pytest.mark.parametrize("deal, cells, row", small(rows("state-counts-no-automove.tsv"), "states"))
def test_counts_of_the_oracle_without_forced_moves(
    deal: int, cells: int, row: dict[str, str]
) -> None:
    rules = rules_for("freecell", freecells=cells)
    found = reachable(deal_number(deal, rules), rules, "none")
    assert found == (int(row["states"]), int(row["last_layer"]))


def test_the_goal() -> None:
    assert GOAL.is_goal()
    assert GOAL.moves(FREECELL) == []
    assert GOAL.forced(FREECELL, "wkr") is None
    GOAL.validate(FREECELL)
    assert not deal_number(1, FREECELL).is_goal()


BOARD = """\
Foundations: H-K S-10 D-K C-9
Freecells: - KC
JC
QC QS JS
KS
TC
"""


def moves_of(position: Position, rules: Rules) -> set[str]:
    return {str(move) for move in position.moves(rules)}


def test_moves_one_by_one() -> None:
    position = parse_board(BOARD, FREECELL)
    # The JS is next to go, and so is the TC; no black card lies on a red one here.
    assert moves_of(position, FREECELL) == {
        "JC from column 1 to freecell 1",
        "JS from column 2 to foundation of spades",
        "JS from column 2 to freecell 1",
        "JS from column 2 to column 5",
        "KS from column 3 to freecell 1",
        "TC from column 4 to foundation of clubs",
        "TC from column 4 to freecell 1",
        "KC from freecell 2 to column 5",
    }
    assert position.forced(FREECELL, "none") is None
    forced = position.forced(FREECELL, "wkr")
    assert forced == Move(parse_card("JS"), Place("column", 1), Place("foundation", 1), True)
    assert len(position.successors(FREECELL, "wkr")) == 1
    assert len(position.successors(FREECELL, "none")) == 8


def test_moves_by_other_rules() -> None:
    seahaven = GAMES["seahaven_towers"]
    found = moves_of(parse_board(BOARD, seahaven), seahaven)
    assert "KC from freecell 2 to column 5" in found
    assert "KS from column 3 to column 5" not in found
    assert "JS from column 2 to column 5" not in found
    assert "TC from column 4 to column 1" in found
    dozen = GAMES["bakers_dozen"]
    found = moves_of(parse_board(BOARD.replace("Freecells: - KC", "KC"), dozen), dozen)
    assert found == {
        "JS from column 3 to foundation of spades",
        "TC from column 5 to column 2",
        "TC from column 5 to column 3",
        "TC from column 5 to foundation of clubs",
    }


def test_the_lowest_suit_is_forced_first() -> None:
    position = parse_board("Foundations: H-Q S-Q D-Q C-Q\nKC\nKD\nKS\nFreecells: KH", FREECELL)
    order = []
    while (move := position.forced(FREECELL, "wkr")) is not None:
        order.append(suit(move.card))
        position = position.apply(move)
    assert order == [0, 1, 2, 3]
    assert position.is_goal()


@pytest.mark.parametrize(
    "card, source, destination",
    [
        ("QC", ("column", 1), ("freecell", 0)),  # not the last card
        ("JS", ("column", 0), ("freecell", 0)),  # not there
        ("JS", ("column", -7), ("freecell", 0)),
        ("JS", ("column", 99), ("freecell", 0)),
        ("JS", ("foundation", 1), ("freecell", 0)),
        ("JS", ("column", 1), ("freecell", 1)),  # taken
        ("JS", ("column", 1), ("freecell", 4)),
        ("JS", ("column", 1), ("freecell", -1)),
        ("JS", ("column", 1), ("column", 1)),
        ("JS", ("column", 1), ("column", 8)),
        ("JS", ("column", 1), ("foundation", 3)),
        ("KC", ("freecell", 1), ("foundation", 3)),
        ("KC", ("freecell", 1), ("freecell", 1)),
        ("TH", ("foundation", 0), ("column", 4)),
    ],
)
def test_impossible_moves(card: str, source: tuple[str, int], destination: tuple[str, int]) -> None:
    move = Move(parse_card(card), Place(*source), Place(*destination))  # type: ignore[arg-type]
    with pytest.raises(IllegalMoveError):
        parse_board(BOARD, FREECELL).apply(move)


def test_equal_but_for_the_order_of_columns_and_freecells() -> None:
    one = parse_board("Foundations: H-K S-J D-K C-J\nFreecells: QS - KC\nQC\nKS", FREECELL)
    two = parse_board("Foundations: H-K S-J D-K C-J\nFreecells: KC QS\n:\nKS\n:\nQC", FREECELL)
    other = parse_board("Foundations: H-K S-J D-K C-J\nFreecells: KC QC\nKS\nQS", FREECELL)
    assert one != two
    assert one.canonical() == two.canonical()
    assert hash(one.canonical()) == hash(two.canonical())
    assert one.canonical() != other.canonical()


def cards_home(position: Position) -> int:
    """Return the number of cards on foundations, of which a suit of a wide game has several."""
    return sum(map(sum, position.home)) if isinstance(position, Wide) else sum(position.foundations)


@settings(deadline=None, max_examples=40)
@given(
    game=st.sampled_from(sorted(name for name, rules in GAMES.items() if not rules.is_patience)),
    number=st.integers(1, 10**6),
    policy=st.sampled_from(POLICIES),
    seed=st.integers(0, 10**9),
)
def test_what_every_move_of_every_game_keeps(
    game: str, number: int, policy: Policy, seed: int
) -> None:
    rules = GAMES[game]
    position = deal_number(number, rules)
    random = Random(seed)
    for _ in range(40):
        moves = position.moves(rules)
        assert len({position.apply(move).canonical() for move in moves}) == len(moves)
        forced = position.forced(rules, policy)
        assert forced is None or forced._replace(forced=False) in moves
        for move, successor in position.successors(rules, policy):
            successor.validate(rules)
            home = move.count if move.destination.kind == "foundation" else 0
            home -= move.source.kind == "foundation"
            assert cards_home(successor) == cards_home(position) + home
            turns_over = move.destination.kind == "stock"
            assert move.count == 1 or rules.has_runs or turns_over
            if move.destination.kind == "column":
                column = successor.columns[move.destination.index]
                assert column[-move.count] == move.card
                assert successor.is_run(column[-move.count :], rules)
                column = column[: len(column) - move.count + 1]
                if len(column) > 1:
                    assert position.can_stack(column[-1], column[-2], rules)
                else:
                    assert position.can_fill(column[0], rules)
        successors = position.successors(rules, policy)
        if not successors:
            break
        _, position = random.choice(successors)


@pytest.mark.parametrize(
    "position, message",
    [
        (Position(((),) * 7, (None,) * 4, (13,) * 4), "7 columns, expected 8"),
        (Position(((),) * 8, (None,) * 5, (13,) * 4), "5 freecells, expected 4"),
        (Position(((),) * 8, (None,) * 4, (13,) * 3), "3 foundations, expected 4"),  # type: ignore[arg-type]
        (Position(((),) * 8, (None,) * 4, (13, 14, 13, 13)), "height 14 of the foundation of spa"),
        (Position(((),) * 8, (None,) * 4, (13, 12, 13, 13)), "missing card KS, expected all 52"),
        (Position(((),) * 8, (None,) * 4, (0, 0, 0, 0)), "missing cards AH AS .* and 46 more"),
        (Position(((49,),) + ((),) * 7, (49,) + (None,) * 3, (13, 12, 13, 13)), "KS twice, in col"),
        (Position(((48,),) + ((),) * 7, (None,) * 4, (13, 13, 13, 13)), "KH twice, in foundation"),
        (Position(((52,),) + ((),) * 7, (None,) * 4, (13, 13, 13, 13)), "unknown card 52 in col"),
    ],
)
def test_what_is_no_position(position: Position, message: str) -> None:
    with pytest.raises(InputError, match=f"^here: {message}"):
        position.validate(FREECELL, "here")
