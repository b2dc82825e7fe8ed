"""Small decks of Klondike and its relatives, and slow searches of the readable model."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from dbmsolver.game.bases import Base
from dbmsolver.game.brevity import brief_successors, is_brief
from dbmsolver.game.cards import CARDS, RANKS, rank, suit
from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import BUILDS, Policy
from dbmsolver.game.moves import Move
from dbmsolver.game.patience import Patience, counts_as_play
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES

PATIENCE_GAMES = [name for name, rules in GAMES.items() if rules.is_patience]
DRAWN_GAMES = (
    *("canfield", "klondike", "klondike_3_left_to_right", "klondike_by_threes"),
    *("klondike_left_to_right", "russian_solitaire", "thumb_and_pouch", "trigon", "whitehead"),
    "yukon",
)
"""The games of tests whose decks were chosen by hand among random ones: a new game changes none."""
BRIEF_GAMES = [name for name in PATIENCE_GAMES if is_brief(GAMES[name])]


def late_position(game: str, random: Random) -> Deal:
    """Return a whole deck with some of it home, unevenly, so that cards often have to come back."""
    rules = GAMES[game]
    dealt = Deal.from_number(1, rules).position
    assert isinstance(dealt, Patience)
    middle, spread = random.randint(4, 9), random.randint(1, 4)
    heights = tuple(max(1, middle + random.randint(-spread, spread)) for _ in range(4))
    left = [card for card in range(CARDS) if rank(card) > heights[suit(card)]]
    random.shuffle(left)
    most = min(8, len(left)) if rules.stock else 0
    off = [left.pop() for _ in range(random.choice((0, 0, 0, random.randint(0, most))))]
    if random.random() < 0.6:  # high cards lie deep
        left.sort(key=lambda card: rank(card) + random.gauss(0, 2), reverse=True)
    columns: list[list[int]] = [[] for _ in dealt.columns]
    used, tidy = random.randint(1, len(columns)), random.random()
    for card in left:
        fitting = [
            column
            for column in columns[:used]
            if column and dealt.can_stack(card, column[-1], rules) and random.random() < tidy
        ]
        random.choice(fitting or columns[:used]).append(card)
    down = bool(rules.layout and "hidden" in rules.layout)
    hidden = tuple(
        random.choice((0, 0, random.randrange(len(column)))) if column and down else 0
        for column in columns
    )
    turned = random.randint(0, len(off))
    return Deal(
        Patience(
            tuple(map(tuple, columns)), (), heights, stock=tuple(off[turned:]),
            waste=tuple(off[:turned]), hidden=hidden, turns=dealt.turns,
        ),
        rules,
    )  # fmt: skip


def small_deck(game: str, random: Random, ranks: tuple[int, int] = (2, 4)) -> Deal:
    """Return a few ranks in two to four columns, with face-down cards and a stock as in the game.

    ``ranks`` says how few and how many; the lower ones are home. How many cards are turned, how
    often, and whether cards come back, is as in the game or not.
    """
    rules = GAMES[game]
    if rules.stacked:
        return small_canfield(game, random, ranks)
    columns, high = random.randint(2, 4), random.randint(*ranks)
    cards = list(range(CARDS - 4 * high, CARDS))
    random.shuffle(cards)
    stock = [cards.pop() for _ in range(random.randint(0, 6) if rules.draw else 0)]
    waste = [stock.pop(0) for _ in range(random.choice((0, 0, 1, 2))) if stock]
    piles = [tuple(cards[index::columns]) for index in range(columns)]
    diagonal = random.random() < 0.5
    if diagonal:  # longer and longer, as in Klondike
        places = [index for row in range(CARDS) for index in range(min(row, columns - 1), columns)]
        piles = [
            tuple(card for card, place in zip(cards, places, strict=False) if place == index)
            for index in range(columns)
        ]
    down = bool(rules.layout and "hidden" in rules.layout)
    hidden = tuple(random.randint(0, max(0, len(pile) - 1)) if down else 0 for pile in piles)
    draw = random.choice((1, 2, 3, rules.draw)) if rules.draw else 0
    passes = random.choice((0, 0, 1, 2, rules.passes)) if rules.draw else 0
    changed = replace(
        rules,
        columns=columns,
        layout="",
        stock=len(stock) + len(waste) if draw else 0,
        draw=draw,
        passes=passes,
        removable=random.random() < 0.7,
        fill=random.choice((rules.fill, "any", "kings")),
    )
    position = Patience(
        tuple(piles),
        (),
        (13 - high,) * 4,
        stock=tuple(stock),
        waste=tuple(waste),
        hidden=hidden,
        turns=random.randint(0, passes - 1) if passes else None,
    )
    return Deal(position, changed)


def small_canfield(
    game: str, random: Random, ranks: tuple[int, int] = (2, 4), **given: Any
) -> Deal:
    """Return a few ranks in two to four columns, with a base, a reserve, and a stock or none.

    What moves, what goes to empty columns, whether columns go round, and whether cards come
    back, is as in the game or not, or as it is ``given``.
    """
    rules = GAMES[game]
    columns, high = random.randint(2, 4), random.randint(*ranks)
    lowest = 14 - high
    base = Base(random.randint(lowest, 13), lowest)
    cards = list(range(CARDS - 4 * high, CARDS))
    random.shuffle(cards)
    heights = [lowest - 1] * 4
    first = next(card for card in cards if rank(card) == base.rank)
    if random.random() < 0.8:
        cards.remove(first)
        heights[suit(first)] += 1
    stock = [cards.pop() for _ in range(random.randint(0, 6))]
    waste = [stock.pop(0) for _ in range(random.choice((0, 0, 1, 2))) if stock]
    reserve = [cards.pop() for _ in range(random.randint(0, 5)) if len(cards) > columns]
    if random.random() < 0.6:  # a card for each column, as in the game
        stock += cards[columns:][:6]
        reserve += cards[columns:][6:]
        cards = cards[:columns]
    passes = random.choice((0, 0, 1, 2))
    changes: dict[str, Any] = {
        "columns": columns,
        "layout": "",
        "stock": len(stock) + len(waste),
        "draw": random.choice((1, 2, 3)),
        "passes": passes,
        "removable": random.random() < 0.3,
        "fill": random.choice(("any", "any", "none", "waste")),
        "build": random.choice((rules.build, rules.build, *BUILDS[:4], "colour", "other")),
        "moves": random.choice(("card-or-column", "columns", "runs", "suit-runs", "single")),
        "base": random.choice(("deal", "round")),
        "stacked": len(reserve),
        **given,
    }
    if changes["moves"] == "suit-runs" and changes["build"] not in ("suit", "any", "colour"):
        changes["moves"] = rules.moves
    if changes["build"] == "none":
        changes["moves"] = "single"
    hearts, spades, diamonds, clubs = heights
    position = Patience(
        tuple(tuple(cards[index::columns]) for index in range(columns)),
        (),
        (hearts, spades, diamonds, clubs),
        stock=tuple(stock),
        waste=tuple(waste),
        hidden=(0,) * columns,
        turns=random.randint(0, passes - 1) if passes else None,
        base=base,
        reserve=tuple(reserve),
    )
    deal = Deal(position, replace(rules, **changes))
    position.validate(deal.rules)
    return deal


def without_low_ranks(deal: Deal) -> Deal:
    """Return a small deck whose rules say which ranks it is without. Others come back from home.

    A deck with a base is returned as it is.
    """
    if deal.rules.base != "ace":
        return deal
    kept = min(deal.position.foundations)
    layout = " ".join(["home", *RANKS[:kept]]) if kept else ""
    return Deal(deal.position, replace(deal.rules, layout=layout, removable=True))


def whole_deck(random: Random, games: Sequence[str] = PATIENCE_GAMES) -> Deal:
    """All 52 cards in a few columns, the others empty, and the game's stock, or none."""
    rules = GAMES[random.choice([name for name in games if not GAMES[name].stacked])]
    cards = random.sample(range(CARDS), CARDS)
    stock = [cards.pop() for _ in range(rules.stock)] if rules.draw else []
    whole = len(stock)
    waste = [stock.pop(0) for _ in range(random.choice((0, 1, whole // 2, whole)))] if stock else []
    if random.random() < 0.5:
        cards.sort(key=lambda card: -(card >> 2) + 3 * random.random())
    used = random.randint(1, rules.columns)
    piles = [tuple(cards[index::used]) for index in range(used)]
    piles += [()] * (rules.columns - used)
    down = bool(rules.layout and "hidden" in rules.layout)
    changed = replace(rules, layout="", fill=random.choice(("any", "kings")))
    position = Patience(
        tuple(piles),
        (),
        (0, 0, 0, 0),
        stock=tuple(stock),
        waste=tuple(waste),
        hidden=tuple(random.randint(0, max(0, len(pile) - 1)) if down else 0 for pile in piles),
        turns=random.randint(0, rules.passes - 1) if rules.passes else None,
    )
    deal = Deal(position, changed)
    position.validate(deal.rules)
    return deal


def plays(
    position: Patience, rules: Rules, policy: Policy, *, brief: bool = False
) -> Iterator[tuple[tuple[Move, ...], Move, Patience]]:
    """Plays that are possible at once or after turning: turns before it, play, what follows.

    A card of the waste is played after the fewest turns that bring it to the top. With ``brief``
    those are left out that a search for a shortest solution does without.
    """
    turns: tuple[Move, ...] = ()
    at, met = position, set[object]()
    if position.forced(rules, policy) is not None:
        for move, after in position.successors(rules, policy):
            assert isinstance(after, Patience)
            yield (), move, after
        return

    def moves(at: Patience) -> list[tuple[Move, Patience]]:
        if brief:
            return brief_successors(at, rules, policy)
        found = [move for move in at.moves(rules) if not at.is_between_twins(move, rules)]
        return [(move, at.apply(move)) for move in found]

    tops = set[int]()
    while (at.waste, at.turns) not in met:
        met.add((at.waste, at.turns))
        following = moves(at)
        for move, after in following:
            from_waste = move.source.kind == "waste" and move.destination.kind != "stock"
            if (from_waste and move.card not in tops) or (counts_as_play(move) and not turns):
                yield turns, move, after
        tops.update(at.waste[-1:])
        turning = [move for move, _ in following if not counts_as_play(move)]
        if not turning:
            return
        at, turns = at.apply(turning[0]), (*turns, turning[0])


def states_of(
    deal: Deal, policy: Policy, most: int, *, free: bool, brief: bool = False
) -> set[Hashable] | None:
    """All states that plays lead to from the deal, without what is won; None for more than most.

    With ``free`` turns what can be played is what counts, not how far the stock is turned.
    """
    start = deal.position
    assert isinstance(start, Patience)

    def name(position: Patience) -> Hashable:
        if not free:
            return position.canonical()
        met, at, tops = set[object](), position, set[int]()
        while at.waste not in met:
            met.add(at.waste)
            tops.update(at.waste[-1:])
            turning = at.moves_of_stock(deal.rules)
            if not turning:
                break
            at = at.apply(turning[0])
        left = (*position.waste, *position.stock)
        return replace(position, waste=left, stock=()).canonical(), frozenset(tops)

    found, queue = {name(start)}, deque([start])
    while queue:
        for _, _, after in plays(queue.popleft(), deal.rules, policy, brief=brief):
            key = name(after)
            if key not in found and not after.is_goal():
                if len(found) == most:
                    return None
                found.add(key)
                queue.append(after)
    return found
