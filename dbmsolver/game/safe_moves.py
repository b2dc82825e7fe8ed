"""Safe moves home: those that lose nothing, and may be made at once."""

from __future__ import annotations

from collections.abc import Sequence

from dbmsolver.game.cards import rank, suit
from dbmsolver.game.kinds import Policy
from dbmsolver.game.rules import Rules


def has_safe_moves(rules: Rules) -> bool:
    """Return True if these rules have moves to a foundation that are safe."""
    return rules.features.has_safe_moves and not (rules.whole_suits or rules.takes_back)


def is_safe_home(
    rules: Rules, card: int, foundations: Sequence[int], policy: Policy, lowest: int = 1
) -> bool:
    """Return True if the card's move to its foundation is possible, and safe under the policy.

    Where the deal gives the rank with which foundations begin, `card` has its rank counted from
    that one, which counts as `lowest`, the lowest rank of the deck. `foundations` are the four
    heights in the order of `SUITS`.

    A safe move takes nothing away: from every solution that makes it later, one as short
    follows that makes it now. A card that is needed in the columns is needed for one thing
    only, that another card, one rank lower, be put on it. So a move home of a card of rank r
    is safe if each card that could have been put on it is home already, or can go home itself
    the moment it is free, and doing so is harmless by the same argument.

    Alternate colour, the cards concerned being the two of rank r-1 of the other colour:

    `horne`  Both are home (both foundations of the other colour >= r-1). Or r <= 2: nothing
             goes on an ace; on a two go aces only, and an ace can always go home instead.
    `wkr`    Both are home or next to go (>= r-2). Going home is harmless for them, too: what
             could be put on them is the r-2 of either suit of the card's own colour. That
             of its own suit is home; the other one is home or next to go if its foundation
             is >= r-3; and what could be put on that one, r-3 of the other colour, is home.

    By suit the only card concerned is the next lower one of the same suit, which is home when
    the move is possible at all: every move home is safe. Where columns are built up, too, the
    next higher card of the suit is concerned, and it can go home instead of being put on this
    one; so can what would be put on it in turn. By any suit all four of rank r-1 are
    concerned: `horne` wants all of them home (or r <= 2), `wkr` at least next to go (all
    foundations >= r-2; then every card of rank r-2 is home, and nothing is left to be put on
    them). Where nothing is put on cards, every move home is safe.

    Where columns go round, a king may be put on a base: then no move home of a base is safe. Of a
    card by suit that is none nothing else is asked, as its base is home.

    Where a run is one move, the solution that follows makes the same moves without the cards
    that are home by then. A run keeps its other cards, which still are a run: what is missing
    is its upper end, as all that could lie on a card home early goes home, too. A move of such
    cards alone is left out. Each of them goes home by one move, sooner or later. So no move is
    added, and the solution is as short.

    With one pile nothing goes home. Where cards come back from the foundations no move is taken
    to be safe.

    In Klondike and its relatives the argument is the same, and is made in
    :mod:`dbmsolver.game.patience`: cards that may come back, or groups of any cards, ask for
    more.

    Where only whole suits go home no card goes by itself, and no move is taken to be safe: the
    cards of a suit that is complete may still be needed in two columns.
    """
    own = suit(card)
    r = rank(card)
    if foundations[own] != r - 1 or policy == "none":
        return False
    if not has_safe_moves(rules):
        return False
    if rules.base == "round" and not _is_safe_going_round(rules, own, foundations, lowest):
        return False
    if rules.build in ("suit", "none", "suit-both"):
        return True
    if rules.is_patience and not _is_safe_in_patience(rules, r, own, foundations):
        return False
    if policy == "horne" and r <= 2:
        return True
    concerned = [foundations[own ^ kind] for kind in rules.parent_kinds if kind != 0]
    if policy == "horne":
        return min(concerned) >= r - 1
    if rules.build == "alternate" and foundations[own ^ 2] < r - 3:
        return False
    return min(concerned) >= r - 2


def _is_safe_going_round(rules: Rules, own: int, foundations: Sequence[int], lowest: int) -> bool:
    """Return True if a move home is safe as far as it depends on a last rank on the base."""
    if rules.build == "none":
        return True
    kinds = {0, *rules.parent_kinds, *([2] if rules.build == "alternate" else [])}
    return not rules.removable and min(foundations[own ^ kind] for kind in kinds) >= lowest


def _is_safe_in_patience(rules: Rules, r: int, own: int, foundations: Sequence[int]) -> bool:
    """Return True if a move home is safe as far as it depends on cards back and groups.

    Cards may come back from the foundations, or groups of any cards may move.
    """
    concerned = [foundations[own ^ kind] for kind in rules.parent_kinds if kind != 0]
    if rules.moves == "groups":
        if min(concerned) < r - 1:
            return False
        # By colours in turn, cards that come back could carry r-2 of the other suit.
        return rules.build != "alternate" or foundations[own ^ 2] >= r - 2
    return rules.build != "alternate" or foundations[own ^ 2] >= r - 3
