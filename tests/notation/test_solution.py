"""The solution model: what a replay checks, supermoves, automoves, lengths."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from helpers.selection import few_fast
from helpers.solutions import DATA, mid_game, plain, random_game, rows, solved
from hypothesis import given, settings
from hypothesis import strategies as st

from dbmsolver.errors import IllegalMoveError, InputError
from dbmsolver.game.automoves import automoves, goes_home
from dbmsolver.game.cards import card_name, parse_card
from dbmsolver.game.deals import Deal, deal_number, parse_board
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.room import capacity, run_length
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.lengths import lengths
from dbmsolver.notation.solution import IllegalStepError, NotSolvedError, Solution
from dbmsolver.notation.steps import Comment, Step
from dbmsolver.notation.supermoves import largest, move_run, split

FREECELL = GAMES["freecell"]
SMALL = rules_for("freecell", freecells=1, columns=3)
ALL = list(rows())


def column(index: int) -> Place:
    return Place("column", index)


def cell(index: int) -> Place:
    return Place("freecell", index)


def small(text: str, rules: object = SMALL) -> Deal:
    return Deal.from_text("Foundations: H-0 C-0 D-0 S-0\n" + text, rules)  # type: ignore[arg-type]


END = Deal.from_text("Foundations: H-K C-J D-K S-Q\nFreecells: KS\nKC\n: \nQC\n", SMALL)


@pytest.mark.parametrize("number, cells", ALL)
def test_kept_solutions_solve(number: int, cells: int) -> None:
    solution = solved(number, cells)
    solution.check()
    assert solution.final.is_goal()
    assert len(solution.moves()) == len(rows()[number, cells].split())


def test_kept_solutions_are_as_short_as_others_know_them() -> None:
    known = known_lengths()
    kept = {key: len(moves.split()) for key, moves in rows().items()}
    assert len(kept.keys() & known.keys()) >= 22
    assert {key: kept[key] for key in kept.keys() & known.keys()} == {
        key: known[key] for key in kept.keys() & known.keys()
    }


def known_lengths() -> dict[tuple[int, int], int]:
    """Least card moves by deal and freecells, from the tables of others."""
    known = {}
    for name in ("optimal-card-moves.tsv", "optimal-card-moves-fewer-cells.tsv"):
        for line in (DATA.parent / name).read_text().splitlines():
            if line[0].isdigit():
                deal, *cells, length = map(int, line.split("\t"))
                known[deal, cells[0] if cells else 4] = length
    return known


@pytest.mark.slow
@pytest.mark.parametrize("policy", few_fast(["none", "horne", "wkr"], 1))
def test_kept_solutions_have_supermoves_of_many_sizes(policy: Policy) -> None:
    sizes = {step.count for key in ALL for step in explicit(solved(*key), policy).steps}
    assert sizes >= {1, 2, 3, 4, 5}


def test_from_moves_replays() -> None:
    moves = solved(3).moves()
    again = Solution.from_moves(solved(3).deal, moves)
    again.check()
    assert again.number == 3
    assert plain(again) == plain(solved(3))


def test_from_moves_marks_forced_moves_as_automoves() -> None:
    deal = solved(3).deal
    position, moves = deal.position, []
    for move in solved(3).moves():
        forced = is_safe_home(deal.rules, move.card, position.foundations, "wkr")
        is_home = move.destination.kind == "foundation"
        moves.append(move._replace(forced=forced and is_home))
        position = position.apply(move)
    solution = Solution.from_moves(deal, moves, "wkr")
    solution.check()
    assert {step.automove for step in solution.steps} == {"none", "wkr"}


def test_illegal_move_is_named_with_its_position() -> None:
    moves = solved(3).moves()
    wrong = [*moves[:10], moves[10]._replace(source=cell(3)), *moves[11:]]
    with pytest.raises(IllegalStepError) as error:
        Solution.from_moves(solved(3).deal, wrong)
    position = solved(3).initial
    for move in moves[:10]:
        position = position.apply(move)
    assert error.value.index == 10
    assert error.value.position == position
    assert "illegal move 11" in str(error.value)
    assert str(position) in str(error.value)
    assert "\n" not in str(error.value)


def test_solution_that_stops_early_is_refused() -> None:
    moves = solved(3).moves()
    with pytest.raises(NotSolvedError, match="2 cards are not home"):
        Solution.from_moves(solved(3).deal, moves[:-2]).check()


def test_wrong_final_position_is_refused() -> None:
    with pytest.raises(NotSolvedError, match="final position"):
        replace(solved(3), final=solved(3).initial).check()


def one(step: Step, deal: Deal = END) -> Solution:
    return Solution(deal.rules, deal.position, (step,), deal.position)


HOME_C = Place("foundation", 3)


@pytest.mark.parametrize(
    "step, message",
    [
        (Step(column(2), HOME_C, card=parse_card("KC")), "KC moves by what it says, QC"),
        (Step(column(2), HOME_C, onto=parse_card("TC")), "TC is the card under it"),
        (Step(column(2), column(0), onto=parse_card("KH")), "QC cannot be put on KC"),
        (Step(column(1), column(0)), "no card there"),
        (Step(cell(0), cell(0)), "cannot go there"),
        (Step(cell(5), column(1)), "no such place"),
        (Step(column(9), column(1)), "no such place"),
        (Step(column(0), column(9)), "cannot go there"),
        (Step(HOME_C, column(1)), "no card leaves a foundation"),
        (Step(column(0), HOME_C), "cannot go there"),
        (Step(column(2), Place("foundation", 0)), "cannot go there"),
        (Step(column(2), HOME_C, 2), "there are 1"),
        (Step(column(2), HOME_C, 0), "at least 1"),
        (Step(column(2), column(1), automove="wkr"), "no automove of the policy wkr"),
        (Step(column(2), HOME_C, before=deal_number(3, FREECELL)), "the position before the move"),
    ],
)
def test_what_a_replay_refuses(step: Step, message: str) -> None:
    with pytest.raises(IllegalStepError, match=message):
        one(step).check()


def test_automove_flag_is_checked() -> None:
    deal = Deal.from_text(
        "Foundations: H-4 C-2 D-0 S-4\n5H\n: 3C 4C 5C 6C 7C 8C 9C TC JC QC KC\n"
        ": AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD\n: 5S 6S 7S 8S 9S TS JS QS KS\n"
        ": 6H 7H 8H 9H TH JH QH KH\n",
        FREECELL,
    )
    step = Step(column(0), Place("foundation", 0), automove="wkr")
    with pytest.raises(IllegalStepError, match="no automove"):
        one(step, deal).ended()
    one(replace(step, automove="none"), deal).ended()


def test_wkr_of_notations_includes_horne() -> None:
    """The two rules of the name: see `dbmsolver.notation.supermoves`."""
    five = parse_card("5H")
    heights = (4, 4, 0, 4)  # hearts, spades, diamonds, clubs
    assert goes_home(five, heights, FREECELL, "horne")
    assert goes_home(five, heights, FREECELL, "wkr")
    assert not is_safe_home(FREECELL, five, heights, "wkr")
    assert goes_home(five, (4, 3, 2, 3), FREECELL, "wkr")
    assert not goes_home(five, (4, 3, 2, 3), FREECELL, "horne")
    assert not goes_home(five, (4, 4, 4, 4), FREECELL, "none")


RUN = (
    ": 9S 8H 7S 6H 5S 4H 3S\n:\n: TD\n:\n"
    ": AH 2H 3H 5H 7H 9H TH JH QH KH AS 2S 4S 6S 8S TS JS QS KS\n"
    ": AD 2D 3D 4D 5D 6D 7D 8D 9D JD QD KD AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC\n"
)


@pytest.mark.parametrize("cells", [0, 1, 2, 3])
def test_supermove_is_its_single_moves(cells: int) -> None:
    rules = rules_for("freecell", freecells=cells, columns=6)
    position = parse_board(RUN, rules)
    assert run_length(position, position.columns[0], rules) == 7
    for target, empties in ((2, 2), (1, 1)):
        most = capacity(position, rules, target)
        assert most == (cells + 1) * 2**empties
        for count in range(1, min(7, most) + 1):
            if target == 2 and count != 7:
                continue
            after = position
            for move in split(position, rules, 0, target, count):
                after = after.apply(move)
            assert after == move_run(position, 0, target, count)
        if most < 7:
            with pytest.raises(IllegalMoveError, match="too many"):
                split(position, rules, 0, target, most + 1)
    assert largest(position, rules, 0, 2) == (7 if (cells + 1) * 4 >= 7 else 0)
    assert largest(position, rules, 0, 1) == min(7, (cells + 1) * 2)
    assert largest(position, rules, 0, 0) == 0


def test_supermove_too_large_is_refused() -> None:
    rules = rules_for("freecell", freecells=0, columns=6)
    position = parse_board(RUN, rules)
    step = Step(column(0), column(2), 7)
    limited = one(step, Deal(position, rules))
    with pytest.raises(IllegalStepError, match="room for 4"):
        limited.ended()
    without_limit = one(step, Deal(position, replace(rules, moves="runs"))).ended()
    assert len(without_limit.final.columns[2]) == 8
    assert [move.count for move in without_limit.moves()] == [7]


def test_only_a_king_leads_a_run_into_a_column_of_kings() -> None:
    board = (
        ": 9S KH QS JH\n:\n: TC KD\n:\n: KS AS 2S 3S 4S 5S 6S 7S 8S TS JS KC JC 9C 8C QC\n"
        ": AH 2H 3H 4H 5H 6H 7H 8H 9H TH QH AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD AC 2C 3C 4C 5C 6C "
        "7C\n"
    )
    for fill, queen in (("kings", 0), ("any", 1)):
        rules = replace(rules_for("freecell", columns=6), fill=fill)
        position = parse_board(board, rules)
        assert largest(position, rules, 0, 1) == 3
        assert largest(position, rules, 2, 1) == 1
        assert largest(position, rules, 4, 1) == queen


def test_no_card_goes_through_a_reserve() -> None:
    """Empty places of a reserve are as if they were not there."""
    reserve = Rules("reserve", 6, 2, "alternate", "any", reserve=True)
    without = replace(reserve, freecells=0, reserve=False)
    for target, count in ((1, 1), (1, 2)):
        moves = [
            split(parse_board(RUN, rules), rules, 0, target, count) for rules in (reserve, without)
        ]
        assert moves[0] == moves[1] and moves[0]
    with pytest.raises(IllegalMoveError, match="3 cards are too many"):
        split(parse_board(RUN, reserve), reserve, 0, 1, 3)


@pytest.mark.parametrize(("game", "most"), [("freecell", 4), ("relaxed_freecell", 7)])
def test_runs_that_may_move(game: str, most: int) -> None:
    """Into an empty column, and as many cards as there is room for, beside another empty one."""
    rules = replace(GAMES[game], columns=6, freecells=1)
    position = parse_board(RUN, rules)
    step = Step(column(0), column(1), most)
    after = one(step, Deal(position, rules)).ended().final
    assert after.columns[1] == position.columns[0][-most:]
    for wrong, message in (
        (replace(step, destination=column(6)), "no column to move to"),
        (replace(step, destination=column(-1)), "no column to move to"),
        (replace(step, count=most + 1), "room for 4 at once" if most < 7 else "there are 7"),
        (replace(step, source=column(4), count=2), "the last 2 cards are no run"),
    ):
        with pytest.raises(IllegalStepError, match=message):
            one(wrong, Deal(position, rules)).ended()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 32000), st.integers(0, 10**6), st.sampled_from(["none", "horne", "wkr"]))
def test_random_games_in_single_moves(number: int, seed: int, policy: Policy) -> None:
    # Several cards are turned, or turned over, in one step.
    games = [rules for rules in GAMES.values() if not (rules.has_runs or rules.draw)]
    rules = Random(seed).choice([*games, rules_for("freecell", freecells=2, columns=9)])
    game = random_game(number, rules, seed, 40, policy)
    game.check(solved=False)
    single = game.single()
    single.check(solved=False)
    assert {step.count for step in single.steps} <= {1}
    # Every single move is one that the slow model lists, but for the choice of equal places.
    position = single.initial
    for move in single.moves():
        listed = {(m.card, m.destination.kind) for m in position.moves(rules)}
        alone = move.source.kind == "column" and len(position.columns[move.source.index]) == 1
        to_empty = (
            move.destination.kind == "column" and not position.columns[move.destination.index]
        )
        between = move.source.kind == move.destination.kind == "freecell"
        assert (move.card, move.destination.kind) in listed or (alone and to_empty) or between
        position = position.apply(move)
    assert position == game.final


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 32000), st.integers(0, 10**6), st.sampled_from(["none", "horne", "wkr"]))
def test_explicit_moves_end_at_the_same_place_or_further(
    number: int, seed: int, policy: Policy
) -> None:
    game = random_game(number, FREECELL, seed, 30, policy)
    short = explicit(game, policy)
    short.check(solved=False)
    assert short.final == game.final
    made = [step for step in game.steps if step.automove == "none"]
    assert sum(step.automove == "none" for step in short.steps) <= len(made)


@pytest.mark.parametrize("number, cells", few_fast(ALL, 6))
@pytest.mark.parametrize("policy", ["none", "horne", "wkr"])
def test_explicit_solutions_win(number: int, cells: int, policy: Policy) -> None:
    short = explicit(solved(number, cells), policy)
    short.check()
    # After every move of the player, the game has made all its automoves.
    position = short.initial
    steps = list(short.replay())
    for index, (_, before, after) in enumerate(steps):
        assert before == position
        position = after
        following = steps[index + 1][0] if index + 1 < len(steps) else None
        if following is None or following.automove == "none":
            assert automoves(after, short.rules, policy)[0] == []


def test_lengths() -> None:
    found = lengths(solved(3))
    by_player = ["moves-horne", "moves-wkr", "moves-max"]
    explicitly = ["explicit-none", "explicit-horne", "explicit-wkr"]
    assert list(found) == ["cards", "runs", *by_player, *explicitly]
    cards, runs, horne, wkr, most, none, _, explicit_wkr = (found[name] or 0 for name in found)
    assert found["cards"] == len(solved(3).steps)
    assert cards >= runs >= horne >= wkr >= most >= 18
    assert runs <= none
    assert explicit_wkr <= none
    assert lengths(explicit(solved(3), "wkr"))["explicit-wkr"] == found["explicit-wkr"]


def test_lengths_of_a_tiny_game() -> None:
    moves = [
        Move(parse_card("QC"), column(2), HOME_C),
        Move(parse_card("KC"), column(0), HOME_C),
        Move(parse_card("KS"), cell(0), Place("foundation", 1)),
    ]
    found = lengths(Solution.from_moves(END, moves))
    # All kings are safe at once. What is explicit begins with a move of the player.
    assert found == {
        "cards": 3,
        "runs": 3,
        "moves-horne": 0,
        "moves-wkr": 0,
        "moves-max": 0,
        "explicit-none": 3,
        "explicit-horne": 1,
        "explicit-wkr": 1,
    }


def test_mid_game_starts() -> None:
    rest = mid_game(solved(5), 30)
    rest.check()
    assert rest.number is None
    assert rest.deal.name.startswith("board-")


def test_words() -> None:
    step = Step(column(0), cell(1), card=parse_card("7H"))
    assert str(step) == "7H from column 1 to freecell 2"
    assert str(Step(column(0), column(1), 3)) == "3 cards from column 1 to column 2"
    assert card_name(parse_card("7H")) == "7H"
    assert isinstance(END.position, Position)


def test_how_far_a_solution_comes_in_words() -> None:
    home = [parse_card(name) for name in ("QC", "KC", "KS")]
    sources = [column(2), column(0), cell(0)]
    moves = [
        Move(card, source, Place("foundation", card % 4))
        for card, source in zip(home, sources, strict=True)
    ]
    one, two, three = (Solution.from_moves(END, moves[:count]) for count in (1, 2, 3))
    assert str(one).endswith(": 1 move, not to the end")
    assert str(two).endswith(": 2 moves, not to the end")
    assert str(three).endswith(": 3 moves")
    three.check()
    with pytest.raises(NotSolvedError, match="not solved after 2 moves: 1 card is "):
        two.check()
    with pytest.raises(NotSolvedError, match="not solved after 1 moves: 2 cards are "):
        one.check()


def test_a_deal_that_lacks_a_card_is_not_solved() -> None:
    """Its moves are legal, and end where it says."""
    lacks = replace(END.position, freecells=(None,))
    without = Solution(SMALL, lacks, (), lacks)
    assert without.reached() == lacks
    with pytest.raises(InputError):
        without.check(solved=False)


def test_a_run_in_single_cards_keeps_what_is_said_of_it() -> None:
    """Its comment and the position before it are those of its first card; paths name no step."""
    text = "Foundations: H-Q C-K D-K S-J\nKH QS\nKS\n: \n"
    position = Deal.from_text(text, SMALL).position
    whole = Step.of(Move(parse_card("KH"), column(0), column(2)))
    step = replace(whole, count=2, card=None, comment=Comment("on"), before=position)
    extra = {("moves", 0): {"author": "me"}}
    solution = Solution(SMALL, position, (step,), position, extra=extra).ended()
    single = solution.single()
    assert [one.count for one in single.steps] == [1, 1, 1]
    assert single.reached() == solution.final
    assert [one.comment for one in single.steps] == [step.comment, None, None]
    assert [one.before for one in single.steps] == [position, None, None]
    assert (solution.extra, single.extra) == (extra, {})
    assert single.single() == single
