"""The commands of the command line: thin functions over the library, one module per subject.

These modules import what searches (and so compiles) only inside their functions: `--help` answers
at once.
"""
