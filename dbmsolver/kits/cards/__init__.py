"""Games whose moves are single cards: FreeCell and its relatives."""
