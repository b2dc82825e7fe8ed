"""Memory of this process and of the machine."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_RESOURCE: Any = import_module("resource") if find_spec("resource") else None
"""The module of a process's limits, None on a system without it."""

_ASSUMED_MEMORY = 4 << 30
"""Bytes of memory that are assumed where the system does not tell."""

# Numbers of mallopt's options, from malloc.h of glibc.
_KEPT_AT_END = -1
_ASKED_AT_ONCE = -2
_OWN_MAPPING = -3
_ARENAS = -8
_LEAST_KEPT = 2 << 20
_MOST_KEPT = 16 << 20

_NUMPY = 160 << 20
"""Bytes of address space that numpy takes when it is loaded, and some more."""


def look_for_garbage_seldom() -> None:
    """Let the garbage collector wait for much more than usual, while a program is being loaded.

    Loading makes much that stays. Looking for garbage in it takes a tenth of a short run.
    """
    gc.set_threshold(300_000)


def processors() -> int:
    """Return the number of processors that this process may use; all, where that is not told."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def all_memory() -> int:
    """Return the memory that this process can have at most, in bytes.

    That of the machine, or less where its control group or a limit of its own has less.
    """
    most = _ASSUMED_MEMORY
    if hasattr(os, "sysconf"):
        with suppress(ValueError):  # of a system that has no such name
            most = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for name in ("memory.max", "memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):  # the second says "max" where there is no limit
            most = min(most, int(Path("/sys/fs/cgroup", name).read_text(encoding="ascii")))
    return min(most, address_space() or most)


def address_space() -> int | None:
    """Return the address space that this process may have, in bytes; None for no limit."""
    if _RESOURCE is None:
        return None
    limit: int = _RESOURCE.getrlimit(_RESOURCE.RLIMIT_AS)[0]
    return None if limit == _RESOURCE.RLIM_INFINITY else limit


def free_address_space() -> int | None:
    """Return how much of the address space is not in use, in bytes; None for no limit."""
    limit = address_space()
    if limit is None:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except OSError:
        pages = 0
    return max(0, limit - pages * int(_RESOURCE.getpagesize()))


def too_little_memory() -> str:
    """Say that memory was refused, and what the limit is."""
    limit = address_space()
    if limit is None:
        return "out of memory; with --memory a search needs less"
    said = f"this process may have {limit >> 20} MiB of address space"
    return f"out of memory: {said} (ulimit -v), which is too little"


class _RoomForNumpy:
    """An import hook that refuses numpy where the address space is too small for it."""

    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None, _target: object = None) -> None:
        """Let others find a module. MemoryError for numpy where there is no room for it."""
        if name != "numpy":
            return
        free = free_address_space()
        if free is not None and free < _NUMPY:
            raise MemoryError("no address space for numpy")


def look_for_room() -> None:
    """Have a MemoryError where a library ends the process, or prints a page, for want of room."""
    if address_space() is not None:
        sys.meta_path.insert(0, _RoomForNumpy)


def default_memory() -> int:
    """Return half of the memory that there is, in bytes."""
    return all_memory() // 2


def anonymous_memory() -> int:
    """Return the anonymous memory of this process in bytes (RssAnon).

    Where that is not told it is the most memory that the process has had, or 0.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("RssAnon:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    if _RESOURCE is None:
        return 0
    most: int = _RESOURCE.getrusage(_RESOURCE.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024  # bytes there, KiB elsewhere


def reuse_freed_memory(memory: int = 0) -> None:
    """Keep some of the memory that arrays free for the next ones, and give the rest back.

    A page that goes back to the system and comes again costs as much as filling it, and twice that
    while several threads run. But glibc left alone keeps ever more, in a heap for each thread. So
    there is one heap, and it keeps a small part of `memory`, the bytes that the search may take. To
    be called before there are threads. Elsewhere than with glibc nothing happens.
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
