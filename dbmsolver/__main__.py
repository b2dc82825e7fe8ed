"""The program `dbmsolver`, and `python -m dbmsolver`."""

from __future__ import annotations

import atexit
import gc
import os

from dbmsolver.signals import end_at_once


def main() -> None:
    """Run the command line; a signal that comes while it is being loaded ends it, too."""
    end_at_once()
    from dbmsolver.process import look_for_garbage_seldom, look_for_room

    look_for_garbage_seldom()
    atexit.register(gc.freeze)  # nothing is garbage at the end, and looking takes as long again
    # Starting threads for linear algebra, which nothing here does, takes as long as all of numpy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    look_for_room()
    from dbmsolver.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
