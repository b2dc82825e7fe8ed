"""Questions of the page, and the answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from helpers.playing import PLAYED, SECRET, Site, asked, finished, told, with_site
from helpers.selection import few_fast
from helpers.solutions import random_game, solved
from helpers.wide_games import last_suit

from dbmsolver.game.boards import format_board
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES, rules_for
from dbmsolver.notation import formats
from dbmsolver.notation.addresses import deal_name
from dbmsolver.notation.formats import FORMATS
from dbmsolver.notation.solution import Solution
from dbmsolver.play.codes import codes_of
from dbmsolver.play.dealer import new_deal
from dbmsolver.play.table import drawn

DEAL = {"game": "freecell", "number": 3}
WON = codes_of(solved(3).steps)


def columns(position: Position) -> Any:
    return drawn(position)["columns"]


def test_opens_a_deal() -> None:
    code, found = asked("open", deal=DEAL)
    assert code == 200
    assert found["title"] == "Deal 3"
    assert found["deal"] == DEAL
    assert len(found["nodes"]) == 1
    assert found["nodes"][0]["position"] == drawn(Deal.from_number(3).position)
    assert not found["nodes"][0]["won"]


def test_opens_a_game_with_branches() -> None:
    code, found = asked("open", deal=DEAL, tree="AaBa"[:2] + "Bb(BHCb)Cc")
    assert code == 200
    assert [node.get("parent") for node in found["nodes"]] == [None, 0, 1, 1, 3, 2]
    assert [node.get("move") for node in found["nodes"]] == [None, "Aa", "Bb", "BH", "Cb", "Cc"]


def test_a_whole_game_is_played() -> None:
    code, found = asked("play", deal=DEAL, line="", moves=WON)
    assert code == 200
    assert [node["won"] for node in found["nodes"]] == [False] * (len(solved(3).steps) - 1) + [True]
    assert found["nodes"][-1]["legal"] == {}


def test_a_solution_is_played_as_a_player_would() -> None:
    """Single cards that move a run are one move."""
    deal, moves = {"game": "freecell", "number": 32}, codes_of(solved(32).steps)
    _, found = asked("play", deal=deal, line="", moves=moves, together=True)
    assert 50 < len(found["nodes"]) < len(solved(32).steps)
    assert found["nodes"][-1]["won"]


@pytest.mark.parametrize("game", few_fast(PLAYED, 4))
def test_every_game_is_opened(game: str) -> None:
    played = random_game(7, GAMES[game], 3, 30)
    code, found = asked("open", deal={"game": game, "number": 7}, tree=codes_of(played.steps))
    assert code == 200
    assert found["nodes"][-1]["position"] == drawn(played.final)


@pytest.mark.parametrize(
    ("what", "given", "said"),
    [
        ("open", {}, "no deal"),
        ("open", {"deal": {"game": "freecell", "number": "x"}}, "number"),
        ("open", {"deal": {"game": "no such", "number": 3}}, "unknown game"),
        ("open", {"deal": {"game": "freecell", "board": "KH KH"}}, "already"),
        ("open", {"deal": DEAL, "tree": "AaAB"}, "illegal move 2"),
        ("open", {"deal": DEAL, "tree": 3}, "expected text"),
        ("play", {"deal": DEAL, "line": "", "moves": "AB"}, "illegal move 1"),
        ("play", {"deal": DEAL, "line": "Aa(Ba)", "moves": "Bb"}, "branches"),
        ("export", {"deal": DEAL, "line": "", "format": "no such"}, "format"),
        ("analyse", {"deal": DEAL, "line": "AB"}, "illegal move 1"),
        ("analyse", {"deal": DEAL, "longer": 99}, "longer"),
        ("deal", {"game": "freecell", "kind": "lovely"}, "expected one of"),
        ("deal", {"game": "freecell", "text": "hello"}, "hello"),
        ("deal", {"game": "freecell", "text": 3}, "no text"),
    ],
)
def test_what_cannot_be_is_refused_by_a_message(what: str, given: Any, said: str) -> None:
    code, found = asked(what, **given)
    assert code == 400
    assert said in found["error"]
    assert "\n" not in found["error"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"3", b"[" * 100_000, b'"\xff"'])
def test_what_is_no_question(body: bytes) -> None:
    async def work(_: Site, client: httpx.AsyncClient) -> httpx.Response:
        kind = {"content-type": "application/json"}
        return await client.post(f"/{SECRET}/open", content=body, headers=kind)

    answer = with_site(work)
    assert answer.status_code == 400
    assert "expected an object" in answer.json()["error"] or "expected one" in answer.text


@pytest.mark.parametrize("name", FORMATS)
def test_exports_in_every_format(name: str) -> None:
    code, found = asked("export", deal=DEAL, line=WON, format=name)
    assert code == 200
    assert found["name"] == f"freecell-3{FORMATS[name]}"
    again = formats.read(formats.Source(found["text"]), name)
    assert (again.initial, again.final) == (solved(3).initial, solved(3).final)


@pytest.mark.parametrize("name", ["universal-json", "moves", "short", "html"])
def test_a_game_that_is_not_won_is_exported(name: str) -> None:
    line = codes_of(solved(3).steps[:20])
    code, found = asked("export", deal=DEAL, line=line, format=name)
    assert code == 200
    again = formats.read(formats.Source(found["text"]), name)
    assert len(again.single().steps) == 20


def test_a_format_that_has_no_words_for_it_says_so() -> None:
    code, found = asked("export", deal={"game": "klondike", "number": 3}, line="", format="sfn")
    assert code == 400
    assert found["error"]


@pytest.mark.parametrize("name", FORMATS)
def test_solutions_of_every_format_are_pasted(name: str) -> None:
    text = formats.write(solved(18), name)
    code, found = asked("deal", game="freecell", text=text)
    assert code == 200, found
    assert found["nodes"][0]["position"] == drawn(solved(18).initial)
    assert found["nodes"][-1]["won"]


@pytest.mark.parametrize(
    ("solution", "said"),
    [
        (last_suit(), "spider: games of two decks, or whose stock is dealt onto columns"),
        (random_game(3, GAMES["pyramid"], 3, 5), "pyramid: pairing games are not played"),
    ],
)
def test_games_that_are_not_played_are_not_dealt(solution: Solution, said: str) -> None:
    """Nor is a solution of one of them that is pasted."""
    text = formats.write(solution, "universal-json")
    for given in ({"text": text}, {"game": solution.rules.name}):
        code, found = asked("deal", **given)
        assert code == 400
        assert said in found["error"]


def test_boards_of_every_format_are_pasted() -> None:
    deal = Deal.from_number(5, GAMES["klondike"])
    board = format_board(deal.position)
    freecell = Deal.from_number(5).position
    piles = {"tableau piles": drawn(freecell)["columns"]}
    for game, text, position in (
        ("klondike", board, deal.position),
        ("freecell", format_board(freecell), freecell),
        ("freecell", str(piles).replace("'", '"'), freecell),
        ("freecell", " 5\n", freecell),
    ):
        code, found = asked("deal", game=game, text=text)
        assert code == 200, found
        assert found["nodes"][0]["position"] == drawn(position)


def test_the_error_is_that_of_what_the_text_looks_like() -> None:
    board = format_board(Deal.from_number(5).position)
    _, found = asked("deal", game="freecell", text=board.replace("KH", "KX"))
    assert "KX" in found["error"] and "line" in found["error"]
    text = formats.write(solved(18), "universal-json").replace('"num_cards": 1', '"num_cards": 9')
    _, found = asked("deal", game="freecell", text=text)
    assert "move 1" in found["error"]


@pytest.mark.parametrize("kind", few_fast(["winnable", "easy", "hard", "medium", "any"], 2))
def test_deals_by_chance(kind: str) -> None:
    from dbmsolver import prove

    code, found = asked("deal", game="freecell", kind=kind)
    assert code == 200, found
    number = found["deal"]["number"]
    assert 1 <= number < 2**31
    if kind != "any":
        assert prove(number).verdict == "solved"


@pytest.mark.slow
def test_harder_deals_take_more_work() -> None:
    async def work(site: Site, client: httpx.AsyncClient) -> list[int]:
        found = []
        for kind in ("easy", "hard"):
            some = []
            for _ in range(5):
                answer = await client.post(
                    f"/{SECRET}/deal", json={"game": "freecell", "kind": kind}
                )
                number = answer.json()["deal"]["number"]
                said = await site.analyst.decide(GAMES["freecell"], [Deal.from_number(number)], 5)
                some.append(said[0]["work"])
            found.append(sorted(some)[2])
        return found

    easy, hard = with_site(work)
    assert easy < hard


class FewWon:
    """An analyst that says of one deal in forty that it can be won."""

    def __init__(self) -> None:
        self.asked: list[Deal] = []

    async def decide(self, _: Rules, deals: Sequence[Deal], seconds: float) -> list[dict[str, Any]]:
        first = len(self.asked)
        self.asked += deals
        verdicts = [
            "solved" if (first + one) % 40 == 7 else "unsolvable" for one in range(len(deals))
        ]
        return [
            {"index": place, "verdict": verdict, "work": first + place}
            for place, verdict in enumerate(verdicts)
        ]


def test_more_deals_are_searched_where_few_can_be_won() -> None:
    for kind, searched, chosen in (("winnable", 12, 7), ("easy", 96, 7), ("hard", 96, 87)):
        analyst: Any = FewWon()
        deal, moves = finished(new_deal({"game": "golf", "kind": kind}, analyst))
        assert (len(analyst.asked), moves) == (searched, "")
        assert deal == analyst.asked[chosen]
        assert deal.rules == GAMES["golf"]


def test_other_rules_than_those_of_a_game() -> None:
    deal = Deal.from_number(3, rules_for("freecell", 2))
    code, found = asked("open", deal=deal_name(deal))
    assert code == 200
    assert found["title"] == "Deal 3 (2 freecells)"
    assert found["deal"] == deal_name(deal)
    assert len(found["nodes"][0]["position"]["freecells"]) == 2


def test_analysis_ends_with_all_that_is_to_know() -> None:
    line = codes_of(solved(3).steps[:55])

    async def work(_: Site, client: httpx.AsyncClient) -> str:
        answer = await client.post(f"/{SECRET}/analyse", json={"deal": DEAL, "line": line})
        assert answer.headers["content-type"].startswith("text/event-stream")
        return answer.text

    reports = told(with_site(work))
    assert len(reports) >= 2
    assert reports[0]["state"] in ("waiting", "compiling")
    last = reports[-1]
    assert last["state"] == "done"
    left = len(solved(3).steps) - 55
    assert last["value"] == ["solved", left, left]
    _, found = asked("play", deal=DEAL, line=line, moves=last["solution"])
    assert found["nodes"][-1]["won"]
    assert next(iter(last["moves"].values())) == ["solved", left, left]
    assert (last["won"], last["lost"]) == (55, 56)


def test_what_is_known_is_told_at_once_the_second_time() -> None:
    line = codes_of(solved(3).steps[:60])

    async def work(site: Site, client: httpx.AsyncClient) -> list[Any]:
        texts = [
            (await client.post(f"/{SECRET}/analyse", json={"deal": DEAL, "line": line})).text
            for _ in range(2)
        ]
        return [told(text) for text in texts]

    first, second = with_site(work)
    assert second[0]["value"] == first[-1]["value"] != first[0]["value"]
    assert second[0]["moves"] == first[-1]["moves"]


def test_the_time_for_a_position_is_bounded() -> None:
    """All that is not found out by then stays open, and that is said."""

    async def work() -> list[Any]:
        site = Site(seconds=0.5)
        deal = Deal.from_number(3, GAMES["yukon"])
        try:
            reports = site.analyst.reports(deal.rules, [deal.position])
            return [account async for account in reports]
        finally:
            await site.close()

    reports = finished(work())
    assert reports[-1]["state"] == "stopped"
    least, most = reports[-1]["value"][1:]
    assert most is None or least < most
