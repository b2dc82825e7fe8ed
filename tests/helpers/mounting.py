"""Scripts that mount file systems of their own, which nobody else sees."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

NOT_ALLOWED = 99
"""The exit code of a script that cannot mount."""


def run_mounted(script: str, *args: object, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the shell in a mount namespace of its own; return what it printed.

    It has the ``args``, the ``variables``, and the path of Python in ``PYTHON``. The test is
    skipped where mounting is not allowed, and fails if the script does.
    """
    try:
        made = subprocess.run(
            ["unshare", "--mount", "sh", "-c", script, "sh", *map(str, args)],
            env={**os.environ, "PYTHON": sys.executable, **variables},
            capture_output=True,
            text=True,
        )
    except OSError:
        pytest.skip("needs unshare")
    if made.returncode == NOT_ALLOWED or "unshare" in made.stderr:
        pytest.skip("needs the right to mount a file system")
    assert made.returncode == 0, made.stderr
    return made
