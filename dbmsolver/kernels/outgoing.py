"""Candidates that leave a signature.

They are collected in ``ws.outgoing``, in order of arrival, each with the number of its target
signature. When the signature is closed they are appended to the output as *runs*: all candidates
for one target side by side. ``targets`` and ``layouts`` below are the arrays of the caller: the
target number of each candidate, and the layout of each target.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.layout import WIDE, WIDE_WORDS, put_key
from dbmsolver.kernels.workspace import USED_CANDIDATE_WORDS, USED_CANDIDATES, USED_RUNS

OTHER_PIECES = 0xFFFF
"""Target number of candidates for other pieces of the same signature."""


class Totals(NamedTuple):
    """Counts of the results of expanding states so far."""

    outgoing: int  # candidates that left the signature
    words: int  # of their keys
    forced: int  # states with a forced move


@inlined
def put_outgoing(ws, targets, number, first_word, wide, key, code, target):
    """Make a candidate number ``number`` of those that leave, its key at word ``first_word``.

    Writes ``ws.outgoing``, ``ws.outgoing_codes`` and ``targets``; returns the words that it takes.
    """
    put_key(ws.outgoing, first_word, wide, key)
    ws.outgoing_codes[number] = code
    targets[number] = target
    return WIDE_WORDS if wide else 1


@inlined
def target_width(layouts, target):
    """Return the number of words of each key of a target signature, 1 or 3."""
    return WIDE_WORDS if layouts[target, WIDE] else 1


@inlined
def has_room_for_runs(out, totals, targets):
    """Return True if the output has room for the candidates of one signature, in ``targets`` runs.

    ``totals`` are the :class:`Totals` of these candidates.
    """
    return (
        out.used[USED_CANDIDATES] + totals.outgoing <= out.run_codes.size
        and out.used[USED_CANDIDATE_WORDS] + totals.words <= out.run_keys.size
        and out.used[USED_RUNS] + targets <= out.run_counts.size
    )


@inlined
def put_run(out, signature, candidates, width):
    """Append an empty run with room for ``candidates`` to the output; returns its (offset, word).

    Writes ``out.run_signatures``, ``run_counts``, ``run_offsets``, ``run_words`` and ``used``.
    """
    run = out.used[USED_RUNS]
    offset = out.used[USED_CANDIDATES]
    word = out.used[USED_CANDIDATE_WORDS]
    out.run_signatures[run] = signature
    out.run_counts[run] = candidates
    out.run_offsets[run] = offset
    out.run_words[run] = word
    out.used[USED_RUNS] = run + 1
    out.used[USED_CANDIDATES] = offset + candidates
    out.used[USED_CANDIDATE_WORDS] = word + candidates * width
    return offset, word


@inlined
def fill_runs(ws, out, targets, outgoing, offsets, words, widths):
    """Copy the ``outgoing`` candidates into the runs of their targets.

    ``offsets`` and ``words`` (int64[targets]) say where each run starts and are advanced,
    ``widths`` (int64[targets]) how many words its keys have. Writes ``out.run_keys`` and
    ``out.run_codes``.
    """
    source = 0
    for index in range(outgoing):
        target = np.int64(targets[index])
        out.run_codes[offsets[target]] = ws.outgoing_codes[index]
        offsets[target] += 1
        for _ in range(widths[target]):
            out.run_keys[words[target]] = ws.outgoing[source]
            words[target] += 1
            source += 1
