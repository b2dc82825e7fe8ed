"""Distances of classes of small decks by a slow search, and by the check."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections import defaultdict

from dbmsolver.game.classes import Class, Classes
from dbmsolver.game.deals import Deal
from dbmsolver.jit.decorators import kernel
from dbmsolver.verify.class_distances import ClassDistances
from dbmsolver.verify.class_format import ClassFormat
from dbmsolver.verify.kernels.class_distances import Distances, distance_of
from dbmsolver.verify.kernels.classes import lay_class, list_successors
from helpers.searching import end_of


@kernel
def distance_of_words(c, board, words):
    """Return the distance of a class (uint64[2]: signature and key)."""
    return distance_of(c, board, words[0], words[1])


@kernel
def successors_of_words(game, board, words, every):
    """Write the classes that follow from a class to the board; return how many."""
    _, laid = lay_class(game, board, words[0], words[1])
    return list_successors(game, board, laid, words[0], words[1], every)


def slow_distances(classes: Classes, most: int) -> dict[Class, int | None] | None:
    """Return the distances of all classes that any moves lead to, None of those that are lost.

    Of a won class it is the number of cards that are not home. None if there are more than ``most``
    classes.
    """
    befores: defaultdict[Class, list[Class]] = defaultdict(list)
    seen, waiting = {classes.root}, [classes.root]
    while waiting:
        found = waiting.pop()
        for _, after in classes.moves(found, frozenset()):
            befores[after].append(found)
            if after not in seen:
                seen.add(after)
                waiting.append(after)
        if len(seen) > most:
            return None
    by_moves: defaultdict[int, list[Class]] = defaultdict(list)
    for found in filter(classes.is_won, seen):
        by_moves[52 - sum(found.foundations)].append(found)
    distances: dict[Class, int | None] = dict.fromkeys(seen)
    moves = 0
    while moves <= max(by_moves, default=-1):
        for found in by_moves[moves]:
            if distances[found] is None:
                distances[found] = moves
                by_moves[moves + 1] += befores[found]
        moves += 1
    return distances


def some_classes(classes: Classes, most: int) -> list[Class]:
    """Return classes that any moves lead to, depth first: all, if there are no more than these."""
    found, waiting = {classes.root: None}, [classes.root]
    while waiting and len(found) < most:
        for _, after in classes.moves(waiting.pop(), frozenset()):
            if after not in found:
                found[after] = None
                waiting.append(after)
    return [*found][:most]


def check_distances(deal: Deal, threads: int = 2) -> tuple[ClassDistances, Distances]:
    """Return the distances as the check works them out."""
    distances = ClassDistances(deal, threads, 1 << 28)
    return distances, end_of(distances.run())


def words_of(form: ClassFormat, found: Class) -> tuple[int, int]:
    """Return the signature and key of a class; of a won one, too, as if it was not."""
    game, size = form.game, len(form.pack)
    shifts = zip(found.counts, game.shifts.tolist(), strict=True)
    signature = sum(count << shift for count, shift in shifts)
    key = sum(1 << at for at, card in enumerate(form.pack) if card in found.stock)
    key |= sum(height << size + 4 * suit for suit, height in enumerate(found.foundations))
    return signature, key | found.waste << size + 16 | (found.turns or 0) << size + 22
