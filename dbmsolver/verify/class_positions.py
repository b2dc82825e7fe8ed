"""The full check of a proof over classes: all positions of the deal are listed by the rules alone.

It does not rely on the theorem that all positions of a class lead to the same classes.
"""

from __future__ import annotations

from collections.abc import Generator

from dbmsolver.game.deals import Deal
from dbmsolver.game.kinds import Policy
from dbmsolver.verify.claim import Progress
from dbmsolver.verify.kernels import patience_positions as k
from dbmsolver.verify.kernels.position_set import make_wanted
from dbmsolver.verify.patience_format import PatienceFormat
from dbmsolver.verify.position_list import PositionList
from dbmsolver.verify.refutation import Refuted

_STEPS = 1 << 15


def count_positions(deal: Deal, policy: Policy, memory: int) -> Generator[Progress, None, int]:
    """List all positions that safe moves home leave; return their number.

    TooManyPositions if they need more than ``memory`` bytes, Refuted for one that is won.
    """
    form = PatienceFormat(deal, policy, None)
    positions = PositionList(memory)
    k.begin(positions.found, form.root)
    wanted = make_wanted()
    head, positions.count, found = 0, 1, k.MORE
    while found in (k.MORE, k.FULL):
        if found == k.FULL:
            positions.grow()
        found, head, positions.count = k.list_positions(
            form.digits, form.board, positions.found, wanted, head, positions.count, _STEPS
        )
        share = head / positions.count
        yield Progress("listing positions", 0, 0, head, positions.count, share)
    if found == k.WON:
        won = form.position(form.state(positions.states[head]))
        raise Refuted("the moves of the game lead to a win", won)
    return int(positions.count)
