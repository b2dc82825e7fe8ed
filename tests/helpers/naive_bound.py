"""The lower bound of a position, written to be read: the slow twin of `kits.cards.bound`."""

from __future__ import annotations

from itertools import combinations

from dbmsolver.game.cards import rank, suit
from dbmsolver.game.measures import Measure
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules


def lower_bound(position: Position) -> int:
    """Cards not home + blockers + the smallest vertex cover of the two-suit deadlocks."""
    not_home = 52 - sum(position.foundations)
    places = [
        (card, index, column[:depth])
        for index, column in enumerate(position.columns)
        for depth, card in enumerate(column)
    ]
    blockers = [card for card, _, beneath in places if has_lower(beneath, suit(card), card)]
    others = [place for place in places if place[0] not in blockers]
    edges = [
        (x, y)
        for (x, column_x, under_x), (y, column_y, under_y) in combinations(others, 2)
        if column_x != column_y
        and has_lower(under_x, suit(y), y)
        and has_lower(under_y, suit(x), x)
    ]
    return not_home + len(blockers) + smallest_cover(edges)


def has_lower(beneath: tuple[int, ...], of_suit: int, than: int) -> bool:
    """Return True if a card of that suit and lower than the card `than` is among those beneath."""
    return any(suit(card) == of_suit and rank(card) < rank(than) for card in beneath)


def smallest_cover(edges: list[tuple[int, int]]) -> int:
    """Size of the smallest set of cards with one end of each edge in it: one end or the other."""
    if not edges:
        return 0
    degrees: dict[int, int] = {}
    for edge in edges:
        for card in edge:
            degrees[card] = degrees.get(card, 0) + 1
    most = max(degrees, key=lambda card: degrees[card])
    neighbours = {card for edge in edges if most in edge for card in edge} - {most}
    take_it = 1 + smallest_cover([edge for edge in edges if most not in edge])
    if len(neighbours) == 1:
        return take_it  # no card has two: as good as any
    rest = [edge for edge in edges if neighbours.isdisjoint(edge)]
    return min(take_it, len(neighbours) + smallest_cover(rest))


def bound_of(position: Position, rules: Rules) -> int:
    """Return the bound of the game's family."""
    position = position.turned()
    if rules.whole_suits:
        return bound_of_whole_suits(position, rules)
    if rules.two_way:
        return bound_both_ways(position)
    return bound_of_runs(position, rules) if rules.has_runs else lower_bound(position)


def bound_both_ways(position: Position) -> int:
    """Cards not home + cards that lie above a lower one of their suit."""
    blockers = sum(
        has_lower(column[:depth], suit(card), card)
        for column in position.columns
        for depth, card in enumerate(column)
    )
    return 52 - sum(position.foundations) + blockers


def bound_of_runs(position: Position, rules: Rules) -> int:
    """Return cards not home + the segments of columns, as long as runs go, that have blockers.

    A king on its base begins a segment, though both move as one run where columns go round.
    """
    blocked = 0
    for column in position.columns:
        segment: list[int] = []
        has_blocker = False
        for depth, card in enumerate(column):
            held = rank(card) < 13 and rules.is_run((segment[-1], card)) if segment else True
            if not held:
                blocked += has_blocker
                has_blocker = False
            segment.append(card)
            has_blocker |= has_lower(column[:depth], suit(card), card)
        blocked += has_blocker
    return 52 - sum(position.foundations) + blocked


def bound_of_whole_suits(position: Position, rules: Rules) -> int:
    """Suits not home + the moves that each card has to head before its suit is whole."""
    heads = sum(rank(card) < 13 for card in position.freecells if card is not None)
    for column in position.columns:
        for depth, card in enumerate(column):
            beneath = column[:depth]
            if rank(card) == 13:
                heads += has_lower(beneath, suit(card), card)
            elif beneath[-1:] != (card + 4,):
                in_run = depth > 0 and rules.is_run(column[depth - 1 : depth + 1])
                heads += 1 + (card + 4 in beneath and not in_run)
    return sum(height < 13 for height in position.foundations) + heads


def bound_of_measure(position: Position, measure: Measure) -> int:
    """Return the bound of a search by that measure."""
    if not measure.by_room:
        return bound_of(position, measure.rules)
    aside = fewest_segments(position, measure.rules)
    return aside if measure.has_free_moves else 52 - sum(position.foundations) + aside


def fewest_segments(position: Position, rules: Rules) -> int:
    """Blocked segments + the smallest vertex cover of the deadlocks between the other segments."""
    segments: list[tuple[int, list[tuple[int, tuple[int, ...]]]]] = []
    for index, column in enumerate(position.columns):
        for depth, card in enumerate(column):
            if depth == 0 or not rules.can_stack(card, column[depth - 1]):
                segments.append((index, []))
            segments[-1][1].append((card, column[:depth]))
    free = [
        (index, cards)
        for index, cards in segments
        if not any(has_lower(beneath, suit(card), card) for card, beneath in cards)
    ]
    edges = [
        (one, other)
        for one, other in combinations(range(len(free)), 2)
        if free[one][0] != free[other][0]
        and any(
            has_lower(under_x, suit(y), y) and has_lower(under_y, suit(x), x)
            for x, under_x in free[one][1]
            for y, under_y in free[other][1]
        )
    ]
    return len(segments) - len(free) + smallest_cover(edges)
