"""Hooks: the functions that each kit supplies to the kernels.

The kernels are the same for all games. Where games differ, a kernel calls a hook. The class of the
hook's first argument, mostly ``t``, the tables of a deal, says which kit's function runs. A kit is
a folder (:mod:`dbmsolver.kits`). Its module `hooks` adds the kit's functions for its classes of
tables. That module is imported the first time that a hook is called with such tables. A kernel is
compiled for each class of tables that it is called with (:mod:`dbmsolver.jit.families`).

A kit needs these hooks, by the sections below:

- all kits: signatures and keys, public keys and the digest;
- kits whose moves may lead to any later signature: successors;
- kits of states that are made of cards: moves and bound;
- kits whose games are searched for shortest solutions: rows and cost layers.

Kernels and Python can call a hook, but for those whose docstring says that they are for Python
alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from dbmsolver.jit.families import ByType

_KITS = "dbmsolver.kits."


class Hook(ByType):
    """A function that each kit has its own of: a call runs that of the kit whose tables it gets."""

    def __init__(self) -> None:
        super().__init__({})

    def of_type(self, tables: type) -> Any:
        """Return the function for a class of tables, or None.

        The module `hooks` beside that class is imported first, if it has not been.
        """
        if tables not in self.functions and tables.__module__.startswith(_KITS):
            kit, _, _ = tables.__module__.rpartition(".")
            import_module(f"{kit}.hooks")
        return self.functions.get(tables)


def add(tables: type, functions: Mapping[Hook, Any]) -> None:
    """Let hooks run a kit's functions for a class of tables, or of a thread's scratch memory.

    ``functions`` has the kit's function for each hook.
    """
    for hook, function in functions.items():
        hook.functions[tables] = function


# Signatures and keys.

signature_sets = Hook()
"""Return the sets of cards (a NamedTuple) that all states of a signature (uint64) share."""
progress = Hook()
"""Return the stratum (int64) of a signature; the third argument is the keys' ``locked``."""
make_layout = Hook()
"""Return the layout of a signature with these loose cards, as `packing_layout` does."""
pack_key = Hook()
"""Return the local key of a state's planes (uint64), three words.

The last two are 0 unless it is wide. Arguments are (tables, layout, networks, off, low, high).
"""
unpack_key = Hook()
"""Return the planes (off, low, high) of a local key of three words, as `pack_key` writes it."""

# Public keys and the digest.

base_of = Hook()
"""Write to ``words`` (uint64[3]) what all states of a signature share of their public key.

Called with (t, sets, words).
"""
hash_of = Hook()
"""Return the hash (uint64) of a state's public key.

Called with (t, word0, word1, word2, off, low, high); the words are those of `base_of`.
"""

# Closing signatures: the first argument is scratch memory of a thread.

prepare = Hook()
"""Make the scratch memory ready for a signature: its (sets, layout).

Called with (space, t, ws, signature). Writes ``ws.nets``.
"""
forget_targets = Hook()
"""Start without candidates for any target signature. Called with (space)."""
targets_of = Hook()
"""Return how many numbers target signatures have (int64). Called with (space)."""
expand_group = Hook()
"""Expand states ``ws.order[head:end]`` while there is room for what may follow from them.

Called with (space, t, ws, layout, sets, piece, bits, head, end, totals). Candidates of the piece
are buffered in ``ws.buffer``, all others go to ``ws.outgoing``; those for other pieces of the
signature have the target number OTHER_PIECES. Returns (the first state not expanded, or -1 if a
state cannot be expanded, candidates buffered, the new totals).
"""
undo_code = Hook()
"""Return the state before the move of a parent-move code.

Called with (t, signature, off, low, high, code).
"""

# Successors, of states of which a move may lead to any later signature.

make_found = Hook()
"""Return scratch memory of one thread to expand states with these tables; for Python alone."""
expand_state = Hook()
"""List the successors of a state into ``scratch.found``; return how many.

Called with (t, sets, off, low, high, scratch).
"""
code_of_child = Hook()
"""Return the code (int64) of the state in a row of ``found``.

Called with (t, sets, off, low, found, index); planes are those of the state that was expanded.
"""
is_won = Hook()
"""Return True for the signature of a won state."""
home_height = Hook()
"""Return the height (int64) of a foundation in a state."""

# Searches depth first, of games whose cards only leave.

next_move = Hook()
"""Return the next untried move of the state at a depth.

Called with (tables, diving, depth). Returns four values: the number of the move (-1 if none is
left); the key of the state that it leads to; a number, not 0, that is the same for all states with
the same solutions as that one; the number of the move in a path.
"""
is_won_key = Hook()
"""Return True for the key of a won state. Called with (tables, key)."""

# Moves and bound of states that are made of cards.

list_moves = Hook()
"""List the legal moves of a state."""
before_move = Hook()
"""Return which of them need not be made, after the move that led there."""
apply_move = Hook()
"""Return the state after a move."""
place_of = Hook()
"""Return where a card lies in a state."""
move_cost = Hook()
"""Return what a move costs, a forced one or another."""
cards_home = Hook()
"""Return how many cards that move takes home."""
make_bound_tables = Hook()
"""Return the bound's tables of the deal that ``t`` was made for, with its columns.

For Python alone.
"""
bound_sets = Hook()
"""Return what the bounds of a signature's states share. The first argument is the bound's tables.
"""
cheap_bound = Hook()
"""Return the part of the lower bound that costs little; likewise."""
full_bound = Hook()
"""Return all of the lower bound; likewise."""

# Rows, as shards hold states.

empty_rows = Hook()
"""Return memory for a number of rows, one after the other; for Python alone."""
make_row_scratch = Hook()
"""Return scratch memory of one thread that works on a shard; for Python alone."""
as_held = Hook()
"""Return the words (uint64[4]) that rows have of a state."""
held_at = Hook()
"""Return these words of a row."""
hold = Hook()
"""Write them to a row; its meta is written after them."""
holds = Hook()
"""Return True if a row has them."""
state_at = Hook()
"""Return the signature and planes of a row."""
meta_at = Hook()
"""Return the meta of a row."""
put_meta = Hook()
"""Write the meta of a row."""
hash_of_home = Hook()
"""Return a hash of what the moves within a stratum keep of a state."""
count_of = Hook()
"""Return the progress (int64) of a row's state, and the hash (uint64) of its public key.

Called with (t, rows, index, locked_in_deal, cache); :func:`.closed_rows.make_cache` makes that.
"""

# Cost layers.

assess = Hook()
"""Bound a row's state, as far as needed to see if its f is above ``layer``; return its meta.

``meta`` has its g. The result has h, too, and a flag if it is only the cheap part.
"""
is_goal = Hook()
"""Return True if a row that was assessed, with the meta that it has, is of all cards home."""
expand_row = Hook()
"""Expand a row's state and close it; return how many candidates are buffered then.

The buffer has ``buffered`` before. Candidates of other shards than ``me``, and those of a slice
above ``ceiling``, go to ``shard.outgoing``.
"""
held_back = Hook()
"""Return how many cards (int64) of a row's state are held back: beams prefer states with few."""
way_to_go = Hook()
"""Return a number (int64) that is the lower, the nearer a row's state seems to the goal."""
moves_at_most = Hook()
"""Return more successors (int64) than a state has."""
