"""The command line: the list of commands, and the way a run of one ends.

A command is loaded when it is called, so that `--help` answers at once. A command that fails ends
with one line on standard error and an exit code of `dbmsolver.errors`.
"""

from __future__ import annotations

import difflib
import errno
import importlib
import re
import signal
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import click

from dbmsolver.cli.streams import forget_output, open_streams
from dbmsolver.errors import (
    EXIT_INPUT,
    EXIT_INTERRUPTED,
    EXIT_SOLVED,
    EXIT_SYSTEM,
    EXIT_USAGE,
    NO_ROOM,
    REFUSED,
    DbmError,
    UsageError,
    quoted,
)
from dbmsolver.process import address_space, too_little_memory
from dbmsolver.signals import ignore_signals
from dbmsolver.version import __version__

EXIT_BROKEN_PIPE = 128 + getattr(signal, "SIGPIPE", 13)
"""The exit code that a shell reports for a program that the reader of its output left."""


class CommandEntry(NamedTuple):
    """The module and name of a command, and its line in the list of commands."""

    module: str
    attribute: str
    summary: str


def _entry(module: str, name: str, summary: str) -> CommandEntry:
    return CommandEntry(f"dbmsolver.cli.commands.{module}", f"{name}_command", summary)


COMMANDS = {
    "solve": _entry("search", "solve", "Find a shortest solution of a deal."),
    "prove": _entry("search", "prove", "Find out whether a deal has a solution at all."),
    "hint": _entry("hint", "hint", "Say what to do in a deal after some moves."),
    "play": _entry("play", "play", "Play a deal in the browser, and ask what moves are worth."),
    "resume": _entry("search", "resume", "Continue the search of a store."),
    "survey": _entry("survey", "survey", "Ask one question about many deals."),
    "deal": _entry("boards", "deal", "Print the board of a deal."),
    "board": _entry("boards", "board", "Print the board after some moves of a solution."),
    "games": _entry("games", "games", "List the games, print one's file, or check a file."),
    "key": _entry("boards", "key", "Print the key of a position, one big integer."),
    "unkey": _entry("boards", "unkey", "Print the position of a key."),
    "status": _entry("stores", "status", "Show what is in a store."),
    "lookup": _entry("stores", "lookup", "Look a position up in a store, with the moves to it."),
    "export": _entry("stores", "export", "Write the solution that a store holds."),
    "verify": _entry(
        "verify", "verify", "Check that what a store or a certificate claims is right."
    ),
    "certificate": _entry("certificate", "certificate", "Write the certificate of a store."),
    "convert": _entry("convert", "convert", "Convert a solution to another format."),
    "check": _entry("check", "check", "Say whether a file of moves is a solution."),
    "compile": _entry("compile", "compile", "Compile everything for this machine, once."),
}


