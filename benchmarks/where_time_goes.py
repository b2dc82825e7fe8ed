"""Where the time of a proof goes: what each thread does, and what its kernels do.

    python benchmarks/where_time_goes.py 12064 --freecells 2
    python benchmarks/where_time_goes.py 504179225 --memory 2G --every-position --markdown

Functions are wrapped with clocks while the search runs; a function's time is without that of
wrapped functions it calls. There are no dives. Kernels cannot be looked into, so what expanding,
looking up and sorting positions cost is measured on signatures of the finished store, one by one,
and the time of the kernels is shared out accordingly.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any

from inside import kernel_shares

from dbmsolver import Deal, prove
from dbmsolver.arguments import parse_size
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Method
from dbmsolver.search import candidates, packed_runs
from dbmsolver.search.astar import layers
from dbmsolver.search.proof import (
    closing,
    dives,
    large,
    piece_tables,
    piece_worker,
    pieces,
    small,
    stratum,
    worker,
    workers,
)
from dbmsolver.storage import blocks, store, transaction

KERNELS = "closing (kernels)"
WAITING = "waiting for the other threads"
FUNCTIONS: dict[str, list[tuple[Any, str]]] = {
    KERNELS: [
        (closing.Kernels, "close_batch"),
        (closing.Kernels, "close_piece"),
        (worker, "sort_states"),
        (piece_worker, "insert_into_piece"),
    ],
    "loading and rebuilding tables": [(piece_tables, "load_table"), (piece_tables, "copy_keys")],
    "making candidates": [
        (closing.Kernels, "write_runs"),
        (worker, "make_candidates"),
        (closing.Kernels, "split_other_pieces"),
    ],
    "routing candidates to pieces": [(pieces, "route"), (pieces, "count_flips")],
    "gathering candidates": [
        (stratum, "gather"),
        (candidates, "select_runs"),
        (stratum, "signature_groups"),
    ],
    "digest": [(worker, "digest_runs")],
    "packing: keys of candidates": [
        (packed_runs, "packing_of"),
        (packed_runs, "pack_keys"),
        (packed_runs, "unpack_keys"),
    ],
    "packing: sorting candidates": [
        (candidates, "sorted_runs"),
        (candidates, "sort_runs"),
        (packed_runs, "sorted_runs"),
    ],
    "packing: differences": [(blocks, "to_planes"), (blocks, "from_planes")],
    "packing: zstd, copies": [
        (worker, "encode_block"),
        (candidates, "encode_block"),
        (candidates, "decode_block"),
        (blocks, "decode_block"),
    ],
    "LMDB: puts": [(transaction.Transaction, "_put_bound"), (transaction.Transaction, "delete")],
    "LMDB: reads": [(store.Store, "read")],
    "LMDB: commits": [(store.Store, "write")],
    "look ahead": [(layers.AStarSearch, "_work")],
    WAITING: [(small, "wait"), (large, "wait")],
}
WORK: list[tuple[Any, str]] = [(worker.ProofWorker, "close_batch"), (workers, "expand_piece")]
"""The functions in which a worker thread works; the rest of its time it waits."""
OTHER = "other Python"


class Clocks:
    """Seconds on the clock and of the processor, by thread and what it did."""

    def __init__(self) -> None:
        self.local = threading.local()
        self.spent: dict[tuple[int, str], list[float]] = defaultdict(lambda: [0.0, 0.0])

    def enter(self, name: str) -> None:
        """Something begins; what it interrupts is paused."""
        stack = self._stack()
        self._charge(stack)
        stack.append(name)

    def leave(self) -> None:
        """End the part that was entered last."""
        stack = self._stack()
        self._charge(stack)
        stack.pop()

    def _stack(self) -> list[str]:
        if not hasattr(self.local, "stack"):
            self.local.stack = []
            self.local.last = time.perf_counter(), time.thread_time()
        stack: list[str] = self.local.stack
        return stack

    def _charge(self, stack: list[str]) -> None:
        now = time.perf_counter(), time.thread_time()
        if stack:
            row = self.spent[threading.get_ident(), stack[-1]]
            row[0] += now[0] - self.local.last[0]
            row[1] += now[1] - self.local.last[1]
        self.local.last = now

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function with a clock around it."""

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            self.enter(name)
            try:
                return function(*args, **kwargs)
            finally:
                self.leave()

        return call

    def timed_context(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a context manager's class with clocks around its beginning and end."""
        clocks = self

        class Timed:
            def __init__(self, *args: Any) -> None:
                self.inner = function(*args)

            def __enter__(self) -> Any:
                clocks.enter(name)
                return self.inner.__enter__()

            def __exit__(self, *error: Any) -> Any:
                try:
                    return self.inner.__exit__(*error)
                finally:
                    clocks.leave()

        return lambda *args: Timed(*args)


def wrap(clocks: Clocks) -> None:
    """Put clocks around all functions of the list; complain of those that are no more."""
    for name, functions in FUNCTIONS.items():
        for owner, attribute in functions:
            if not hasattr(owner, attribute):
                print(f"no {attribute} in {owner.__name__}: left out", file=sys.stderr)
                continue
            wrapper = clocks.timed_context if attribute == "write" else clocks.timed
            setattr(owner, attribute, wrapper(name, getattr(owner, attribute)))
    for owner, attribute in WORK:
        setattr(owner, attribute, clocks.timed(OTHER, getattr(owner, attribute)))


def main() -> int:
    """Prove a deal with clocks on, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("deal", type=int)
    parser.add_argument("--freecells", type=int, default=4)
    parser.add_argument("--memory", type=parse_size, help="as for dbmsolver prove")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--every-position", action="store_true", help="as for dbmsolver prove; kernels in detail"
    )
    parser.add_argument("--markdown", action="store_true", help="print a markdown table")
    options = parser.parse_args()
    deal = Deal.from_number(options.deal, rules_for("freecell", freecells=options.freecells))
    method = Method.EVERY_POSITION if options.every_position else Method.DOMINATING
    ask = partial(prove, method=method)
    dives.SCHEDULE = ()
    ask(Deal.from_number(11982, rules_for("freecell")))  # compiles
    clocks = Clocks()
    wrap(clocks)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        clocks.enter(OTHER)
        path = Path(folder) / "store"
        result = ask(deal, threads=options.threads, memory=options.memory, store=path)
        clocks.leave()
        seconds = time.perf_counter() - begun
        shares = kernel_shares(path, deal) if options.every_position else {}
    rate = result.states / seconds
    print(
        f"{deal.name}, {result.verdict}: {result.states:,} states, {seconds:.1f} s, {rate:,.0f}/s"
    )
    table(clocks, seconds, options.threads, shares, options.markdown)
    return 0


def table(
    clocks: Clocks, seconds: float, threads: int, shares: dict[str, float], markdown: bool
) -> None:
    """Print who spent how much with what."""
    main_thread = threading.get_ident()
    names = [*FUNCTIONS, OTHER]
    main = {name: clocks.spent[main_thread, name] for name in names}
    workers = {name: [0.0, 0.0] for name in names}
    for (thread, name), spent in list(clocks.spent.items()):
        if thread != main_thread:
            workers[name] = [sum(pair) for pair in zip(workers[name], spent, strict=True)]
    busy = sum(spent[0] for spent in workers.values())
    workers[WAITING][0] += max(threads * seconds - busy, 0.0)
    rows = [["", "workers: s", "processor s", "share", "main thread: s", "processor s"]]
    for name in names:
        wall, processor = workers[name]
        mine = main[name]
        share = f"{wall / (threads * seconds):.1%}"
        rows.append([name, *map(shown, (wall, processor)), share, *map(shown, mine)])
        if name == KERNELS:
            for part, portion in shares.items():
                share = f"{portion * wall / (threads * seconds):.1%}"
                inner = [shown(portion * wall), shown(portion * processor), share, "", ""]
                rows.append([f"- {part}", *inner])
    for number, row in enumerate(rows):
        if markdown:
            print("| " + " | ".join(row) + " |" + ("\n|---|" + "---:|" * 5) * (number == 0))
        else:
            print(f"{row[0]:34}" + "".join(f"{cell:>16}" for cell in row[1:]))


def shown(seconds: float) -> str:
    """Seconds for people."""
    return f"{seconds:.1f}"


if __name__ == "__main__":
    sys.exit(main())
