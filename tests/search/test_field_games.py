"""Small decks of the games of rules-driven solvers, against a search straight on their JSON rules.

The eleven games of tests/data/games/small-decks.json, each with other numbers of piles and ranks,
other policies, one deck or two. The search has a model of its own, which follows the words of the
rules and shares nothing with the package but their defaults. A state is piles, their numbers of
cards face down, cells or reserve, stock, waste, hole and the heights of all foundations. Cards are
pairs of rank and suit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from helpers.selection import few_fast

from dbmsolver.api import prove
from dbmsolver.errors import DbmError
from dbmsolver.game.deals import Deal
from dbmsolver.game.language.json_games import parse_json
from dbmsolver.game.language.json_rules import DEFAULTS
from dbmsolver.game.language.understanding import understand

DATA = json.loads((Path(__file__).parents[1] / "data" / "games" / "small-decks.json").read_text())
SETS = {entry["game"]: entry for entry in DATA["games"]}
Card = tuple[int, str]
Cards = tuple[Card, ...]
RED = "HD"


class State(NamedTuple):
    piles: tuple[Cards, ...]
    down: tuple[int, ...]
    held: Cards
    """Cells, or a reserve: of one that is stacked the last card is on top."""
    stock: Cards
    """The card turned next comes first."""
    waste: Cards
    hole: Card | None
    home: tuple[tuple[str, int], ...]
    """Suit and number of cards of each foundation, sorted."""


class FieldGame:
    """A game of these rules; ``base`` is the rank with which foundations begin."""

    def __init__(self, rules: dict[str, Any], base: int = 1) -> None:
        whole = {
            name: {**default, **rules.get(name, {})}
            if isinstance(default, dict)
            else rules.get(name, default)
            for name, default in DEFAULTS.items()
        }
        self.piles, self.stock_rules = whole["tableau piles"], whole["stock"]
        self.homes, self.cells = whole["foundations"], whole["cells"]["count"]
        self.reserve, self.hole = whole["reserve"], whole["hole"]
        self.ranks: int = whole["max rank"]
        self.decks = 2 if whole["two decks"] else 1
        self.base = base

    def deal(self, random: Random) -> dict[str, Any]:
        """Return a random deck as a board in JSON; the base is random, too, if the rules say so."""
        deck = [(r, s) for r in range(1, self.ranks + 1) for s in "HSDC"] * self.decks
        board: dict[str, Any] = {}
        random.shuffle(deck)
        if self.homes["base card"] == "random":
            self.base = deck[-1][0]
            board["foundations"] = [_name(deck.pop())]
        elif self.homes["initial cards"] == "all":
            deck = [card for card in deck if card[0] > 1]
        if self.hole["present"]:
            deck.remove((1, "S"))
            board["hole"] = "AS"
        for name, size in (("reserve", self.reserve["size"]), ("stock", self.stock_rules["size"])):
            if size:
                board[name] = [_name(deck.pop()) for _ in range(size)]
        piles: list[list[str]] = [[] for _ in range(self.piles["count"])]
        for number, card in enumerate(deck):
            piles[number % len(piles)].append(_name(card))
        if self.piles["face up cards"] == "top":
            for pile in piles:
                pile[:-1] = [name[:-1] + name[-1].lower() for name in pile[:-1]]
        board["tableau piles"] = piles
        return board

    def state(self, board: dict[str, Any]) -> State:
        """Return the position on a board in JSON."""
        given = [[_card(name) for name in pile] for pile in board["tableau piles"]]
        down = tuple(sum(name[-1].islower() for name in pile) for pile in board["tableau piles"])
        packs = Counter(dict.fromkeys("HSDC", self.decks))
        tops = Counter(_card(name)[1] for name in board.get("foundations", ()))
        if self.homes["initial cards"] == "all":
            tops = packs
        home = [(s, int(n < tops[s])) for s in packs for n in range(packs[s])]
        held = [_card(name) for name in board.get("reserve", board.get("cells", ()))]
        stock = [_card(name) for name in board.get("stock", ())]
        hole = _card(board["hole"]) if "hole" in board else None
        return State(
            tuple(map(tuple, given)),
            down,
            tuple(held),
            tuple(reversed(stock)),
            tuple(_card(name) for name in board.get("waste", ())),
            hole,
            tuple(sorted(home)) if self.homes["present"] else (),
        )

    def is_won(self, state: State) -> bool:
        if self.hole["present"]:
            return not any(state.piles)
        return not (any(state.piles) or state.held or state.stock or state.waste)

    def _builds(self, policy: str, card: Card, under: Card) -> bool:
        if self.homes["base card"] == "random":
            # Ranks go round, but nothing lies on the base.
            fits = under[0] != self.base and card[0] % self.ranks + 1 == under[0]
        else:
            fits = card[0] + 1 == under[0]
        red = (card[1] in RED, under[1] in RED)
        return (
            fits
            and {
                "any-suit": True,
                "red-black": red[0] != red[1],
                "same-suit": card[1] == under[1],
                "no-build": False,
            }[policy]
        )

    def _groups(self, pile: Cards, down: int) -> list[int]:
        """Return how many cards of a pile can be moved at once."""
        how = self.piles["move built group"]
        policy = self.piles["move built group policy"]
        policy = self.piles["build policy"] if policy == "same-as-build" else policy
        most = 1
        while most < len(pile) - down and self._builds(policy, pile[-most], pile[-most - 1]):
            most += 1
        if how == "whole-pile":
            return [most] if most == len(pile) else []
        return list(range(1, most + 1)) if how == "yes" else [1]

    def _targets(self, state: State, card: Card, source: str) -> Iterator[int]:
        spaces = self.piles["spaces policy"]
        takes = spaces == "any" or (spaces == "kings" and card[0] == self.ranks)
        takes = takes or (spaces == "auto-reserve-then-waste" and source == "waste")
        takes = takes or spaces == "auto-reserve-then-any"
        for index, pile in enumerate(state.piles):
            if self._builds(self.piles["build policy"], card, pile[-1]) if pile else takes:
                yield index

    def _sources(self, state: State) -> Iterator[tuple[Card, str, State]]:
        """Yield each card that can be moved alone, where it lies, and the rest."""
        for index, pile in enumerate(state.piles):
            if pile:
                yield pile[-1], "tableau", _without(state, index, 1)
        stacked = self.reserve["stacked"]
        for index, card in enumerate(state.held):
            if not stacked or index == len(state.held) - 1:
                held = state.held[:index] + state.held[index + 1 :]
                yield card, "held", state._replace(held=held)
        if state.waste:
            yield state.waste[-1], "waste", state._replace(waste=state.waste[:-1])
        if self.homes["removable"]:
            for index, (suit, count) in enumerate(state.home):
                if count:
                    home = list(state.home)
                    home[index] = suit, count - 1
                    rest = state._replace(home=tuple(sorted(home)))
                    yield (count, suit), "home", rest

    def successors(self, state: State) -> Iterator[State]:
        for after in self._successors(state):
            yield self._filled(after)

    def _filled(self, state: State) -> State:
        """Return the state after the reserve has filled spaces, and cards were turned up."""
        piles, held = list(state.piles), state.held
        if self.piles["spaces policy"].startswith("auto-reserve"):
            for index, pile in enumerate(piles):
                if not pile and held:
                    piles[index], held = held[-1:], held[:-1]
        down = tuple(
            min(down, max(0, len(pile) - 1)) for down, pile in zip(state.down, piles, strict=True)
        )
        return state._replace(piles=tuple(piles), held=held, down=down)

    def _successors(self, state: State) -> Iterator[State]:
        if self.hole["present"]:
            yield from self._to_hole(state)
            return
        complete = self.homes["only complete pile moves"]
        for card, source, rest in self._sources(state):
            if source != "home" and not complete:
                for index, (suit, count) in enumerate(state.home):
                    rank = (self.base + count - 1) % self.ranks + 1
                    if card == (rank, suit) and count < self.ranks:
                        home = list(rest.home)
                        home[index] = suit, count + 1
                        yield rest._replace(home=tuple(sorted(home)))
            if source != "tableau":
                for target in self._targets(state, card, source):
                    yield _with(rest, target, (card,))
            if self.cells and source == "tableau" and len(state.held) < self.cells:
                yield rest._replace(held=tuple(sorted((*state.held, card))))
        for index, pile in enumerate(state.piles):
            for count in self._groups(pile, state.down[index]) if pile else ():
                for target in self._targets(state, pile[-count], "tableau"):
                    if target != index:
                        yield _with(_without(state, index, count), target, pile[-count:])
            suit = pile[-1][1] if pile else ""
            whole = tuple((rank, suit) for rank in range(self.ranks, 0, -1))
            shown = pile[state.down[index] :]
            if complete and shown[-self.ranks :] == whole and (suit, 0) in state.home:
                home = list(state.home)
                home[home.index((suit, 0))] = suit, self.ranks
                after = _without(state, index, self.ranks)
                yield after._replace(home=tuple(sorted(home)))
        yield from self._of_stock(state)

    def _of_stock(self, state: State) -> Iterator[State]:
        if not self.stock_rules["size"]:
            return
        if self.stock_rules["deal type"] == "tableau piles":
            if state.stock:
                count = len(state.piles)
                row, rest = state.stock[:count], state.stock[count:]
                piles = [pile + row[index : index + 1] for index, pile in enumerate(state.piles)]
                yield state._replace(piles=tuple(piles), stock=rest)
        elif state.stock:
            count = self.stock_rules["deal count"]
            waste = state.waste + state.stock[:count]
            yield state._replace(waste=waste, stock=state.stock[count:])
        elif state.waste and self.stock_rules["redeal"]:
            yield state._replace(waste=(), stock=state.waste)

    def _to_hole(self, state: State) -> Iterator[State]:
        for index, pile in enumerate(state.piles):
            if pile and state.hole:
                apart = abs(pile[-1][0] - state.hole[0])
                if apart == 1 or (self.hole["build loops"] and apart == self.ranks - 1):
                    yield _without(state, index, 1)._replace(hole=pile[-1])

    def _same(self, state: State) -> State:
        """Return one state for all that are equal but for the order of piles or cells.

        Where a stock is still dealt onto them, piles differ.
        """
        held = state.held if self.reserve["stacked"] else tuple(sorted(state.held))
        if state.stock and self.stock_rules["deal type"] == "tableau piles":
            return state._replace(held=held)
        piles = sorted(zip(state.piles, state.down, strict=True))
        return state._replace(
            piles=tuple(pile for pile, _ in piles), down=tuple(n for _, n in piles), held=held
        )

    def is_solvable(self, board: dict[str, Any], most: int) -> bool | None:
        """Return True if a board can be won; None if that takes more than ``most`` states."""
        waiting = [self._filled(self.state(board))]
        seen = {self._same(waiting[0])}
        while waiting:
            state = waiting.pop()
            if self.is_won(state):
                return True
            # Cards home come first, and are looked at first: that finds solutions soon.
            for after in reversed(list(self.successors(state))):
                if (key := self._same(after)) not in seen:
                    seen.add(key)
                    waiting.append(after)
            if len(seen) > most:
                return None
        return False


def _without(state: State, index: int, count: int) -> State:
    pile = state.piles[index][:-count]
    return state._replace(piles=(*state.piles[:index], pile, *state.piles[index + 1 :]))


def _with(state: State, index: int, cards: Iterable[Card]) -> State:
    pile = (*state.piles[index], *cards)
    return state._replace(piles=(*state.piles[:index], pile, *state.piles[index + 1 :]))


def _name(card: Card) -> str:
    return "0A23456789TJQK"[card[0]] + card[1]


def _card(name: str) -> Card:
    return "0A23456789TJQK".index(name[0]), name[-1].upper()


def changed(rules: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return similar rules, which may be such as are not played."""
    rules = deepcopy(rules)
    piles, stock = rules["tableau piles"], rules.get("stock")
    rules["max rank"] = random.randint(1, rules["max rank"] + 1 - rules.get("two decks", False))
    piles["count"] = max(1, piles["count"] + random.choice((-2, -1, 0, 0, 1)))
    if random.random() < 0.3 and not piles.get("spaces policy", "").startswith("auto"):
        piles["spaces policy"] = random.choice(("any", "kings", "no-build"))
    whole = piles.get("move built group") == "whole-pile"
    if not (rules.get("hole") or whole or "move built group policy" in piles):
        if random.random() < 0.3:
            piles["build policy"] = random.choice(("any-suit", "red-black", "same-suit"))
        if random.random() < 0.2:
            piles["move built group"] = random.choice(("yes", "no"))
    if random.random() < 0.2:
        rules.setdefault("foundations", {})["removable"] = random.random() < 0.5
    if random.random() < 0.15:
        rules["two decks"] = not rules.get("two decks", False)
    if random.random() < 0.2:
        piles["face up cards"] = random.choice(("top", "all"))
    cards = 4 * rules["max rank"] * (1 + rules.get("two decks", False))
    if stock:
        stock["size"] = random.randint(0, min(cards - 1, stock["size"] + 2))
        if stock.get("deal type") is None:
            stock["deal count"] = random.randint(1, 3)
        if random.random() < 0.1:
            stock["deal type"] = random.choice(("waste", "tableau piles"))
        if random.random() < 0.2:
            stock["redeal"] = random.random() < 0.5
    if reserve := rules.get("reserve"):
        reserve["size"] = random.randint(0, min(cards - 1, reserve["size"] + 1))
    return rules


