"""Solutions: their parts, their replay, and the formats they are written in."""
