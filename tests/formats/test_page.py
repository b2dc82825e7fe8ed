"""The page that replays a solution, in a real browser: headless Chromium, without a network."""

from __future__ import annotations

import html
import re
import shutil
import struct
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from games import mid_game, random_game, solved

from dbmsolver import formats
from dbmsolver.boards import parse_board
from dbmsolver.explicit import explicit
from dbmsolver.position import Position
from dbmsolver.rules import GAMES
from dbmsolver.solution import Comment, Solution

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium on the path (Debian package chromium)"
)


def chromium(tmp_path: Path, page: Path, place: str, *more: str) -> str:
    """What the browser prints about the page, opened from its file at the place."""
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-extensions",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=200000",
        *more,
        f"{page.as_uri()}{place}",
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return run.stdout


def text_of(dom: str, identifier: str) -> str:
    match = re.search(rf'<(\w+) id="{identifier}"[^>]*>(.*?)</\1>', dom, re.DOTALL)
    assert match, identifier
    return html.unescape(re.sub(r"<[^>]+>", "", match[2]))


def shown(dom: str, solution: Solution) -> Position:
    """The position that the page shows, from its text for screen readers."""
    return parse_board(text_of(dom, "text"), solution.rules)


def write(path: Path, solution: Solution, script: str = "") -> Path:
    """The page, with a script of the test at its end."""
    page = formats.write(solution, "html")
    path.write_text(page.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    return path


WALK = """
const boards = [document.getElementById("text").textContent];
const next = document.getElementById("next");
while (!next.disabled) { next.click(); boards.push(document.getElementById("text").textContent); }
const made = document.createElement("pre");
made.id = "boards";
made.textContent = boards.join("\\n\\n");
document.body.append(made);
"""


@browser
@pytest.mark.parametrize("number, policy", [(5, "none"), (3, "wkr"), (44, "horne"), (86, "none")])
def test_steps_through_a_whole_solution(tmp_path: Path, number: int, policy: str) -> None:
    solution = explicit(solved(number), policy)  # type: ignore[arg-type]
    dom = chromium(tmp_path, write(tmp_path / "page.html", solution, WALK), "", "--dump-dom")
    boards = [parse_board(text, solution.rules) for text in text_of(dom, "boards").split("\n\n")]
    positions = [before for _, before, _ in solution.replay()]
    assert boards == [*positions, solution.final]
    assert shown(dom, solution).is_goal()


@browser
@pytest.mark.parametrize("move", [0, 1, 40, 10_000])
def test_opens_at_a_move(tmp_path: Path, move: int) -> None:
    solution = solved(18)
    page = write(tmp_path / "page.html", solution)
    dom = chromium(tmp_path, page, f"#move={move}", "--dump-dom")
    positions = [*(before for _, before, _ in solution.replay()), solution.final]
    number = min(move, len(solution.steps))
    assert shown(dom, solution) == positions[number]
    assert f'data-move="{number}"' in dom


KEYS = """
const press = (key) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const seen = [];
const note = () => seen.push(document.body.dataset.move);
press("ArrowRight"); note(); press("ArrowRight"); note(); press("ArrowLeft"); note();
press("End"); note(); press("Home"); note();
const slider = document.getElementById("slider");
slider.value = 12; slider.dispatchEvent(new Event("input")); note();
document.querySelectorAll("#list button")[7].click(); note();
location.hash = "#move=9";
setTimeout(() => { note(); press(" "); note(); }, 100);
setTimeout(() => {
  note();
  const made = document.createElement("p");
  made.id = "seen";
  made.textContent = seen.join(" ");
  document.body.append(made);
}, 100 + 700 * 200);
"""


@browser
def test_keys_slider_list_and_play(tmp_path: Path) -> None:
    solution = solved(18)
    page = write(tmp_path / "page.html", solution, KEYS)
    dom = chromium(tmp_path, page, "", "--dump-dom")
    last = str(len(solution.steps))
    assert text_of(dom, "seen").split() == ["1", "2", "1", last, "0", "12", "7", "9", "9", last]
    assert text_of(dom, "play") == "Play"


@browser
@pytest.mark.parametrize("game", GAMES)
def test_other_games(tmp_path: Path, game: str) -> None:
    solution = random_game(7, GAMES[game], 1, 15)
    dom = chromium(tmp_path, write(tmp_path / "page.html", solution, WALK), "", "--dump-dom")
    assert shown(dom, solution) == solution.final


@browser
def test_mid_game_starts(tmp_path: Path) -> None:
    rest = mid_game(solved(5), 50)
    dom = chromium(tmp_path, write(tmp_path / "rest.html", rest, WALK), "", "--dump-dom")
    assert shown(dom, rest) == rest.final


@browser
def test_markup_in_data_stays_text(tmp_path: Path) -> None:
    text = "</script><script>document.title = 'bad'</script><!-- <b>&amp;"
    steps = list(solved(18).steps)
    xhtml = '<em>so</em> <a href="https://example.org/">it is</a>'
    steps[0] = replace(steps[0], comment=Comment(text, False, "<i>me</i>", "1"))
    steps[1] = replace(steps[1], comment=Comment(xhtml, True))
    solution = Solution(
        solved(18).rules,
        solved(18).initial,
        tuple(steps),
        solved(18).final,
        tag="<h1>tag</h1>",
    )
    page = write(tmp_path / "page.html", solution)
    assert formats.read(page) == solution
    dom = chromium(tmp_path, page, "#move=1", "--dump-dom")
    assert text_of(dom, "comment") == f"{text} (<i>me</i>)"
    assert "<title>Freecell, &lt;h1&gt;tag&lt;/h1&gt;</title>" in dom
    dom = chromium(tmp_path, page, "#move=2", "--dump-dom")
    assert text_of(dom, "comment") == "so it is"


def pixels(path: Path) -> tuple[int, int, set[bytes]]:
    """Width, height, and the colours of a screenshot, from its PNG."""
    data = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6)
    size = 3 if kind == 2 else 4
    offset, packed = 8, b""
    while offset < len(data):
        length, name = struct.unpack(">I4s", data[offset : offset + 8])
        if name == b"IDAT":
            packed += data[offset + 8 : offset + 8 + length]
        offset += 12 + length
    raw = zlib.decompress(packed)
    step = width * size + 1
    previous = bytearray(width * size)
    colours: set[bytes] = set()
    for row in range(height):
        kind, line = raw[row * step], bytearray(raw[row * step + 1 : (row + 1) * step])
        for i in range(len(line)):
            left = line[i - size] if i >= size else 0
            up, corner = previous[i], previous[i - size] if i >= size else 0
            if kind == 1:
                line[i] = (line[i] + left) & 255
            elif kind == 2:
                line[i] = (line[i] + up) & 255
            elif kind == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif kind == 4:
                guess = left + up - corner
                near = min((left, up, corner), key=lambda value: abs(guess - value))
                line[i] = (line[i] + near) & 255
        previous = line
        colours.update(bytes(line[i : i + 3]) for i in range(0, len(line), size * 3))
    return width, height, colours


