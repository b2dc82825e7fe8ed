"""`python -m dbmsolver`."""

from dbmsolver.cli import main

main()
