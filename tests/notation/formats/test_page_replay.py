"""The page in a real browser: what it shows, and what moves it on."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from helpers.browser import PHONE, Opener, positions_of
from helpers.selection import few_fast
from helpers.solutions import mid_game, random_game, solved
from helpers.support import ODD_RULES, random_layout
from helpers.wide_games import WIDE_GAMES, last_suit

from dbmsolver.game.boards import format_board, parse_board
from dbmsolver.game.cards import CARDS, card_name
from dbmsolver.game.moves import STOCK, WASTE, Place
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation import formats
from dbmsolver.notation.explicit import explicit
from dbmsolver.notation.formats.stops import stops
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Step

CALM = {"reduced_motion": "reduce"}


@pytest.mark.slow
@pytest.mark.parametrize("number, policy", few_fast([(32, "none"), (3, "wkr"), (44, "horne")], 1))
def test_steps_through_a_whole_solution(opened: Opener, number: int, policy: str) -> None:
    solution = explicit(solved(number), policy)  # type: ignore[arg-type]
    positions, ends = positions_of(solution), [stop.end for stop in stops(solution)]
    page = opened(solution, **CALM)
    assert page.board() == solution.initial
    assert page.walk("ArrowRight", len(ends)) == [(end, positions[end]) for end in ends]
    assert page.board().is_goal()
    way_back = [*reversed(ends[:-1]), 0]
    assert page.walk("ArrowLeft", len(ends)) == [(end, positions[end]) for end in way_back]


@pytest.mark.parametrize("move", few_fast([40, 0, 1, 10_000], 1))
def test_opens_at_a_move(opened: Opener, move: int) -> None:
    """Also in the middle of a run, since every number of moves has an address."""
    solution = solved(32)
    page = opened(solution, f"#move={move}")
    number = min(move, len(solution.steps))
    assert page.move() == number
    assert page.board() == positions_of(solution)[number]


@pytest.mark.parametrize(
    "place", few_fast(["#move=x", "#move=-1", "#move=1e3", "#<b>", "#move=99999999"], 1)
)
def test_an_odd_address_is_the_start(opened: Opener, place: str) -> None:
    assert opened(solved(18), place).move() == 0


@pytest.mark.parametrize("game", few_fast(GAMES, 2))
def test_games(opened: Opener, game: str) -> None:
    solution = random_game(7, GAMES[game], 1, 15)
    page = opened(solution)
    page.press("End")
    assert page.board() == solution.final


@pytest.mark.parametrize(
    "game",
    [
        "klondike_by_threes",
        "canfield",
        "penguin",
        pytest.param("fan", marks=pytest.mark.slow),
        pytest.param("yukon", marks=pytest.mark.slow),
        pytest.param("golf", marks=pytest.mark.slow),
        pytest.param("black_hole", marks=pytest.mark.slow),
        "spider",
        "forty_thieves",
        *(
            pytest.param(game, marks=pytest.mark.slow)
            for game in WIDE_GAMES
            if game not in ("spider", "forty_thieves")
        ),
    ],
)
def test_stock_waste_and_pile_on_a_phone(opened: Opener, game: str) -> None:
    """Each move, back and forth: cards turned, dealt in rows, face down, alike."""
    solution = random_game(5, GAMES[game], 2, 60)
    positions, ends = positions_of(solution), [stop.end for stop in stops(solution)]
    page = opened(solution, size=(390, 844), **CALM)
    assert page.walk("ArrowRight", len(ends)) == [(end, positions[end]) for end in ends]
    way_back = [*reversed(ends[:-1]), 0]
    assert page.walk("ArrowLeft", len(ends)) == [(end, positions[end]) for end in way_back]
    assert page.ask("document.documentElement.scrollWidth") == 390


def test_the_waste_is_not_the_stock(opened: Opener) -> None:
    """Turns that follow each other are one stop: how often the stock is turned, and the waste."""
    rules = GAMES["klondike"]
    start = parse_board("Foundations: H-K C-K D-K S-T\nWaste: JS QS KS\n", rules)
    turns = (Step(WASTE, STOCK, 3), Step(STOCK, WASTE), Step(STOCK, WASTE))
    solution = Solution(rules, start, turns, start).ended()
    page = opened(solution, size=(390, 844), **CALM)
    assert page.ask("document.documentElement.scrollWidth") == 390
    page.press("End")
    now = page.page.locator("#now").inner_text()
    assert " ".join(now.split()).endswith(
        "on the waste after the stock is turned 2 times, and the waste turned over"
    )
    listed = page.page.locator("#list").inner_text()
    assert "waste, stock \u00d7 2" in listed


def test_a_whole_suit_goes_home(opened: Opener) -> None:
    """Its thirteen cards go to a foundation that is empty, beside one that is complete."""
    page = opened(last_suit(), **CALM)
    page.press("End")
    assert page.board().is_goal()
    assert page.page.locator("#coming").inner_text() == "Solved: all cards are home."
    assert not page.page.locator("#play-on").is_visible()
    assert page.walk("ArrowLeft", 2)[-1] == (0, last_suit().initial)


@pytest.mark.parametrize(
    ("game", "words"),
    [("pyramid", "all cards are removed"), ("relaxed_pyramid", "the pyramid is empty")],
)
def test_a_won_pyramid(opened: Opener, game: str, words: str) -> None:
    """No card is home: all are removed, or those of the pyramid."""
    rules = GAMES[game]
    removed = " ".join(map(card_name, range(CARDS - 1)))
    deal = parse_board(f"Removed: {removed}\n{card_name(CARDS - 1)}\n", rules)
    move = deal.moves(rules)[0]
    solution = Solution(rules, deal, (Step.of(move),), deal.apply(move))
    page = opened(solution)
    page.press("End")
    assert page.page.locator("#coming").inner_text() == f"Solved: {words}."


@pytest.mark.parametrize("game", few_fast(["pyramid", "relaxed_pyramid"], 1))
def test_a_pyramid(opened: Opener, game: str) -> None:
    """Each move, back and forth; and each card lies in the middle over the two that cover it."""
    solution = random_game(5, GAMES[game], 2, 20)
    positions, ends = positions_of(solution), [stop.end for stop in stops(solution)]
    page = opened(solution, size=(390, 844), **CALM)
    assert page.board() == solution.initial
    assert page.ask("document.documentElement.scrollWidth") == 390
    places = page.ask(PLACES)
    for row in range(6):
        for index in range(row + 1):
            (x, y), (left, low), (right, _) = (
                places[column][row + down - column]
                for column, down in ((index, 0), (index, 1), (index + 1, 1))
            )
            assert abs(left + right - 2 * x) < 1 and low > y
    assert page.walk("ArrowRight", len(ends)) == [(end, positions[end]) for end in ends]
    way_back = [*reversed(ends[:-1]), 0]
    assert page.walk("ArrowLeft", len(ends)) == [(end, positions[end]) for end in way_back]


PLACES = """[...document.querySelectorAll("#columns > .column")].map((column) =>
  [...column.querySelectorAll(".card")].map((card) => {
    const { left, top } = card.getBoundingClientRect();
    return [left, top];
  }))"""
"""The places on the screen of the cards of each column."""


@pytest.mark.parametrize("rules", few_fast(ODD_RULES, 1))
def test_odd_games(opened: Opener, rules: object) -> None:
    """No freecells, thirteen of them, two columns, thirteen: cards anywhere."""
    position = random_layout(Random(3), rules)  # type: ignore[arg-type]
    solution = Solution(rules, position, (), position)  # type: ignore[arg-type]
    page = opened(solution, size=PHONE)
    assert page.board() == position
    assert page.ask("document.documentElement.scrollWidth <= innerWidth")


def test_cards_come_back_from_the_foundations(opened: Opener) -> None:
    rules = Rules("back", 4, 0, "any", "any", removable=True)
    start = parse_board("Foundations: H-Q C-Q D-K S-Q\nKH KS\nKC\n", rules)
    way = [("foundation", 2, "column", 2), ("foundation", 1, "column", 2),
           ("column", 2, "foundation", 1), ("column", 1, "column", 3),
           ("column", 2, "foundation", 2)]  # fmt: skip
    steps = [Step(Place(a, i), Place(b, j)) for a, i, b, j in way]  # type: ignore[arg-type]
    solution = Solution(rules, start, tuple(steps), start).ended()
    positions, ends = positions_of(solution), [stop.end for stop in stops(solution)]
    page = opened(solution, **CALM)
    assert page.walk("ArrowRight", len(ends)) == [(end, positions[end]) for end in ends]
    way_back = [*reversed(ends[:-1]), 0]
    assert page.walk("ArrowLeft", len(ends)) == [(end, positions[end]) for end in way_back]


def test_mid_game_start(opened: Opener) -> None:
    rest = mid_game(solved(5), 50)
    page = opened(rest)
    assert page.board() == rest.initial
    page.press("End")
    assert page.board() == rest.final


def test_keys_buttons_slider_and_list(opened: Opener) -> None:
    solution = solved(18)
    ends = [0, *(stop.end for stop in stops(solution))]
    page = opened(solution, **CALM)
    page.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert page.move() == ends[1]
    page.press("End")
    assert page.move() == ends[-1]
    page.press("ArrowRight")
    assert page.move() == ends[-1]
    page.press("Home", "ArrowLeft")
    assert page.move() == 0
    for name, index in [("Next", 1), ("Next", 2), ("Back", 1), ("End", -1), ("Start", 0)]:
        page.click(name)
        assert page.move() == ends[index]
    page.page.get_by_label("Move", exact=True).fill("12")
    assert page.move() == ends[12]
    page.page.get_by_role("option").nth(7).click()
    assert page.move() == ends[7]
    page.press("ArrowDown")
    assert page.move() == ends[8]
    page.press("ArrowUp", "ArrowUp")
    assert page.move() == ends[6]
    page.press("PageDown")
    assert page.move() > ends[8]


def test_keys_of_the_speed_slider_are_its_own(opened: Opener) -> None:
    page = opened(solved(18))
    page.page.get_by_label("Speed").focus()
    page.press("ArrowRight", "End")
    assert page.move() == 0
    assert page.ask("document.getElementById('speed-text').textContent") == "5\u00d7"


def test_the_address_follows_and_leads(opened: Opener) -> None:
    page = opened(solved(18))
    page.press("ArrowRight", "ArrowRight")
    assert page.address() == f"#move={page.move()}"
    page.ask("location.hash = '#move=9'")
    page.page.wait_for_function("document.body.dataset.move === '9'")


def test_an_address_ends_the_film(opened: Opener) -> None:
    page = opened(solved(18), **CALM)
    page.click("Play")
    page.ask("location.hash = '#move=40'")
    page.page.wait_for_function("document.body.dataset.move === '40'")
    assert page.page.get_by_role("button", name="Play").is_visible()
    assert page.address() == "#move=40"


def test_works_where_the_address_cannot_be_changed(opened: Opener) -> None:
    page = opened(solved(18))
    page.ask("() => { history.replaceState = () => { throw new DOMException('no'); }; }")
    page.press("ArrowRight", "ArrowRight")
    assert page.move() == 2


def test_thousands_of_moves(opened: Opener) -> None:
    """A card to and fro between two freecells: nobody plays so, but files may say so."""
    start = mid_game(solved(5), 50)
    position = next(
        p for p in positions_of(start) if p.freecells.count(None) >= 2 and p.freecells[0]
    )
    spare = position.freecells.index(None)
    there, back = (Place("freecell", index) for index in (spare, 0))
    steps = (Step(back, there), Step(there, back)) * 1000
    page = opened(Solution(start.rules, position, steps, position))
    page.press("ArrowRight")
    assert page.board().freecells[spare] == position.freecells[0]
    page.press("End")
    assert (page.move(), page.board()) == (2000, position)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [CALM, pytest.param({}, marks=pytest.mark.slow)], ids=["calm", "moving"]
)
def test_plays_to_its_end_and_again(opened: Opener, options: dict[str, str]) -> None:
    whole = solved(18)
    solution = mid_game(whole, len(whole.steps) - 40)
    page = opened(solution, **options)
    clock = page.stop_time()
    page.page.get_by_label("Speed").fill("6")
    page.page.locator("body").click(position={"x": 5, "y": 5})
    page.press(" ")
    assert page.ask("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    clock.run_for(1_000)
    on_its_way = page.move()
    assert 0 < on_its_way < len(solution.steps)
    page.click("Pause")
    assert page.address() == f"#move={on_its_way}"
    clock.run_for(1_000)
    assert page.move() == on_its_way
    page.click("Play")
    clock.run_for(8_000)
    assert page.move() == len(solution.steps)
    page.click("Play")
    assert page.move() == 0
    page.press("End")
    clock.run_for(1_000)
    assert page.move() == len(solution.steps)


@pytest.mark.slow
def test_speed(opened: Opener) -> None:
    """Played for as long, a faster film is further."""
    moves = []
    for speed in ("0", "3", "6"):
        page = opened(solved(5), **CALM)
        clock = page.stop_time()
        page.page.get_by_label("Speed").fill(speed)
        page.click("Play")
        clock.run_for(2_000)
        moves.append(page.move())
    assert moves[0] < moves[1] < moves[2]


MOVING = "document.getAnimations().map((one) => one.effect.target.dataset.card)"


def test_runs_glide_together(opened: Opener) -> None:
    solution = solved(32)
    found = stops(solution)
    index = next(i for i, stop in enumerate(found) if stop.kind == "run" and stop.end > 60)
    begin, end = found[index - 1].end, found[index].end
    page = opened(solution, f"#move={begin}")
    cards = page.ask(f"(document.getElementById('next').click(), {MOVING})")
    assert page.move() == end
    assert len(cards) == len({*cards}) >= 2
    starts = page.ask("document.getAnimations().map((one) => one.effect.getTiming().delay)")
    assert set(starts) == {0}


def test_safe_moves_home_follow_each_other(opened: Opener) -> None:
    solution = solved(32)
    begin = stops(solution)[-2].end
    page = opened(solution, f"#move={begin}")
    cards = page.ask(f"(document.getElementById('next').click(), {MOVING})")
    assert len(cards) == len(solution.steps) - begin
    starts = page.ask("document.getAnimations().map((one) => one.effect.getTiming().delay)")
    assert sorted(set(starts)) == starts


def test_nothing_glides_for_who_prefers_less_motion(opened: Opener) -> None:
    page = opened(solved(32), **CALM)
    assert page.ask(f"(document.getElementById('next').click(), {MOVING})") == []
    assert page.move() > 0


@pytest.mark.parametrize(
    "way, count", few_fast([((-120, 0), 2), ((120, 0), 0), ((-20, 0), 1), ((-60, 90), 1)], 2)
)
def test_swipes(opened: Opener, way: tuple[int, int], count: int) -> None:
    """To the left goes on and to the right goes back; short or steep ones mean nothing."""
    solution = solved(18)
    ends = [0, *(stop.end for stop in stops(solution))]
    page = opened(solution, f"#move={ends[1]}", PHONE, has_touch=True)
    client = page.page.context.new_cdp_session(page.page)
    x, y = 160, 230
    touch = [{"x": x, "y": y}]
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touch})
    for part in (0.25, 0.5, 0.75, 1):
        touch = [{"x": x + part * way[0], "y": y + part * way[1]}]
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": touch})
    client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert page.move() == ends[count]


@pytest.mark.parametrize("name, form", few_fast([("SFN", "sfn"), ("JSON", "universal-json")], 1))
def test_copies_the_solution(opened: Opener, name: str, form: str) -> None:
    solution = solved(18)
    page = opened(solution, permissions=["clipboard-read", "clipboard-write"])
    page.click(name)
    page.page.get_by_text(f"{name} copied.").wait_for()
    text = page.ask("navigator.clipboard.readText()")
    assert formats.detect(formats.Source(text)) == form
    again = formats.read(formats.Source(text))
    assert (again.initial, again.final) == (solution.initial, solution.final)


def test_copies_board_and_link(opened: Opener) -> None:
    page = opened(solved(18), "#move=20", permissions=["clipboard-read", "clipboard-write"])
    page.click("Board")
    page.page.get_by_text("Board copied.").wait_for()
    board = formats.Source(page.ask("navigator.clipboard.readText()")).text
    assert page.board() == positions_of(solved(18))[20]
    assert parse_board(board, solved(18).rules) == page.board()
    page.click("Link")
    page.page.get_by_text("Link copied.").wait_for()
    link = page.ask("navigator.clipboard.readText()")
    assert link == page.path.as_uri() + "#move=20"


@pytest.mark.parametrize("game", few_fast(["penguin", "canfield", "gypsy", "pyramid", "golf"], 1))
def test_copies_boards_of_other_games(opened: Opener, game: str) -> None:
    """Bases, reserves, stocks, wastes, alike cards and pyramids: what is copied is read back."""
    solution = random_game(3, GAMES[game], 2, 20)
    page = opened(solution, permissions=["clipboard-read", "clipboard-write"])
    page.press("End")
    page.click("Board")
    page.page.get_by_text("Board copied.").wait_for()
    board = formats.Source(page.ask("navigator.clipboard.readText()")).text
    found, final = parse_board(board, solution.rules), solution.final
    assert isinstance(found, type(final)) and format_board(found) == format_board(final)


def test_shows_the_text_where_the_browser_does_not_copy(opened: Opener) -> None:
    page = opened(solved(18))
    page.ask("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.click("JSON")
    box = page.page.get_by_label("Text to copy")
    box.wait_for()
    assert json.loads(box.input_value())["header"]["deal_number"] == 18


def test_no_button_for_what_the_notation_cannot_say(opened: Opener) -> None:
    page = opened(random_game(7, GAMES["bakers_dozen"], 1, 9))
    assert not page.page.get_by_role("button", name="SFN").is_visible()
    assert page.page.get_by_role("button", name="JSON").is_visible()


def test_markup_in_data_stays_text(opened: Opener) -> None:
    text = "</script><script>document.title = 'bad'</script><!-- <b>&amp;"
    steps = list(solved(18).steps)
    xhtml = '<em>so</em> <a href="https://example.org/">it is</a>'
    steps[0] = replace(steps[0], comment=Comment(text, False, "<i>me</i>", "1"))
    steps[20] = replace(steps[20], comment=Comment(xhtml, True))
    solution = replace(solved(18), number=None, steps=tuple(steps), tag="<h1>tag</h1>")
    page = opened(solution, "#move=1")
    comment = page.page.get_by_label("Comment")
    assert text in comment.inner_text()
    assert "(<i>me</i>)" in comment.inner_text()
    assert page.page.title().endswith(": <h1>tag</h1>")
    page.at("#move=21")
    assert "so it is" in comment.inner_text()
    assert comment.locator("a").count() == 0
