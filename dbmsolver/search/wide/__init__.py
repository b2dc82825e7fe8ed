"""Searches of wide games, in memory: Spider and its relatives."""
