"""The documentation as a site: `sphinx-build -W -c docs/site docs site`, from the folder above."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

project = "dbmsolver"
author = "dbmsolver"
release = re.findall(r'__version__ = "(.*)"', (ROOT / "dbmsolver" / "version.py").read_text())[0]
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["site"]
html_theme = "furo"
html_title = f"dbmsolver {release}"
html_extra_path = ["../freecell.svg", "../klondike.svg"]
myst_heading_anchors = 3
# The pages are read in other places, too, which know more languages of code than Pygments.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]


def _plain(_app: Any, name: str, source: list[str]) -> None:
    """Name files that are no pages where a page links to them."""
    source[0] = re.sub(r"\[([^\]]*)\]\(((?:\.\./)+[^)]*)\)", _named, source[0])


def _named(link: re.Match[str]) -> str:
    path = (ROOT / "docs" / link[2].partition("#")[0]).resolve()
    if not path.exists():
        raise FileNotFoundError(f"{link[0]}: a link to nothing")
    return f"{link[1]} (`{path.relative_to(ROOT)}`)"


def setup(app: Any) -> None:
    """Have links to files that are no pages changed before a page is read."""
    app.connect("source-read", _plain)
