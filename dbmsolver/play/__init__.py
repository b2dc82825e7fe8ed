"""A board to play on and to ask: a page in the browser, served from this machine.

`table` says what may be played, `values` and `plan` what is known of a position and what to find
out next, `workers` runs the searches in processes of their own, `server` answers the page.
docs/playing.md tells how it is used, and who may ask it what.
"""
