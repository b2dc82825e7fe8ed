"""The blocks that a check looks at: all of them, or a share that is chosen at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def sampled(blocks: Sequence[Item], share: float | None, seed: int | None) -> set[Item]:
    """Return a ``share`` of the blocks, at least one if there are any; all if it is None.

    They are chosen by ``seed``.
    """
    if share is None or not blocks:
        return set(blocks)
    number = min(len(blocks), max(1, round(share * len(blocks))))
    return set(random.Random(seed).sample(blocks, number))
