"""The proof that a deal has no solution: every reachable state is closed, strata in ascending order.

`initial` says what a run begins with. `strata` is the loop. Small signatures are closed whole, several
in a batch (`small`); those too large for memory are closed in pieces (`large`, `pieces`). Worker
threads run the code in `worker` and `piece_worker`.
"""
