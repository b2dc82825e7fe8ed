"""Memory of this process and of the machine."""

from __future__ import annotations

import ctypes
import os
import resource

_MALLOPT_MMAP_THRESHOLD = -3
_LARGE = 1 << 20


def default_memory() -> int:
    """Half of the machine's memory, in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


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

    glibc raises its threshold for that with use, and then keeps what is freed: a search whose arrays come and go would
    take twice what it uses.  Elsewhere than with glibc nothing happens.
    """
    try:
        ctypes.CDLL(None).mallopt(_MALLOPT_MMAP_THRESHOLD, _LARGE)
    except (OSError, AttributeError):
        return
