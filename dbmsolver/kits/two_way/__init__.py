"""Games whose cards go both ways: on higher and lower cards, or home and back."""
