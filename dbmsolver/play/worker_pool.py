"""A pool of processes that search for the pages: all pages share their number and memory.

A process runs one task at a time. When a task is cancelled, its process is asked to end the task,
and killed if it does not do so at once; only then the next task begins. Each process keeps its
files in its own folder, which is removed with it. A process that takes more memory than its share
is killed.
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
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbmsolver.errors import SystemRefusedError
from dbmsolver.play.worker import serve
from dbmsolver.programs import python_command
from dbmsolver.temporary import temporary_folder

_SERVER_MEMORY = 128 << 20
"""Bytes for the server itself, and for the positions that it remembers."""
_LEAST_WORKER_MEMORY = 384 << 20
"""The least memory of a process."""
_IDLE_MEMORY = 128 << 20
"""The most memory of an idle process; one with more is replaced."""
_CANCEL_SECONDS = 0.25
"""Seconds that a process has to end a cancelled task before it is killed."""
_WATCH_INTERVAL = 0.1
"""Seconds between two looks at the memory of a process."""
_LONGEST_LINE = 1 << 22

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """The number of processes, and the memory and threads of each."""

    workers: int
    memory: int
    threads: int

    @classmethod
    def of(cls, memory: int, processors: int) -> WorkerShare:
        """Divide memory and processors among processes."""
        workers = max(1, min(processors, (memory - _SERVER_MEMORY) // _LEAST_WORKER_MEMORY))
        return cls(workers, (memory - _SERVER_MEMORY) // workers, max(1, processors // workers))

    @property
    def search_memory(self) -> int:
        """Bytes of memory that a search may use: its limit."""
        return self.memory // 4 * 3

    @property
    def disk_space(self) -> int:
        """Bytes of files that a search may write: they may lie in memory, too."""
        return self.memory // 4


class ProcessLostError(SystemRefusedError):
    """A process ended in the middle of a task, or took too much memory."""


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

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def receive(self) -> Answer:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            raise ProcessLostError("a search ended before its end")
        answer: Answer = json.loads(line)
        return answer

    def memory(self) -> int:
        """Return the anonymous memory of the process in bytes, 0 when it has ended."""
        with suppress(OSError, ValueError):
            text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
            for line in text.splitlines():
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) << 10
        return 0

    def kill(self) -> None:
        """Kill the process, and all that it has started."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    async def wait_for_end(self) -> None:
        """Kill the process, wait until it has ended, and remove its files."""
        self.kill()
        await self.process.wait()
        transport = getattr(self.process, "_transport", None)
        if transport is not None:
            transport.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class WorkerPool:
    """The pool; tasks wait until one of its processes is free."""

    def __init__(self, share: WorkerShare) -> None:
        self.share = share
        self.waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._folder = ExitStack()
        self.base = self._folder.enter_context(temporary_folder())
        self._free = share.workers
        self._tickets = itertools.count()
        self.idle: list[_Process] = []
        self.busy: set[_Process] = set()
        self._all: set[_Process] = set()
        self._starting: set[asyncio.Task[_Process]] = set()
        self._cleaning: set[asyncio.Task[None]] = set()
        self._closed = False

    async def begin(self) -> None:
        """Start the first process before it is needed."""
        self.idle.append(await self._start())

    async def close(self) -> None:
        """End all processes, and remove their files. None starts any more."""
        self._closed = True
        while self._cleaning or self._starting:
            for task in self._cleaning:
                task.cancel()
            await asyncio.gather(*self._cleaning, *self._starting, return_exceptions=True)
        for process in tuple(self._all):
            await process.wait_for_end()
        self._all.clear()
        self._folder.close()

    def memory(self) -> int:
        """Return the memory of all processes in bytes."""
        return sum(process.memory() for process in self._all)

    async def run(
        self, task: dict[str, Any], on_answer: Callable[[Answer], None], rank: float = 0
    ) -> None:
        """Run a task in a process; call `on_answer` with each answer.

        Tasks of a lower rank come first. Raises ProcessLostError if the process ends, or takes too
        much memory. To cancel this cancels the task.
        """
        await self._acquire(rank)
        process: _Process | None = None
        try:
            process = self.idle.pop() if self.idle else await self._start()
            self.busy.add(process)
            share = self.share
            given = {
                "threads": share.threads,
                "memory": share.search_memory,
                "disk": share.disk_space,
            }
            process.send(given | task)
            await self._read_answers(process, on_answer)
        except asyncio.CancelledError:
            self._in_background(self._give_back(process, cancelled=True))
            raise
        except BaseException:
            self._in_background(self._replace(process))
            raise
        self._in_background(self._give_back(process, cancelled=False))

    async def _acquire(self, rank: float) -> None:
        """Wait until this task may use a process."""
        if self._free > 0 and not self.waiting:
            self._free -= 1
            return
        permit = asyncio.get_running_loop().create_future()
        heapq.heappush(self.waiting, (rank, next(self._tickets), permit))
        try:
            await permit
        except asyncio.CancelledError:
            if permit.done() and not permit.cancelled():
                self._release(None)
            raise

    def _release(self, process: _Process | None) -> None:
        """Let the next waiting task use a process."""
        if process is not None:
            self.busy.discard(process)
        while self.waiting:
            permit = heapq.heappop(self.waiting)[2]
            if not permit.done():
                permit.set_result(None)
                return
        self._free += 1

    async def _start(self) -> _Process:
        """Return a new process, or raise ProcessLostError if the pool is closed.

        A start goes on when the task that wants the process is cancelled: asyncio would wait for
        ever for a process that has only some of its pipes. Another task gets the process then.
        """
        if self._closed:
            raise ProcessLostError("the server ends")
        starting = asyncio.create_task(self._started())
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            starting.add_done_callback(self._keep)
            raise

    async def _started(self) -> _Process:
        process = await _Process.start(self.base)
        self._all.add(process)
        return process

    def _keep(self, starting: asyncio.Task[_Process]) -> None:
        """Keep a process that nobody waits for any more; end it if there are too many."""
        if starting.cancelled() or starting.exception() is not None or self._closed:
            return
        process = starting.result()
        if len(self._all) <= self.share.workers:
            self.idle.append(process)
        else:
            self._all.discard(process)
            self._in_background(process.wait_for_end())

    async def _read_answers(self, process: _Process, on_answer: Callable[[Answer], None]) -> None:
        """Read the answers of a process until its task is done, and watch its memory."""
        watch = asyncio.create_task(self._watch(process))
        try:
            while True:
                answer = await process.receive()
                if "done" in answer:
                    return
                if "ready" not in answer:
                    on_answer(answer)
        finally:
            watch.cancel()

    async def _watch(self, process: _Process) -> None:
        """Kill a process when it takes too much memory."""
        while True:
            await asyncio.sleep(_WATCH_INTERVAL)
            if process.memory() > self.share.memory:
                process.kill()

    def _in_background(self, work: Any) -> None:
        """Run a coroutine to its end, even if its caller is cancelled.

        Do nothing once the pool is closed: closing it ends all processes.
        """
        if self._closed:
            work.close()
            return
        task = asyncio.create_task(work)
        self._cleaning.add(task)
        task.add_done_callback(self._cleaning.discard)

    async def _give_back(self, process: _Process | None, cancelled: bool) -> None:
        """Free a process, or another one in its place, for the next task."""
        if process is None:
            self._release(None)
            return
        if cancelled:
            process.send("cancel")
            try:
                await asyncio.wait_for(self._read_answers(process, lambda _: None), _CANCEL_SECONDS)
            except (TimeoutError, ProcessLostError):
                await self._replace(process)
                return
        if process.memory() > _IDLE_MEMORY:
            await self._replace(process)
            return
        self.idle.append(process)
        self._release(process)

    async def _replace(self, process: _Process | None) -> None:
        """Kill a process, and start another one."""
        try:
            if process is not None:
                self._all.discard(process)
                await process.wait_for_end()
            self.idle.append(await self._start())
        finally:
            self._release(process)
