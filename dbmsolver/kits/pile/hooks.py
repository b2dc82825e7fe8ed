"""Functions of games of one pile, for :mod:`.kernels.hooks`."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kernels.digest import base_of_signature, hash_words
from dbmsolver.kernels.layout import PLAIN
from dbmsolver.kernels.states import U64, make_found, word_sets
from dbmsolver.kits.pile import dive, moves
from dbmsolver.kits.pile.moves import PileTables


@inlined
def _hash_of(t, word0, word1, word2, off, low, high):
    return hash_words(moves.public_key(t, word0, off), U64(0), U64(0), 2)


@inlined
def _card_on_top(t, sets, off, low, found, index):
    return np.int64(off & U64(moves.TOP))


hooks.add(
    PileTables,
    {
        **PLAIN,
        hooks.signature_sets: word_sets,
        hooks.progress: moves.pile_progress,
        hooks.base_of: base_of_signature,
        hooks.hash_of: _hash_of,
        hooks.make_found: make_found,
        hooks.expand_state: moves.expand_pile,
        hooks.code_of_child: _card_on_top,
        hooks.undo_code: moves.undo_code,
        hooks.next_move: dive.next_move,
        hooks.is_won_key: dive.is_won_key,
    },
)
