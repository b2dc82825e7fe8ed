"""The processes that search for the page: so many, with so much memory, whoever asks.

A task has a process of its own. When it is cancelled, the process is asked to end it, and killed if
it has not done so at once; the place is free for another when that is certain. Each process keeps
its files in a folder of its own, which is removed with it. A process that takes more memory than
its share is killed.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbmsolver.errors import SystemRefusedError
from dbmsolver.play.worker import serve
from dbmsolver.programs import python_command

LEAST_MEMORY = 512 << 20
"""The least that --memory can be: compiling kernels takes some 300 MiB."""
USUAL_MEMORY = 1 << 30

_SERVER = 128 << 20
"""Bytes for the server itself, and for what it remembers."""
_WORKER = 384 << 20
"""The least memory of a process."""
_RESTS = 128 << 20
"""The memory that a resting process may hold; one with more is replaced."""
_GRACE = 0.25
"""Seconds that a process has to end a task before it is killed."""
_LOOK = 0.1
"""Seconds between two looks at the memory of a process."""
_LONGEST_LINE = 1 << 22

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Share:
    """The number of processes, and the share of each."""

    workers: int
    memory: int
    threads: int

    @classmethod
    def of(cls, memory: int, processors: int) -> Share:
        """Divide memory and processors."""
        workers = max(1, min(processors, (memory - _SERVER) // _WORKER))
        return cls(workers, (memory - _SERVER) // workers, max(1, processors // workers))

    @property
    def searched(self) -> int:
        """Bytes of memory that a search is told to keep within."""
        return self.memory // 4 * 3

    @property
    def disk(self) -> int:
        """Bytes of files that a search may write: they may lie in memory, too."""
        return self.memory // 4


class WorkerLostError(SystemRefusedError):
    """A process that ended in the middle of a task, or took too much memory."""


class _Process:
    """A process, and its folder."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.process = process
        self.folder = folder

    @classmethod
    async def start(cls, base: Path) -> _Process:
        folder = Path(tempfile.mkdtemp(dir=base))
        process = await asyncio.create_subprocess_exec(
            *python_command(serve),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(folder), "OPENBLAS_NUM_THREADS": "1"},
            limit=_LONGEST_LINE,
            start_new_session=True,  # Ctrl-C is for the server
        )
        return cls(process, folder)

    def say(self, said: Any) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(json.dumps(said).encode() + b"\n")

    async def hear(self) -> Answer:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            raise WorkerLostError("a search ended before its end")
        answer: Answer = json.loads(line)
        return answer

    def memory(self) -> int:
        """Return its anonymous memory in bytes, 0 when it has ended."""
        with suppress(OSError, ValueError):
            text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
            for line in text.splitlines():
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) << 10
        return 0

    def kill(self) -> None:
        """End it, and whatever it has started."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    async def bury(self) -> None:
        """Wait until it has ended, and remove its files."""
        self.kill()
        await self.process.wait()
        transport = getattr(self.process, "_transport", None)
        if transport is not None:
            transport.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Workers:
    """The processes; tasks wait for one of them."""

    def __init__(self, share: Share) -> None:
        self.share = share
        self.waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self.base = Path(tempfile.mkdtemp(prefix="dbmsolver-play-"))
        self._free = share.workers
        self._tickets = itertools.count()
        self.idle: list[_Process] = []
        self.busy: set[_Process] = set()
        self._all: set[_Process] = set()
        self._cleaning: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Start the first process before it is needed."""
        self.idle.append(await self._start())

    async def close(self) -> None:
        """End all processes, and remove their files."""
        for task in tuple(self._cleaning):
            task.cancel()
        await asyncio.gather(*self._cleaning, return_exceptions=True)
        for process in tuple(self._all):
            await process.bury()
        self._all.clear()
        shutil.rmtree(self.base, ignore_errors=True)

    def memory(self) -> int:
        """Return the memory of all processes in bytes."""
        return sum(process.memory() for process in self._all)

    async def run(
        self, task: dict[str, Any], heard: Callable[[Answer], None], rank: float = 0
    ) -> None:
        """Have a task done, and tell each thing that is found out.

        Tasks of a lower rank come first. Raises WorkerLostError where the process ends, or takes
        too much memory. When this is cancelled, so is the task, for certain.
        """
        await self._turn(rank)
        process: _Process | None = None
        try:
            process = self.idle.pop() if self.idle else await self._start()
            self.busy.add(process)
            share = self.share
            given = {"threads": share.threads, "memory": share.searched, "disk": share.disk}
            process.say(given | task)
            await self._follow(process, heard)
        except asyncio.CancelledError:
            self._later(self._give_back(process, cancelled=True))
            raise
        except BaseException:
            self._later(self._replace(process))
            raise
        self._later(self._give_back(process, cancelled=False))

    async def _turn(self, rank: float) -> None:
        """Wait until a process may be used."""
        if self._free > 0 and not self.waiting:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self.waiting, (rank, next(self._tickets), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release(None)
            raise

    def _release(self, process: _Process | None) -> None:
        """Let the next one have its turn."""
        if process is not None:
            self.busy.discard(process)
        while self.waiting:
            turn = heapq.heappop(self.waiting)[2]
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    async def _start(self) -> _Process:
        process = await _Process.start(self.base)
        self._all.add(process)
        return process

    async def _follow(self, process: _Process, heard: Callable[[Answer], None]) -> None:
        """Hear what a process says until its task is done, and look at its memory."""
        watch = asyncio.create_task(self._watch(process))
        try:
            while True:
                answer = await process.hear()
                if "done" in answer:
                    return
                if "ready" not in answer:
                    heard(answer)
        finally:
            watch.cancel()

    async def _watch(self, process: _Process) -> None:
        """Kill a process that takes too much."""
        while True:
            await asyncio.sleep(_LOOK)
            if process.memory() > self.share.memory:
                process.kill()

    def _later(self, work: Any) -> None:
        """Do something whatever becomes of who asked for it."""
        task = asyncio.create_task(work)
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)

    async def _give_back(self, process: _Process | None, cancelled: bool) -> None:
        """Let the next task have the process, or another one in its place."""
        if process is None:
            self._release(None)
            return
        if cancelled:
            process.say("cancel")
            try:
                await asyncio.wait_for(self._follow(process, lambda _: None), _GRACE)
            except (TimeoutError, WorkerLostError):
                await self._replace(process)
                return
        if process.memory() > _RESTS:
            await self._replace(process)
            return
        self.idle.append(process)
        self._release(process)

    async def _replace(self, process: _Process | None) -> None:
        """End a process, for certain, and start another one."""
        try:
            if process is not None:
                self._all.discard(process)
                await process.bury()
            self.idle.append(await self._start())
        finally:
            self._release(process)
