"""A solution at once, then shorter ones, then the proof that none is shorter.

`best` holds the best solution so far. `beam` looks for shorter ones, in memory and without a
proof; `improver` says which beams are made, and when. `ahead` comes first: dives and short beams.
`shortest` is the search by cost layers below the length of the best solution, with longer beams
between its rounds. docs/anytime.md tells why the answer is a shortest solution, and what was
measured.
"""
