"""The game as people know it: cards, rules, positions, moves, boards, numbered deals.

This is the readable part: everything is checked, and nothing is fast. It is the truth that the
compiled kernels are tested against. It imports nothing of the rest but the errors.
"""
