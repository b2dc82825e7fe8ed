"""Games where a run of cards is one move, by the rules or as moves are counted."""
