"""The verifier's compiled part: nothing in here comes from, or knows, the kernels of the search."""
