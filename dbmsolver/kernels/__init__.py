"""The kernels of all games: closing, cost layers, keys, sorting, pieces, digests, block coding.

Vocabulary, in the order in which a state passes through:

* A *card* is ``4 * rank0 + suit``, suits H S D C = 0 1 2 3, so red suits are even and the parents
  of a card are found by XOR on the suit and adding 4.
* A *plane* is a 64-bit word with one bit for each card (bit number = card). Where a loose card lies
  is a *place value* of two or three bits, one in each plane: see
  :mod:`dbmsolver.kits.cards.tables`.
* A *signature* is one word: foundation heights and, for each column, how many locked cards it still
  has.
* A *local key* identifies a state within its signature: the plane bits of its loose cards, packed.
* The *public key* is the mixed-radix number of about 124 bits that people exchange.

Arguments that many kernels have in common:

=================== ============================================================================
``t``               the tables of a deal, of a class that its kit has; no kernel writes to them
``signature``       uint64, one state's or record's
``off low high``    uint64, its planes
``sets``            what all states of a signature share, as the hook `signature_sets` returns it
``layout`` ``nets`` how its keys are packed, and the networks, uint64[3, 7]
``keys`` ``words``  uint64[words * states], with 1 or 3 words for each state
``codes``           uint8 or uint16[states]: parent-move codes, or fingerprints of records
``bits``            log2 of the slots of a hash table
``locked_in_deal``  int64, locked cards in the deal, which progress is counted from
=================== ============================================================================

A kernel writes to the arrays that its docstring names, and to no others.

What differs between games, kernels ask a kit for (:mod:`.hooks`, :mod:`dbmsolver.kits`). Nothing
here imports a kit, or anything else of ``dbmsolver`` above it, opens a file or formats a message.
"""

import dbmsolver.jit  # noqa: F401  # names numba's cache folder, before numba is imported
