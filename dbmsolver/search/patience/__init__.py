"""Searches of Klondike and its relatives."""
