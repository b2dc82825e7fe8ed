"""Functions of games whose cards leave in pairs, for :mod:`.kernels.hooks`."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kernels.digest import base_of_signature, hash_words
from dbmsolver.kernels.layout import PLAIN
from dbmsolver.kernels.record_groups import no_code, no_high
from dbmsolver.kernels.states import make_found
from dbmsolver.kits.pairs import dive, moves
from dbmsolver.kits.pairs.moves import PairTables

U64 = np.uint64


@inlined
def _progress(t, signature, locked_in_deal):
    return moves.pair_progress(t, signature)


@inlined
def _hash_of(t, word0, word1, word2, off, low, high):
    return hash_words(moves.public_key(t, word0, off), word0 >> t.layer_shift, U64(0), 2)


@inlined
def _expand(t, sets, off, low, high, scratch):
    return moves.expand_pairs(t, sets, off, scratch.found)


@inlined
def _code_of(t, found, index, code):
    return np.int64(found[index, moves.CODE])


hooks.add(
    PairTables,
    {
        **PLAIN,
        hooks.signature_sets: moves.pair_sets,
        hooks.progress: _progress,
        hooks.base_of: base_of_signature,
        hooks.hash_of: _hash_of,
        hooks.make_found: make_found,
        hooks.expand_state: _expand,
        hooks.childrens_code: no_code,
        hooks.code_of_child: _code_of,
        hooks.high_of_child: no_high,
        hooks.undo_code: moves.undo_code,
        hooks.next_move: dive.next_move,
        hooks.is_won_key: dive.is_won_key,
    },
)
