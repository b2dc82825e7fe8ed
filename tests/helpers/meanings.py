"""Results of the kernels of each family of games on fixed positions, part by part.

The parts are those of :mod:`dbmsolver.storage.meanings`. Each function returns plain values for
each part: the same ones as long as records keep their meaning.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import xxhash

from dbmsolver.game.automoves import AUTOMOVES
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import slot_cards
from dbmsolver.game.kinds import POLICIES, Metric, Policy
from dbmsolver.game.measures import Measure, measure_of
from dbmsolver.game.position import Position
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.game.wide import Wide
from dbmsolver.kernels import hooks
from dbmsolver.kernels.digest import digest_runs, hash_words
from dbmsolver.kernels.runs import local_key, progress_of
from dbmsolver.kernels.states import MAX_MOVES
from dbmsolver.kits.cards.bound import make_scratch
from dbmsolver.kits.klondike.bound import make_weights
from dbmsolver.kits.klondike.class_distances import MOST_SUCCESSORS
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.moves import moves_of
from dbmsolver.kits.klondike.strata import CARD_BITS, signatures
from dbmsolver.kits.klondike.tables import make_board, make_found
from dbmsolver.kits.pairs.keys import PairKeys
from dbmsolver.kits.pairs.moves import CODE
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.kits.pile.moves import TOP
from dbmsolver.kits.records.dive import fingerprints
from dbmsolver.kits.records.dominance import successors as record_successors
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.records.macros import make_scratch as make_record_scratch
from dbmsolver.kits.states import State, StateCodec
from dbmsolver.kits.wide.keys import WideKeys
from dbmsolver.results import Question
from dbmsolver.search.astar.class_listing import ClassListing
from dbmsolver.storage.records import layer_and_stratum
from helpers.kernels import (
    NO_LIMIT,
    bound_by_class,
    bound_of_state,
    class_successors,
    needed_moves,
    pair_successors,
    patience_bound,
    patience_words,
    pile_successors,
)
from helpers.small_klondikes import small_klondike
from helpers.support import COMING_BACK, core_successors, words_of
from helpers.wide_games import listed_by_kernel

Values = dict[str, list[Any]]
_METRICS: tuple[Metric, ...] = ("runs", "turns", "plays")
_FEW_PASSES = replace(GAMES["klondike_by_threes"], passes=3)
STEPS = 60
"""Moves of a game that is played through."""


def digest(values: list[Any]) -> str:
    """Sixteen hexadecimal digits that tell values apart."""
    return xxhash.xxh3_64_hexdigest(json.dumps(values, default=int).encode())


def game_of(deal: Deal, measure: Measure) -> list[Position]:
    """Positions of one game, which does not depend on the order in which moves are listed.

    Cards go home as soon as they can; else the next position is drawn by a hash of what it is.
    None comes twice.
    """
    positions, seen = [deal.position], {repr(deal.position.canonical())}
    while len(positions) <= STEPS:
        after: dict[str, Position] = {}
        for _, position in measure.successors(positions[-1]):
            after.setdefault(repr(position.canonical()), position)
        fresh = after.keys() - seen
        if not fresh:
            break
        drawn = min(fresh, key=lambda text: (after[text].left, digest([text])))
        seen.add(drawn)
        positions.append(after[drawn])
    return positions


def _deals(names: Iterable[str | Rules]) -> list[Deal]:
    """Three deals of each game."""
    games = [GAMES[game] if isinstance(game, str) else game for game in names]
    return [Deal.from_number(number, rules) for rules in games for number in (1, 2, 3)]


def _of_states(
    games: Iterable[str | Rules],
    metric: Metric | None = None,
    policies: Iterable[Policy] = POLICIES,
) -> Values:
    """Games whose states are positions made of cards, by any kind of tables."""
    values: Values = {"keys": [], "moves": [], "automoves": [], "bound": []}
    for deal in _deals(games):
        for policy in policies:
            positions = game_of(deal, measure_of(deal.rules, policy, metric))
            codec = StateCodec(deal, policy, metric)
            if policy == "none":
                values["keys"] += _keys_of_states(codec, positions)
                values["moves"] += _moves_of_states(codec, positions)
                values["bound"] += _bounds(codec, positions)
            else:
                values["automoves"] += _automoves(codec, positions)
                values["keys"] += [codec.root_code, codec.encode(positions[-1])]
    return values


def _keys_of_states(codec: StateCodec, positions: list[Position]) -> list[Any]:
    values: list[Any] = [codec.root_code, codec.tables.code_card, codec.tables.code_place]
    values = [codec.root_code, *(array.tolist() for array in values[1:])]
    for position in positions:
        state = codec.state(position)
        values.append([*state, codec.encode(position), *_stored(codec, state)])
    for before, after in pairwise(positions):
        found, _ = core_successors(codec, codec.state(before))
        state = codec.state(after)
        values.append([code for one, code in found if one == state])
    return values


def _stored(codec: StateCodec, state: State) -> list[Any]:
    """Return a state as it is stored: its stratum and local key; and its part of the digest."""
    signature = np.array([state.signature], np.uint64)
    stratum = progress_of(codec.tables, signature, codec.locked)
    local = local_key(codec.tables, *words_of(*state))
    added = digest_runs(codec.tables, signature, np.ones(1, np.int64), local, local.size)
    return [stratum.tolist(), local.tolist(), int(added)]


def _moves_of_states(codec: StateCodec, positions: list[Position]) -> list[Any]:
    """Return the moves of each position, all and those its last move leaves, and their costs."""
    cost = hooks.move_cost.of(codec.tables).py_func
    values: list[Any] = [int(cost(codec.tables, forced)) for forced in (False, True)]
    moves = np.zeros(MAX_MOVES, np.uint16)
    last = codec.root_code
    for before, after in pairwise(positions):
        state = codec.state(before)
        for every in (True, False):
            count = needed_moves(codec.tables, *words_of(*state), last, every, moves)
            values.append(sorted(divmod(move, 8) for move in moves[:count].tolist()))
        found, _ = core_successors(codec, state)
        values.append(sorted(_step(codec, one) for one in found))
        wanted = codec.state(after)
        last = min(code for one, code in found if one == wanted)
    return values


def _step(codec: StateCodec, successor: Any) -> tuple[int, int]:
    card = int(codec.tables.code_card[successor.code])
    return card, codec.place(successor.state, card)


def _automoves(codec: StateCodec, positions: list[Position]) -> list[Any]:
    values: list[Any] = []
    for position in positions:
        found, forced = core_successors(codec, codec.state(position))
        values.append([_step(codec, one) for one in found] if forced else [])
    return values


def _bounds(codec: StateCodec, positions: list[Position]) -> list[int]:
    bounds = hooks.make_bound_tables(codec.tables, codec.columns)
    over, work = make_scratch()
    return [
        int(
            bound_of_state(
                bounds,
                codec.tables,
                *words_of(*codec.state(position)),
                over[0],
                work,
                NO_LIMIT,
            )
        )
        for position in positions
    ]


def _of_records() -> Values:
    values: Values = {"keys": [], "moves": [], "automoves": []}
    scratch = make_record_scratch()
    for deal in _deals(("freecell", "bakers_game", "seahaven_towers")):
        for policy in POLICIES:
            positions = game_of(deal, measure_of(deal.rules, policy))
            keys = RecordKeys(deal, policy)
            part = "moves" if policy == "none" else "automoves"
            for position in positions:
                state = keys.state(position)
                if policy == "none":
                    rows = np.array([state], np.uint64)
                    stored = _stored(keys, state)
                    values["keys"].append([*state, *stored, fingerprints(rows).tolist()])
                count = int(record_successors(keys.tables, *words_of(*state[:3]), scratch))
                found = [State(*words[:3], 0) for words in scratch.found[:count].tolist()]
                values[part].append(sorted(_record(keys, one) for one in found))
    return values


def _record(keys: RecordKeys, state: State) -> list[Any]:
    record = keys.record(state)
    slots = sorted(slot_cards(record))
    return [list(record.foundations), sorted(record.columns), slots, sorted(record.fix)]


def _of_piles() -> Values:
    values: Values = {"keys": [], "moves": [], "bound": []}
    for deal in _deals(("golf", "black_hole", "all_in_a_row")):
        keys, found = PileKeys(deal, Question.SOLVE), np.zeros((64, 5), np.uint64)
        for position in game_of(deal, keys.measure):
            state = keys.state(position)
            words = np.array([state.signature], np.uint64), np.array([state.off], np.uint64)
            count = int(pile_successors(keys.tables, words[0][0], words[1][0], found))
            places = progress_of(keys.tables, np.append(words[0], found[:count, 0]), keys.locked)
            (layer, stratum), *others = map(layer_and_stratum, places.tolist())
            after = [(row[0], row[1]) for row in found[:count].tolist()]
            digest = int(digest_runs(keys.tables, words[0], np.array([1], np.int64), words[1], 1))
            values["keys"].append([keys.encode(position), *state, sorted(after), stratum, digest])
            tops: tuple[list[int], list[int]] = [], []  # cards of columns, of the stock
            for (_, key), (other, _) in zip(after, others, strict=True):
                tops[other > layer].append(key & TOP)
            values["moves"].append([sorted(cards) for cards in tops])
            values["bound"].append(layer)
    return values


def _of_pairs() -> Values:
    values: Values = {"keys": [], "moves": [], "bound": []}
    for deal in _deals(("pyramid", "relaxed_pyramid")):
        keys, found = PairKeys(deal, Question.SOLVE), np.zeros((64, 5), np.uint64)
        for position in game_of(deal, keys.measure):
            state = keys.state(position)
            words = np.array([state.signature], np.uint64), np.array([state.off], np.uint64)
            count = int(pair_successors(keys.tables, words[0][0], words[1][0], found))
            places = progress_of(keys.tables, np.append(words[0], found[:count, 0]), keys.locked)
            (layer, stratum), *others = map(layer_and_stratum, places.tolist())
            rows = sorted([*row[:3], row[CODE]] for row in found[:count].tolist())
            digest = int(digest_runs(keys.tables, words[0], np.array([1], np.int64), words[1], 1))
            values["keys"].append([keys.encode(position), *state, rows, stratum, digest])
            values["moves"].append(sorted(row[3] for row in rows))
            values["bound"].append([keys.least, sorted(other - layer for other, _ in others)])
    return values


def _of_wide() -> Values:
    values: Values = {"keys": [], "moves": [], "bound": []}
    for deal in _deals(("spider", "gypsy", "forty_thieves", "scorpion")):
        keys = WideKeys(deal)
        for position in game_of(deal, keys.measure):
            assert isinstance(position, Wide)
            found = listed_by_kernel(keys, position)
            values["keys"].append(keys.row(position).tolist())
            values["moves"].append(sorted(row for row, _ in found))
            values["bound"].append(sorted(bound for _, bound in found))
    return values


def _of_patience() -> Values:
    values: Values = {"keys": [], "moves": [], "automoves": [], "bound": []}
    values["distances"] = list(_bounds_by_class())
    for deal in _deals(("klondike", "klondike_by_threes", "yukon", "whitehead", "canfield")):
        for policy in POLICIES:
            positions = game_of(deal, measure_of(deal.rules, policy))
            for metric in _METRICS:
                keys = PatienceKeys(deal, policy, metric, Question.SOLVE)
                _add_patience(values, keys, positions)
    return values


def _bounds_by_class() -> Iterator[int]:
    """Yield the bound of positions of small decks by the distances of their classes."""
    random, room = Random(5), np.zeros((MOST_SUCCESSORS, 5), np.uint64)
    for _ in range(30):
        deal = small_klondike(random, 20)
        for metric in _METRICS:
            keys = PatienceKeys(deal, "wkr", metric, Question.SOLVE)
            listing = ClassListing(keys, 1, 1 << 28)
            while not listing.step():
                pass
            assert listing.distances is not None
            for position in game_of(deal, keys.measure):
                words = patience_words(keys.state(position))
                yield int(bound_by_class(listing.distances, words, room))


def _add_patience(values: Values, keys: PatienceKeys, positions: list[Position]) -> None:
    board, found = make_board(), make_found()
    part = "moves" if keys.measure.policy == "none" else "automoves"
    for position in positions:
        words = patience_words(keys.state(position))
        number = int(moves_of(keys.game, words, board, found))
        steps = []
        for one, code, cost in zip(found.words[:number], found.codes, found.costs, strict=False):
            steps.append([*keys.step(State(0, *one.tolist()), int(code)), int(cost)])
        values[part].append(sorted(steps))
        if keys.measure.policy != "none":
            continue
        signature = np.zeros(1, np.uint64)
        signatures(keys.tables, words[None], signature)
        stratum = [(int(signature[0]) & int(CARD_BITS)).bit_count()]
        codes = sorted(found.codes[:number].tolist())
        stored = [signature.tolist(), stratum, int(hash_words(*words, 3))]
        values["keys"].append([keys.encode(position), *stored, codes])
        bounds = keys.bounds.positions
        values["bound"].append(int(patience_bound(keys.game, bounds, words, board, make_weights())))


def _of_classes() -> Values:
    values: Values = {"keys": [], "moves": [], "automoves": []}
    rows = np.zeros((400, 5), np.uint64)
    for deal in _deals(("klondike", "klondike_by_threes", _FEW_PASSES)):
        for policy in POLICIES:
            keys = ClassKeys(deal, policy)
            part = "moves" if policy == "none" else "automoves"
            found = keys.classes.root
            for _ in range(STEPS):
                state = keys.state_of(found)
                if policy == "none":
                    row = np.array([state], np.uint64)
                    stored = _stored(keys, state)
                    values["keys"].append([*state, *stored, fingerprints(row).tolist()])
                words = np.uint64(state.signature), np.uint64(state.off)
                count = int(class_successors(keys.tables, *words, rows))
                after = [State(*map(int, row[:2]), 0, 0) for row in rows[:count]]
                open_ones = sorted(one for one in set(after) if one.signature != keys.goal)
                values[part].append([len(after), *map(list, open_ones)])
                if not open_ones:
                    break
                found = keys.class_of(min(open_ones, key=lambda one: digest(list(one))))
    return values


FAMILIES: dict[str, Callable[[], Values]] = {
    "cards": lambda: _of_states(("freecell", "seahaven_towers", "flower_garden")),
    "supermoves": lambda: _of_states(("freecell", "bakers_game"), "moves", AUTOMOVES),
    "runs": lambda: _of_states(("relaxed_freecell", "simple_simon")),
    "mixed runs": lambda: _of_states((replace(GAMES["simple_simon"], moves="runs"),)),
    "two-way": lambda: _of_states(("fortress", COMING_BACK[0])),
    "dominating": _of_records,
    "classes": _of_classes,
    "pile": _of_piles,
    "pairs": _of_pairs,
    "wide": _of_wide,
    "patience": _of_patience,
}
"""The values of each family, by its name."""
