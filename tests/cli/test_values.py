"""Values of options and arguments: what is read, what is refused, what a shell is told."""

from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner

from dbmsolver.cli.values import (
    LEAST_MEMORY,
    MOST_DIGITS,
    DealCommand,
    FormatName,
    GameSource,
    Parsed,
    StorePath,
    Whole,
    parse_memory,
)
from dbmsolver.errors import UsageError
from dbmsolver.process import all_memory


def test_memory_is_no_more_than_there_is_and_enough_to_share() -> None:
    most = all_memory()
    for size in (LEAST_MEMORY, most):
        assert parse_memory(str(size)) == size
    with pytest.raises(UsageError, match="is too little, expected 64M or more"):
        parse_memory(str(LEAST_MEMORY - 1))
    with pytest.raises(UsageError, match="is more than there is, expected "):
        parse_memory(str(most + 1))


def test_numbers_are_plain_digits() -> None:
    for value in (7, "7", "+7", "9" * MOST_DIGITS):
        assert Whole(1).convert(value, None, None) == int(value)
    for text in ("7x", "1_0", "", "7 ", "9" * (MOST_DIGITS + 1)):
        with pytest.raises(click.BadParameter, match="is no number"):
            Whole(1).convert(text, None, None)
    for value in (0, "0", "10"):
        with pytest.raises(click.BadParameter, match="is not in the range"):
            Whole(1, 9).convert(value, None, None)


def test_a_value_that_is_read_already_stays() -> None:
    """As the default of an option does, which need not be text."""

    def parse(text: str) -> int:
        if not text.isdigit():
            raise UsageError(f"{text} is none")
        return int(text)

    kind = Parsed("number", parse)
    assert [kind.convert(value, None, None) for value in ("12", 12, None)] == [12, 12, None]
    with pytest.raises(click.BadParameter, match="twelve is none"):
        kind.convert("twelve", None, None)


def told(kind: Any, begun: str) -> list[tuple[str, str]]:
    """Return what a shell is told of a word that is begun: values, each with its kind."""
    return [(item.value, item.type) for item in kind.shell_complete(None, None, begun)]


def test_what_shells_complete() -> None:
    assert told(FormatName(("sfn", "short", "text")), "s") == [("sfn", "plain"), ("short", "plain")]
    assert told(GameSource(), "penguin") == [("penguin", "plain")]
    assert told(GameSource(), "./my") == [("./my", "file")]
    assert told(StorePath(), "st") == [("st", "dir")]


@click.command(cls=DealCommand)
@click.argument("source")
@click.argument("words", nargs=-1)
@click.option("--freecells", type=int)
@click.option("--rows", is_flag=True)
@click.option("--ray", metavar="[ADDRESS]", is_flag=False, flag_value="here")
@click.option("--most", metavar="[NUMBER]", is_flag=False, flag_value=0, type=Whole(1))
def command(**given: Any) -> None:
    """Print what was understood."""
    click.echo(" ".join(f"{name}={value}" for name, value in sorted(given.items()) if value))


@click.command(cls=DealCommand)
@click.argument("source")
@click.option("--most", metavar="[NUMBER]", is_flag=False, flag_value="9", type=Whole(1))
def of_one_word(source: str, most: int | None) -> None:
    """Print what was understood."""
    click.echo(f"{source} {most}")


@pytest.mark.parametrize(
    ("args", "understood"),
    [
        ("-1", "source=-1"),
        ("-- -1", "source=-1"),
        ("-1 --rows", "rows=True source=-1"),
        ("--freecells 2 -1", "freecells=2 source=-1"),
        ("--freecells -1 3", "freecells=-1 source=3"),
        ("-1 1a 2b", "source=-1 words=('1a', '2b')"),
        ("-1 1a --rows 2b", "rows=True source=-1 words=('1a', '2b')"),
        ("-1 --freecells 2 1a", "freecells=2 source=-1 words=('1a',)"),
        ("-1 --ray there 1a", "ray=there source=-1 words=('1a',)"),
        ("-1 -", "source=-1 words=('-',)"),
        ("- -1", "source=- words=('-1',)"),
        ("-1 -- 1a", "source=-1 words=('1a',)"),
        ("--ray 3", "ray=here source=3"),
        ("--ray there 3", "ray=there source=3"),
        ("--ray -1", "ray=here source=-1"),
        ("--most 5 --ray 3", "most=5 ray=here source=3"),
        ("--ray 5 --rows", "ray=here rows=True source=5"),
        ("--ray 3 --ray", "ray=here source=3"),
    ],
)
def test_what_is_a_deal_and_what_is_a_value(args: str, understood: str) -> None:
    result = CliRunner().invoke(command, args.split())
    assert result.exit_code == 0, result.output
    assert result.output == f"{understood}\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("--ray", "Missing argument 'SOURCE'"),
        ("--freecells 3", "Missing argument 'SOURCE'"),
        ("--ray 5 --", "Missing argument 'SOURCE'"),
    ],
)
def test_no_deal_is_left(args: str, said: str) -> None:
    """Behind `--` everything is an argument, so no option is moved there."""
    result = CliRunner().invoke(command, args.split())
    assert result.exit_code == 2
    assert said in result.output


def test_an_option_moved_in_vain_is_told_as_it_stands() -> None:
    """The first error is about the words as they were written."""
    assert CliRunner().invoke(of_one_word, ["--most", "3"]).output == "3 9\n"
    result = CliRunner().invoke(of_one_word, ["--most", "x", "3"])
    assert result.exit_code == 2
    assert "'x' is no number" in result.output
