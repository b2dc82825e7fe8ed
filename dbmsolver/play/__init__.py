"""A board to play on and to ask: a page in the browser, served from this machine.

`table` lists the legal moves. `values` keeps what is known of positions, and `plan` chooses the
next search. `worker_pool` runs searches in other processes. `server` answers the page's requests.
docs/playing.md tells how it is used, and who may send requests.
"""
