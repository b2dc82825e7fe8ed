"""The kernels that a search needs, with their types: they can be compiled ahead.

Kernels that only other kernels call are compiled with those; the longest of them is listed before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Family
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.compilation import compile_ahead
from dbmsolver.kernels import exhaust
from dbmsolver.kernels.blocks import find_key, from_planes, to_planes
from dbmsolver.kernels.closed_rows import closed_code, count_rows, make_cache
from dbmsolver.kernels.digest import digest_runs
from dbmsolver.kernels.hooks import make_bound_tables, undo_code
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
from dbmsolver.kernels.shards import (
    ROW,
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
from dbmsolver.kernels.states import WordSets
from dbmsolver.kernels.workspace import make_output, make_workspace
from dbmsolver.kits import leaving_dive
from dbmsolver.kits.cards.expand import Sets
from dbmsolver.kits.cards.possible_states import are_positions
from dbmsolver.kits.cards.sweep import (
    Index,
    empty_level,
    enter_all,
    leading_moves,
    mark_leading,
    remember,
    sweep,
)
from dbmsolver.kits.klondike import classes
from dbmsolver.kits.klondike.class_distances import (
    list_signature,
    measure_signature,
    number_of_signature,
)
from dbmsolver.kits.klondike.class_keys import ClassKeys
from dbmsolver.kits.klondike.class_tables import ClassSets
from dbmsolver.kits.klondike.distances import no_distances
from dbmsolver.kits.klondike.keys import PatienceKeys
from dbmsolver.kits.klondike.word_keys import PatienceStates
from dbmsolver.kits.leaving import LeavingKeys
from dbmsolver.kits.pairs.keys import PairKeys
from dbmsolver.kits.pile.keys import PileKeys
from dbmsolver.kits.records.dive import dive, fingerprints, make_diving
from dbmsolver.kits.records.dominance import expand_record, normal_record
from dbmsolver.kits.states import StateCodec
from dbmsolver.results import Method, Question
from dbmsolver.search.precompile_kits import (
    Call,
    checks_of_patience,
    of_wide,
)

_GAMES: dict[Family, Rules] = {
    "cards": GAMES["freecell"],
    "runs": Rules("runs", 8, 0, "suit", "any", moves="runs"),
    "two-way": Rules("two-way", 8, 0, "suit-both", "any"),
}
"""A game of each family whose states have signatures."""


def compile_needed(
    question: Question,
    method: Method,
    code_bits: int,
    any_solution: bool = False,
    counting: bool = False,
    family: Family = "cards",
    ahead: Method = Method.EVERY_POSITION,
) -> None:
    """Compile the kernels of a search that are not compiled yet, nor by another process just now.

    ``code_bits`` is the width of the deal's parent-move codes, 8 or 16; see :func:`needed`.
    """
    code_type = np.uint8 if code_bits == 8 else np.uint16
    for kernel, arguments in needed(
        question, method, code_type, any_solution, counting, family, ahead
    ):
        compile_ahead(kernel, arguments)


def compile_listing() -> None:
    """Compile the kernels that list classes and measure them, which few searches need."""
    t, distances = _class_tables(), no_distances()
    for kernel, arguments in [
        (list_signature, (t, _WORD, _WORDS)),
        (measure_signature, (distances, _WORD, _WORDS)),
        (number_of_signature, (distances, _WORD)),
        (classes.class_progress, (t, _WORD, _NUMBER)),
    ]:
        compile_ahead(kernel, arguments)


def needed(
    question: Question,
    method: Method,
    code_type: Any,
    any_solution: bool = False,
    counting: bool = False,
    family: Family = "cards",
    ahead: Method = Method.EVERY_POSITION,
) -> list[Call]:
    """Return the kernels of a search, those first that take longest to compile.

    ``code_type`` is that of the deal's parent-move codes. All other types are the same for all
    deals. ``counting``: all shortest solutions are to be counted, too, which is for single cards
    only. ``family``: that of the game, or the one of runs where moves are counted so. ``ahead``:
    the method of the dives that precede a search for a shortest solution of Klondike's kind.
    """
    if family == "pile":
        return _of_leaving(PileKeys(Deal.from_number(1, GAMES["golf"])), _WORD_SETS)
    if family == "pairs":
        return _of_leaving(PairKeys(Deal.from_number(1, GAMES["pyramid"])), _WORD_SETS)
    if family == "wide":
        return of_wide(GAMES["spider_one_suit"])
    if Method(method).of_classes:  # other processes are told its name
        return _of_classes()
    if family in ("patience", "canfield"):
        game = "klondike" if family == "patience" else "canfield"
        if question == Question.PROVE:
            return _of_patience(GAMES[game])
        t = _class_tables()
        dives = [*_of_walks(t), *_of_counts(t)] if Method(ahead).of_classes else []
        return _of_turning(GAMES[game]) + dives
    codec = StateCodec(Deal.from_number(1, _GAMES[family]), "wkr")
    tables = codec.tables
    any_solution = any_solution and family == "cards"
    counting = counting and family == "cards"  # no others are counted
    if question == Question.PROVE and method == Method.DOMINATING:
        records_first = _of_dives(tables) + _of_both(tables, np.uint8) + _of_records(tables, _SETS)
        return records_first + _of_beams(codec)
    layers, both = _of_layers(codec, code_type), _of_both(tables, code_type)
    if question == Question.SOLVE:
        dives = _of_dives(tables) if any_solution else []
        return dives + layers + both + (_of_sweep(codec) if counting else [])
    exhaustion, pieces = _of_exhaustion(tables, _SETS, code_type, as_records=False)
    return exhaustion + layers + both + pieces


_NUMBER = 0
_WORD = np.uint64(0)
_WORDS = np.empty(1, np.uint64)
_NUMBERS = np.empty(1, np.int64)
_COSTS = np.empty(1, np.uint16)
_RATES = np.empty((1, 2), np.int64)
_CANDIDATES = np.empty((1, ROW), np.uint64)
_LAYOUT = KeyLayout(_WORD, _NUMBER, _WORD, _WORD, False)
_PIECE = PieceBits(_WORD, _WORD)
_WORD_SETS = WordSets(_WORD, _WORD)
_SETS = Sets(_WORD, _WORD, _WORD, _WORD, _WORD, _NUMBER)


def _of_beams(codec: StateCodec) -> list[Call]:
    """Return the kernels of beams, which a search by cost layers has, too."""
    t = codec.tables
    shard = make_shard(t, 1, 1, 1)
    shared = (t, codec.bounds, shard, _NUMBER, _NUMBER, _NUMBER)
    return [
        # The bound first: with all that moves need it would take more memory than any other kernel.
        (insert_candidates, (*shared, _CANDIDATES, _NUMBER)),
        (requeue, (*shared, shard.todo, _NUMBER)),
        (expand_layer, (*shared, *[_NUMBER] * 4)),
        (rehash, (t, shard.rows, _NUMBER, shard.table, _WORDS)),
        (rate_rows, (t, shard.rows, shard.todo, _RATES)),
        (closed_code, (t, shard.rows, shard.table, _CANDIDATES)),
        (read_rows, (t, shard.rows, shard.todo, _CANDIDATES)),
    ]


def _of_layers(codec: StateCodec, code_type: Any) -> list[Call]:
    """Return the kernels of a search by cost layers."""
    t = codec.tables
    shard = make_shard(t, 1, 1, 1)
    metas, counts = np.empty(1, np.uint32), np.empty((1, 2), np.int64)
    return [
        *_of_beams(codec),
        (pack_rows, (t, _CANDIDATES, metas)),
        (unpack_rows, (t, _WORDS, _NUMBERS, _WORDS, np.empty(1, code_type), _COSTS, _NUMBER)),
        (order_todo, (t, shard, metas, _COSTS)),
        (
            count_rows,
            (t, shard.rows, shard.flat, metas, _NUMBER, counts, make_cache()),
        ),
        (count_unclosed, (t, shard.rows, *[_NUMBER] * 3)),
        (copy_runs, (*[_NUMBERS] * 4, _WORDS, metas, *[_NUMBERS] * 2, _WORDS, metas)),
        (find_shards, (t, _CANDIDATES, _NUMBER, _NUMBERS)),
        (take_rows, (t, shard.rows, shard, _NUMBER, _NUMBER, metas)),
        (lend_rows, (t, shard, shard.rows, metas)),
        (find_unstored, (t, shard.rows, _NUMBER, True, metas, _COSTS)),
        (mark_rows, (t, shard.rows, metas, _WORD)),
        (hold_closed, (t, _CANDIDATES, shard.rows, _NUMBER)),
        (find_slices, (t, _CANDIDATES, _NUMBER, _NUMBERS)),
        (count_slices, (t, shard.rows, _NUMBER, _NUMBERS)),
    ]


def _of_sweep(codec: StateCodec) -> list[Call]:
    """Return the kernels for counting and listing all shortest solutions."""
    t = codec.tables
    bound = make_bound_tables(t, codec.columns)
    level = empty_level(1, 1)
    index = Index(level.rows, level.table, level.one, level.moves)
    found, marks = np.empty(1, np.int64), np.empty(1, np.bool_)
    states = level, level.rows, _NUMBER, level.rows, level.ways
    return [
        (sweep, (t, bound, *states, _NUMBER, _NUMBER, (_NUMBER, _NUMBER))),
        (remember, (level.rows, level.rows)),
        (are_positions, (t, _WORD, _WORD, level.rows)),
        (mark_leading, (t, index, level.rows, found, level.moves, marks)),
        (leading_moves, (t, index, _WORDS, found, level.moves)),
        (enter_all, (index,)),
    ]


def _of_exhaustion(
    t: Any, sets: Any, code_type: Any, as_records: bool
) -> tuple[list[Call], list[Call]]:
    """Return the kernels for every proof, and those for closing big signatures.

    ``sets`` are those of a signature.
    """
    ws = make_workspace(1, 1, 1, code_type)
    out = make_output(1, 1, 1, code_type)
    space = exhaust.make_space(t, as_records, 1)
    codes = out.codes
    runs = RunArrays(_WORDS, _NUMBERS, _NUMBERS, _NUMBERS, _WORDS, codes)
    first = [
        # Half of all the time is for what exhaust_batch calls, so two processes share that.
        (exhaust.close, (t, ws, space, _LAYOUT, sets, _PIECE, *[_NUMBER] * 4)),
        (sort_states, (_WORDS, codes, _WORDS, codes, _NUMBER, _NUMBER)),
        (exhaust.write_runs, (ws, space, out, _NUMBER)),
        (exhaust.exhaust_batch, (t, ws, space, out, runs, _NUMBER, _NUMBER, _NUMBER)),
    ]
    pieces = [
        (exhaust.close_piece, (t, ws, space, _WORD, *[_NUMBER] * 4, _WORD, _WORD)),
        (exhaust.split_other_pieces, (ws, space, _NUMBER, _NUMBER, _WORDS, codes)),
        *_of_pieces(t, ws, codes),
    ]
    return first, pieces


def _of_pieces(t: Any, ws: Any, codes: Any) -> list[Call]:
    """Return the kernels for closing big signatures, whatever their states are."""
    of_table = (t, _WORD, _WORDS, ws.steps, _NUMBER)
    return [
        (load_table, (*of_table, _WORDS, _NUMBER, _WORD, _WORD, _NUMBER)),
        (copy_keys, (*of_table, _NUMBER, _WORD, _WORD, _WORDS, ws.steps, _NUMBER)),
        (insert_into_piece, (t, ws, _WORD, _NUMBER, _NUMBER, _WORDS, codes, _NUMBER)),
        (route, (_WORDS, codes, _NUMBER, _NUMBER, np.empty((1, 3), np.int64), _NUMBER)),
        (key_bits, (t, _WORD)),
        (packing_of, (_WORDS, _NUMBER, _NUMBER)),
        (pack_keys, (_WORDS, _WORDS.reshape(1, -1), _WORDS)),
        (unpack_keys, (_WORDS, _WORDS.reshape(1, -1), _WORDS)),
    ]


def _class_tables() -> Any:
    """Return the tables of some deal's classes."""
    return ClassKeys(Deal.from_number(1, GAMES["klondike"]), "wkr").tables


