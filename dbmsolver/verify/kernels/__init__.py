"""The verifier's compiled part: nothing in here comes from, or knows, the kernels of the search.

What runs once for each state is compiled into its callers (``inlined``): the tables of a deal are
large, and handing them over takes as long as the work.
"""

import dbmsolver.jit  # noqa: F401  # names numba's cache folder, before numba is imported
