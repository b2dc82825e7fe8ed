"""What test modules share: positions, slow twins of kernels, fakes, ways to damage a store."""