def _of_classes() -> list[Call]:
    """Return the kernels of a proof over classes."""
    t = _class_tables()
    sets = ClassSets(_WORD, _WORD, _WORD, _WORD, _WORD, _NUMBER)
    found = make_diving(1).scratch.found
    first = [
        (classes.expand_class, (t, sets, _WORD, found)),
        (classes.class_sets, (t, _WORD)),
        (classes.class_progress, (t, _WORD, _NUMBER)),
        (classes.can_be_keys, (t, _WORDS, _NUMBER)),
    ]
    return [
        *first,
        *_of_walks(t),
        *_of_store(t, np.uint8),
        *_of_records(t, sets),
        *_of_beams(PatienceStates(_turning_keys(GAMES["klondike"]))),
    ]


def _of_leaving(keys: LeavingKeys, sets: Any) -> list[Call]:
    """Return the kernels of a game whose cards only leave; ``sets`` are those of a signature."""
    t = keys.tables
    diving = leaving_dive.make_diving(0, 1, 1, ())
    return [
        *_of_records(t, sets),
        (leaving_dive.dive, (t, diving, _NUMBER)),
        *_of_both(t, np.uint8),
    ]


def _of_patience(rules: Rules) -> list[Call]:
    """Return the kernels of a proof over every position of a game of Klondike's kind."""
    keys = PatienceKeys(Deal.from_number(1, rules), "wkr", "turns", Question.PROVE)
    t = PatienceStates(keys).tables
    return [
        *_of_records(t, _WORD_SETS, np.uint16),
        *checks_of_patience(keys),
        *_of_store(t, np.uint16),
        *_of_beams(PatienceStates(_turning_keys(rules))),
    ]


