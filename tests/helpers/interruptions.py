"""Lets a search be interrupted again and again, in a process of its own (`interrupted.py`)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

DRIVER = Path(__file__).with_name("interrupted.py")
DEFAULTS = {
    "game": "freecell",
    "freecells": None,
    "method": "every-position",
    "memory": None,
    "small": None,
    "signal": "SIGKILL",
    "commit": 0.03,
    "look_ahead": None,
    "dives": True,
    "any_solution": False,
    "metric": None,
    "policy": "wkr",
}


def interrupt(store: Path, times: int, share: float, **settings: Any) -> dict[str, Any]:
    """Interrupt a search `times` times within a share of the time that it needs undisturbed.

    Returns {"undisturbed": what the search finds, "outcomes": what it finds each time it comes to
    its end in spite of signals, and when it is asked again}.
    """
    whole = {**DEFAULTS, "store": str(store), "times": times, "seed": times, "share": share}
    done = subprocess.run(
        [sys.executable, DRIVER, json.dumps({**whole, **settings})], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["signals"] >= times
    return found
