"""Functions of Klondike and its relatives, for hooks: by positions, and by classes.

The names are those of :mod:`dbmsolver.kernels.hooks`.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kernels.digest import base_of_signature, hash_words
from dbmsolver.kernels.layout import PLAIN, THREE_WORDS
from dbmsolver.kernels.record_groups import fingerprint_of
from dbmsolver.kernels.states import U64, make_found, word_sets
from dbmsolver.kits.klondike import classes, layers, rows, words
from dbmsolver.kits.klondike.class_tables import WON, ClassTables
from dbmsolver.kits.klondike.words import StrataTables


@inlined
def _hash_of_class(t, word0, word1, word2, off, low, high):
    return hash_words(word0, off, U64(0), 2)


@inlined
def _expand_class(t, sets, off, low, high, scratch):
    return classes.expand_class(t, sets, off, scratch.found)


@inlined
def _class_is_won(t, signature):
    return signature == WON


@inlined
def _height_of(t, signature, off, suit):
    return classes.class_height(t, off, suit)


hooks.add(
    ClassTables,
    {
        **PLAIN,
        hooks.signature_sets: classes.class_sets,
        hooks.progress: classes.class_progress,
        hooks.base_of: base_of_signature,
        hooks.hash_of: _hash_of_class,
        hooks.make_found: make_found,
        hooks.expand_state: _expand_class,
        hooks.code_of_child: fingerprint_of,
        hooks.is_won: _class_is_won,
        hooks.home_height: _height_of,
    },
)


@inlined
def _hash_of_words(t, word0, word1, word2, off, low, high):
    return hash_words(off, low, high, 3)


@inlined
def _code_of_word(t, sets, off, low, found, index):
    return np.int64(found[index, words.CODE])


hooks.add(
    StrataTables,
    {
        **THREE_WORDS,
        hooks.signature_sets: word_sets,
        hooks.progress: words.strata_progress,
        hooks.base_of: base_of_signature,
        hooks.hash_of: _hash_of_words,
        hooks.make_found: lambda _t: words.make_scratch(),
        hooks.expand_state: words.expand_words,
        hooks.code_of_child: _code_of_word,
        # Rows.
        hooks.empty_rows: rows.empty_rows,
        hooks.make_row_scratch: rows.make_row_scratch,
        hooks.as_held: rows.as_held,
        hooks.held_at: rows.held_at,
        hooks.hold: rows.hold,
        hooks.holds: rows.holds,
        hooks.state_at: rows.state_at,
        hooks.meta_at: rows.meta_at,
        hooks.put_meta: rows.put_meta,
        hooks.hash_of_home: rows.hash_of_home,
        hooks.count_of: rows.count_row,
        # Cost layers.
        hooks.assess: layers.assess,
        hooks.is_goal: layers.is_goal,
        hooks.expand_row: layers.expand_row,
        hooks.held_back: layers.held_back,
        hooks.way_to_go: layers.way_to_go,
        hooks.moves_at_most: layers.moves_at_most,
    },
)
