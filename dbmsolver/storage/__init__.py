"""The store of a search: its records in LMDB, the blocks that hold states, and the manifest."""
