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
which the moves of the last two kinds and their users are closest together, in sum. Then the moves
between such a move and its user all have that user, too, or one that comes before it. If not, the
last move of which that is not true could be put off until just before its user: no move in between
needs it.

So if the solution begins with moves of the last two kinds, the first move m of another kind is the
user of one of them, and all of them lead to m. Some order of them begins with a move that the rules
allow. Let m put a card y on a card c that has come back. Nothing that comes back frees a card, so y
may move from the start. Let t be the top card of the foundation on which c lies: it comes back
among these moves, and the rule allows it, as y can be put on c. If t is put on a card that lies in
a column, it can be the first. If not, that card comes back, too, and the same is true of it, with t
in the place of y. Ranks rise from each of these cards to the next, so this ends. Let m be the move
of a king to a column that was moved away as a whole. If that column is put on a card that lies in a
column, its move can be the first, and the rule allows it. If not, that card comes back, and what is
said of c is true of it, with the deepest card of the column in the place of y.

If the first move is left out by the first rule, the solution that follows from that rule begins
with a move that no rule leaves out. By the second rule it is not left out, as the solution would
not be a shortest one.
"""

from __future__ import annotations

from collections.abc import Iterator

from dbmsolver.game.cards import suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.moves import WASTE, Move, Place
from dbmsolver.game.patience import Patience
from dbmsolver.game.rules import Rules
from dbmsolver.game.safe_moves import is_safe_home

KING = 13


def is_brief(rules: Rules) -> bool:
    """Return whether a search for a shortest solution leaves moves out by these rules."""
    return rules.family == "patience" and rules.base == "ace" and not rules.stacked


def brief_successors(
    position: Patience, rules: Rules, policy: Policy
) -> list[tuple[Move, Patience]]:
    """Return the positions one move away that a search for a shortest solution looks at."""
    found = position.successors(rules, policy)
    if not is_brief(rules) or position.forced(rules, policy) is not None:
        return [(move, _patience(after)) for move, after in found]
    top = position.waste[-1:]
    if rules.draw == 1 and top and is_safe_home(rules, top[0], position.foundations, policy):
        home = Move(top[0], WASTE, Place("foundation", suit(top[0])))
        return [(home, position.apply(home))]
    return [
        (move, _patience(after))
        for move, after in found
        if not _is_left_out(position, move, rules, policy)
    ]


def _patience(position: object) -> Patience:
    assert isinstance(position, Patience)
    return position


def _is_left_out(position: Patience, move: Move, rules: Rules, policy: Policy) -> bool:
    if move.destination.kind != "column":
        return False
    if move.source == WASTE:
        return is_safe_home(rules, move.card, position.foundations, policy)
    if move.source.kind == "foundation":
        return not _may_come_back(position, move.card, rules, policy)
    whole = move.count == len(position.columns[move.source.index])
    return whole and rules.fill == "kings" and not _is_room_wanted(position, rules)


def _may_come_back(position: Patience, card: int, rules: Rules, policy: Policy) -> bool:
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
    beneath = range(card, 4 * (position.lowest - 1) - 1, -4)
    return any(position.can_stack(other, one, rules) for one in beneath for other in movable)


def _movable(position: Patience, rules: Rules) -> Iterator[int]:
    """Yield the cards that may move to a column, some of them after turns of the stock."""
    yield from (*position.waste, *position.stock)
    yield from (top for index in range(4) if (top := position.top_home(index)) is not None)
    for card, source, count in position.runs(rules):
        if source.kind != "column":
            continue
        under = position.face_up(source.index)[:-count][-1:]
        stays = rules.has_twins and under and position.can_stack(card, under[0], rules)
        if not stays or position.is_next_home(under[0]):
            yield card


def _is_room_wanted(position: Patience, rules: Rules) -> bool:
    """Return whether no column is empty, and a king may move that is not at a column's bottom."""
    if not all(position.columns):
        return False
    kings = {card for card in (*position.waste, *position.stock) if card // 4 + 1 == KING}
    for card, source, count in position.runs(rules):
        inside = source.kind == "column" and count < len(position.columns[source.index])
        if card // 4 + 1 == KING and inside:
            kings.add(card)
    return bool(kings) or (rules.removable and KING in position.foundations)
