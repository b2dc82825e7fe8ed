"""The program that serves the page: how it begins, what it refuses, how it ends."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from helpers.command import run
from helpers.playing import FIRST, playing, told


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, and that still run."""
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    ).stdout
    return [int(word) for word in found.split()]


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGHUP, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)],
)
def test_serves_a_page_and_ends_by_a_signal(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    with playing("3") as (address, process):
        assert re.fullmatch(r"http://127\.0\.0\.1:[0-9]+/[\w-]{20,}/", address)
        page = httpx.get(address)
        assert page.status_code == 200
        assert '"number":3' in page.text
        origin = address[: address.index("/", 8)]
        assert httpx.get(f"{origin}/").status_code == 200
        assert httpx.get(f"{origin}/x/").status_code == 404
        with httpx.stream("POST", f"{address}analyse", json=FIRST | {"line": ""}) as events:
            first = told(next(events.iter_text()))
            assert first[0]["value"][0] in ("undecided", "solved")
            started = children(process.pid)
            assert started
            process.send_signal(number)
            assert process.wait(20) == 0
    assert capfd.readouterr().err == ""
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


def test_an_address_that_cannot_be_printed_ends_it_in_a_line() -> None:
    command = [sys.executable, "-m", "dbmsolver", "play", "3", "--no-browser", "--port", "0"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 5
    assert done.stderr == (
        "dbmsolver: standard output: cannot be written (No space left on device)\n"
    )


def test_who_waits_for_a_deal_is_told_of_the_end(capfd: pytest.CaptureFixture[str]) -> None:
    with playing("3") as (address, process):
        place = urlsplit(address)
        waiting = HTTPConnection(place.netloc, timeout=60)
        wanted = json.dumps({"game": "freecell", "kind": "hard"})
        waiting.request("POST", f"{place.path}deal", wanted, {"Content-Type": "application/json"})
        with httpx.stream("POST", f"{address}analyse", json=FIRST | {"line": ""}) as events:
            next(events.iter_text())  # what was asked before is under way
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
        answer = waiting.getresponse()
        assert (answer.status, json.load(answer)) == (503, {"error": "the server ends"})
    assert capfd.readouterr().err == ""


def test_a_server_that_is_killed_leaves_nothing_that_runs() -> None:
    with playing("3") as (address, process):
        assert httpx.get(address).status_code == 200
        started = children(process.pid)
        process.kill()
        process.wait()
    for pid in started:
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        assert select.select([handle], [], [], 20)[0], pid
        os.close(handle)


def test_a_board_and_other_rules(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(run("deal", 5, "--game", "klondike").stdout)
    with playing(str(board), "--game", "klondike") as (address, _):
        assert "Stock: " in httpx.get(address).text
    with playing("3", "--freecells", "2") as (address, _):
        assert '"freecells":2' in httpx.get(address).text


def test_opens_the_browser(tmp_path: Path) -> None:
    """Also one that does not return: the page is there for it."""
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    os.mkfifo(seen)
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\nexec cat {seen} > /dev/null\n')
    browser.chmod(0o755)
    with playing("3", browser=browser) as (address, _):
        with seen.open() as line:
            assert line.readline().strip() == address
        assert httpx.get(address).status_code == 200
        with seen.open("w") as end:
            end.write("it may end")


def test_a_deal_by_chance() -> None:
    with playing("--game", "golf") as (address, _):
        assert re.search(r'"game":"golf","number":[0-9]+', httpx.get(address).text)


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("no-such-file",), 3, "no-such-file"),
        (("3", "--game", "nothing"), 2, "unknown game"),
        (("3", "--memory", "100M"), 2, "512M"),
        (("3", "--port", "70000"), 2, "70000"),
        (("3", "--max-time", "long"), 2, "long"),
        (("3", "--host", "203.0.113.7", "--no-browser"), 2, "cannot be used"),
        (("0",), 3, "no such number"),
        (("5", "--numbers", "ksolve"), 3, "a deck of Klondike"),
        (("--numbers", "ksolve"), 2, "--numbers ksolve says nothing without DEAL"),
        (("3", "--rows"), 2, "rows says nothing about a number"),
    ],
)
def test_what_it_refuses(args: tuple[str, ...], code: int, said: str) -> None:
    result = run("play", *args)
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_port_that_is_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("play", 3, "--no-browser", "--port", port)
    assert result.exit_code == 2
    assert f"port {port} cannot be used" in result.stderr


def test_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dbmsolver.cli.commands.play.PARTS", ("no_such_part",))
    result = run("play", 3)
    assert result.exit_code == 2
    assert "pip install 'dbmsolver[play]'" in result.stderr
