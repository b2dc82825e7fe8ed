"""What all tests share: compiled kernels and modules, also for programs that tests start."""

from __future__ import annotations

import os

from dbmsolver.jit.cache import choose_cache

choose_cache()
# Tests start the program some hundred times; compiling its modules each time takes a fifth of that.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
