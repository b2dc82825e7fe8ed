"""The cost of a proof on a Ray cluster against threads: time, processor time, bytes moved.

    python benchmarks/clusters.py 12064 --freecells 2 --every-position
    python benchmarks/clusters.py 504179225 --repeat 1 --markdown
    python benchmarks/clusters.py 504179225 --every-position --stores /tmp

Threads and a cluster that is started on this machine take turns, `--repeat` times. Seconds are
those of the search, without the time until Ray has started, which is told apart. Processor time is
that of this process and of all that it has started; of that, the driver's is told apart. With
`--stores` each run has a store in that folder, which is removed afterwards. Needs Ray.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from dbmsolver.arguments import parse_size
from dbmsolver.clusters import LOCAL, Connection
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import rules_for
from dbmsolver.results import Limits, Method, Options, Question, Result
from dbmsolver.search import session
from dbmsolver.steps import follow

TICKS = os.sysconf("SC_CLK_TCK")


class Measured(NamedTuple):
    """One run. Bytes are those of orders, and of what was found."""

    result: Result
    seconds: float
    start: float
    processor: float
    driver: float
    pieces: int
    sent: int
    received: int


class Processors(threading.Thread):
    """Watches the processor time of this process and of all that descend from it."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.over = threading.Event()
        self.used: dict[int, float] = {}

    def run(self) -> None:
        """Look once a second: a process that has ended says nothing any more."""
        while not self.over.wait(1.0):
            self.look()

    def look(self) -> None:
        """Note what each process has used so far."""
        parents, used = {}, {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                words = path.read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            number = int(path.parent.name)
            parents[number] = int(words[1])
            used[number] = (int(words[11]) + int(words[12])) / TICKS
        for number, seconds in used.items():
            ancestor = number
            while ancestor in parents and ancestor != os.getpid():
                ancestor = parents[ancestor]
            if ancestor == os.getpid():
                self.used[number] = seconds

    def total(self) -> float:
        """All of it, in seconds."""
        self.look()
        return sum(self.used.values())


class Counted:
    """Counts what goes through connections while it is there."""

    def __enter__(self) -> Counted:
        self.pieces = self.sent = self.received = 0
        self.start = 0.0
        self.real = Connection.__init__, Connection.call, Connection.result
        connect, call, get = self.real

        def begin(connection: Connection, *arguments: Any) -> None:
            begun = time.perf_counter()
            connect(connection, *arguments)
            self.start += time.perf_counter() - begun

        def send(connection: Connection, process: Any, function: str, message: Any) -> Any:
            self.pieces += 1
            self.sent += len(message)
            return call(connection, process, function, message)

        def receive(connection: Connection, reference: Any) -> Any:
            found = get(connection, reference)
            self.received += len(found)
            return found

        changed: Any = Connection
        changed.__init__, changed.call, changed.result = begin, send, receive
        return self

    def __exit__(self, *_: object) -> None:
        changed: Any = Connection
        changed.__init__, changed.call, changed.result = self.real


def measured(deal: Deal, options: Options, limits: Limits) -> Measured:
    """Run a proof."""
    processors = Processors()
    before = processors.total()
    processors.start()
    driver = time.process_time()
    begun = time.perf_counter()
    with Counted() as counted, closing(session.run(Question.PROVE, deal, options, limits)) as steps:
        result = follow(steps)
    seconds = time.perf_counter() - begun
    processors.over.set()
    processors.join()
    return Measured(
        result,
        seconds - counted.start,
        counted.start,
        processors.total() - before,
        time.process_time() - driver,
        counted.pieces,
        counted.sent,
        counted.received,
    )


def row(name: str, run: Measured) -> list[str]:
    """Return a run as words of a table."""
    states = max(run.result.states + run.result.forced, 1)
    return [
        name,
        f"{run.result.states:,}",
        f"{run.seconds:.1f}",
        f"{run.start:.1f}",
        f"{run.processor:.1f}",
        f"{run.driver:.1f}",
        f"{run.pieces:,}",
        f"{run.sent / states:.1f}",
        f"{run.received / states:.1f}",
    ]


HEAD = [
    "by",
    "states",
    "seconds",
    "start",
    "processor s",
    "driver",
    "orders",
    "sent B/state",
    "received",
]


def main() -> int:
    """Measure, and say whether all runs have found the same."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("deal", type=int)
    parser.add_argument("--freecells", type=int, default=4)
    parser.add_argument("--every-position", action="store_true")
    parser.add_argument("--memory", type=parse_size)
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    deal = Deal.from_number(given.deal, rules_for("freecell", given.freecells))
    method = Method.EVERY_POSITION if given.every_position else Method.DOMINATING
    print("| " + " | ".join(HEAD) + " |" if given.markdown else "  ".join(HEAD))
    if given.markdown:
        print("|" + "---|" * len(HEAD))
    found = set()
    for _ in range(given.repeat):
        for name, address in (("threads", None), ("cluster", LOCAL)):
            with TemporaryDirectory(dir=given.stores) as folder:
                store = Path(folder) / "store" if given.stores else None
                options = Options(method=method, cluster=address, store=store)
                run = measured(deal, options, Limits(memory=given.memory))
            found.add((run.result.verdict, run.result.states, run.result.digest))
            words = row(name, run)
            print(
                "| " + " | ".join(words) + " |" if given.markdown else "  ".join(words), flush=True
            )
    return int(len(found) != 1)


if __name__ == "__main__":
    sys.exit(main())
