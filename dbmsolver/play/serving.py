"""The server as a program runs it: its socket, its address, and its end."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import uvicorn

from dbmsolver.errors import UsageError
from dbmsolver.notation.addresses import PORT
from dbmsolver.play.analyst import Analyst
from dbmsolver.play.guard import Guard
from dbmsolver.play.server import PlayServer, application, door
from dbmsolver.play.worker_pool import WorkerPool, WorkerShare

_LOCAL_NAMES = ("127.0.0.1", "localhost", "::1")
_CONNECTIONS = 400
"""Connections at once; more are refused until some have ended."""
_HANG_UP = getattr(signal, "SIGHUP", None)
"""The signal of a terminal that is closed; some systems have none."""
_SECONDS_TO_END = 3
"""Seconds that requests have at the end of the server; then they are cancelled."""


@dataclass(frozen=True, slots=True)
class Serving:
    """Options of the server: its address, and memory and time for analysis."""

    host: str
    port: int | None
    """None for the usual one, or any other if that is in use."""
    memory: int
    seconds: float

    def listen(self) -> socket.socket:
        """Bind and return the socket; UsageError for an address or port that cannot be had."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        for port in (PORT, 0) if self.port is None else (self.port,):
            bound = socket.socket(family, socket.SOCK_STREAM)
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                bound.bind((self.host, port))
                bound.listen(128)
            except OSError as error:
                bound.close()
                last = error
                continue
            return bound
        what = f"{self.host}, port {self.port or PORT}"
        raise UsageError(f"{what} cannot be used ({last.strerror or last})")


def address_of(bound: socket.socket, secret: str) -> str:
    """Return the address of the page."""
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/{secret}/"


def _is_shown(record: logging.LogRecord) -> bool:
    """Return False for a log message of a cancelled request: no error while the server ends."""
    cancelled = record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cancelled and not record.getMessage().startswith("Cancel ")


def serve(serving: Serving, first: dict[str, Any], opened: Callable[[str], None]) -> None:
    """Serve until the process is asked to end; call `opened` with the address.

    `first` is the deal with which the page opens, as a request of the page has it. Where `opened`
    raises an OSError, the server ends, and the error is raised again.
    """
    bound = serving.listen()
    secret = secrets.token_urlsafe(18)
    share = WorkerShare.of(serving.memory, len(os.sched_getaffinity(0)))
    analyst = Analyst(WorkerPool(share), serving.seconds)
    names = {serving.host}
    if serving.host in _LOCAL_NAMES:
        names |= {*_LOCAL_NAMES}
    if serving.host in ("0.0.0.0", "::"):
        names |= {socket.gethostname(), *_LOCAL_NAMES}
    server = PlayServer(analyst, first)
    app = Guard(application(server), door, secret, names, bound.getsockname()[1])
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_SECONDS_TO_END,
        ws="none",
    )

    failed: list[OSError] = []

    class Server(uvicorn.Server):
        """A server that calls `opened` when it is ready, and ends streams of events at its end."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if _HANG_UP is not None and signal.getsignal(_HANG_UP) != signal.SIG_IGN:
                loop = asyncio.get_running_loop()
                loop.add_signal_handler(_HANG_UP, self.handle_exit, _HANG_UP, None)
            try:
                opened(address_of(bound, secret))
            except OSError as error:
                failed.append(error)
                # Once it serves it ends as by a signal, without a word about what it breaks off.
                asyncio.get_running_loop().call_soon(self._end)

        def _end(self) -> None:
            self.should_exit = True

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            server.ending.set()
            logging.getLogger("uvicorn.error").addFilter(_is_shown)
            await super().shutdown(sockets)

    try:
        Server(config).run([bound])
    except KeyboardInterrupt:
        pass  # the usual way to end it
    finally:
        bound.close()
    if failed:
        raise failed[0]
