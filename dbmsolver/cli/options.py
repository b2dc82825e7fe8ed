"""Options and arguments that several commands share.

A command gets a group of options as one argument, which :func:`gathered` makes of their values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import click

from dbmsolver.cli.progress import ProgressDisplay, progress_for
from dbmsolver.cli.values import (
    COUNT,
    DURATION,
    MEMORY,
    SIZE,
    THREADS,
    DealSource,
    GameSource,
    Parsed,
    StorePath,
    Whole,
)
from dbmsolver.clusters import LOCAL, load_library
from dbmsolver.errors import UsageError, quoted
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import BUILDS, FILLS, MOVES, POLICIES, Build, Fill, Metric, Moves, Policy
from dbmsolver.game.library import load_rules
from dbmsolver.game.numbers import NUMBERS, Numbers
from dbmsolver.game.rules import MAX_COLUMNS, MAX_FREECELLS, MAX_RESERVE, Rules
from dbmsolver.game.safe_moves import has_safe_moves
from dbmsolver.game.shipped import changed
from dbmsolver.results import Limits

Function = TypeVar("Function", bound=Callable[..., Any])
Command = Callable[..., Any]


def gathered(
    name: str, make: Callable[..., Any], *options: Callable[[Command], Command]
) -> Callable[[Command], Command]:
    """Return a decorator for options that reach a command as one argument `name`.

    `make` makes that argument; the names of its parameters are those of the options. Several such
    decorators of a command are one function around it.
    """

    def decorate(function: Command) -> Command:
        command = function if hasattr(function, "groups") else _with_groups(function)
        command.groups[name] = make, tuple(signature(make).parameters)  # type: ignore[attr-defined]
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _with_groups(function: Command) -> Command:
    """Return a command that gives `function` one argument for each group of options.

    The groups are in its attribute `groups`, the last decorator's last.
    """
    groups: dict[str, tuple[Callable[..., Any], tuple[str, ...]]] = {}

    @wraps(function)
    def gathering(**given: Any) -> Any:
        for name, (make, parameters) in reversed(groups.items()):
            given[name] = make(**{key: given.pop(key) for key in parameters})
        return function(**given)

    gathering.groups = groups  # type: ignore[attr-defined]
    return gathering


def deal_argument(function: Function) -> Function:
    """Add the argument DEAL to a command."""
    return click.argument("source", metavar="DEAL", type=DealSource())(function)


@dataclass(frozen=True, slots=True)
class DealForm:
    """The meaning of a DEAL: whose number it is, and whether the lines of a board are its rows."""

    numbers: Numbers
    rows: bool

    def load(self, source: str, rules: Rules) -> Deal:
        """Return the deal that a user names."""
        return Deal.load(source, rules, numbers=self.numbers, rows=self.rows)


numbers_option = click.option(
    "--numbers",
    type=click.Choice(NUMBERS),
    default="microsoft",
    show_default=True,
    help="Whose number DEAL is. Others than Microsoft's give a board without a number.",
)
rows_option = click.option(
    "--rows",
    is_flag=True,
    help="The lines of a board are its rows, as cards lie on the screen, not its columns.",
)

deal_form_options = gathered("deal_form", DealForm, numbers_option, rows_option)
"""--numbers and --rows, as `deal_form`."""


def store_argument(function: Function) -> Function:
    """Add the argument STORE, a directory made with --store, to a command."""
    return click.argument("store", metavar="STORE", type=StorePath())(function)


def output_option(what: str) -> Callable[[Function], Function]:
    """Return the option -o, the file to write to; `what` names its content in the help."""
    return click.option(
        "--output",
        "-o",
        type=click.Path(dir_okay=False, allow_dash=True),
        help=f"{what}  [default: standard output]",
    )


def automove_option(
    text: str, default: Policy | None, policies: Sequence[Policy] = POLICIES
) -> Callable[[Function], Function]:
    """Return the option --automove: which moves home are made at once; `text` is its help."""
    return click.option(
        "--automove",
        "policy",
        type=click.Choice(policies),
        default=default,
        show_default=default is not None,
        help=text,
    )


def check_automove(rules: Rules, policy: Policy, metric: Metric | None = None) -> None:
    """Raise UsageError if --automove is given for a game without automatic moves home.

    With the metric of the player's moves it is never refused: it says which moves count.
    """
    source = click.get_current_context().get_parameter_source("policy")
    given = source == click.core.ParameterSource.COMMANDLINE
    if given and metric != "moves" and not has_safe_moves(rules):
        why = f"no move home is made at once in {rules.name}"
        raise UsageError(f"--automove {policy} says nothing: {why}, expected no --automove")


def ray_option(text: str) -> Callable[[Function], Function]:
    """Return the option --ray: the cluster that work is spread over; `text` says it in the help."""
    return click.option(
        "--ray",
        "address",
        metavar="[ADDRESS]",
        is_flag=False,
        flag_value=LOCAL,
        help=f"{text} over a Ray cluster, by its address or `auto`; without ADDRESS over one that "
        "is started here. --memory is for each machine then.",
    )


def check_address(
    address: str | None, before: str, check_spread: Callable[[], None] | None = None
) -> None:
    """Raise UsageError if there is no Ray, or if the address is a number meant for before --ray.

    `check_spread` raises an error where the work cannot be spread over a cluster at all.
    """
    if address is None:
        return
    from dbmsolver.api.surveys import are_numbers

    if are_numbers(address):
        raise UsageError(f"--ray {address}: no address; expected {before} before --ray")
    if check_spread is not None:
        check_spread()  # before the library: nobody is to install it in vain
    load_library()


def _rules(
    game: str,
    freecells: int | None,
    columns: int | None,
    build: Build | None,
    fill: Fill | None,
    moves: Moves | None,
) -> Rules:
    changes = {"freecells": freecells, "columns": columns}
    return changed_by_options(
        load_rules(game), {**changes, "build": build, "fill": fill, "moves": moves}
    )


def changed_by_options(rules: Rules, changes: Mapping[str, Any]) -> Rules:
    """Return the rules with the changes of options, by their names, as `changed` does.

    The UsageError of a change that cannot be names its option, if that is one option alone.
    """
    try:
        return changed(rules, **changes)
    except UsageError as error:
        for name, value in changes.items():
            try:
                changed(rules, **{name: value})
            except UsageError as alone:
                raise UsageError(f"--{name} {value}: {alone}") from None
        raise error


CHANGED = ", if not as in the game."
"""The end of the help of options that change a game."""


def _freecells(text: str) -> int:
    """Return a number of freecells; the rules of the game are checked later."""
    if not re.fullmatch("[0-9]{1,3}", text):
        raise UsageError(f"{quoted(text)} is no number of freecells, expected 0 to {MAX_FREECELLS}")
    return int(text)


def freecells_option(otherwise: str) -> Callable[[Command], Command]:
    """Return the option --freecells; `otherwise` ends its help."""
    return click.option(
        "--freecells",
        type=Parsed("number", _freecells),
        help=f"Number of freecells, up to {MAX_FREECELLS}, or {MAX_RESERVE} where cards only leave "
        f"them{otherwise}",
    )


def shape_options(otherwise: str) -> tuple[Callable[[Command], Command], ...]:
    """Return the options --columns, --build and --fill; `otherwise` ends their help."""
    return (
        click.option(
            "--columns",
            type=Whole(1, MAX_COLUMNS),
            help=f"Number of columns{otherwise}",
        ),
        click.option(
            "--build",
            type=click.Choice(BUILDS),
            help=f"How columns are built: down, but for suit-both{otherwise}",
        ),
        click.option(
            "--fill", type=click.Choice(FILLS), help=f"What empty columns take{otherwise}"
        ),
    )


moves_option = click.option(
    "--moves",
    type=click.Choice(MOVES),
    help="What one move takes, if not as in the game: a single card, a run as columns are "
    "built, or a run of one suit.",
)

rules_options = gathered(
    "rules",
    _rules,
    click.option(
        "--game",
        metavar="GAME",
        type=GameSource(),
        default="freecell",
        show_default=True,
        help="The game, which says how a number is dealt, too: one that `games` lists, or a file "
        "with its rules.",
    ),
    freecells_option(CHANGED),
    *shape_options(CHANGED),
    moves_option,
)
"""--game and the options that change it, as `rules`."""

threads_option = click.option(
    "--threads", type=THREADS, help="Threads, up to 256.  [default: one for each core]"
)


def limits_with(usual: str | None) -> Callable[[Command], Command]:
    """Return the decorator that adds options for the limits of a search, as `limits`.

    `usual` is the default of the time limit, as a user writes it; None for no limit.
    """
    time_is_over = (
        "End undecided after that time"
        if usual is None
        else "End after that time with what is known then"
    )
    return gathered(
        "limits",
        Limits,
        click.option("--max-states", type=COUNT, help="End undecided after that many states."),
        click.option(
            "--max-time",
            type=DURATION,
            default=usual,
            show_default=usual is not None,
            help=f"{time_is_over}: 90 (seconds), 30m, 2h. Compiling does not count.",
        ),
        click.option(
            "--memory",
            type=MEMORY,
            help="Memory to use: 2G, 500M; from 64M to what the machine has.  [default: half of "
            "that]",
        ),
        click.option("--max-disk", type=SIZE, help="End undecided at that size of the store: 20G."),
    )


limit_options = limits_with(None)
"""The limits that end a search undecided, and its memory, as `limits`."""


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """The options of the progress that is shown on standard error while a command works."""

    quiet: bool
    log_json: bool
    reports: bool = False
    """True if a log has reports now and then: of work that commits nothing."""

    def progress(self) -> ProgressDisplay:
        """Return the display of progress that was asked for."""
        return progress_for(self.quiet, self.log_json, reports=self.reports)


quiet_option = click.option("--quiet", "-q", is_flag=True, help="No progress on standard error.")


def _searching(quiet: bool, log_json: bool) -> DisplayOptions:
    return DisplayOptions(quiet, log_json)


def _checking(quiet: bool, log_json: bool) -> DisplayOptions:
    return DisplayOptions(quiet, log_json, reports=True)


progress_options = gathered(
    "display",
    _searching,
    quiet_option,
    click.option(
        "--log-json",
        is_flag=True,
        help="Progress as one JSON object for each commit to the store, and for each solution that "
        "is shorter than those before.",
    ),
)
"""--quiet and --log-json, as `display`."""

checking_options = gathered(
    "display",
    _checking,
    quiet_option,
    click.option(
        "--log-json",
        is_flag=True,
        help="Progress as one JSON object now and then: after two seconds, then each ten.",
    ),
)
"""The same for a check, which commits nothing."""

json_option = click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
