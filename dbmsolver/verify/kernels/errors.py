"""The errors of closed states, by number; :mod:`dbmsolver.verify.refutation` has words for them."""

from __future__ import annotations

FINE = 0
BAD_WIDTH = 1  # of a local key
BAD_KEY = 2  # a local key with more bits than its loose cards have
TOO_WIDE = 3  # a local key or signature with more bits than any has
BAD_SIGNATURE = 4  # heights, or counts of locked cards
BAD_FIELDS = 5  # place values that the card cannot have
TOO_MANY_CELLS = 6
TOO_MANY_COLUMNS = 7
COLLISION = 8  # two cards on one, or a card on one that is in no column
RING = 9  # cards on each other in a ring
NO_POSITION = 10  # what no position of the deal has
OTHER_SIGNATURE = 11  # digits that are not those of the signature
OTHER_LAYER = 12  # a layer that is not that of the state
BAD_CLASS = 13  # what no class of the deal has
BAD_FIX = 14  # cards known to lie in columns, where that cannot be
NOT_NORMAL = 15  # a record that is not in normal form
TOO_MANY_MACROS = 16
GOAL = 17
BAD_LAYER = 18  # a layer that does not fit the lower bound
UNKNOWN_CLASS = 19  # a class that does not follow from the deal's
BAD_CODE = 20  # the code of the deal for another state, or another one for the deal
NOT_CLOSED = 21  # what a move leads to
