"""Pictures: every card in its place, every bar as long as its count, and words for all."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from helpers.command import run
from helpers.support import EVERY_GAME, random_layout

from dbmsolver.errors import UsageError
from dbmsolver.game.cards import card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.notation.pictures import axes, chart, suits
from dbmsolver.notation.pictures.axes import nice_step, short
from dbmsolver.notation.pictures.board import HEIGHT, WIDTH, card_words, draw_board
from dbmsolver.notation.pictures.chart import Chart, draw_charts
from dbmsolver.notation.pictures.growth import Growth, Point

SVG = "{http://www.w3.org/2000/svg}"


def drawn_cards(picture: str) -> dict[str, tuple[float, float]]:
    """Return the point at which each card is drawn, by its title."""
    found = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        if title is not None:
            match = re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", group.attrib["transform"])
            assert match and title.text and title.text not in found
            found[title.text] = (float(match[1]), float(match[2]))
    return found


def seen(position: Position) -> set[int]:
    """Return the cards that a board shows: all but those under others at home."""
    tops = {
        position.base.card((height - 1) * 4 + suit)
        for suit, height in enumerate(position.foundations)
        if height
    }
    cells = {card for card in position.freecells if card is not None}
    return tops | cells | {card for column in position.columns for card in column}


def apart(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return abs(one[0] - other[0]) >= WIDTH or abs(one[1] - other[1]) >= HEIGHT


@EVERY_GAME
@pytest.mark.parametrize("seed", range(4))
def test_every_card_has_its_place(rules: Rules, seed: int) -> None:
    position = random_layout(Random(seed), rules)
    picture = draw_board(position, "a board")
    places = drawn_cards(picture)
    assert set(places) == {card_words(card) for card in seen(position)}
    _, _, width, height = map(float, ElementTree.fromstring(picture).attrib["viewBox"].split())
    for x, y in places.values():
        assert 0 <= x <= width - WIDTH and 0 <= y <= height - HEIGHT
    columns = [[places[card_words(card)] for card in column] for column in position.columns]
    for column in columns:
        assert len({x for x, _ in column}) <= 1
        assert [y for _, y in column] == sorted({y for _, y in column})
    # Cards of different columns, of freecells and foundations do not touch.
    inside = {place for column in columns for place in column}
    single = [[place] for place in places.values() if place not in inside]
    groups = [group for group in [*columns, *single] if group]
    for index, group in enumerate(groups):
        for other in groups[index + 1 :]:
            assert all(apart(one, two) for one in group for two in other)


def test_the_board_is_told_in_words() -> None:
    root = ElementTree.fromstring(draw_board(Deal.from_number(3).position, "Deal 3"))
    assert root.findtext(f"{SVG}title") == "Deal 3"
    words = root.findtext(f"{SVG}desc") or ""
    assert "Freecell a: empty." in words
    assert words.endswith("Column 8: 4 of diamonds, queen of diamonds, ace of diamonds, "
                          "king of hearts, 3 of spades, 5 of hearts.")  # fmt: skip
    assert root.attrib["aria-labelledby"] == "title description"
    assert all(words.count(card_words(card)) == 1 for card in range(52))


@pytest.mark.parametrize("title", ["</title><script>x</script>", "a & b", "\x00\x1b[1m\ud800"])
def test_a_title_is_only_text(title: str) -> None:
    picture = draw_board(Deal.from_number(3).position, title)
    root = ElementTree.fromstring(picture.encode())
    assert root.findtext(f"{SVG}title") == re.sub("[\x00\x1b\ud800]", "\ufffd", title)
    assert "<script" not in picture


def test_pictures_need_nothing_else() -> None:
    for picture in (
        draw_board(Deal.from_number(3).position, "x"),
        draw_charts("x", [Chart("layer", [(1, 2, 3)]), Growth("layer", GROWTH)]),
    ):
        assert re.findall(r"https?:[^\"]*", picture) == ["http://www.w3.org/2000/svg"]
        assert not re.search(r'href="[^#]|url\(|@import|<image|<script', picture)


GROWTH = [
    Point(*row) for row in ((5, 0, 0, 0), (400, 7, 100, 4), (700, 7, 150, 4), (900, 9, 180, 60))
]


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_of_cards() -> None:
    assert contrast(suits.RED, suits.FACE) >= 4.5
    assert contrast(suits.BLACK, suits.FACE) >= 4.5


def test_contrast_of_charts() -> None:
    """Words 4.5:1 and bars 3:1, on the page of a light scheme and of a dark one."""
    light, dark = chart.STYLE.split("@media")
    for style in (light, dark):
        colours = dict(re.findall(r"\.(\w+) \{ \w+: (#\w{6}) \}", style))
        for name in ("word", "dim"):
            assert contrast(colours[name], colours["page"]) >= 4.5
        for name in ("states", "forced"):
            assert contrast(colours[name], colours["page"]) >= 3
        assert contrast(colours["states"], colours["forced"]) >= 1.2


ROWS = [(3, 100, 0), (4, 250, 50), (7, 0, 1), (9, 400, 200)]


def bars(picture: str) -> dict[str, dict[str, float]]:
    """Heights of the parts of each bar, by its title."""
    found = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        title = group.findtext(f"{SVG}title")
        if title is not None:
            parts = {r.attrib["class"]: float(r.attrib["height"]) for r in group.iter(f"{SVG}rect")}
            found[title] = parts
    return found


def test_bars_are_as_long_as_their_counts() -> None:
    found = bars(draw_charts("x", [Chart("layer", ROWS)]))
    assert len(found) == len(ROWS)
    unit = found["layer 9: 400 states, 200 forced"]["states"] / 400
    for number, states, forced in ROWS:
        parts = found[f"layer {number}: {states:,} states, {forced:,} forced"]
        assert parts.get("states", 0) == pytest.approx(unit * states, abs=0.02)
        assert parts.get("forced", 0) == pytest.approx(unit * forced, abs=0.02)
    assert 0.5 * axes.HEIGHT < unit * 600 <= axes.HEIGHT


def test_a_chart_is_told_in_words() -> None:
    root = ElementTree.fromstring(draw_charts("Deal 3: solved", [Chart("layer", ROWS)]))
    assert root.findtext(f"{SVG}title") == "Deal 3: solved"
    assert root.findtext(f"{SVG}desc") == (
        "States by layer: 750 states and 251 forced ones in 4 bars; "
        "the largest is layer 9 with 600."
    )
    root = ElementTree.fromstring(draw_charts("Deal 3: solved", [Chart("layer", [(9, 1, 1)])]))
    assert root.findtext(f"{SVG}desc") == (
        "States by layer: 1 state and 1 forced one in 1 bar; the largest is layer 9 with 2."
    )
    assert "layer 9: 1 state, 1 forced" in root.itertext()


@pytest.mark.parametrize(
    "rows", [[], [(0, 0, 0)], [(0, 1, 0)], [(n, n * n, n) for n in range(400)]]
)
def test_charts_of_few_and_of_many(rows: list[tuple[int, int, int]]) -> None:
    picture = draw_charts("x", [Chart("stratum", rows)])
    assert len(bars(picture)) == len(rows)
    labels = [
        float(one.attrib["x"])
        for one in ElementTree.fromstring(picture).iter(f"{SVG}text")
        if one.text and one.text.isdigit() and one.attrib["y"] == str(axes.HEIGHT + 21)
    ]
    assert all(b - a >= 30 for a, b in pairwise(labels))
    assert bool(labels) == bool(rows)


def areas(picture: str) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Return the corners of both parts of each band, by its title."""
    found = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        parts = {
            one.attrib["class"]: [
                (float(x), float(y))
                for x, y in (corner.split(",") for corner in one.attrib["points"].split())
            ]
            for one in group.findall(f"{SVG}polygon")
        }
        if parts:
            found[group.findtext(f"{SVG}title") or ""] = parts
    return found


