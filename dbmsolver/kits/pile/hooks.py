"""Functions of games of one pile, for :mod:`.kernels.hooks`."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kernels.digest import base_of_signature, hash_words
from dbmsolver.kernels.layout import PLAIN
from dbmsolver.kernels.record_groups import as_of_all, no_high
from dbmsolver.kernels.states import make_found
from dbmsolver.kits.pile import dive, moves
from dbmsolver.kits.pile.moves import PileTables

U64 = np.uint64


@inlined
def _progress(t, signature, locked_in_deal):
    return moves.pile_progress(t, signature)


@inlined
def _hash_of(t, word0, word1, word2, off, low, high):
    return hash_words(moves.public_key(t, word0, off), U64(0), U64(0), 2)


@inlined
def _expand(t, sets, off, low, high, scratch):
    return moves.expand_pile(t, sets, off, scratch.found)


@inlined
def _card_on_top(t, sets, off, low):
    return np.int64(off & U64(moves.TOP))


hooks.add(
    PileTables,
    {
        **PLAIN,
        hooks.signature_sets: moves.pile_sets,
        hooks.progress: _progress,
        hooks.base_of: base_of_signature,
        hooks.hash_of: _hash_of,
        hooks.make_found: make_found,
        hooks.expand_state: _expand,
        hooks.childrens_code: _card_on_top,
        hooks.code_of_child: as_of_all,
        hooks.high_of_child: no_high,
        hooks.undo_code: moves.undo_code,
        hooks.next_move: dive.next_move,
        hooks.is_won_key: dive.is_won_key,
    },
)
