"""The check of each class of positions of Klondike: every move leads to a closed class."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inner, kernel
from dbmsolver.verify.kernels.blocks import difference
from dbmsolver.verify.kernels.class_layout import lay_columns, lay_out
from dbmsolver.verify.kernels.class_moves import IS_WON, LIFTED, is_won, list_successors
from dbmsolver.verify.kernels.class_table import is_in, is_of_part
from dbmsolver.verify.kernels.digest import hash_key
from dbmsolver.verify.kernels.words import ZERO

GOOD, BAD_CLASS, WRONG_STRATUM, WON, NO_SUCCESSOR = range(5)
"""Results of :func:`check_classes`."""
WON_SIGNATURE = np.uint64(1 << 63)


@inner
def successors_are_closed(game, tables, board, pair, signature, key):
    """Return True if every move leads to a closed class; else write a class to ``pair``.

    A won class is not closed. One of another part than that of the tables is taken to be closed.
    """
    for number in range(list_successors(game, board, signature, key, False)):
        pair[0], pair[1] = board.after[number, 0], board.after[number, 1]
        if board.told[number, IS_WON]:
            return False
        if not is_of_part(pair[0], pair[1], tables.part, tables.parts):
            continue
        lifted = board.told[number, LIFTED]
        table = tables.first if lifted == 0 else tables.second if lifted == 1 else tables.third
        if not is_in(table, pair[0], pair[1]):
            return False
    return True


@kernel
def check_classes(game, board, tables, signatures, counts, body, expected, sums, pair):
    """Check the classes of a block of the stratum ``expected``.

    ``tables.first`` has the classes of that stratum, the others those of the next two. Adds the
    digest to ``sums`` (uint64[1]). Returns GOOD or an error; ``pair`` (uint64[4]) gets the
    successor concerned, then its class.
    """
    number = 0
    for run in range(signatures.size):
        key = ZERO
        if counts[run] and signatures[run] == WON_SIGNATURE:
            pair[2], pair[3] = signatures[run], difference(body, 0, number)
            return WON
        is_signature = lay_columns(game, board, signatures[run])
        stratum = game.total - board.left.sum()
        for _ in range(counts[run]):
            key += difference(body, 0, number)
            number += 1
            pair[2], pair[3] = signatures[run], key
            if not is_signature or not lay_out(game, board, key):
                return BAD_CLASS
            if stratum != expected:
                return WRONG_STRATUM
            if is_won(game, board.numbers[3], board.numbers[0]):
                return WON
            if not successors_are_closed(game, tables, board, pair, signatures[run], key):
                return NO_SUCCESSOR
            sums[0] += hash_key(signatures[run], key, ZERO, 2)
    return GOOD