@pytest.mark.parametrize("game", few_fast(sorted(SETS), 2))
def test_sets_by_the_model_itself(game: str) -> None:
    """The model that the others are compared with gives the published verdicts."""
    for deck in SETS[game]["decks"]:
        board = deck["deck"]
        base = int(board["foundations"][0][0].replace("A", "1")) if game == "canfield" else 1
        model = FieldGame(SETS[game]["rules"], base)
        assert model.is_solvable(board, 100_000) == (deck["verdict"] == "solvable")


@pytest.mark.parametrize(
    ("game", "count"),
    [
        ("spider", 12),
        ("alpha-star", 12),
        *(pytest.param(game, 50, marks=pytest.mark.slow) for game in sorted(SETS)),
    ],
)
def test_other_decks(game: str, count: int) -> None:
    random, verdicts = Random(game), []
    while len(verdicts) < count:
        rules = changed(SETS[game]["rules"], random)
        try:
            described = parse_json(json.dumps(rules), "r.json")
            played = understand(described, "r").playable("r", "r.json")
        except DbmError:
            continue  # other tests say what is refused
        model = FieldGame(rules)
        board = model.deal(random)
        if not any(board["tableau piles"]):
            continue
        wanted = model.is_solvable(board, 4000)
        if wanted is not None:
            found = prove(Deal.from_text(json.dumps(board), played)).verdict
            assert found == ("solved" if wanted else "unsolvable"), (rules, board)
            verdicts.append(wanted)
    assert len(set(verdicts)) == 2
