"""Spider, Gypsy, Forty Thieves and their kin, searched over whole columns."""
