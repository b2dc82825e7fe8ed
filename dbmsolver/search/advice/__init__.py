"""Advice to a player: what a position is still worth, and what each of its moves is."""