def test_growth_is_as_high_as_its_counts() -> None:
    found = areas(draw_charts("x", [Growth("stratum", GROWTH)]))
    assert list(found) == [
        "stratum 0, until 0.0 s: 0 states, 0 forced",
        "stratum 7, until 0.7 s: 150 states, 4 forced",
        "stratum 9, until 0.9 s: 30 states, 56 forced",
    ]
    high = axes.HEIGHT / 250  # lines at every 50 states
    states = [(400, 100), (700, 150), (900, 180)]
    drawn = {corner for parts in found.values() for corner in parts["states"]}
    closed = {corner for parts in found.values() for corner in parts["forced"]}
    for (milliseconds, count), forced in zip(states, (4, 4, 60), strict=True):
        x = milliseconds * axes.WIDTH / 900
        for corners, value in ((drawn, count), (closed, count), (closed, count + forced)):
            y = axes.HEIGHT - high * value
            assert any(abs(x - at) < 0.02 and abs(y - height) < 0.02 for at, height in corners)


def test_forced_states_that_are_not_counted_are_not_told() -> None:
    rows = [(number, states, 0) for number, states, _ in ROWS]
    points = [point._replace(forced=0) for point in GROWTH]
    charts = [Chart("layer", rows, forced=False), Growth("layer", points, forced=False)]
    root = ElementTree.fromstring(draw_charts("x", charts))
    words = " ".join(text for text in root.itertext() if text != chart.STYLE)
    assert "layer 9: 400 states" in words and "forced" not in words


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([], "Nothing is known of states over time."),
        ([Point(0, 0, 0, 0)], "States over time: 0 states and 0 forced ones after 0.0 s."),
        ([Point(0, 0, 1, 1)], "States over time: 1 state and 1 forced one after 0.0 s."),
        (GROWTH, "States over time: 180 states and 60 forced ones after 0.9 s."),
    ],
)
def test_growth_is_told_in_words(points: list[Point], words: str) -> None:
    picture = draw_charts("x", [Growth("stratum", points)])
    assert ElementTree.fromstring(picture).findtext(f"{SVG}desc") == words


