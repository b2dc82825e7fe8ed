"""The search for a shortest solution, and the proof that there is none.

`session` opens a store, runs the search, and gives the answer. `proof/` closes all states, stratum
by stratum. `astar/` closes cost layers in ascending order. The modules beside these two folders are
shared by both.
"""
