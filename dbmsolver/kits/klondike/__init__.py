"""Klondike and its relatives, by positions and by classes of positions; Canfield."""