@pytest.mark.parametrize(
    ("milliseconds", "last"),
    [
        (7, "0.007 s"), (950, "0.9 s"), (8_400, "8 s"), (100_000, "100 s"), (250_000, "4 min"),
        (3_600_000, "60 min"), (40 * 3_600_000, "40 h"), (90 * 3_600_000, "3 d"),
        (400 * 86_400_000, "400 d"), (1 << 60, None),
    ],
)  # fmt: skip
def test_times_are_written_in_a_fitting_unit(milliseconds: int, last: str | None) -> None:
    points = [Point(1, 1, 1, 0), Point(milliseconds, 2, 1 << 62, 1 << 62)]
    times = [
        one.text or ""
        for one in ElementTree.fromstring(draw_charts("x", [Growth("layer", points)])).iter(
            f"{SVG}text"
        )
        if one.attrib.get("y") == str(axes.HEIGHT + 21)
    ]
    assert 2 <= len(times) <= 11
    assert times[0].startswith("0 ") and (last is None or times[-1] == last)


def test_steps_are_round() -> None:
    assert [nice_step(most) for most in (1, 5, 6, 11, 30, 10**6, 3 * 10**9)] == [
        1, 1, 2, 5, 10, 200_000, 10**9,
    ]  # fmt: skip
    assert [short(n) for n in (0, 999, 1000, 1500, 2 * 10**6, 5 * 10**9)] == [
        "0", "999", "1 k", "1.5 k", "2 M", "5 G",
    ]  # fmt: skip


def test_deal_draws_by_ending_and_by_option(tmp_path: Path) -> None:
    picture = draw_board(Deal.from_number(3).position, "Deal 3")
    assert run("deal", "3", "--svg").stdout == picture
    for name in ("deal.svg", "DEAL.SVG"):
        path = tmp_path / name
        result = run("deal", "3", "-o", str(path))
        assert (result.exit_code, result.output) == (0, "")
        assert path.read_text() == picture
    path = tmp_path / "board.txt"
    assert run("deal", "3", "-o", str(path)).exit_code == 0
    assert path.read_text() == run("deal", "3").stdout
    assert run("deal", "3", "-o", "-").stdout == run("deal", "3").stdout
    assert run("deal", "3", "--svg", "-o", str(path)).exit_code == 0
    assert path.read_text() == picture


def test_deal_draws_a_board_in_the_middle_of_a_game() -> None:
    board = "Foundations: H-K C-K D-K S-J\nFreecells: KS\nQS\n"
    picture = run("deal", "-", "--svg", stdin=board).stdout
    assert {"king of spades", "queen of spades", "jack of spades"} < set(drawn_cards(picture))
    assert len(drawn_cards(picture)) == 6


def test_a_picture_that_cannot_be_written(tmp_path: Path) -> None:
    result = run("deal", "3", "-o", str(tmp_path / "none" / "deal.svg"))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "none" in result.stderr and UsageError.exit_code == 2


def test_status_plots_a_store(tmp_path: Path) -> None:
    store, picture = str(tmp_path / "store"), tmp_path / "layers.svg"
    assert run("prove", "1", "--freecells", "1", "--store", store, "--quiet").exit_code == 10
    result = run("status", store, "--plot", str(picture))
    assert result.exit_code == 0
    assert result.stdout == run("status", store).stdout
    rows = re.findall(r"^ +(\d+) +([\d,]+) +([\d,]+)", result.stdout, re.MULTILINE)
    assert rows
    titles = [
        f"stratum {number}: {states} state{'s' * (states != '1')}, {forced} forced"
        for number, states, forced in rows
    ]
    found = bars(picture.read_text())
    assert [title for title in found if "until" not in title] == titles
    # Over time, as many states are told as by stratum.
    grown = [title for title in found if "until" in title]
    numbers = [int(one.replace(",", "")) for title in grown for one in title.split()[5:6]]
    assert sum(numbers) == sum(int(states.replace(",", "")) for _, states, _ in rows) > 0
    assert "unsolvable" in picture.read_text()
    result = run("status", store, "--plot", str(tmp_path / "none" / "x.svg"))
    assert result.exit_code == 2


def test_card_names_and_words_agree() -> None:
    assert [card_words(card) for card in (0, 37, 50, 51)] == [
        "ace of hearts", "10 of spades", "king of diamonds", "king of clubs",
    ]  # fmt: skip
    assert card_name(37) == "TS"


def test_cells_that_cards_only_leave_are_a_reserve_in_words() -> None:
    deal = Deal.from_number(24, GAMES["king_albert"])
    for picture in (draw_board(deal.position, "x", deal.rules), deal._repr_svg_() or ""):
        assert "Reserve a: 7 of clubs." in picture and "Freecell" not in picture
    assert "Freecell a: 7 of clubs." in draw_board(deal.position, "x")
