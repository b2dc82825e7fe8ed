"""All shortest solutions of a deal: their number, and their list.

`sweep` goes from the deal forward, one move at a time, and counts. `listing` goes back from the
goal and tells the sequences. `session` does both for a deal, after the search for the length.
docs/all-solutions.md says what is counted, and why nothing is missed.
"""
