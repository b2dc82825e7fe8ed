"""Solutions: what they consist of, how they are replayed, and the formats they are written in."""