@browser
@pytest.mark.parametrize("size, scheme", [((1000, 640), "light"), ((400, 700), "dark")])
def test_screenshot(tmp_path: Path, size: tuple[int, int], scheme: str) -> None:
    """The colours of table, cards and mark are on the screen, in both schemes."""
    page = write(tmp_path / "page.html", explicit(solved(99), "wkr"))
    picture = tmp_path / "picture.png"
    options = [f"--screenshot={picture}", f"--window-size={size[0]},{size[1]}"]
    options.append(f"--blink-settings=preferredColorScheme={0 if scheme == 'dark' else 1}")
    chromium(tmp_path, page, "#move=40", *options)
    width, height, colours = pixels(picture)
    assert (width, height) == size
    wanted = {
        "light": ("2d6a4f", "fdfdfb", "ffb000", "eef1ee"),
        "dark": ("1c3a2e", "23282c", "ffc83d", "151917"),
    }[scheme]
    assert {bytes.fromhex(colour) for colour in wanted} <= colours


NARROW = """
const made = document.createElement("p");
made.id = "seen";
const table = document.getElementById("table");
const right = Math.max(...[...document.querySelectorAll(".card")].map(
  (card) => card.getBoundingClientRect().right));
made.textContent = [document.documentElement.scrollWidth, innerWidth, Math.ceil(right)].join(" ");
document.body.append(made);
"""


@browser
def test_fits_a_phone(tmp_path: Path) -> None:
    """In a frame as wide as a phone, nothing has to be scrolled sideways."""
    write(tmp_path / "page.html", solved(5), NARROW)
    frame = tmp_path / "frame.html"
    frame.write_text(
        '<iframe id="f" width="360" height="640" src="page.html"></iframe><script>'
        'addEventListener("message", (e) => { document.title = e.data; });</script>'
    )
    script = NARROW + 'parent.postMessage(made.textContent, "*");'
    write(tmp_path / "page.html", solved(5), script)
    dom = chromium(tmp_path, frame, "", "--dump-dom")
    match = re.search(r"<title>(\d+) (\d+) (\d+)</title>", dom)
    assert match, dom
    scroll, inner, right = map(int, match.groups())
    assert inner <= 360
    assert scroll <= inner
    assert right <= inner


def test_page_needs_nothing_else() -> None:
    text = formats.write(solved(3), "html")
    assert not re.search(r"(?:src|href)\s*=|@import|url\(|https?:", text)
    assert "default-src 'none'" in text
    assert text.count("<script") == 2
    assert "innerHTML" not in text