def _turning_keys(rules: Rules) -> PatienceKeys:
    """Return the keys of some deal's positions, for a shortest solution."""
    return PatienceKeys(Deal.from_number(1, rules), "wkr", "turns", Question.SOLVE)


def _of_turning(rules: Rules) -> list[Call]:
    """Return the kernels of searches for shortest solutions of a game of Klondike's kind."""
    keys = _turning_keys(rules)
    states = PatienceStates(keys)
    return [
        *_of_layers(states, np.uint16),
        *checks_of_patience(keys),
        *_of_store(states.tables, np.uint16),
    ]


def _of_dives(t: Any) -> list[Call]:
    """Return the kernels with which a proof over dominating positions begins, often all of them."""
    scratch = make_diving(1).scratch
    return [
        (expand_record, (t, _SETS, _WORD, _WORD, scratch)),
        (normal_record, (t, *[_WORD] * 4, _WORDS)),
        *_of_walks(t),
    ]


def _of_walks(t: Any) -> list[Call]:
    """Return the kernels of dives over any states that stand for several positions."""
    diving = make_diving(1)
    metas = np.empty(1, np.uint32)
    rows = np.empty((1, 5), np.uint64)
    return [
        (dive, (t, diving, *[_WORD] * 3, _NUMBER, _NUMBER, (_NUMBER,) * 4)),
        (fingerprints, (rows,)),
        (record_at, (t, _WORD, _WORDS, _NUMBER, _NUMBER)),
        (pack_rows, (t, rows, metas)),
        (copy_runs, (*[_NUMBERS] * 4, _WORDS, metas, *[_NUMBERS] * 2, _WORDS, metas)),
    ]


