"""The program `dbmsolver`, and `python -m dbmsolver`."""

from __future__ import annotations

import gc

from dbmsolver.signals import end_at_once


def main() -> None:
    """Run the command line; a signal that comes while it is being loaded ends it, too."""
    end_at_once()
    gc.set_threshold(100_000)  # loading makes much that stays: looking for garbage takes a tenth
    from dbmsolver.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
