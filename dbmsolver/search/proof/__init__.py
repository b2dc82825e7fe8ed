"""The proof that a deal has no solution: every reachable state is closed, in ascending strata.

`dive_ahead` comes first: dives in memory, which decide most deals. `initial` says what a run begins
with. `strata` is the loop, `proof_state` what is pending, `stratum` closes one of them. Small
signatures are closed whole, several in a batch (`small`); large ones in pieces (`large`,
`piece_set`, `pieces`, `piece_tables`). Worker threads run the code in `worker` and `piece_worker`.
"""
