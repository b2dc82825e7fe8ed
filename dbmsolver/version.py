"""The version of the program."""

__version__ = "0.1.0"

PROGRAM = f"dbmsolver {__version__}"
"""The name of this program and its version, as they stand in the files that it writes."""
