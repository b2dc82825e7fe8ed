"""Solutions: what they consist of, how they are played again, and the formats they are written in."""
