"""Prints the man page of dbmsolver, made of the help that its commands print: docs/dbmsolver.1."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import click

from dbmsolver import errors
from dbmsolver.cli.app import COMMANDS, cli
from dbmsolver.version import __version__

ENVIRONMENT = {
    "NO_COLOR": "If set, no colours are used.",
    "TMPDIR": "Where searches without --store, and checks, keep what does not fit into memory.",
    "_DBMSOLVER_COMPLETE": "Set to bash_source, zsh_source or fish_source: print the completion "
    "for that shell.",
}
EXAMPLES = {
    "dbmsolver solve 3": "A shortest solution of deal 3.",
    "dbmsolver solve board.txt -o replay.html": "The solution of a board, as a page that "
    "replays it.",
    "dbmsolver play 3": "A board to play on in the browser, and what each move is worth.",
    "dbmsolver prove 11982 --store proof": "A proof that there is none, kept in a directory.",
    "dbmsolver verify proof": "The check of that proof.",
    "dbmsolver survey 1-1000 --freecells 2 -o two.csv": "Which of a thousand deals can be won "
    "with two freecells.",
    "dbmsolver convert a.sfn b.json": "A solution in another format.",
}


def main() -> None:
    """Print the page."""
    sys.stdout.write("".join(f"{line}\n" for line in page()))


def page() -> Iterator[str]:
    """Yield the lines of the page."""
    context = click.Context(cli, info_name="dbmsolver", **cli.context_settings)
    yield f'.TH DBMSOLVER 1 "" "dbmsolver {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"dbmsolver \- shortest solutions of FreeCell deals, or proofs that there are none"
    yield ".SH SYNOPSIS"
    yield ".B dbmsolver"
    yield escaped("COMMAND [ARGS]...")
    yield ".SH DESCRIPTION"
    # Exit codes have a section of their own.
    yield from paragraphs((cli.help or "").partition("Exit codes:")[0], ".PP")
    yield ".SH OPTIONS"
    yield from options(cli, context)
    yield ".SH COMMANDS"
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        inside = click.Context(command, context, info_name=name, **cli.context_settings)
        yield from section(command, inside)
    yield ".SH EXIT STATUS"
    yield from pairs(dict(re.findall(r"^ *(\d+) (.+)$", errors.__doc__ or "", re.MULTILINE)))
    yield ".SH ENVIRONMENT"
    yield from pairs(ENVIRONMENT)
    yield ".SH EXAMPLES"
    yield from pairs(EXAMPLES)
    yield ".SH SEE ALSO"
    yield escaped("The README of the program, and the documents in its folder docs.")


def section(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield a command's lines: its name and arguments, its text, its options."""
    yield f".SS {escaped(' '.join([context.command_path, *command.collect_usage_pieces(context)]))}"
    yield from paragraphs(command.help or "", ".PP")
    yield from options(command, context)


def options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the names and the meaning of each option, as its help says it."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record is not None:
            yield ".TP"
            yield rf"\fB{escaped(record[0])}\fR"
            yield escaped(record[1])


def pairs(table: dict[str, str]) -> Iterator[str]:
    """Terms, each with what it means."""
    for term, meaning in table.items():
        yield ".TP"
        yield rf"\fB{escaped(term)}\fR"
        yield escaped(meaning)


def paragraphs(text: str, between: str) -> Iterator[str]:
    """Paragraphs that blank lines part, with a request before each."""
    for paragraph in text.replace("\b\n", "").split("\n\n"):
        if paragraph.strip():
            yield between
            yield escaped(paragraph)


def escaped(text: str) -> str:
    """Text on one line, with nothing in it that the formatter takes for its own."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line.startswith((".", "'")) else line


if __name__ == "__main__":
    main()
