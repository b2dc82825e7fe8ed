"""Functions of records of dominating positions, for :mod:`.kernels.hooks`."""

from __future__ import annotations

from dbmsolver.jit.decorators import inlined
from dbmsolver.kernels import hooks
from dbmsolver.kernels.record_groups import fingerprint_of
from dbmsolver.kits.cards.expand import HEIGHTS_ALL_HOME, height
from dbmsolver.kits.cards.tables import Tables
from dbmsolver.kits.records import dominance, macros


@inlined
def _is_won(t, signature):
    return signature == HEIGHTS_ALL_HOME


@inlined
def _height_of(t, signature, off, suit):
    return height(signature, suit)


hooks.add(
    Tables,
    {
        hooks.make_found: lambda _t: macros.make_scratch(),
        hooks.expand_state: dominance.expand_record,
        hooks.code_of_child: fingerprint_of,
        hooks.is_won: _is_won,
        hooks.home_height: _height_of,
    },
)
