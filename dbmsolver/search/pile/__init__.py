"""The search of games of one pile: every move puts a card on it, so strata are moves made."""
