"""The cache of the kernels' machine code.

numba notices changes in a function's own file only. After a change of a callee in another file, or
a renamed type, it would run old machine code, or fail. So the folder is named by a digest of all
kernel sources. ``NUMBA_CACHE_DIR``, where it is set, is respected.
"""

from __future__ import annotations

import os
import shutil
import time
from functools import cache
from hashlib import blake2b
from pathlib import Path

_SOURCES = ("jit", "kernels", "kits", "verify")
_UNUSED = 30 * 24 * 3600
"""The seconds without use after which the folder of other sources is removed."""


@cache
def kernel_digest() -> str:
    """Return the digest of all kernel sources: 16 hexadecimal digits."""
    package = Path(__file__).parent.parent
    digest = blake2b(digest_size=8)
    for folder in _SOURCES:
        for source in sorted((package / folder).rglob("*.py")):
            digest.update(str(source.relative_to(package)).encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()


def choose_cache() -> None:
    """Name the folder for numba, which must not have been imported yet."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "dbmsolver" / f"kernels-{kernel_digest()}"
    try:
        _use(folder)
    except OSError:
        return  # kernels are compiled each time
    os.environ["NUMBA_CACHE_DIR"] = str(folder)


def _use(folder: Path) -> None:
    """Mark a folder as used; when it is made, remove folders that were not used for long."""
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        for other in folder.parent.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > _UNUSED:
                shutil.rmtree(other, ignore_errors=True)
    os.utime(folder)