def _of_records(t: Any, sets: Any, code_type: Any = np.uint8) -> list[Call]:
    """Return the kernels that close records; ``sets`` are those of a signature."""
    first, pieces = _of_exhaustion(t, sets, code_type, as_records=True)
    return first + pieces


def _of_both(t: Any, code_type: Any) -> list[Call]:
    """Return the kernels of digests, candidates, blocks, and the way back by codes."""
    return [
        (undo_code.of(t), (t, *[_WORD] * 4, _NUMBER)),
        *_of_store(t, code_type),
    ]


def _of_counts(t: Any) -> list[Call]:
    """Return the kernels that count closed states and candidates by stratum, with their digest."""
    return [
        (digest_runs, (t, _WORDS, _NUMBERS, _WORDS, _NUMBER)),
        (widths_of, (t, _WORDS)),
        (progress_of, (t, _WORDS, _NUMBER)),
    ]


def _of_store(t: Any, code_type: Any) -> list[Call]:
    """Return the kernels of digests, candidates and blocks."""
    codes = np.empty(1, code_type)
    planes = np.empty((1, 1), np.uint8)
    read_planes, read_counts = planes.copy(), _NUMBERS.copy()
    for read in (read_planes, read_counts):  # as they come from the store
        read.flags.writeable = False
    return [
        *_of_counts(t),
        (local_key, (t, *[_WORD] * 4)),
        (to_planes, (_WORDS, _NUMBERS, _NUMBER, planes)),
        (from_planes, (read_planes, read_counts, _NUMBER, _WORDS)),
        (find_key, (_WORDS, _NUMBER, *[_WORD] * 3)),
        (copy_runs, (*[_NUMBERS] * 4, _WORDS, codes, *[_NUMBERS] * 2, _WORDS, codes)),
        (sort_runs, (_NUMBERS, _NUMBER, _WORDS, codes)),
        (keys_fit, (t, _WORDS, _NUMBERS, _NUMBER, _WORDS)),
    ]
