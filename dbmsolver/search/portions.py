"""Long lists that are worked through in portions: some at a time, as memory and threads allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Product = TypeVar("Product")


def in_groups(
    items: Iterable[Item], size_of: Callable[[Item], int], enough: int
) -> Iterator[list[Item]]:
    """Yield items in groups, in their order: each ends with the item that makes it large enough.

    ``size_of`` tells the size of an item. The last group has what is left.
    """
    some: list[Item] = []
    size = 0
    for item in items:
        some.append(item)
        size += size_of(item)
        if size >= enough:
            yield some
            some, size = [], 0
    if some:
        yield some


def by_threads(
    each: Callable[..., Iterable[Product]],
    threads: int,
    work: Callable[[Item], Product],
    items: Iterable[Item],
) -> Iterator[Product]:
    """Yield what ``work`` returns for each item, in their order.

    ``each`` is a map function that uses that many ``threads``. It gets one item for each of them at
    a time, since all of them take memory.
    """
    waiting = iter(items)
    while some := list(islice(waiting, threads)):
        yield from each(work, some)
