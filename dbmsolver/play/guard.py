"""A guard of the server: only the page that was opened by its secret address may send requests.

Other programs and other sites can send requests to this machine, too. So three things are checked.
The host name of a request must be one that no other site can have taken: an address, or the name
with which the server was started. A request from a page must come from a page of this server. And
everything but the page at `/` has an address that begins with a secret.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
"""Headers of every answer: nobody keeps it, shows it in a frame, or learns the address from it."""

MISSING = "Nothing is here. Open the address that dbmsolver play has printed.\n"


class Guard:
    """An application that passes allowed requests on, without the secret in their path.

    `names` are the host names of the server; `door` answers at `/`, without a secret.
    """

    def __init__(
        self, app: ASGIApp, door: ASGIApp, secret: str, names: Collection[str], port: int
    ) -> None:
        self._app = app
        self._door = door
        self._secret = secret
        self._names = {name.lower() for name in names}
        self._port = port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no request: the connection is closed

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = self._target(scope)
        await app(scope, receive, guarded)

    def _target(self, scope: Scope) -> ASGIApp:
        """Return the application that answers a request; remove the secret from its path."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return PlainTextResponse("This server has another name.\n", 421)
        origins = headers.getlist("origin")
        if any(origin != f"http://{hosts[0]}" for origin in origins):
            return PlainTextResponse("Another site asks: refused.\n", 403)
        path: str = scope["path"]
        if path == "/":
            return self._door
        first, _, rest = path[1:].partition("/")
        if not hmac.compare_digest(first.encode(), self._secret.encode()):
            return PlainTextResponse(MISSING, 404)
        scope["path"] = f"/{rest}"
        scope["raw_path"] = scope["path"].encode()
        return self._app

    def _is_own(self, host: str) -> bool:
        """Return True if a host name and port are this server's own."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if port != self._port or parts.username is not None or parts.path:
            return False
        if name in self._names:
            return True
        if not self._names & {"0.0.0.0", "::"}:
            return False
        try:  # open to others: any address of this machine
            ip_address(name)
        except ValueError:
            return False
        return True
