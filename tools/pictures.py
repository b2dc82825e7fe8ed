"""Takes the pictures of pages that the documents show: docs/play.png and docs/replay.png.

It needs what the tests of pages need: playwright, and Chromium on the path.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from dbmsolver import solution_of, solve, write_solution
from dbmsolver.play.codes import codes_of

DOCS = Path(__file__).parents[1] / "docs"
DEAL = 3
MOVES = 30
COLOURS = 64
"""The colours of a picture: enough for flat cards, and few enough to make it small."""


def taken(page: Any, path: Path) -> None:
    """Take the picture of a page, small."""
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)


def replay(browser: Any, text: str) -> None:
    """Take the picture of the page that replays a solution."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "replay.html")
        file.write_text(text, encoding="utf-8")
        page = browser.new_page(viewport={"width": 1000, "height": 640})
        page.goto(f"{file.as_uri()}#move={MOVES}")
        taken(page, DOCS / "replay.png")


def play(browser: Any, address: str, moves: str) -> None:
    """Take the picture of the page to play on, when all is known."""
    page = browser.new_page(viewport={"width": 1000, "height": 640})
    page.goto(f"{address}#game=freecell&deal={DEAL}&at={MOVES}&moves={moves}")
    page.locator("#verdict:not(:empty) ~ #state:empty").wait_for(state="attached", timeout=120_000)
    taken(page, DOCS / "play.png")


def main() -> None:
    """Take both."""
    solution = solution_of(solve(DEAL, threads=1))
    moves = codes_of(solution.steps[:MOVES])
    command = [sys.executable, "-m", "dbmsolver", "play", str(DEAL), "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        server.stdout.readline()
        address = server.stdout.readline().strip()
        with sync_playwright() as driver:
            browser = driver.chromium.launch(
                executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
                args=["--no-sandbox", "--disable-gpu"],
            )
            replay(browser, write_solution(solution, "html"))
            play(browser, address, moves)
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
