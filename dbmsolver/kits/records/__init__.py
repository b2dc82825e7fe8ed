"""Records of dominating positions, in games of single cards."""
