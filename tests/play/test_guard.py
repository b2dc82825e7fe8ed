"""The guard of the server: nobody asks it without its secret, and no other site with it."""

from __future__ import annotations

import re

import httpx
import pytest
from helpers.playing import HOST, PORT, SECRET, Site, with_site

from dbmsolver.play.guard import Guard
from dbmsolver.play.server import MOST_BYTES, door

OPEN = f"/{SECRET}/open"
DEAL = {"deal": {"game": "freecell", "number": 3}}


def status(method: str = "POST", path: str = OPEN, **headers: str) -> int:
    async def work(_: Site, client: httpx.AsyncClient) -> int:
        answer = await client.request(method, path, json=DEAL, headers=headers)
        return answer.status_code

    return with_site(work)


def test_comes_in_with_the_secret() -> None:
    assert status() == 200
    assert status(origin=f"http://{HOST}") == 200
    assert status("GET", f"/{SECRET}/") == 200


@pytest.mark.parametrize(
    "path",
    ["/open", "/x/open", f"/{SECRET}x/open", f"/{SECRET[:-1]}/open", "/é/open", "/x/"],
)
def test_nothing_is_there_without_the_secret(path: str) -> None:
    assert status(path=path) == 404
    assert status("GET", path) == 404


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", "localhost:5252"),
        *("[::1]:5252", "127.0.0.1:5252.evil.example", "x@127.0.0.1:5252", "127.0.0.1:99999", ""),
        f"{HOST}/x",
    ],
)
def test_another_name_is_refused(host: str) -> None:
    """A site whose name leads to this machine is still another site."""
    assert status(host=host) == 421
    assert status("GET", f"/{SECRET}/", host=host) == 421
    assert status("GET", "/", host=host) == 421


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", f"https://{HOST}", "http://127.0.0.1", f"http://{HOST}/x"],
)
def test_another_site_is_refused(origin: str) -> None:
    assert status(origin=origin) == 403


def test_an_open_server_goes_by_any_number_but_by_no_foreign_name() -> None:
    for names, host, allowed in (
        ({"0.0.0.0"}, "192.168.1.7:5252", True),
        ({"0.0.0.0"}, "evil.example:5252", False),
        ({"0.0.0.0"}, "192.168.1.7:80", False),
        ({"192.168.1.7"}, "192.168.1.7:5252", True),
        ({"192.168.1.7"}, "192.168.1.8:5252", False),
        ({"::", "mine"}, "[fe80::1]:5252", True),
        ({"::", "mine"}, "MINE:5252", True),
    ):
        guard = Guard(door, door, SECRET, names, PORT)
        assert guard._is_own(host) == allowed, (names, host)
    usual = Guard(door, door, SECRET, {"127.0.0.1"}, 80)  # which a browser does not name
    assert usual._is_own("127.0.0.1") and not usual._is_own(HOST)


def test_a_form_of_another_site_is_no_question() -> None:
    async def work(_: Site, client: httpx.AsyncClient) -> list[int]:
        body = b'{"deal": {"game": "freecell", "number": 3}}'
        kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
        answers = [
            await client.post(OPEN, content=body, headers={"content-type": kind}) for kind in kinds
        ]
        return [answer.status_code for answer in answers]

    assert with_site(work) == [400, 400, 400]


def test_bodies_are_bounded() -> None:
    async def work(_: Site, client: httpx.AsyncClient) -> tuple[int, int]:
        read = 0

        async def endless():  # type: ignore[no-untyped-def]
            nonlocal read
            while True:
                read += 1 << 16
                yield b" " * (1 << 16)

        kind = {"content-type": "application/json"}
        answer = await client.post(OPEN, content=endless(), headers=kind)
        return answer.status_code, read

    code, read = with_site(work)
    assert code == 413
    assert read <= MOST_BYTES + (1 << 18)


def test_the_page_asks_nobody_else() -> None:
    async def work(_: Site, client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await client.get(path) for path in (f"/{SECRET}/", "/", "/nothing/")]

    answers = with_site(work)
    for answer in answers:
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        for kind in ("opener", "resource"):
            assert answer.headers[f"cross-origin-{kind}-policy"] == "same-origin"
        assert SECRET not in answer.text
    for answer in answers[:2]:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "connect-src 'self'" in policy
        assert "unsafe" not in policy
        assert not re.search(r"@import|url\(|\bsrc\s*=|https?://", answer.text)
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", answer.text
        )
        assert not re.search(r"\son\w+\s*=|\sstyle\s*=", answer.text.partition("<script>")[0])


def test_only_what_is_asked_for_is_there() -> None:
    assert status("GET") == 405
    assert status("DELETE") == 405
    assert status(path=f"/{SECRET}/nothing") == 404
    assert status(path=f"/{SECRET}/../open") == 404
    assert status("POST", "/") == 405


def test_a_request_for_two_names_is_refused() -> None:
    """Another program may heed either of them."""

    async def work(_: Site, client: httpx.AsyncClient) -> int:
        names = [("host", HOST), ("host", "evil.example")]
        return (await client.get("/", headers=names)).status_code

    assert with_site(work) == 421
