"""The kits: all that differs between kinds of games.

A kit is a folder. It says what a state is, and what its key; which moves are legal, and which of
them a search may leave out; the lower bound of the moves to come; and which moves a dive, a search
depth first, tries first. It says nothing of threads, memory, stores, limits or commits: those are
for the search, which is the same for all games.

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

In a kit, ``keys.py`` turns positions into keys and back. ``hooks.py`` lists the functions that the
kernels call (:mod:`dbmsolver.kernels.hooks`); they are written in the other modules of the kit.
Modules beside the folders are shared by several kits: :mod:`.states` has the keys of states that
are made of cards. :mod:`.choice` says which kit a deal is searched with, and alone lists them.
"""
