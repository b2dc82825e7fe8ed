"""Dominating positions, readable and slow: the truth that their kernels are tested against.

docs/dominance.md has the theory. `records` are what one position stands for; `macros` are their
successors; `paths` unfolds macros to moves; `covering` and `search` are what tests compare with.
"""
