"""The memory of this process, kept or given back once it is freed."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import numpy as np
from dbmsolver.process import anonymous_memory, reuse_freed_memory

reuse_freed_memory(256 << 20)
before = anonymous_memory()
for size in (1 << 16, 1 << 20, 1 << 16, 1 << 20, 1 << 23):
    arrays = [np.ones(size, np.uint8) for _ in range((256 << 20) // size)]
    most = anonymous_memory()
    arrays.clear()
    print(most - before, anonymous_memory() - before)
"""
MIB = 1 << 20


def test_freed_memory_is_used_again_or_goes_back() -> None:
    """Small arrays take what others have left, and large ones leave nothing."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert all(250 * MIB < most < 300 * MIB for most, _ in rows)
    assert rows[-1][1] < 160 * MIB
