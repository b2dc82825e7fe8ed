"""Having on the disk what was written, and not only with the system."""

from __future__ import annotations

import os
from pathlib import Path


def flush_path(path: Path) -> None:
    """Have a file on the disk, or what a directory says of its files. OSError if that fails."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
