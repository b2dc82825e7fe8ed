"""Print the oldest versions of packages that `pyproject.toml` allows, as constraints for pip.

    python tools/oldest.py > oldest.txt
    pip install . -c oldest.txt

The checks of a commit install these and run some commands: what is allowed has to work.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def oldest(requirements: list[str]) -> list[str]:
    """Return ``name==version`` for each requirement; ValueError for one without an oldest."""
    found = []
    for requirement in requirements:
        match = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+)(,.*)?", requirement)
        if match is None:
            raise ValueError(f"{requirement!r}, expected a name, >= and a version")
        found.append(f"{match[1]}=={match[2]}")
    return found


def main() -> int:
    """Print the constraints."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    print("\n".join(oldest(project["dependencies"])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
