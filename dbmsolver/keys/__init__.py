"""Position to state to key, and back.

`states` are those of most games, `records` those that stand for dominating positions, `piles` those
of games of one pile, `patience` those of Klondike and its relatives. `choice` says which of them a
search has.
"""
