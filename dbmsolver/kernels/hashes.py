"""Hashes of states."""

from __future__ import annotations

import numpy as np

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels.hashing import HASH
from dbmsolver.kernels.states import U64


@inlined
def mix(word):
    """Return a well-mixed hash (uint64) of one word: the finalizer of SplitMix64."""
    word = (word ^ (word >> U64(30))) * U64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> U64(27))) * U64(0x94D049BB133111EB)
    return word ^ (word >> U64(31))


@inlined
def hash_state(state):
    """Return the hash (uint64) of a state of four words, by which rows are found."""
    signature, off, low, high = state
    word = signature * U64(0x9E3779B97F4A7C15) + off * U64(0xD6E8FEB86659FD93)
    word ^= word >> U64(32)
    word = (word + low) * U64(0xA0761D6478BD642F) + high * U64(0xE7037ED1A0B428DB)
    return mix(word)


@inlined
def hash_record(signature, off, low):
    """Return the hash (uint64) of a record."""
    word = (signature * HASH) ^ (off * U64(0xD6E8FEB86659FD93)) ^ (low * U64(0xA0761D6478BD642F))
    word ^= word >> U64(32)
    return word * HASH


@inlined
def fingerprint(signature, off, low):
    """Return the upper eight bits (int64) of a record's hash: most other records have others."""
    return np.int64(hash_record(signature, off, low) >> U64(56))
