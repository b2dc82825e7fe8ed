"""The page to play on, for tests: its games, its server as an application and as a program."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
from starlette.types import ASGIApp

from dbmsolver.game.shipped import GAMES
from dbmsolver.play.analyst import Analyst
from dbmsolver.play.guard import Guard
from dbmsolver.play.server import PlayServer, application, door
from dbmsolver.play.worker_pool import WorkerPool, WorkerShare

PLAYED = {name: rules for name, rules in GAMES.items() if not (rules.has_pairs or rules.is_wide)}
"""The games that the page has."""
SECRET = "a-secret"
PORT = 5252
HOST = f"127.0.0.1:{PORT}"
SMALL = WorkerShare(1, 512 << 20, 2)
"""One process for all."""

Answer = TypeVar("Answer")
FIRST = {"deal": {"game": "freecell", "number": 3}}


def finished(work: Coroutine[Any, Any, Answer]) -> Answer:
    """Return what some work comes to, done in a thread: that of the tests may be the browser's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class Site:
    """The server as an application, and a client of it."""

    def __init__(self, share: WorkerShare = SMALL, seconds: float = 20) -> None:
        self.analyst = Analyst(WorkerPool(share), seconds)
        self.app: ASGIApp = Guard(
            application(PlayServer(self.analyst, FIRST)), door, SECRET, {"127.0.0.1"}, PORT
        )

    @asynccontextmanager
    async def client(self, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(
            transport=transport, base_url=f"http://{HOST}", headers=headers
        ) as client:
            yield client

    async def close(self) -> None:
        await self.analyst.close()
        await self.analyst.workers.close()


def with_site(work: Callable[[Site, httpx.AsyncClient], Awaitable[Answer]]) -> Answer:
    """Return what some work with a server comes to; its processes have ended then."""

    async def run() -> Answer:
        site = Site()
        try:
            async with site.client() as client:
                return await work(site, client)
        finally:
            await site.close()

    return finished(run())


def asked(what: str, **given: Any) -> tuple[int, Any]:
    """Return the status and the answer of one question."""

    async def work(_: Site, client: httpx.AsyncClient) -> tuple[int, Any]:
        answer = await client.post(f"/{SECRET}/{what}", json=given)
        return answer.status_code, answer.json()

    return with_site(work)


def told(text: str) -> list[Any]:
    """Return the events of a stream."""
    return [json.loads(event) for event in re.findall(r"^data: (.*)$", text, re.MULTILINE)]


@contextmanager
def playing(*args: str, browser: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yield the address that the program prints, and its process, which ends by Ctrl-C."""
    shown = ["--no-browser"] if browser is None else []
    # With nohup, tests ignore the signal of a terminal that is closed, and so would the program.
    heard = "import signal; signal.signal(signal.SIGHUP, signal.SIG_DFL)"
    program = f"{heard}; from dbmsolver.__main__ import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "play", *args, *shown, "--port", "0"],
        env=os.environ | ({"BROWSER": str(browser)} if browser else {}),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield process.stdout.readline().strip(), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.wait(20)
        process.stdout.close()
