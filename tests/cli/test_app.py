"""The command line: help, boards, games, and how a run of it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from helpers.command import run

from dbmsolver.arguments import parse_duration, parse_size
from dbmsolver.cli.app import COMMANDS, cli
from dbmsolver.errors import InputError, UsageError
from dbmsolver.game.deals import Deal
from dbmsolver.game.shipped import GAMES


def process(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dbmsolver", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)  # type: ignore[call-overload, no-any-return]


def commands() -> dict[str, click.Command]:
    context = click.Context(cli)
    return {name: cli.get_command(context, name) for name in COMMANDS}  # type: ignore[misc]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert result.output.startswith(f"Usage: dbmsolver {name} ")
    command = commands()[name]
    assert command.name == name
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_help_lists_every_command() -> None:
    result = run("--help")
    assert result.exit_code == 0
    for name, entry in COMMANDS.items():
        assert f"  {name}" in result.output
        assert entry.summary in result.output
    assert result.output == run("-h").output


def test_no_command_is_wrong_usage() -> None:
    result = run()
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Usage: dbmsolver [OPTIONS] COMMAND")


def test_version() -> None:
    assert run("--version").output.startswith("dbmsolver ")
    assert run("-V").output == run("--version").output


def test_deal_can_be_read_back(tmp_path: Path) -> None:
    board = run("deal", "3").output
    assert Deal.from_text(board).position == Deal.from_number(3).position
    path = tmp_path / "board"
    path.write_text(board)
    assert run("deal", str(path)).output == board
    assert run("deal", "-", stdin=board).output == board


@pytest.mark.parametrize(
    "args",
    [
        ("deal", "-1"),
        ("deal", "--", "-1"),
        ("deal", "--freecells", "2", "-1"),
        ("deal", "-1", "--freecells", "2"),
    ],
)
def test_negative_deals(args: tuple[str, ...]) -> None:
    result = run(*args)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("AC 3C 5C")


def test_games_of_other_rules() -> None:
    seahaven = run("deal", "3", "--game", "seahaven_towers").output
    assert seahaven.startswith("Freecells: - ")
    assert len(run("deal", "3", "--columns", "10").output.splitlines()) == 10


def test_keys_of_automoves() -> None:
    """Keys of `none` have a digit for each ace; elsewhere aces go home at once."""
    board = "Freecells: 5H\n" + run("deal", "11982").output.replace(" 5H", "")
    keys = []
    for policy in ("wkr", "horne", "none"):
        options = ("--deal", "11982", "--automove", policy)
        keys.append(run("key", "-", *options, stdin=board).output.strip())
        assert run("unkey", keys[-1], *options).output.startswith("Freecells: 5H - - -\n")
    assert keys[0] == keys[1] != keys[2]


def test_a_key_of_a_board_of_another_deal(tmp_path: Path) -> None:
    board = tmp_path / "board"
    board.write_text(run("deal", "3").output)
    for source, name, stdin in ((str(board), board, None), ("-", "<stdin>", board.read_text())):
        result = run("key", source, "--deal", "11982", stdin=stdin)
        assert result.exit_code == 3 and result.stderr.count("\n") == 1
        assert result.stderr.startswith(f"dbmsolver: {name}: column 1: 7D lies on KC, where no ")
        assert result.stderr.endswith("was not dealt, expected a position of 11982\n")


@pytest.mark.parametrize("name", ["solve", "prove", "key", "unkey", "check", "convert"])
def test_automove_has_one_name(name: str) -> None:
    options = {option for parameter in commands()[name].params for option in parameter.opts}
    assert {option for option in options if option.startswith("--auto")} == {"--automove"}


def test_games() -> None:
    text = run("games").output
    data = json.loads(run("games", "--json").output)["games"]
    assert [game["game"] for game in data] == list(GAMES)
    lines = text.splitlines()
    assert [line.split()[0] for line in lines] == list(GAMES)
    assert all(line.endswith(game["description"]) for line, game in zip(lines, data, strict=True))
    assert max(map(len, lines)) <= 100


BOARD = "2H 3H\nAH\n"

WRONG = [
    (2, ["solv", "3"], "No such command 'solv'"),
    (2, ["solve"], "Missing argument 'DEAL'"),
    (2, ["solve", "3", "4"], "extra argument (4)"),
    (2, ["solve", "3", "--foo"], "No such option"),
    (2, ["solve", "--foo", "3"], "No such option"),
    (2, ["solve", "-x", "3"], "No such option"),
    (2, ["solve", "3", "--game", "zzxj"], "unknown game 'zzxj', expected one that `games` lists"),
    (2, ["solve", "3", "--game", "eigt_off"], "'eigt_off', did you mean eight_off? expected"),
    (2, ["solve", "3", "--build", "up"], "'up' is not one of 'alternate', 'suit', 'any', 'none'"),
    (2, ["solve", "3", "--fill", "queens"], "'queens' is not one of 'any', 'kings', 'none'"),
    (2, ["games", "zzxjoy"], "unknown game 'zzxjoy'"),
    (2, ["games", "freecell", "--json"], "expected only one of NAME, --check and --json"),
    (2, ["deal", "3", "--game", "somerset", "--columns", "9"], "cannot be dealt diagonally"),
    (3, ["solve", "3", "--game", "./zzxjoy"], "zzxjoy: no such file, expected a game"),
    (3, ["games", "--check", "no.game"], "no.game: no such file, expected a game"),
    (2, ["solve", "3", "--freecells", "14"], "14 freecells: expected 0 to 13"),
    (2, ["solve", "3", "--freecells", "-1"], "'-1' is no number of freecells, expected 0 to 13"),
    (2, ["solve", "3", "--metric", "time"], "'time' is not"),
    (2, ["prove", "3", "--metric", "cards"], "No such option"),
    (2, ["solve", "3", "--memory", "much"], "'much' is no size, expected one like 2G"),
    (2, ["solve", "3", "--memory", "0"], "'0' is no size"),
    (2, ["solve", "3", "--memory", "1"], "'1' is too little, expected 64M or more"),
    (2, ["solve", "3", "--memory", "63M"], "'63M' is too little, expected 64M or more"),
    (2, ["prove", "3", "--memory", "1000T"], "'1000T' is more than there is, expected "),
    (2, ["solve", "3", "--memory", "1e30G"], "'1e30G' is no size"),
    (2, ["solve", "3", "--memory", "nan"], "'nan' is no size"),
    (2, ["solve", "3", "--memory", "-1"], "'-1' is no size"),
    (2, ["solve", "3", "--memory", "9" * 30], "is no size"),
    (2, ["verify", ".", "--memory", "1"], "'1' is too little"),
    (2, ["play", "--memory", "1M"], "'1M' is too little, expected 512M or more"),
    (2, ["verify", ".", "--threads", "100000"], "100000 is not in the range 1<=x<=256"),
    (2, ["resume", "no", "--memory", "1000T"], "more than there is"),
    (2, ["solve", "3", "--threads", "100000"], "100000 is not in the range 1<=x<=256"),
    (2, ["solve", "3", "--threads", "-1"], "-1 is not in the range"),
    (2, ["solve", "3", "--threads", "two"], "'two' is no number"),
    (2, ["solve", "3", "--threads", "1_0"], "'1_0' is no number, expected one of at most 18"),
    (2, ["solve", "3", "--max-states", "٣"], "is no number, expected one of at most 18 digits"),
    (2, ["solve", "3", "--memory", "9" * 12 + "T"], "is too large, expected less than 8388608T"),
    (2, ["solve", "3", "--threads", "9" * 5000], "is no number, expected one of at most 18 digits"),
    (2, ["solve", "3", "--max-states", "-5"], "-5 is not in the range"),
    (2, ["solve", "3", "--max-states", "9" * 5000], "is no number, expected one of at most"),
    (2, ["solve", "3", "--max-states", "1e9"], "'1e9' is no number"),
    (2, ["solve", "3", "--max-time", "0"], "'0' is no time"),
    (2, ["solve", "3", "--max-time", "-1"], "'-1' is no time"),
    (2, ["solve", "3", "--max-time", "inf"], "'inf' is no time"),
    (2, ["solve", "3", "--max-time", "1e400"], "'1e400' is no time"),
    (2, ["solve", "3", "--max-disk", "0"], "'0' is no size"),
    (2, ["solve", "3", "--max-disk", "1e30G"], "'1e30G' is no size"),
    (2, ["solve", "3", "--max-time", "soon"], "'soon' is no time"),
    (2, ["solve", "3", "--max-states", "0"], "0 is not in the range"),
    (2, ["solve", "3", "--threads", "0"], "0 is not in the range"),
    (2, ["solve", "3", "--json", "--format", "sfn"], "--json and --format sfn, expected one"),
    (2, ["solve", "3", "--format", "pdf"], "'pdf' is not one of 'text'"),
    (2, ["solve", "3", "-o", "/no/such/folder/x"], "/no/such/folder is no directory"),
    (2, ["solve", "3", "-o", "/"], "is a directory"),
    (2, ["unkey", "7"], "Missing option '--deal'"),
    (2, ["key", "-", "--deal", "-"], "both -"),
    (2, ["check", "-", "--deal", "-"], "the solution and --deal both come from standard input"),
    (2, ["convert", "-", "b.doc"], "no format known for b.doc, expected --to, one of universal"),
    (2, ["convert", "-", "no/such/x.sfn"], "no/such is no directory, expected a file that can be"),
    (2, ["deal", "3", "--svg", "--json"], "--svg and --json, expected one of them"),
    (3, ["deal", "0"], "deal 0: no such number, expected a number from 1"),
    (3, ["deal", "-3"], "deal -3: no such number"),
    (3, ["deal", "8589934592"], "no such number"),
    (3, ["deal", "9" * 6000], "no such number"),
    (3, ["deal", "no-such-file"], "no-such-file: no such file"),
    (3, ["deal", "/"], "/: cannot be read (Is a directory), expected a board"),
    (3, ["check", "/"], "/: cannot be read (Is a directory), expected a solution"),
    (3, ["board", "/"], "/: cannot be read (Is a directory), expected a solution"),
    (3, ["convert", "/", "b.sfn"], "/: cannot be read (Is a directory), expected a solution"),
    (3, ["solve", "3", "--played", "/"], "/: cannot be read (Is a directory), expected a"),
    (3, ["deal", "-", "--columns", "1"], "<stdin>, line 2"),
    (3, ["deal", "-"], "<stdin>: missing cards"),
    (3, ["deal", "-1", "--columns", "7"], "deal -1"),
    (3, ["unkey", "seven", "--deal", "3"], "key 'seven'"),
    (3, ["unkey", "-1", "--deal", "3"], "key '-1': expected a key: one integer, not negative"),
    (3, ["unkey", "9" * 201, "--deal", "3"], "expected a key: one integer, not negative"),
]


@pytest.mark.parametrize(("code", "args", "message"), WRONG)
def test_errors_are_one_line(code: int, args: list[str], message: str) -> None:
    result = run(*args, stdin=BOARD)
    assert result.exit_code == code, result.output
    assert message in result.stderr
    assert result.stderr.startswith("dbmsolver: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("code", "args"), [(2, ["solve", "3", "--foo"]), (3, ["deal", "0"]), (0, ["deal", "-2"])]
)
def test_exit_codes_of_the_process(code: int, args: list[str]) -> None:
    result = process(*args)
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == (1 if code else 0)


def test_unreadable_input_is_named(tmp_path: Path) -> None:
    result = run("deal", str(tmp_path))
    assert result.exit_code == 3
    assert str(tmp_path) in result.stderr
    result = run("deal", "-", stdin=b"\xff\xe0")
    assert result.exit_code == 3
    assert "<stdin>, line 1" in result.stderr


def test_broken_pipe_is_quiet() -> None:
    program = [sys.executable, "-m", "dbmsolver", "deal", "3"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None and child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait(60) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_full_disk_under_the_output_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "dbmsolver", "deal", "3"]
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert result.returncode == 5
    assert result.stderr.startswith("dbmsolver: ")
    assert result.stderr.count("\n") == 1


def test_shell_completion() -> None:
    environment = {
        "_DBMSOLVER_COMPLETE": "bash_complete",
        "COMP_WORDS": "dbmsolver so",
        "COMP_CWORD": "1",
        "PYTHONPATH": ":".join(sys.path),
    }
    assert process(env=environment).stdout == "plain,solve\n"
    environment["COMP_WORDS"] = "dbmsolver deal bo"
    environment["COMP_CWORD"] = "2"
    assert process(env=environment).stdout == "file,bo\n"


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("convert --to univ", ["universal-json", "universal-xml"]),
        ("convert --from te", ["text"]),
        ("check --from s", ["sfn", "short"]),
        ("check --game free", ["freecell"]),
        ("solve --game ba", ["bakers_dozen", "bakers_game", "bath"]),
        ("solve --build a", ["alternate", "any"]),
        ("solve --format h", ["html"]),
        ("check --lengths s", ["shortest"]),
        ("check --automove m", ["max"]),
    ],
)
def test_completion_of_values(words: str, completed: list[str]) -> None:
    environment = {
        "_DBMSOLVER_COMPLETE": "bash_complete",
        "COMP_WORDS": f"dbmsolver {words}",
        "COMP_CWORD": str(len(words.split())),
        "PYTHONPATH": ":".join(sys.path),
    }
    lines = process(env=environment).stdout.splitlines()
    assert lines == [f"plain,{word}" for word in completed]


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["slove", "3"], "No such command 'slove'. Did you mean 'solve'?"),
        (["cehck", "3"], "No such command 'cehck'. Did you mean 'check'?"),
        (["xyzzy"], "No such command 'xyzzy'."),
        (["solve", "3", "--treads", "2"], "No such option '--treads'. Did you mean '--threads'?"),
        (["convert", "a", "b", "--too", "sfn"], "No such option '--too'. Did you mean '--to'?"),
        (["--verison"], "No such option '--verison'. Did you mean '--version'?"),
        (["solve", "-x", "3"], "No such option '-x'."),
    ],
)
def test_what_was_probably_meant(args: list[str], line: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    command = f"dbmsolver {args[0]}" if args[0] in COMMANDS else "dbmsolver"
    assert result.stderr == f"dbmsolver: {line} Try '{command} --help'.\n"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("500M", 500 << 20),
        ("2G", 2 << 30),
        ("1.5GiB", 3 << 29),
        ("64 kb", 64 << 10),
        ("1T", 1 << 40),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "2X", "1e9", "nan", "9" * 40, "٣G", "0.0000001"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="no size"):
        parse_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("0.5", 0.5), ("30m", 1800), ("2h", 7200)]
)
def test_durations(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "-1", "2y", "inf", "1:30", "0"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(UsageError, match="no time"):
        parse_duration(text)


@pytest.mark.parametrize(
    "args",
    [
        ("solve", "3", "--store", ""),
        ("solve", "3", "--store="),
        ("solve", "3", "-o", ""),
        ("solve", ""),
        ("hint", "3", ""),
        ("play", "--port", "none", "--host", ""),
        ("status", ""),
        ("check", ""),
        ("convert", "a.sfn", ""),
    ],
)
def test_an_empty_word_is_wrong_usage(
    args: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither the current directory nor every address of the machine."""
    monkeypatch.chdir(tmp_path)
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    before = args[-1].removesuffix("=") or args[-2]
    assert f"an empty word after '{before}', expected " in result.stderr
    assert not any(tmp_path.iterdir())


def test_advice_names_options_that_the_command_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store says the game of a board that is looked up in it; the library has no options."""
    path = tmp_path / "board.txt"
    path.write_text("Waste: AS\n")
    kept = SimpleNamespace(deal=Deal.from_number(1))
    monkeypatch.setattr("dbmsolver.api.stores.stored_search", lambda _: kept)
    with pytest.raises(InputError) as raised:
        Deal.load(str(path))
    text = f"{path}, line 1, column 1: a waste, expected none in freecell"
    assert str(raised.value) == text
    assert run("lookup", "kept", path).stderr == f"dbmsolver: {text}\n"
    assert run("deal", path).stderr == f"dbmsolver: {text} (--game says which game it is)\n"
