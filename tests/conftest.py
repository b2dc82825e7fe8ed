"""What all tests share: where numba keeps the kernels, also for programs that tests start."""

from __future__ import annotations

from dbmsolver.jit.cache import choose_cache

choose_cache()
