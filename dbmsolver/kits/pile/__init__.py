"""Games of one pile: Golf, Black Hole."""
