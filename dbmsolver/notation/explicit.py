"""A solution in as few moves as a player has to make, where a game makes automoves.

A game moves cards home by itself after each move of the player, as far as its automove policy
goes. So a solution is first followed with automoves: moves of cards that are home already drop
out, the others stay legal, because a safe move home takes nothing away. The positions met this way
are then joined by the moves that a player can make between them, the fewest of them: a supermove
is found wherever it leads to where single cards had been moved one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from dbmsolver.game.automoves import Automove, automoves
from dbmsolver.game.cards import suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.notation.solution import Solution
from dbmsolver.notation.steps import Comment, Step, card_under, moving_card
from dbmsolver.notation.supermoves import largest_end, move_run, run_of, split
from dbmsolver.notation.xhtml import one_line

StepPlaces = tuple[Place, Place, int]
"""The places that a step leads from and to, and its number of cards."""


class Lengths(NamedTuple):
    """The length of a way: single-card moves, and moves of cards or runs, automoves among them."""

    cards: int
    runs: int


class _Way(NamedTuple):
    """A way from the first of some positions to another one, by its last step."""

    moves: int
    """The moves of the player."""
    others: int
    """The number of them that are none of the own steps."""
    lengths: Lengths
    start: int = -1
    """The number of the position before the step."""
    step: Step | None = None
    """The step; None if the position is the same as before."""
    before: _Way | None = None


def explicit(
    solution: Solution, policy: Policy, any_length: bool = False, as_short: bool = False
) -> Solution:
    """Return the solution with supermoves and automoves, with the fewest explicit moves.

    The automoves are the policy's. Moves to an empty column take one card or as many as possible,
    since notations can say no other; with `any_length`, any number. An explicit move can be a move
    to a foundation. Where there are several ways, the one with most steps of the solution is taken,
    so explicit moves stay as they are.

    One explicit move and its automoves may replace several explicit moves, and yet move more cards
    in all. `as_short` excludes such replacements: the result moves no more cards than the solution,
    and no more runs if the notation can express that.
    """
    positions, comments = _follow(solution, policy)
    own = {(before, _place(step)) for step, before, _ in solution.replay()}
    limits: tuple[Lengths | None, ...] = (None,)
    if as_short:
        cards = len(solution.moves())
        runs = len(explicit(solution, "none", any_length=True).steps)
        # A game that is not at its end can get more by the automoves.
        limits = (Lengths(cards, runs), Lengths(cards, cards), None)
    for most in limits:
        way = fewest_moves(positions, solution.rules, policy, any_length, own, most)
        if way is not None:
            break
    assert way is not None  # the moves of the solution themselves are one
    steps: list[Step] = []
    reached = 0
    for step, before, index in way:
        told = [comment for told in comments[reached:index] for comment in told]
        reached = index
        made, closed = player_result(positions[before], step, solution.rules, policy)
        steps.append(replace(step, comment=merged(told)))
        steps += [Step.of(move, policy) for move in made]
        assert closed == positions[index]
    return replace(solution, steps=tuple(steps), final=positions[-1], extra={})


def fewest_moves(
    positions: Sequence[Position],
    rules: Rules,
    policy: Automove,
    any_length: bool,
    own: Collection[tuple[Position, StepPlaces]] = (),
    most: Lengths | None = None,
) -> list[tuple[Step, int, int]] | None:
    """Return the fewest moves of a player that lead from the first of these positions to the last.

    Each is a step, the number of the position before it, and of that after it and automoves. They
    pass through some of the positions, which follow each other in this order. Of several ways the
    one with most of the ``own`` steps is taken. Ways of more than ``most`` moves are left out; None
    if there is no other.
    """
    last = {position: index for index, position in enumerate(positions)}
    # The best ways to each position, in order of the positions: every move leads forward. Of two
    # ways of which neither is the better one in everything, both are kept.
    ways: list[list[_Way]] = [[] for _ in positions]
    ways[0] = [_Way(0, 0, Lengths(0, 0))]
    for index, position in enumerate(positions):
        if not ways[index] or index == len(positions) - 1:
            continue
        if last[position] > index:
            for way in ways[index]:
                _keep(ways[last[position]], way._replace(start=index, step=None, before=way))
            continue
        for step, following in player_moves(position, rules, any_length):
            made, closed = automoves(following, rules, policy)
            end = last.get(closed, -1)
            if end <= index:
                continue
            cards = 0 if most is None else _cards_moved(position, step, rules) + len(made)
            runs = 0 if most is None else 1 + len(made)
            other = (position, _place(step)) not in own
            for way in ways[index]:
                lengths = Lengths(way.lengths.cards + cards, way.lengths.runs + runs)
                if most is None or (lengths.cards <= most.cards and lengths.runs <= most.runs):
                    moves, others = way.moves + 1, way.others + other
                    _keep(ways[end], _Way(moves, others, lengths, index, step, way))
    if not ways[-1]:
        return None
    found: list[tuple[Step, int, int]] = []
    index, at = len(positions) - 1, min(ways[-1], key=lambda way: way[:2])
    while at.before is not None:
        if at.step is not None:
            found.append((at.step, at.start, index))
        index, at = at.start, at.before
    return found[::-1]


def _keep(ways: list[_Way], new: _Way) -> None:
    """Add a way to the best ones to a position, unless one of them is as good in everything."""
    if not any(_is_as_good(way, new) for way in ways):
        ways[:] = [way for way in ways if not _is_as_good(new, way)] + [new]


def _is_as_good(one: _Way, other: _Way) -> bool:
    shorter = one.lengths.cards <= other.lengths.cards and one.lengths.runs <= other.lengths.runs
    return one[:2] <= other[:2] and shorter


def grouped(solution: Solution) -> Solution:
    """Return the same solution with runs as one move each, and every step told in full.

    That is with the card that moves, the card it is put on, and the position before. A single-card
    move stays an automove if it was one.
    """
    rules = solution.rules
    if rules.takes_back or not rules.has_supermoves:
        return replace(solution, steps=tuple(told_in_full(solution)))
    made_by = {
        moves[0].card: step.automove
        for step, moves in solution.moves_of_steps()
        if step.automove != "none"
    }
    player = explicit(solution, "none", any_length=True)
    steps: list[Step] = []
    for step, before, _ in player.replay():
        home = step.destination.kind == "foundation"
        if home and (policy := made_by.get(moving_card(before, step))):
            step = replace(step, automove=policy)
        steps.append(step)
    told = replace(player, steps=tuple(steps))
    return replace(told, steps=tuple(told_in_full(told)))


def told_in_full(solution: Solution) -> Iterable[Step]:
    """Yield the steps with the card that moves, the card it is put on, and the position before."""
    for step, before, _ in solution.replay():
        card = moving_card(before, step)
        onto = card_under(before, step, card, solution.rules)
        yield replace(step, card=card, onto=onto, before=before)


def player_result(
    position: Position, step: Step, rules: Rules, policy: Automove
) -> tuple[list[Move], Position]:
    """Return the automoves after a step of the player, and the position after them."""
    return automoves(_apply(position, step), rules, policy)


def player_moves(
    position: Position, rules: Rules, any_length: bool = False
) -> Iterable[tuple[Step, Position]]:
    """Yield the moves of a player, each with the position after it and before any automove.

    Of the runs that can go from one column to another, that is the longest; to an empty column a
    single card goes, too. With `any_length`, runs of each length go to an empty column.
    """
    if not rules.has_supermoves:
        for move in position.moves(rules):
            yield Step.of(move), position.apply(move)
        return
    for card, source in position.available():
        if position.is_next_home(card):
            step = Step(source, Place("foundation", suit(card)), card=card)
            yield step, _apply(position, step)
        for cell, occupant in enumerate(position.freecells):
            if occupant is None and not rules.reserve:
                step = Step(source, Place("freecell", cell), card=card)
                yield step, _apply(position, step)
        run = () if source.kind == "freecell" else run_of(position, rules, source.index)
        for index, column in enumerate(position.columns):
            if source.kind == "freecell":
                if (
                    position.can_stack(card, column[-1], rules)
                    if column
                    else position.can_fill(card, rules)
                ):
                    step = Step(source, Place("column", index), card=card)
                    yield step, _apply(position, step)
                continue
            most = 0 if index == source.index else largest_end(position, rules, run, index)
            if not most:
                continue
            fewer = range(1, most if any_length else min(most, 2)) if not column else ()
            for count in (most, *reversed(fewer)):
                deepest = run[-count]
                if not column and not position.can_fill(deepest, rules):
                    continue
                step = Step(source, Place("column", index), count, card=deepest)
                yield step, _apply(position, step)


def merged(comments: list[Comment]) -> Comment | None:
    """Return several comments as one; different kinds or authors become plain text."""
    if len(comments) < 2:
        return comments[0] if comments else None
    first = comments[0]
    alike = all(
        (other.xhtml, other.originator) == (first.xhtml, first.originator) for other in comments
    )
    if alike:
        return replace(first, text=" ".join(comment.text for comment in comments))
    texts = (one_line(comment) if comment.xhtml else comment.text for comment in comments)
    return Comment(" / ".join(texts))


def _cards_moved(position: Position, step: Step, rules: Rules) -> int:
    """Return the number of single-card moves in one step of the player."""
    if step.count == 1:
        return 1
    return len(split(position, rules, step.source.index, step.destination.index, step.count))


def _place(step: Step) -> StepPlaces:
    """Return the places that a step leads from and to, and its number of cards."""
    return step.source, step.destination, step.count


def _follow(solution: Solution, policy: Policy) -> tuple[list[Position], list[list[Comment]]]:
    """Return the positions met with automoves, and the comments on the moves between them."""
    position = solution.initial
    positions = [position]
    comments: list[list[Comment]] = []
    rules = solution.rules
    for step, moves in solution.moves_of_steps():
        told = [] if step.comment is None else [step.comment]
        for move in moves:
            if not position.is_home(move.card):
                position = automoves(position.apply(move), rules, policy)[1]
                positions.append(position)
                comments.append(told)
                told = []
        if told and comments:
            comments[-1] = comments[-1] + told
    return positions, comments


def _apply(position: Position, step: Step) -> Position:
    if step.count == 1:
        assert step.card is not None
        return position.apply(Move(step.card, step.source, step.destination))
    return move_run(position, step.source.index, step.destination.index, step.count)
