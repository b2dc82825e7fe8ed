"""Shortest solutions and proofs of unsolvability for FreeCell and its relatives."""

__version__ = "0.1.0"
