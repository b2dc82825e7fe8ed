"""The kernels that a search needs, with their types: they can be compiled ahead.

Kernels that only other kernels call are compiled with those; the longest of them is listed before.
Each kit lists its own; those that all kits share are listed here.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Family
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.compilation import compile_ahead
from dbmsolver.kernels import exhaust
from dbmsolver.kernels.blocks import find_key, from_planes, to_planes
from dbmsolver.kernels.closed_rows import closed_code, count_rows, make_cache
from dbmsolver.kernels.digest import digest_rows, digest_runs
from dbmsolver.kernels.insertion import PieceBits
from dbmsolver.kernels.layers import (
    expand_layer,
    insert_candidates,
    order_todo,
    rate_rows,
    requeue,
)
from dbmsolver.kernels.layout import KeyLayout
from dbmsolver.kernels.packing import pack_keys, packing_of, unpack_keys
from dbmsolver.kernels.pieces import copy_keys, insert_into_piece, load_table, route
from dbmsolver.kernels.record_parents import record_at
from dbmsolver.kernels.runs import (
    RunArrays,
    copy_runs,
    key_bits,
    keys_fit,
    local_key,
    pack_rows,
    progress_of,
    sort_runs,
    unpack_rows,
    widths_of,
)
from dbmsolver.kernels.samples import (
    CANDIDATES,
    COSTS,
    METAS,
    NUMBER,
    NUMBERS,
    WORD,
    WORDS,
    Call,
)
from dbmsolver.kernels.shards import (
    count_slices,
    count_unclosed,
    find_shards,
    find_slices,
    find_unstored,
    hold_closed,
    lend_rows,
    make_shard,
    mark_rows,
    read_rows,
    rehash,
    take_rows,
)
from dbmsolver.kernels.sorting import sort_states
from dbmsolver.kernels.workspace import make_output, make_workspace
from dbmsolver.kits.choice import are_covering, are_of_patience, are_wide, keys_of
from dbmsolver.kits.records.dive import dive, fingerprints, go_on, make_diving
from dbmsolver.kits.records.keys import RecordKeys
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Method, Question

_SAMPLES: dict[Family, Rules] = {
    "cards": GAMES["freecell"],
    "runs": Rules("runs", 8, 0, "suit", "any", moves="runs"),
    "two-way": Rules("two-way", 8, 0, "suit-both", "any"),
    "pile": GAMES["golf"],
    "pairs": GAMES["pyramid"],
    "patience": GAMES["klondike"],
    "canfield": GAMES["canfield"],
    "wide": GAMES["spider_one_suit"],
}
"""A game of each family."""


SearchPart = Literal["cover", "prove", "solve"]
"""The parts of searches: proofs by fewer states, other proofs, shortest solutions."""
_COVERING: dict[Family, Method] = {"cards": Method.DOMINATING, "patience": Method.CLASSES}
"""The method of proofs and dives of families that have one by fewer states."""


def compile_needed(*search: Any) -> None:
    """Compile the kernels of a search that are not compiled yet, nor by another process just now.

    ``search`` are the arguments of :func:`needed`.
    """
    for kernel, arguments in needed(*search):
        compile_ahead(kernel, arguments)


def compile_searches(family: Family, part: SearchPart, code_bits: int) -> None:
    """Compile all kernels that a part of the searches of a family can need.

    Kernels that another process is compiling are left to it. ``code_bits`` is the width of
    parent-move codes, as in :func:`needed`.
    """
    covering = _COVERING.get(family, Method.EVERY_POSITION)
    question = Question.SOLVE if part == "solve" else Question.PROVE
    method = covering if part == "cover" else Method.EVERY_POSITION
    counting = question == Question.SOLVE
    for any_solution in (False, True):
        compile_needed(question, method, code_bits, any_solution, counting, family, covering)
    for kernel, arguments in seldom_needed(family, part):
        compile_ahead(kernel, arguments)


def seldom_needed(family: Family, part: SearchPart) -> list[Call]:
    """Return the kernels that only a few searches of a family need, in a part of these.

    They are compiled after all others. A search that needs one earlier compiles it itself.
    """
    deal = Deal.from_number(1, _SAMPLES[family])
    if (family, part) == ("patience", "solve"):
        keys = keys_of(deal, "wkr", Method.EVERY_POSITION)
        assert are_of_patience(keys)
        return keys.listing_kernels()
    if (family, part) == ("cards", "cover"):
        return RecordKeys(deal, "wkr").survey_kernels()
    return []


def needed(
    question: Question,
    method: Method,
    code_bits: int,
    any_solution: bool = False,
    counting: bool = False,
    family: Family = "cards",
    ahead: Method = Method.EVERY_POSITION,
) -> list[Call]:
    """Return the kernels of a search, those first that take longest to compile.

    ``code_bits`` is the width of the deal's parent-move codes, 8 or 16, where games of the family
    differ in it. All other types are the same for all deals. ``counting``: all shortest solutions
    are to be counted, too, which is for single cards only. ``family``: that of the game, or the one
    of runs where moves are counted so. ``ahead``: the method of the dives that precede a search for
    a shortest solution of Klondike's kind.
    """
    method, ahead = Method(method), Method(ahead)  # other processes are told their names
    deal = Deal.from_number(1, _SAMPLES["patience" if method.of_classes else family])
    if question == Question.SOLVE:
        method = Method.EVERY_POSITION
    keys = keys_of(deal, "wkr", method, question=question)
    if are_wide(keys):
        return keys.own_kernels()
    code_type = np.uint8 if code_bits == 8 else np.uint16
    if keys.closed_as_records:
        code_type = keys.code_type
    t = keys.tables
    own, dives = keys.own_kernels(), keys.dive_kernels()
    if question == Question.SOLVE and not keys.layered_strata:
        first = _ahead_of_layers(deal, ahead, any_solution)
        counted = keys.counting_kernels() if counting else []
        return [*first, *_of_layers(keys, code_type), *own, *_of_store(t, code_type), *counted]
    if are_covering(keys):
        dives += _of_dives(t)
    proof = [*dives, *own, *_of_closing(keys, code_type), *_of_store(t, code_type)]
    if keys.layered_strata:
        return proof
    if not keys.closed_as_records:
        return proof + _of_layers(keys, code_type)
    positions = keys_of(deal, "wkr", Method.EVERY_POSITION)
    assert not are_wide(positions)
    return proof + _of_beams(positions)


def _ahead_of_layers(deal: Deal, ahead: Method, any_solution: bool) -> list[Call]:
    """Return the kernels of the dives before a search for a shortest solution."""
    method = ahead if deal.rules.is_patience else Method.EVERY_POSITION
    if deal.rules.family == "cards" and any_solution:
        method = Method.DOMINATING
    keys = keys_of(deal, "wkr", method)
    if not are_covering(keys):
        return []
    return [*keys.dive_kernels(), *_of_dives(keys.tables), *_of_counts(keys.tables)]


_RATES = np.empty((1, 2), np.int64)
_LAYOUT = KeyLayout(WORD, NUMBER, WORD, WORD, False)
_PIECE = PieceBits(WORD, WORD)


def _of_beams(codec: StateCodec) -> list[Call]:
    """Return the kernels of beams, which a search by cost layers has, too."""
    t = codec.tables
    shard = make_shard(t, 1, 1, 1)
    shared = (t, codec.bounds, shard, NUMBER, NUMBER, NUMBER)
    return [
        # The bound first: with all that moves need it would take more memory than any other kernel.
        (insert_candidates, (*shared, CANDIDATES, NUMBER)),
        (requeue, (*shared, shard.todo, NUMBER)),
        (expand_layer, (*shared, *[NUMBER] * 4)),
        (rehash, (t, shard.rows, NUMBER, shard.table, WORDS)),
        (rate_rows, (t, shard.rows, shard.todo, _RATES)),
        (closed_code, (t, shard.rows, shard.table, CANDIDATES)),
        (read_rows, (t, shard.rows, shard.todo, CANDIDATES)),
    ]


def _of_layers(codec: StateCodec, code_type: Any) -> list[Call]:
    """Return the kernels of a search by cost layers."""
    t = codec.tables
    shard = make_shard(t, 1, 1, 1)
    counts = np.empty((1, 2), np.int64)
    return [
        *_of_beams(codec),
        (pack_rows, (t, CANDIDATES, METAS)),
        (unpack_rows, (t, WORDS, NUMBERS, WORDS, np.empty(1, code_type), COSTS, NUMBER)),
        (order_todo, (t, shard, METAS, COSTS)),
        (
            count_rows,
            (t, shard.rows, METAS, NUMBER, counts, make_cache()),
        ),
        (count_unclosed, (t, shard.rows, *[NUMBER] * 3)),
        (copy_runs, (*[NUMBERS] * 4, WORDS, METAS, *[NUMBERS] * 2, WORDS, METAS)),
        (find_shards, (t, CANDIDATES, NUMBER, NUMBERS)),
        (take_rows, (t, shard.rows, shard, NUMBER, NUMBER, METAS)),
        (lend_rows, (t, shard, shard.rows, METAS)),
        (find_unstored, (t, shard.rows, NUMBER, True, METAS, COSTS)),
        (mark_rows, (t, shard.rows, METAS, WORD)),
        (hold_closed, (t, CANDIDATES, shard.rows, NUMBER)),
        (find_slices, (t, CANDIDATES, NUMBER, NUMBERS)),
        (count_slices, (t, shard.rows, NUMBER, NUMBERS)),
    ]


def _of_closing(keys: StateCodec, code_type: Any) -> list[Call]:
    """Return the kernels that close signatures, those of big ones last."""
    t, sets = keys.tables, keys.sets
    ws = make_workspace(1, 1, 1, code_type)
    out = make_output(1, 1, 1, code_type)
    space = keys.make_space(1)
    codes = out.codes
    runs = RunArrays(WORDS, NUMBERS, NUMBERS, NUMBERS, WORDS, codes)
    return [
        # Half of all the time is for what exhaust_batch calls, so two processes share that.
        (exhaust.close, (t, ws, space, _LAYOUT, sets, _PIECE, *[NUMBER] * 4)),
        (sort_states, (WORDS, codes, WORDS, codes, NUMBER, NUMBER)),
        (exhaust.write_runs, (ws, space, out, NUMBER)),
        (exhaust.exhaust_batch, (t, ws, space, out, runs, NUMBER, NUMBER, NUMBER)),
        (exhaust.close_piece, (t, ws, space, WORD, *[NUMBER] * 4, WORD, WORD)),
        (exhaust.split_other_pieces, (ws, space, NUMBER, NUMBER, WORDS, codes)),
        *_of_pieces(t, ws, codes),
    ]


def _of_pieces(t: Any, ws: Any, codes: Any) -> list[Call]:
    """Return the kernels for closing big signatures, whatever their states are."""
    of_table = (t, WORD, WORDS, ws.steps, NUMBER)
    return [
        (load_table, (*of_table, WORDS, NUMBER, WORD, WORD, NUMBER)),
        (copy_keys, (*of_table, NUMBER, WORD, WORD, WORDS, ws.steps, NUMBER)),
        (insert_into_piece, (t, ws, WORD, NUMBER, NUMBER, WORDS, codes, NUMBER)),
        (route, (WORDS, codes, NUMBER, NUMBER, np.empty((1, 3), np.int64), NUMBER)),
        (key_bits, (t, WORD)),
        (packing_of, (WORDS, NUMBER, NUMBER)),
        (pack_keys, (WORDS, WORDS.reshape(1, -1), WORDS)),
        (unpack_keys, (WORDS, WORDS.reshape(1, -1), WORDS)),
    ]


def _of_dives(t: Any) -> list[Call]:
    """Return the kernels of dives over states that stand for several positions."""
    diving = make_diving(1)
    rows = np.empty((1, 5), np.uint64)
    rest = (NUMBER, NUMBER, (NUMBER,) * 4, NUMBER)
    return [
        (dive, (t, diving, *[WORD] * 3, *rest)),
        (go_on, (t, diving, NUMBER, *rest)),
        (digest_rows, (t, rows)),
        (fingerprints, (rows,)),
        (record_at, (t, WORD, WORDS, NUMBER, NUMBER)),
        (pack_rows, (t, rows, METAS)),
        (copy_runs, (*[NUMBERS] * 4, WORDS, METAS, *[NUMBERS] * 2, WORDS, METAS)),
    ]


def _of_counts(t: Any) -> list[Call]:
    """Return the kernels that count closed states and candidates by stratum, with their digest."""
    return [
        (digest_runs, (t, WORDS, NUMBERS, WORDS, NUMBER)),
        (widths_of, (t, WORDS)),
        (progress_of, (t, WORDS, NUMBER)),
    ]


def _of_store(t: Any, code_type: Any) -> list[Call]:
    """Return the kernels of digests, candidates and blocks."""
    codes = np.empty(1, code_type)
    planes = np.empty((1, 1), np.uint8)
    read_planes, read_counts = planes.copy(), NUMBERS.copy()
    for read in (read_planes, read_counts):  # as they come from the store
        read.flags.writeable = False
    return [
        *_of_counts(t),
        (local_key, (t, *[WORD] * 4)),
        (to_planes, (WORDS, NUMBERS, NUMBER, planes)),
        (from_planes, (read_planes, read_counts, NUMBER, WORDS)),
        (find_key, (WORDS, NUMBER, *[WORD] * 3)),
        (copy_runs, (*[NUMBERS] * 4, WORDS, codes, *[NUMBERS] * 2, WORDS, codes)),
        (sort_runs, (NUMBERS, NUMBER, WORDS, codes)),
        (keys_fit, (t, WORDS, NUMBERS, NUMBER, WORDS)),
    ]
