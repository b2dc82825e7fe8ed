"""Games whose cards leave in pairs: Pyramid."""
