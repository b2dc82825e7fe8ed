"""Memory of this process and of the machine."""

from __future__ import annotations

import ctypes
import os
import resource
from contextlib import suppress
from pathlib import Path

# Numbers of mallopt's options, from malloc.h of glibc.
_KEPT_AT_END = -1
_ASKED_AT_ONCE = -2
_OWN_MAPPING = -3
_ARENAS = -8
_LEAST_KEPT = 2 << 20
_MOST_KEPT = 16 << 20


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


def reuse_freed_memory(memory: int = 0) -> None:
    """Have some of the memory that arrays free kept for the next ones, and the rest given back.

    A page that goes back to the system and comes again costs as much as filling it, and twice
    that while several threads run. But glibc left alone keeps ever more, in a heap for each
    thread. So there is one heap, and what is kept is a small part of `memory`, the bytes that
    the search may take. To be called before there are threads. Elsewhere than with glibc nothing
    happens.
    """
    part = max(_LEAST_KEPT, min(memory // 64, _MOST_KEPT))
    options = {
        _ARENAS: 1,
        _OWN_MAPPING: part // 2,  # arrays of this size never come from the heap
        _KEPT_AT_END: 4 * part,
        _ASKED_AT_ONCE: part,
    }
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return
    for option, value in options.items():
        mallopt(option, value)
