"""The text of the page that replays a solution; what a browser makes of it is tested elsewhere."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256

import pytest
from helpers.solutions import random_game, solved

from dbmsolver.game.boards import parse_board
from dbmsolver.game.cards import CARDS, card_name
from dbmsolver.game.moves import Place
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.formats.html import title
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Step

NASTY = "</script><script>document.title = 'bad'</script><!-- {{data}} {{script}} <b>&amp;\"'"


def part(page: str, pattern: str) -> str:
    match = re.search(pattern, page, re.DOTALL)
    assert match, pattern
    return match[1]


def replay_data(page: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(part(page, r'id="replay">(.*?)</script>'))
    return found


def test_needs_nothing_else() -> None:
    page = formats.write(solved(3), "html")
    # One link leads out of the page, when it is followed: to the page that is played on.
    link = "`http://127.0.0.1:${replay.port}/`"
    assert page.count(link) == 1
    page = page.replace(link, "")
    assert not re.search(r"(?:src|href)\s*=|@import|url\(|https?:|fetch\(|XMLHttp", page)
    assert page.count("<script") == 3
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", page)


def test_only_its_own_script_and_style_may_run() -> None:
    page = formats.write(solved(3), "html")
    policy = html.unescape(part(page, r'Content-Security-Policy" content="(.*?)"'))
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for kind in ("script", "style"):
        text = part(page, rf"<{kind}>(.*?)</{kind}>")
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert not re.search(r"\son\w+\s*=|\sstyle\s*=", page.partition("<script>")[0])


def test_markup_in_data_stays_data() -> None:
    steps = list(solved(18).steps)
    steps[0] = replace(steps[0], comment=Comment(NASTY, False, "<i>me</i>", "1"))
    solution = replace(solved(18), number=None, steps=tuple(steps), tag=NASTY, remarks=(NASTY,))
    page = formats.write(solution, "html")
    assert formats.read(page) == solution
    assert page.count("<script") == page.count("</script>") == 3
    assert page.count("<!--") == 0
    assert f": {html.escape(NASTY)}</title>" in page
    assert page.count('id="solution"') == 1


@pytest.mark.parametrize("name", ["</script><script>alert(1)</script>", "<img onerror=x>", "{{x}}"])
def test_markup_in_the_name_of_a_game_stays_text(name: str) -> None:
    rules = replace(GAMES["freecell"], name=name)
    page = formats.write(replace(solved(18), rules=rules), "html")
    assert page.count("<script") == 3
    assert "<img" not in page
    assert formats.read(page).rules == rules


def test_says_that_it_is_proven_shortest() -> None:
    assert "shortest" not in formats.write(solved(3), "html").lower()
    page = formats.write(solved(3), "html", shortest=73)
    assert '<span class="badge">Proven shortest: 73 moves</span>' in page
    assert formats.read(page) == solved(3)


def test_says_what_it_is_about() -> None:
    assert title(solved(3)) == "Deal 3"
    assert title(solved(3, 2)) == "Deal 3 (2 freecells)"
    assert title(replace(solved(3), tag="mine")) == "Deal 3: mine"
    page = formats.write(random_game(7, GAMES["bakers_dozen"], 1, 1), "html")
    assert "<h1>Deal 7 (bakers_dozen)</h1>" in page
    assert part(page, r'id="length">(.*?)</span>') == "1 move"
    facts = html.unescape(part(page, r'id="facts">(.*?)</p>'))
    assert facts == f"Baker's Dozen: {GAMES['bakers_dozen'].describe()}"


@pytest.mark.parametrize("policy", ["horne", "wkr", "none"])
def test_holds_the_notation(policy: str) -> None:
    page = formats.write(solved(3), "html", policy)  # type: ignore[arg-type]
    states = "horne" if policy == "none" else policy
    assert replay_data(page)["sfn"] == formats.write(solved(3), "sfn", states)  # type: ignore[arg-type]


def test_no_notation_where_it_has_no_words() -> None:
    page = formats.write(random_game(7, GAMES["bakers_dozen"], 1, 9), "html")
    assert replay_data(page)["sfn"] is None


def test_says_whether_it_ends_solved() -> None:
    assert replay_data(formats.write(solved(3), "html"))["solved"] is True
    short = replace(solved(3), steps=solved(3).steps[:9]).ended()
    assert replay_data(formats.write(short, "html"))["solved"] is False


def test_an_empty_solution_has_a_page() -> None:
    done = Solution(solved(3).rules, solved(3).final, (), solved(3).final)
    assert formats.read(formats.write(done, "html")) == done


def test_runs_longer_than_there_is_room_for() -> None:
    """Some games allow them; the notation does not, and so is not there to be copied."""
    game = replace(GAMES["freecell"], moves="runs")
    board = "Freecells: KH KC KS QC\nQS JH TS\nKD\n"
    rest = [name for name in map(card_name, range(CARDS)) if name not in board.split()]
    board += "".join(" ".join(rest[start::6]) + "\n" for start in range(6))
    start = parse_board(board, game)
    step = Step(Place("column", 0), Place("column", 1), 3)
    solution = Solution(game, start, (step,), start).ended()
    data = replay_data(formats.write(solution, "html"))
    assert data["stops"] == [[1, "run"]]
    assert data["sfn"] is None
