"""The kinds of values that options and arguments of commands have, and how each is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from dbmsolver.arguments import MOST_THREADS, parse_duration, parse_size
from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.shipped import games_beginning

if TYPE_CHECKING:
    AnyValue = click.ParamType[Any]
    Text = click.ParamType[str]
else:  # before click 8.4 the class takes no type
    AnyValue = Text = click.ParamType

LEAST_MEMORY = 64 << 20
"""The least that --memory can be: with less there is nothing left to share out."""

MOST_DIGITS = 18
_WHOLE = re.compile(rf"[-+]?[0-9]{{1,{MOST_DIGITS}}}")


def parse_memory(text: str, least: int = LEAST_MEMORY) -> int:
    """Return bytes of memory: no fewer than ``least``, no more than there are."""
    from dbmsolver.process import all_memory

    size, most = parse_size(text), all_memory()
    if size < least:
        raise UsageError(f"{quoted(text)} is too little, expected {least >> 20}M or more")
    if size > most:
        raise UsageError(f"{quoted(text)} is more than there is, expected {most >> 20}M or less")
    return size


class Parsed(AnyValue):
    """A value that a function of the library's kind reads, with UsageError for other text."""

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


class DealSource(Text):
    """A deal as a user names it; read later, when its rules are known. Shells complete paths."""

    name = "deal"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell for file names."""
        return [CompletionItem(incomplete, type="file")]


class GameSource(Text):
    """A game's name, or the path of a file; the library checks it later."""

    name = "game"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so; else ask the shell for file names."""
        names = [CompletionItem(name) for name in games_beginning(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


class FormatName(Text):
    """The name of a format; the library checks it later. Shells complete the names."""

    name = "format"

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the names that begin so."""
        return [CompletionItem(name) for name in self.names if name.startswith(incomplete)]


class StorePath(Text):
    """The directory of a store; the library checks it later. Shells complete directories."""

    name = "directory"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell for names of directories."""
        return [CompletionItem(incomplete, type="dir")]


class Whole(click.IntRange):
    """A whole number from ``least`` to ``most``, in plain digits; no end if there is no most."""

    def __init__(self, least: int, most: int | None = None) -> None:
        super().__init__(min=least, max=most)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read the number."""
        if isinstance(value, str) and not _WHOLE.fullmatch(value):
            text = f"{quoted(value)} is no number, expected one of at most {MOST_DIGITS} digits"
            self.fail(text, param, ctx)
        return super().convert(value, param, ctx)


SIZE = Parsed("size", parse_size)
MEMORY = Parsed("size", parse_memory)
DURATION = Parsed("time", parse_duration)
COUNT = Whole(1)
THREADS = Whole(1, MOST_THREADS)


def may_stand_alone(parameter: click.Option) -> bool:
    """Return True if an option can be given with a value or without."""
    return parameter.metavar is not None and parameter.metavar.startswith("[")


class DealCommand(click.Command):
    """A command with a DEAL, or a KEY, which may be negative: -1 and -2 are deals, not options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; what follows an option that can stand alone may be the DEAL."""
        try:
            return self._parse(ctx, list(args))
        except click.BadParameter as error:
            others = self._without_values(ctx, args)
            if others is None:
                raise
            try:
                return self._parse(ctx, others)
            except click.UsageError:
                raise error from None

    def _without_values(self, ctx: click.Context, args: list[str]) -> list[str] | None:
        """Return the arguments, the last option that can stand alone moved behind all others.

        None if there is no such option, or nothing that it could have taken for its value.
        """
        _, alone = self._options_with_values(ctx)
        places = [place for place, arg in enumerate(args[:-1]) if arg in alone]
        if not places or "--" in args:
            return None
        return [*args[: places[-1]], *args[places[-1] + 1 :], args[places[-1]]]

    def _options_with_values(self, ctx: click.Context) -> tuple[set[str], set[str]]:
        """Return the names of options that need a value, and of those that can have one."""
        need, alone = set[str](), set[str]()
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and not parameter.is_flag:
                (alone if may_stand_alone(parameter) else need).update(parameter.opts)
        return need, alone

    def _parse(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move a negative number, or a list that begins with one, to the end.

        There nothing is taken for an option. What follows it, and is neither an option nor the
        value of one, is moved, too.
        """
        need, alone = self._options_with_values(ctx)
        end = args.index("--") if "--" in args else len(args)
        others: list[str] = []
        behind: list[str] = []
        for before, arg in zip(["", *args], args[:end], strict=False):
            if re.fullmatch(r"-[0-9]+(,[-0-9, ]*)?", arg):
                moves = before not in need
            else:
                is_option = arg.startswith("-") and arg != "-"
                moves = bool(behind) and not is_option and before not in need | alone
            (behind if moves else others).append(arg)
        after = behind + args[end + 1 :]
        return super().parse_args(ctx, [*others, "--", *after] if after else others)
