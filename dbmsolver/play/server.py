"""The server of the page: what it may ask, and the answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
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
from dbmsolver.play.exports import together, written
from dbmsolver.play.page import door_page, play_page
from dbmsolver.play.table import MOST_MOVES, Table, deal_of, heading, node

MOST_BYTES = 2 * MAX_BOARD_BYTES
"""The longest body of a request: a board and a game."""

_BREATH = 50
"""Moves that are played before others are answered, too."""

Answer = dict[str, Any]
Asked = Mapping[str, Any]


class TooLongError(InputError):
    """A body that is longer than anything that the page sends."""


async def asked_of(request: Request) -> Asked:
    """Return the JSON object in the body of a request; InputError for what is none."""
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


def _text(asked: Asked, name: str) -> str:
    """Return a text of a request, empty where there is none."""
    value = asked.get(name, "")
    if not isinstance(value, str):
        raise UsageError(f"{name}: expected text")
    return value


def _failure(error: DbmError) -> Response:
    status = 413 if isinstance(error, TooLongError) else 400
    return JSONResponse({"error": str(error)}, status)


class Room:
    """The table and the analyst, which all pages share."""

    def __init__(self, analyst: Analyst, first: Answer) -> None:
        self.analyst = analyst
        self.table = Table()
        self.over = asyncio.Event()
        """Set when the server is to end: no page is told anything more."""
        self._first = first

    async def page(self, request: Request) -> Response:
        """Send the page itself."""
        return HTMLResponse(*play_page(self._first))

    async def deal(self, asked: Asked) -> Answer:
        """Deal anew."""
        deal, line = await new_deal(asked, self.analyst)
        return await self.opened(deal, line)

    async def open(self, asked: Asked) -> Answer:
        """Set up a game that the page's address holds, with all its branches."""
        return await self.opened(deal_of(asked.get("deal")), _text(asked, "tree"))

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
            if number % _BREATH == 0:
                await asyncio.sleep(0)
        return {"deal": deal_name(deal), **heading(deal), "nodes": nodes}

    async def play(self, asked: Asked) -> Answer:
        """Play moves that follow each other behind those of a game."""
        deal, line = deal_of(asked.get("deal")), _text(asked, "line")
        position = self.table.positions(deal, line)[-1]
        played = read_line(line)
        nodes = []
        more = _text(asked, "moves")
        if asked.get("together"):
            more = together(Deal(position, deal.rules), more)
        for number, step in enumerate(read_line(more)):
            line += code_of(step)
            position = self.table.after(deal, position, line, step, len(played) + number)
            nodes.append({**node(position, deal.rules), "move": code_of(step)})
            if number % _BREATH == 0:
                await asyncio.sleep(0)
        return {"nodes": nodes}

    async def export(self, asked: Asked) -> Answer:
        """Write a game as a file of a format."""
        deal = deal_of(asked.get("deal"))
        text, name = written(deal, _text(asked, "line"), asked.get("format"))
        return {"text": text, "name": name}

    async def analyse(self, request: Request) -> Response:
        """Tell what is known of a position, as it grows."""
        try:
            asked = await asked_of(request)
            deal = deal_of(asked.get("deal"))
            line = self.table.positions(deal, _text(asked, "line"))
            longer = asked.get("longer", 0)
            if not isinstance(longer, int) or not 0 <= longer <= MOST_LONGER:
                raise UsageError(f"longer: expected a number from 0 to {MOST_LONGER}")
        except DbmError as error:
            return _failure(error)
        return EventStream(self.analyst.accounts(deal.rules, line, longer), self.over)


class EventStream(Response):
    """Events for a page, as long as it listens: when it leaves, what makes them is closed."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[Answer], over: asyncio.Event) -> None:
        self.events = events
        self.over = over
        super().__init__()
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until there are no more, or nobody listens."""
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        pump = asyncio.create_task(self._pump(send))
        gone = asyncio.create_task(_gone(receive))
        over = asyncio.create_task(self.over.wait())
        tasks = (pump, gone, over)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self.over.is_set():
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _pump(self, send: Send) -> None:
        async with aclosing(self.events) as events:  # type: ignore[type-var]
            async for event in events:
                data = json.dumps(event, separators=(",", ":"))
                body = f"data: {data}\n\n".encode()
                await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    """Return when the other side has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _posted(answer: Callable[[Asked], Awaitable[Answer]], path: str) -> Route:
    """Return the route of a question: a JSON object, answered by one."""

    async def endpoint(request: Request) -> Response:
        try:
            return JSONResponse(await answer(await asked_of(request)))
        except DbmError as error:
            return _failure(error)
        except ClientDisconnect:
            return Response(status_code=400)

    return Route(path, endpoint, methods=["POST"])


def application(room: Room) -> Starlette:
    """Return what stands behind the secret."""

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
        _posted(room.deal, "/deal"),
        _posted(room.open, "/open"),
        _posted(room.play, "/play"),
        _posted(room.export, "/export"),
        Route("/analyse", room.analyse, methods=["POST"]),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


async def door(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer at `/`: the way to the page for browsers that know the secret."""
    if scope["method"] not in ("GET", "HEAD"):
        await Response(status_code=405)(scope, receive, send)
        return
    await HTMLResponse(*door_page())(scope, receive, send)
