"""The version of the program."""

__version__ = "0.1.0"

PROGRAM = f"dbmsolver {__version__}"
"""What this program calls itself in what it writes."""
