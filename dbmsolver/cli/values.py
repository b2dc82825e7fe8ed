"""The kinds of values that options and arguments of commands have, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.rules import GAMES

LEAST_MEMORY = 64 << 20
"""The least that --memory can be: with less there is nothing left to share out."""

MOST_THREADS = 256
"""The most that --threads can be: each takes memory, and more than processors gain nothing."""

MOST_DIGITS = 18

_SIZES = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def parse_size(text: str) -> int:
    """Bytes: `2G`, `500M`, `1.5GiB` or a plain number; units are powers of 1024."""
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,9})?) ?([KMGT]?)(?:I?B)?", text, re.I | re.A)
    size = round(float(match[1]) * 2 ** _SIZES[match[2].upper()]) if match else 0
    if not 0 < size < 2**63:
        raise UsageError(f"{quoted(text)} is no size, expected one like 2G or 500M")
    return size


def parse_duration(text: str) -> float:
    """Seconds: `90`, `1.5h`, `30m` or `2d`."""
    match = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,9})?) ?([smhd]?)", text, re.A)
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not seconds:
        raise UsageError(f"{quoted(text)} is no time, expected one like 90, 30m or 2h")
    return seconds


def parse_memory(text: str) -> int:
    """Bytes of memory: no less than a search needs, no more than there are."""
    from dbmsolver.process import all_memory

    size, most = parse_size(text), all_memory()
    if size < LEAST_MEMORY:
        raise UsageError(f"{quoted(text)} is too little, expected {LEAST_MEMORY >> 20}M or more")
    if size > most:
        raise UsageError(f"{quoted(text)} is more than there is, expected {most >> 20}M or less")
    return size


class Parsed(click.ParamType[Any]):
    """A value that a function of the library's kind reads, with UsageError for what it is not."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name = name
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the value."""
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class DealSource(click.ParamType[str]):
    """A deal as people name it; read later, when its rules are known. Shells complete paths."""

    name = "deal"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell for file names."""
        return [CompletionItem(incomplete, type="file")]


class GameSource(click.ParamType[str]):
    """A game's name, or the path of a file; whether there is one is for the library to say."""

    name = "game"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so; else ask the shell for file names."""
        names = [CompletionItem(name) for name in GAMES if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


class FormatName(click.ParamType[str]):
    """The name of a format; whether there is one is for the library to say. Shells complete."""

    name = "format"

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so."""
        return [CompletionItem(name) for name in self.names if name.startswith(incomplete)]


class StorePath(click.ParamType[str]):
    """The directory of a store; whether there is one is for the library to say. Shells complete."""

    name = "directory"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell for names of directories."""
        return [CompletionItem(incomplete, type="dir")]


class Count(click.IntRange):
    """A number from 1 on, to ``most`` if there is a most."""

    def __init__(self, most: int | None = None) -> None:
        super().__init__(min=1, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        if isinstance(value, str) and len(value) > MOST_DIGITS:
            text = f"{quoted(value)} is no number, expected one of at most {MOST_DIGITS} digits"
            self.fail(text, param, ctx)
        return super().convert(value, param, ctx)


SIZE = Parsed("size", parse_size)
MEMORY = Parsed("size", parse_memory)
DURATION = Parsed("time", parse_duration)
COUNT = Count()
THREADS = Count(MOST_THREADS)


class DealCommand(click.Command):
    """A command with a DEAL, which may be negative: -1 and -2 are deals, not options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move negative numbers to the end, where nothing is taken for an option."""
        takes_value = {
            name
            for parameter in self.get_params(ctx)
            if isinstance(parameter, click.Option) and not parameter.is_flag
            for name in parameter.opts
        }
        end = args.index("--") if "--" in args else len(args)
        others: list[str] = []
        numbers: list[str] = []
        for before, arg in zip(["", *args], args[:end], strict=False):
            is_number = re.fullmatch(r"-[0-9]+", arg) and before not in takes_value
            (numbers if is_number else others).append(arg)
        after = numbers + args[end + 1 :]
        return super().parse_args(ctx, [*others, "--", *after] if after else others)
