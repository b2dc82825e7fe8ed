"""Proofs over every position, which published counts are about: what most tests of the search ask
for.
"""

from __future__ import annotations

from functools import partial

from dbmsolver import api

prove = partial(api.prove, method="every-position")
"""`api.prove` over every position."""
