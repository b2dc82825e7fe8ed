"""The program `dbmsolver`, and `python -m dbmsolver`."""

from __future__ import annotations

from dbmsolver.signals import end_at_once


def main() -> None:
    """Run the command line; a signal that comes while it is being loaded ends it, too."""
    end_at_once()
    from dbmsolver.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
