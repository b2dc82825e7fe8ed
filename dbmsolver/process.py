"""Memory of this process and of the machine."""

from __future__ import annotations

import ctypes
import os
import resource
from contextlib import suppress
from pathlib import Path

_MALLOPT_MMAP_THRESHOLD = -3
_LARGE = 1 << 20


def all_memory() -> int:
    """The memory that this process can have at most, in bytes.

    That of the machine, or less where its control group has less.
    """
    most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # the second says "max" where there is no limit
            most = min(most, int(Path("/sys/fs/cgroup", name).read_text(encoding="ascii")))
    return most


def default_memory() -> int:
    """Half of the memory that there is, in bytes."""
    return all_memory() // 2


def anonymous_memory() -> int:
    """Anonymous memory of this process in bytes (RssAnon)."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def return_freed_memory() -> None:
    """Have large arrays given back to the system when they are freed.

    glibc raises its threshold for that with use, and then keeps what is freed: a search whose
    arrays come and go would take twice what it uses.  Elsewhere than with glibc nothing happens.
    """
    try:
        ctypes.CDLL(None).mallopt(_MALLOPT_MMAP_THRESHOLD, _LARGE)
    except (OSError, AttributeError):
        return
