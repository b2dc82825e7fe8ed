"""The solution in a manifest or a certificate, replayed by the rules.

Each step is one move, and nothing is played that is not written: a move that the rules or the
metric need, and no step makes, is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dbmsolver.game.cards import CARDS, card_name
from dbmsolver.game.deals import Deal
from dbmsolver.game.measures import Measure, measure_of
from dbmsolver.game.moves import Move
from dbmsolver.game.position import Position
from dbmsolver.storage.certificate_file import Certificate
from dbmsolver.verify.kernels.rules import BOTTOM, FREECELL, HOME
from dbmsolver.verify.refutation import Refuted

TURNED = 6
"""The place value of a step that turns cards of the stock, or the waste; its card is 0."""
PAIRED = 64
"""The place value of a card that is removed with another is this plus the other's number."""


def check_solution(
    deal: Deal, path: Sequence[Any] | None, length: int | None, measure: Measure
) -> None:
    """Raise Refuted unless a path is a solution of this length."""
    if path is None:
        raise Refuted("there is no solution to be played")
    found = replay(deal, path, measure)
    if found != length:
        raise Refuted(f"the solution has {found} moves, not {length}")


def bad_path(certificate: Certificate, deal: Deal) -> str | None:
    """Return the fault of the solution in a certificate, None if it has none."""
    if certificate["claim"] == "unsolvable":
        return None
    measure = measure_of(deal.rules, certificate["policy"], certificate["metric"])
    try:
        check_solution(deal, certificate["path"], certificate["length"], measure)
    except Refuted as refuted:
        return refuted.reason
    return None


def replay(deal: Deal, path: Sequence[Any], measure: Measure) -> int:
    """Make the moves of a solution; return how many are counted.

    Each is a pair of a card and the place value that it goes to. Refuted if one is illegal, or
    cards are left.
    """
    length = 0
    position = deal.position
    for number, step in enumerate(path, start=1):
        move = _move(deal, position, step, measure)
        if move is None:
            raise Refuted(f"move {number} of the solution ({_text(step)}) is not legal", position)
        position = position.apply(move)
        length += measure.cost(move)
    if not position.is_goal():
        raise Refuted(
            f"after the {len(path)} moves of the solution {position.left} cards are "
            f"{position.left_where}",
            position,
        )
    return length


def _move(deal: Deal, position: Position, step: Any, measure: Measure) -> Move | None:
    if not _is_pair(step):
        return None
    card, place = step
    made = measure.forced(position) if measure.has_free_moves else None
    for move in measure.moves(position) if made is None else [made]:
        # With one pile a card of the stock is turned to it: a move of that card.
        stock = "stock" in (move.source.kind, move.destination.kind)
        turns = not deal.rules.has_pile and stock and move.destination.kind != "removed"
        if turns and place == TURNED and card == 0:
            return move
        if turns or move.card != card:
            continue
        kind, index, under = move.destination.kind, move.destination.index, None
        if kind == "column":
            under = position.columns[index][-1] if position.columns[index] else -1
        if kind == "removed":
            fits = place == (HOME if move.other is None else PAIRED + move.other)
        elif place == HOME:
            fits = kind in ("foundation", "pile")
        elif place == FREECELL:
            fits = kind == "freecell"
        elif place == BOTTOM:
            fits = under == -1
        elif under is None or under < 0:
            fits = False
        else:
            parent = deal.rules.parent(position.counted(card), place, position.lowest)
            fits = position.counted(under) == parent
        if fits:
            return move
    return None


def _is_pair(step: Any) -> bool:
    return (
        isinstance(step, list | tuple)
        and len(step) == 2
        and all(isinstance(value, int) for value in step)
    )


def _text(step: Any) -> str:
    if not _is_pair(step) or not 0 <= step[0] < CARDS:
        return repr(step)[:40]
    places = {
        TURNED: "turned",
        HOME: "home, or to the pile",
        FREECELL: "to a freecell",
        BOTTOM: "to an empty column",
    }
    if PAIRED <= step[1] < PAIRED + CARDS:
        return f"{card_name(step[0])} with {card_name(step[1] - PAIRED)}"
    return f"{card_name(step[0])} {places.get(step[1], 'onto a card')}"
