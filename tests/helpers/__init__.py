"""Helpers of test modules: positions, slow twins of kernels, fakes, ways to damage a store."""
