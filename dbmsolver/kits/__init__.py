"""The kits: all that differs between kinds of games.

A kit is a folder. It says what a state is and what its key, which moves lead on, what may be left
out, what bounds the moves to come, and which way a dive takes. It says nothing of threads, memory,
stores, limits or commits: those are for the search, which is the same for all games.

=============== ==================================================================================
``cards/``      games whose moves are single cards: FreeCell and its relatives
``runs/``       games where a run of cards is one move; states are those of ``cards/``
``two_way/``    games whose cards go both ways, or come back from the foundations; likewise
``records/``    records of dominating positions, which stand for many positions of ``cards/``
``pile/``       games of one pile: Golf, Black Hole
``pairs/``      games whose cards leave in pairs: Pyramid
``klondike/``   Klondike and its relatives, and Canfield: by positions, and by classes of positions
``wide/``       Spider, Gypsy, Forty Thieves and their kin, which are searched over whole columns
=============== ==================================================================================

In a kit, ``keys.py`` turns positions into keys and back; ``hooks.py`` is the list of all functions
that the kernels ask it for (:mod:`dbmsolver.kernels.hooks`); the other modules have these. What
lies beside the folders is for several kits: :mod:`.states` are the keys of states that are made of
cards, :mod:`.choice` says which kit a search has. That is the one list of kits.
"""
