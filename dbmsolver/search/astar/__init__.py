"""The search for a shortest solution: A*, with cost layers f = g + h closed in ascending order.

`layers` is the loop. States are kept in partitions, ranges of progress. `cache` decides which of
them are in memory, `checkpoint` writes them to the store and reads them again, and `rows` converts
between the rows of the kernels and the blocks of the store.
"""
