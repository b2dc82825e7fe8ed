"""The server of the page: the requests that it may send, and the answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from dbmsolver.errors import DbmError, InputError, UsageError
from dbmsolver.game.deals import MAX_BOARD_BYTES, Deal
from dbmsolver.notation.addresses import deal_name
from dbmsolver.play.analyst import MOST_LONGER, Analyst
from dbmsolver.play.codes import code_of, read_line, read_tree
from dbmsolver.play.dealer import new_deal
from dbmsolver.play.exports import export_game, join_runs
from dbmsolver.play.page import door_page, play_page
from dbmsolver.play.table import MOST_MOVES, PositionCache, deal_of, heading, node

MOST_BYTES = 2 * MAX_BOARD_BYTES
"""The longest body of a request: a board and a game."""

_MOVES_AT_ONCE = 50
"""Moves that are played before other requests get a turn."""

Answer = dict[str, Any]
RequestData = Mapping[str, Any]


class TooLongError(InputError):
    """A body that is longer than anything that the page sends."""


async def read_request(request: Request) -> RequestData:
    """Return the JSON object in the body of a request; InputError for another body."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise UsageError("expected application/json")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise TooLongError(f"more than {MOST_BYTES} bytes")
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("not JSON, expected an object") from None
    if not isinstance(value, dict):
        raise InputError("no object, expected one")
    return value


def _text(request_data: RequestData, name: str) -> str:
    """Return a text of a request; empty if the request does not have it."""
    value = request_data.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{name}: expected text")
    return value


def _failure(error: DbmError) -> Response:
    status = 413 if isinstance(error, TooLongError) else 400
    return JSONResponse({"error": str(error)}, status)


class PlayServer:
    """The answers to the page's requests; all pages share the analyst and the positions."""

    def __init__(self, analyst: Analyst, first: Answer) -> None:
        self.analyst = analyst
        self.table = PositionCache()
        self.ending = asyncio.Event()
        """Set when the server is to end: streams of events and requests that wait end then."""
        self._first = first

    async def page(self, request: Request) -> Response:
        """Send the page itself."""
        return HTMLResponse(*play_page(self._first))

    async def deal(self, request_data: RequestData) -> Answer:
        """Return a new deal."""
        deal, line = await new_deal(request_data, self.analyst)
        return await self.opened(deal, line)

    async def open(self, request_data: RequestData) -> Answer:
        """Return the game that the page's address holds, with all its branches."""
        return await self.opened(deal_of(request_data.get("deal")), _text(request_data, "tree"))

    async def opened(self, deal: Deal, tree: str) -> Answer:
        """Return a deal and the positions of a tree of moves, in the order of its text."""
        deal.position.validate(deal.rules)
        branches = read_tree(tree)
        if len(branches) > MOST_MOVES:
            raise InputError(f"{len(branches)} moves, expected at most {MOST_MOVES}")
        positions, lines, depths = [deal.position], [""], [0]
        nodes = [node(deal.position, deal.rules)]
        for number, (parent, step) in enumerate(branches):
            line = lines[parent] + code_of(step)
            after = self.table.after(deal, positions[parent], line, step, depths[parent])
            positions.append(after)
            lines.append(line)
            depths.append(depths[parent] + 1)
            nodes.append({**node(after, deal.rules), "parent": parent, "move": code_of(step)})
            if number % _MOVES_AT_ONCE == 0:
                await asyncio.sleep(0)
        return {"deal": deal_name(deal), **heading(deal), "nodes": nodes}

    async def play(self, request_data: RequestData) -> Answer:
        """Return the positions after more moves of a game."""
        deal, line = deal_of(request_data.get("deal")), _text(request_data, "line")
        position = self.table.positions(deal, line)[-1]
        played = read_line(line)
        nodes = []
        more = _text(request_data, "moves")
        if request_data.get("together"):
            more = join_runs(Deal(position, deal.rules), more)
        for number, step in enumerate(read_line(more)):
            line += code_of(step)
            position = self.table.after(deal, position, line, step, len(played) + number)
            nodes.append({**node(position, deal.rules), "move": code_of(step)})
            if number % _MOVES_AT_ONCE == 0:
                await asyncio.sleep(0)
        return {"nodes": nodes}

    async def export(self, request_data: RequestData) -> Answer:
        """Return a game as a file of a format."""
        deal = deal_of(request_data.get("deal"))
        text, name = export_game(deal, _text(request_data, "line"), request_data.get("format"))
        return {"text": text, "name": name}

    async def analyse(self, request: Request) -> Response:
        """Return a stream of reports about a position."""
        try:
            request_data = await read_request(request)
            deal = deal_of(request_data.get("deal"))
            line = self.table.positions(deal, _text(request_data, "line"))
            longer = request_data.get("longer", 0)
            if not isinstance(longer, int) or not 0 <= longer <= MOST_LONGER:
                raise UsageError(f"longer: expected a number from 0 to {MOST_LONGER}")
        except DbmError as error:
            return _failure(error)
        return EventStream(self.analyst.reports(deal.rules, line, longer), self.ending)


class EventStream(Response):
    """A stream of events for a page; when the page leaves, their generator is closed."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[Answer], ending: asyncio.Event) -> None:
        self.events = events
        self.ending = ending
        super().__init__()
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until there are no more, the page leaves, or the server ends."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        pump = asyncio.create_task(self._pump(send))
        disconnected = asyncio.create_task(_disconnected(receive))
        ending = asyncio.create_task(self.ending.wait())
        await _until_one_ends(pump, disconnected, ending)
        if self.ending.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pump(self, send: Send) -> None:
        async with aclosing(self.events) as events:  # type: ignore[type-var]
            async for event in events:
                data = json.dumps(event, separators=(",", ":"))
                body = f"data: {data}\n\n".encode()
                await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    """Wait until the page has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _until_one_ends(*tasks: asyncio.Task[Any]) -> None:
    """Wait until one of the tasks has ended, and cancel the others."""
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _posted(
    answer: Callable[[RequestData], Coroutine[Any, Any, Answer]], path: str, end: asyncio.Event
) -> Route:
    """Return the route of a POST request whose body and answer are JSON objects.

    When `end` is set, as the server ends, open requests are answered at once: with 503.
    """

    async def endpoint(request: Request) -> Response:
        try:
            work = asyncio.create_task(answer(await read_request(request)))
            await _until_one_ends(work, asyncio.create_task(end.wait()))
            if work.cancelled():
                return JSONResponse({"error": "the server ends"}, 503)
            return JSONResponse(work.result())
        except DbmError as error:
            return _failure(error)
        except ClientDisconnect:
            return Response(status_code=400)

    return Route(path, endpoint, methods=["POST"])


def application(room: PlayServer) -> Starlette:
    """Return the application behind the secret."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await room.analyst.workers.begin()
        try:
            yield
        finally:
            await room.analyst.close()
            await room.analyst.workers.close()

    routes = [
        Route("/", room.page, methods=["GET"]),
        _posted(room.deal, "/deal", room.ending),
        _posted(room.open, "/open", room.ending),
        _posted(room.play, "/play", room.ending),
        _posted(room.export, "/export", room.ending),
        Route("/analyse", room.analyse, methods=["POST"]),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


async def door(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer at `/` with the page that leads browsers that know the secret to the game."""
    if scope["method"] not in ("GET", "HEAD"):
        await Response(status_code=405)(scope, receive, send)
        return
    await HTMLResponse(*door_page())(scope, receive, send)
