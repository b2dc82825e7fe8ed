"""The way back over records: which closed records a record can follow from.

A closed record has no code that could be undone, because macros are not invertible. It has eight
bits of a hash of its parent, the parent's *fingerprint*. The records of a block that have this
fingerprint are expanded. Some that lead to the record may be its descendants, not its parent.
"""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import allocating
from dbmsolver.kernels.hashes import fingerprint
from dbmsolver.kernels.hooks import expand_state, make_layout, progress, signature_sets, unpack_key
from dbmsolver.kernels.layout import NETS, WIDE_WORDS, key_at
from dbmsolver.kernels.states import LOW, OFF, SIGNATURE


@allocating
def find_parent(t, scratch, runs, words, code, target, locked_in_deal, first):
    """Return the index of the next record that leads to ``target``, from ``first`` on; -1 for none.

    Indices are int64. ``target`` is (signature, off, low), all uint64. ``runs`` are a closed
    block's (signatures, counts, keys), its keys of ``words`` words each. Only records are expanded
    whose fingerprint is ``code``, the target's own. Writes ``scratch``.
    """
    signatures, counts, keys = runs
    nets = np.zeros(NETS, np.uint64)
    wide = words == WIDE_WORDS
    end = np.int64(0)
    target_signature, target_off, target_low = target
    latest = progress(t, target_signature, locked_in_deal)
    for run in range(signatures.size):
        begin = max(end, first)
        end += counts[run]
        if begin >= end or progress(t, signatures[run], locked_in_deal) > latest:
            continue
        sets = signature_sets(t, signatures[run])
        layout = make_layout(t, sets.loose, nets)
        for place in range(begin, end):
            key = key_at(keys, place, wide)
            off, low, _high = unpack_key(t, layout, nets, key[0], key[1], key[2])
            if fingerprint(signatures[run], off, low) != code:
                continue
            for number in range(expand_state(t, sets, off, low, np.uint64(0), scratch)):
                found = scratch.found[number]
                if (
                    found[SIGNATURE] == target_signature
                    and found[OFF] == target_off
                    and found[LOW] == target_low
                ):
                    return place
    return -1


@allocating
def record_at(t, signature, keys, words, index):
    """Return the planes (off, low: uint64) of record number ``index`` of a signature.

    ``keys`` (uint64) are the keys of the signature's records, of ``words`` words each.
    """
    nets = np.zeros(NETS, np.uint64)
    layout = make_layout(t, signature_sets(t, signature).loose, nets)
    first, second, third = key_at(keys, index, words == WIDE_WORDS)
    off, low, _high = unpack_key(t, layout, nets, first, second, third)
    return off, low