class Failure(click.ClickException):
    """An error that ends a command: one line, and an exit code."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # each has its own


class CommandLine(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(importlib.import_module(entry.module), entry.attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown name, the error suggests the nearest one."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(
                f"No such command {quoted(args[0])}.{_suggestion(args[0], COMMANDS)}", ctx
            )
        _check_not_empty(args)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; raise `Failure` for every error that can end it."""
        try:
            return super().invoke(ctx)
        except DbmError as error:
            name = ctx.invoked_subcommand
            command = None if name is None else self.get_command(ctx, name)
            raise Failure(_with_advice(error, command), error.exit_code) from None
        except KeyboardInterrupt:
            raise Failure("interrupted", EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            raise Failure("", EXIT_BROKEN_PIPE) from None
        except MemoryError:
            raise Failure(too_little_memory(), EXIT_SYSTEM) from None
        except SystemError:
            # An import that finds no memory may end so, and not with a MemoryError.
            if address_space() is None:
                raise
            raise Failure(too_little_memory(), EXIT_SYSTEM) from None
        except (ImportError, OSError) as error:
            if address_space() is not None and _is_unmapped(error):
                raise Failure(too_little_memory(), EXIT_SYSTEM) from None
            if not isinstance(error, OSError):
                raise
            raise _system_failure(error) from None
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise
            raise Failure("the system allows no more threads", EXIT_SYSTEM) from None

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> int:
        """Run a command line; exit with its code, or return it without `standalone_mode`."""
        name = prog_name or self.name
        try:
            code = super().main(args, name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except click.ClickException as failure:
            code = failure.exit_code
            report(_message(failure))
        except click.Abort:
            code = EXIT_INTERRUPTED
            report("interrupted")
        except BrokenPipeError:
            code = EXIT_BROKEN_PIPE
        except OSError as error:  # the disk under standard output is full, or it is closed
            code = EXIT_SYSTEM
            report(str(_system_failure(error)))
            forget_output()
        if code in (EXIT_BROKEN_PIPE, EXIT_SYSTEM):
            forget_output()
        if standalone_mode:
            ignore_signals()
            try:
                sys.stderr.flush()
            except (OSError, ValueError):
                forget_output()
            sys.exit(code or EXIT_SOLVED)
        return code or EXIT_SOLVED


def _with_advice(error: DbmError, command: click.Command | None) -> str:
    """Return the text of an error; with its advice, if the command has all options of that."""
    if command is None:
        return str(error)
    error = _with_dashes(error, command)
    if error.advice is None:
        return str(error)
    options = {name for parameter in command.params for name in parameter.opts}
    helps = options.issuperset(re.findall("--[a-z-]+", error.advice))
    return f"{error} ({error.advice})" if helps else str(error)


def _with_dashes(error: DbmError, command: click.Command) -> DbmError:
    """Return an error with the option that its message begins with, as the command line has it.

    The library calls arguments by their names: "rows says nothing", "numbers pysol".
    """
    name, _, rest = error.message.partition(" ")
    for option in command.params if isinstance(error, UsageError) else ():
        kind = option.type
        values = kind.choices if isinstance(kind, click.Choice) else ()
        says = rest.startswith("says nothing") or re.split("[ :,]", rest)[0] in values
        if f"--{name}" in option.opts and says:
            return type(error)(f"--{error.message}", error.where, error.advice)
    return error


def _check_not_empty(args: Sequence[str]) -> None:
    """Raise UsageError for an empty word, as a shell makes of an unset variable in quotes.

    No option and no argument has a use for one: the empty path is the current directory, and the
    empty host is every address of the machine.
    """
    for before, word in pairwise(args):
        if not word or re.fullmatch("--[a-z-]+=", word):
            after = quoted(word.removesuffix("=") or before)
            raise UsageError(f"an empty word after {after}, expected a name, number or value")


def _is_unmapped(error: BaseException | None) -> bool:
    """Return True if a library was not loaded because memory was refused."""
    while error is not None:
        text = str(error)
        if "failed to map segment" in text or "shared object file" in text:
            return True
        if "cannot allocate memory" in text.lower():
            return True
        error = error.__cause__ or error.__context__
    return False


def _system_failure(error: OSError) -> Failure:
    """Return the failure for an error of the system: about its file, or about the answer."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        code = EXIT_SYSTEM if error.errno in REFUSED else EXIT_INPUT
        return Failure(f"{error.filename}: {reason}", code)
    if error.errno in (*NO_ROOM, errno.EBADF, errno.EIO):
        reason = f"standard output: cannot be written ({reason})"
    return Failure(reason, EXIT_SYSTEM)


def report(message: str) -> None:
    """Write a line to standard error, which may be closed."""
    if message:
        try:
            click.echo(f"dbmsolver: {message}", err=True)
        except OSError:
            forget_output()


def _message(failure: click.ClickException) -> str:
    if isinstance(failure, click.NoSuchOption):
        near = failure.possibilities or ()
        text = (
            f"No such option {quoted(failure.option_name)}.{_suggestion(failure.option_name, near)}"
        )
    else:
        text = " ".join(failure.format_message().split())
    if isinstance(failure, click.UsageError) and failure.ctx is not None:
        end = "" if text.endswith((".", "?")) else "."
        text = f"{text}{end} Try '{failure.ctx.command_path} --help'."
    return text


def _suggestion(word: str, known: Iterable[str]) -> str:
    """Return a question with the most similar known word; an empty text if none is similar."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" Did you mean '{near[0]}'?" if near else ""


@click.command(
    "dbmsolver",
    cls=CommandLine,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="dbmsolver %(version)s")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Shortest solutions of FreeCell deals and their relatives, or proofs that there are none.

    DEAL is a number, the path of a board, or - for a board on standard input.

    Exit codes: 0 solved, or done; 10 unsolvable; 20 undecided, a limit was reached; 1 internal
    error; 2 wrong usage; 3 bad input; 4 bad store; 5 no memory, or no room on a disk; 130
    interrupted.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(EXIT_USAGE)


def main() -> NoReturn:
    """Run the command line with the streams and signals of a process."""
    open_streams()
    cli()
    raise AssertionError("cli() exits")
