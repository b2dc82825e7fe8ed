"""Klondike and its relatives: moves that a search for a shortest solution does without.

What follows holds beside what :mod:`dbmsolver.game.patience` says of safe moves home and of twins,
in games without a reserve in which foundations begin with the ace. Each rule says of a position
which moves are left out, and why a shortest solution is left that begins with none of them.

*The waste, where single cards are turned.* If the card w on the waste goes home safely, that is the
only move. From a solution follows one that begins with it, and then makes the same moves, but those
of w, and of the cards that could lie on w, which go home the first time they move. The cards of
stock and waste keep their order, one less is among them, and what lies beneath w is free sooner. So
no more turns are needed, and no more of the waste. In the same way nobody turns past such a card:
it goes home when it comes to the top. Where several cards are turned, other ones come to the top
once w has left, so this is no rule there.

*A card of the waste to a column.* Not if it goes home safely: a solution that has it go home
instead, and so the cards that it puts on it, is shorter by a move.

*A card that comes back.* A card x does not come back from a foundation if it would go home at
once, as it would be safe; or if no card that may move in this position may be put on x, nor on a
card beneath x on its foundation that can come back after it. A solution in which no card is put on
x while it lies in a column, and none beneath it comes back, is shorter without its coming back. It
may come back as late as just before the first card is put on it, or the one beneath it comes back:
till then it only takes a place and keeps its suit from growing. If it is moved in the meantime, or
moves with others, that move is left out, or made without x.

*A column whose deepest card lies open*, where only kings go to empty columns. If that card is no
king, the whole column goes to another one only if no column is empty, and a king that is not at the
bottom of a column may move. Such a move brings nothing but an empty column, as what lies in the
column can do as much there as on the card that it is put on. So it is made just before a king goes
to the column, and not at all while another one is empty. What moves the other column, or a part of
it, meanwhile, moves it without these cards.

*All of them together.* For each move of the last two kinds a solution has a *user*: the move that
puts a card on x, or with which the card beneath x comes back, or the king's. Of the shortest
solutions take one in which the fewest runs go between twins for nothing, and among these one in
which the moves of the last two kinds and their users are closest together, in sum. Then only moves
of these kinds lie between such a move and its user. If not, take the last move of which that is not
true, and make it just before its user: no move in between needs it. It comes nearer by all moves in
between; those of the last two kinds among them come further from their users by one at most, the
others are at least one. So the sum would be less.

Say that the solution begins with moves of the last two kinds, and let m be the first other move.
Each of them has its user among them, or m is its user. Some order of them begins with a move that
the rules allow. They free no card: what comes back covers one, and a whole column leaves nothing
behind. So a card that is free before m is free at the start, or the top card of a foundation, or
comes back. The rules count as free what can move after turns of the stock, too.

Let a free card y be put on a card c that has come back, and let t be the top card of the foundation
on which c lies at the start. It comes back among these moves, and the rules allow that: y can be
put on c, and if t were safe, its coming back would be two moves for nothing. If t is put on a card
that lies in a column at the start, or goes to a column that is empty at the start, it can be the
first. If it is put on another card that comes back, the same is true of that card, with t in the
place of y. If t is a king, and goes to a column that a move of the whole column has emptied, that
move takes its place. Let a whole column be moved for a king, and none be empty at the start. The
rules allow it, as the king is free, or comes back. If the column is put on a card that lies in a
column at the start, this can be the first move. If it is put on a card that comes back, the same is
true of that card, with the deepest card of the column in the place of y. Each of these moves comes
before the one that needs it, so this ends.

If the first move of a solution is left out by the first rule, the solution that follows from that
rule begins with a move that no rule leaves out. By the second rule it is not left out, as the
solution would not be a shortest one.
"""

from __future__ import annotations

from collections.abc import Iterator

from dbmsolver.game.cards import suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import WASTE, Move, Place
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home

KING = 13


def is_brief(rules: Rules) -> bool:
    """Return True if a search for a shortest solution leaves moves out by these rules."""
    return rules.family == "patience" and rules.base == "ace" and not rules.stacked


def brief_successors(
    position: Position, rules: Rules, policy: Policy
) -> list[tuple[Move, Position]]:
    """Return the positions one move away that a search for a shortest solution looks at."""
    found = position.successors(rules, policy)
    if not is_brief(rules) or position.forced(rules, policy) is not None:
        return found
    top = position.waste[-1:]
    if rules.draw == 1 and top and is_safe_home(rules, top[0], position.foundations, policy):
        home = Move(top[0], WASTE, Place("foundation", suit(top[0])))
        return [(home, position.apply(home))]
    return [
        (move, after) for move, after in found if not _is_left_out(position, move, rules, policy)
    ]


def _is_left_out(position: Position, move: Move, rules: Rules, policy: Policy) -> bool:
    if move.destination.kind != "column":
        return False
    if move.source == WASTE:
        return is_safe_home(rules, move.card, position.foundations, policy)
    if move.source.kind == "foundation":
        return not _may_come_back(position, move.card, rules, policy)
    whole = move.count == len(position.columns[move.source.index])
    return whole and rules.fill == "kings" and not _is_room_wanted(position, rules)


def _may_come_back(position: Position, card: int, rules: Rules, policy: Policy) -> bool:
    """Return True if a card of a foundation stays in a column, and a card can be put on it there.

    It is the same if a card can be put on one beneath it on its foundation, which comes back after
    it.
    """
    heights = list(position.foundations)
    heights[suit(card)] -= 1
    if is_safe_home(rules, card, heights, policy):
        return False
    movable = list(_movable(position, rules))
    # The card, and those beneath it on its foundation that can come back next.
    beneath = range(card, 4 * position.kept(rules) - 1, -4)
    return any(position.can_stack(other, one, rules) for one in beneath for other in movable)


def _movable(position: Position, rules: Rules) -> Iterator[int]:
    """Yield the cards that may move to a column, some of them after turns of the stock."""
    yield from (*position.waste, *position.stock)
    yield from position.returning(rules)
    for card, source, count in position.runs(rules):
        if source.kind != "column":
            continue
        under = position.face_up(source.index)[:-count][-1:]
        stays = rules.has_twins and under and position.can_stack(card, under[0], rules)
        if not stays or position.is_next_home(under[0]):
            yield card


def _is_room_wanted(position: Position, rules: Rules) -> bool:
    """Return True if no column is empty, and a king may move that is not at a column's bottom."""
    if not all(position.columns):
        return False
    kings = {card for card in (*position.waste, *position.stock) if card // 4 + 1 == KING}
    for card, source, count in position.runs(rules):
        inside = source.kind == "column" and count < len(position.columns[source.index])
        if card // 4 + 1 == KING and inside:
            kings.add(card)
    return bool(kings) or (rules.removable and KING in position.foundations)
