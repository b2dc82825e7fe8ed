"""The program as tests start it."""

from __future__ import annotations

import sys

PROGRAM = [sys.executable, "-m", "dbmsolver"]

SOON = """
from dbmsolver.__main__ import main
from dbmsolver.search import recorder

recorder.COMMIT_SECONDS = 0.2
main()
"""
SOON_COMMITTING = [sys.executable, "-c", SOON]
"""The same, with commits every fifth of a second: for tests that wait for the first one."""
