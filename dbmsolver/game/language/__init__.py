"""The language that describes a solitaire game in a text file; docs/games.md explains it.

A text becomes a `Description` (`reading`), which says what the text says, whether the program can
play it or not. `understanding` makes the rules of it that are played, or names the word for which
it cannot.
"""
