"""Everything about numba that is not a kernel: decorators, the cache, compiling ahead.

Importing this package names the folder of numba's cache. That must happen before numba is imported.
"""

from dbmsolver.jit.cache import choose_cache

choose_cache()
