"""What all tests share: where numba keeps its compiled kernels.

numba notices a change of the file a kernel is in, but not of the kernels that it calls. So the
kernels of these sources are kept under a name made of all of them, beside those of other versions.
The folder outlives the test run: compiling takes longer than most tests.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "dbmsolver"


def kernel_cache() -> Path:
    """The folder for the kernels of these sources."""
    digest = hashlib.blake2b(sys.version.encode(), digest_size=8)
    for source in [*sorted(PACKAGE.glob("core/*.py")), *sorted(PACKAGE.glob("verify/**/*.py"))]:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "dbmsolver" / f"test-kernels-{digest.hexdigest()}"


# Before numba is imported, and for the programs that tests start.
os.environ["NUMBA_CACHE_DIR"] = str(kernel_cache())
