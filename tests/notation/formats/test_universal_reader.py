"""Whole documents of the universal format: what the header says, and what contradicts it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from helpers.solutions import solved

from dbmsolver.game.boards import parse_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.moves import STOCK, WASTE, Place
from dbmsolver.game.pairing import Pairing
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.formats import Given, InvalidError
from dbmsolver.notation.formats.universal import tree
from dbmsolver.notation.solution import IllegalStepError, Solution
from dbmsolver.notation.steps import NO_CARD, Comment, Step

FREECELL = GAMES["freecell"]
ONE_SUIT = "KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H\n"


def read(whole: Any, given: Given | None = None) -> Solution:
    return formats.read(json.dumps(whole) + "\n", "universal-json", given or Given())


def refused(whole: Any, given: Given | None = None) -> str:
    with pytest.raises(InvalidError) as error:
        read(whole, given)
    return str(error.value).split(": ", 1)[1]


def unplayed(rules: Rules, number: int = 3) -> Solution:
    deal = Deal.from_number(number, rules)
    return Solution(rules, deal.position, (), deal.position, number)


@pytest.mark.parametrize("number", [-2, -1, 1, 2**33 - 1])
def test_numbers_of_deals(number: int) -> None:
    whole = tree(unplayed(FREECELL, number))
    assert whole["header"]["deal_number"] == number
    assert read(whole).number == number
    del whole["solution"]["initial_position"]
    whole["header"]["deal_number"] = -3 if number < 0 else 2**33
    assert refused(whole).startswith("header.deal_number: ")


def test_numbers_of_freecells() -> None:
    whole = tree(unplayed(FREECELL))
    for cells in (-1, 14):
        whole["header"]["NUM_FREECELLS"] = cells
        expected = f"header.NUM_FREECELLS: {cells}, expected a number from 0 to 13"
        assert refused(whole) == expected
    whole["header"]["cards_move"] = "reserve"
    whole["header"]["NUM_FREECELLS"] = 17
    assert refused(whole) == "header.NUM_FREECELLS: 17, expected a number from 0 to 16"


def test_numbers_of_decks() -> None:
    for game, decks in (("freecell", 1), ("spider", 2)):
        whole = tree(unplayed(GAMES[game]))
        for other in {1, 2, 3} - {decks}:
            whole["header"]["NUM_DECKS"] = other
            assert refused(whole) == f"header.NUM_DECKS: {other}, expected {decks}"


def test_moves_without_limit() -> None:
    """Without the field of this program that says more, runs of any length are one move each."""
    for game, word in (("freecell", "LIMITED"), ("relaxed_freecell", "UNLIMITED")):
        told = unplayed(GAMES[game])
        whole = tree(told)
        assert whole["header"]["sequence_move"] == word
        whole["header"].pop("cards_move", None)
        assert read(whole) == told
    whole["header"]["cards_move"] = "single"
    assert read(whole).rules.moves == "single"
    assert tree(unplayed(GAMES["simple_simon"]))["header"]["sequence_move"] == "UNLIMITED"
    del whole["header"]["cards_move"]
    assert read(whole | {"header": whole["header"] | {"sequences_are_built_by": "NONE"}})
    whole["header"]["sequence_move"] = "SOME"
    assert refused(whole) == "header.sequence_move: 'SOME', expected one of LIMITED, UNLIMITED"


@pytest.mark.parametrize("variant", ["freecell", "relaxed_freecell", "mine"])
def test_a_run_without_limit_has_one_answer(variant: str) -> None:
    """It is legal, one move in every metric that counts runs, and legal again as written."""
    rules = rules_for("relaxed_freecell", freecells=0, columns=3)
    start = parse_board("Foundations: H-J C-J D-K S-J\nQS KS QH\nKC KH QC\n:\n", rules)
    steps = (Step(Place("column", 0), Place("column", 2), 2),)
    whole = tree(Solution(rules, start, steps, start).ended())
    del whole["header"]["cards_move"]
    whole["header"]["variant"] = variant
    found = read(whole)
    assert [move.count for move in found.moves()] == [2]
    for form in ("universal-json", "universal-xml", "moves"):
        again = formats.read(formats.write(found, form), form)
        assert (again.rules.moves, again.steps[0].count) == ("runs", 2)


def test_a_number_is_left_out_where_the_name_deals_otherwise() -> None:
    """The document does not say how numbers are dealt: the game of the name does."""
    own = replace(GAMES["seahaven_towers"], name="freecell")
    assert "deal_number" not in tree(unplayed(own))["header"]
    assert tree(unplayed(GAMES["seahaven_towers"]))["header"]["deal_number"] == 3


def test_unknown_fields_never_take_the_place_of_others() -> None:
    extra: dict[Any, Any] = {
        ("header",): {"variant": "chess", "mine": 1},
        ("solution", "moves"): {"a": 1},
        ("solution", "moves", 5): {"b": 1},
        ("header", "variant", "x"): {"c": 1},
    }
    plain, kept = tree(unplayed(FREECELL)), tree(replace(unplayed(FREECELL), extra=extra))
    assert kept.pop("header") == plain.pop("header") | {"mine": 1}
    assert kept == plain


def test_comments_in_plain_text_are_no_markup() -> None:
    moved = solved(18)
    steps = (replace(moved.steps[0], comment=Comment("1 < 2 & <b>", False, "me", "c")),)
    told = replace(moved, steps=steps).ended()
    assert read(tree(told)).steps[0].comment == steps[0].comment
    whole = tree(told)
    whole["solution"]["moves"][0]["move"]["comment"]["XHTML_Subset_Comment"] = "x"
    at = "solution.moves[0].move.comment"
    expected = "expected one of Plain_Text_Comment and XHTML_Subset_Comment"
    assert refused(whole) == f"{at}: {expected}"


def implicit(solution: Solution) -> Any:
    """Return a document that says of moves home that they are automoves, and not of what kind."""
    whole = tree(solution)
    for item in whole["solution"]["moves"]:
        del item["move"]["automove"]
        item["move"]["implicit"] = "foundation" in item["move"]["dest"]
    return whole


def test_implicit_moves_after_one_of_more_cards_than_fit() -> None:
    """Their policies are found behind runs that move without limit, too."""
    rules = rules_for("relaxed_freecell", freecells=0, columns=3)
    start = parse_board("Foundations: H-J C-J D-K S-J\nQS KS QH\nKC KH QC\n:\n", rules)
    steps = (
        Step(Place("column", 0), Place("column", 2), 2),
        Step(Place("column", 1), Place("foundation", 3), automove="horne"),
    )
    told = Solution(rules, start, steps, start).ended()
    assert [step.automove for step in read(implicit(told)).steps] == ["none", "horne"]


def test_an_implicit_move_is_of_one_card() -> None:
    told = solved(18)
    whole = implicit(told)
    index = next(n for n, step in enumerate(told.steps) if step.destination.kind == "foundation")
    whole["solution"]["moves"][index]["move"]["num_cards"] = 2
    for item in whole["solution"]["moves"][:index]:
        item["move"]["implicit"] = False
    expected = "true, expected false: no automove makes this move"
    assert refused(whole) == f"solution.moves[{index}].move.implicit: {expected}"


def test_an_implicit_move_home_of_two_cards() -> None:
    """The deeper of the two goes home by itself, and is not what the step moves alone."""
    start = parse_board("Foundations: H-0 C-K D-K S-J\nAH KS\nQS\n" + ONE_SUIT, FREECELL)
    steps = (Step(Place("column", 0), Place("foundation", 0), 2),)
    whole = implicit(Solution(FREECELL, start, steps, start))
    expected = "true, expected false: no automove makes this move"
    assert refused(whole) == f"solution.moves[0].move.implicit: {expected}"


EMPTY = {"is_empty": True, "is_hidden": False}


def test_the_card_that_moves_is_never_empty() -> None:
    whole = tree(solved(3))
    whole["solution"]["moves"][3]["move"]["source_card"] = EMPTY
    expected = "solution.moves[3].move.source_card.is_empty: no card, expected one"
    assert refused(whole) == expected


@pytest.mark.parametrize("name", ["universal-json", "universal-xml"])
def test_an_empty_card_says_that_a_card_is_put_on_none(name: str) -> None:
    whole = json.loads(formats.write(solved(3), "universal-json", runs=True))
    moves = [item["move"] for item in whole["solution"]["moves"]]
    first, other = (["dest_card" in move for move in moves].index(has) for has in (False, True))
    moves[first]["dest_card"] = EMPTY
    found = read(whole)
    assert found.steps[first].onto == NO_CARD
    found.check()
    text = formats.write(found, name)
    assert formats.read(text).steps == found.steps
    assert "is_empty" in text
    # Of a move that puts its card on another one, it is false.
    moves[other]["dest_card"] = EMPTY
    with pytest.raises(IllegalStepError, match=r"no card is the card under it by what it says"):
        read(whole).check()


def test_a_waste_of_many_cards_is_turned_over() -> None:
    """More cards than a suit has go back to the stock in one step."""
    deal = Deal.from_number(3, GAMES["pyramid"])
    assert isinstance(deal.position, Pairing)
    turned = replace(deal.position, stock=(), waste=deal.position.waste + deal.position.stock)
    step = Step(WASTE, STOCK, len(turned.waste))
    told = Solution(deal.rules, turned, (step,), turned).ended()
    assert [step.count for step in read(tree(told)).steps] == [len(turned.waste)]
    assert len(turned.waste) > 13
    whole = tree(told)
    whole["solution"]["moves"][0]["move"]["num_cards"] = 53
    expected = "num_cards: 53, expected a number from 1 to 52"
    assert refused(whole) == f"solution.moves[0].move.{expected}"


def test_where_the_first_position_stands() -> None:
    told = replace(solved(18), number=None)
    text = json.dumps(tree(told), indent=1)
    lines = text.splitlines()
    line = next(n for n, row in enumerate(lines, 1) if '"initial_position"' in row)
    column = lines[line - 1].index("{") + 1
    with pytest.raises(InvalidError, match=f"^<text>, line {line}, column {column}: the text st"):
        formats.read(text + "\n", given=Given(deal="3"))


@pytest.mark.parametrize(
    ("variant", "name"),
    [("FreeCell", "freecell"), ("Baker's Game", "bakers_game"), ("My Game", "My Game")],
)
def test_a_variant_may_be_the_title_of_a_game(variant: str, name: str) -> None:
    whole = tree(unplayed(GAMES["freecell"]))
    whole["header"]["variant"] = variant
    assert read(whole, None).rules.name == name
