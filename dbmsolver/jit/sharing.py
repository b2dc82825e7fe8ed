"""A cache of machine code shared by all processes: kernels that one compiles, the others read.

A kernel is found by a digest of all kernels' sources, not by the place of the package: all
checkouts and environments of a user share it.

numba's own cache lets every process that misses a kernel compile it, and two that save different
types of one kernel at the same time can exchange them. Here a kernel is compiled and saved under a
lock of its own. A process that finds the lock taken waits, and then finds the kernel in the cache.
Locks are taken from callers to callees only, so no two processes wait for each other, and the
system releases those of a process that dies.
"""

from __future__ import annotations

import errno
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import xxhash
from llvmlite import binding
from numba.core import config, event
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.runtime._nrt_python import c_helpers
from numba.core.serialize import dumps

from dbmsolver.disk import lock
from dbmsolver.jit.cache import kernel_digest

WAITING = "dbmsolver:waiting for another process"
"""Kind of the numba event while a kernel is being compiled elsewhere."""


_PACKAGE = __name__.partition(".")[0]
_MUCH = 1 << 26


class _BySources:
    """The folder of this package's kernels, which numba calls a locator."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, function: Callable[..., Any], _path: str) -> _BySources | None:
        """Return the locator of a kernel.

        None for functions of other packages, and if the folder cannot be written to.
        """
        package, _, module = function.__module__.partition(".")
        folder: str = getattr(config, "CACHE_DIR", "")
        if package != _PACKAGE or not folder:
            return None
        place = cls(Path(folder, module.rpartition(".")[0]))
        try:
            place.ensure_cache_path()
        except OSError:
            return None
        return place

    def get_cache_path(self) -> str:
        """Return the folder of the kernel's files."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make that folder; raise OSError if nothing can be written to it."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self._folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self._folder))

    def get_source_stamp(self) -> str:
        """Return a digest that changes with the kernel and all that it calls."""
        return kernel_digest()

    def get_disambiguator(self) -> None:
        """Return nothing: no more is needed to tell kernels apart."""


class _Files(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
    """The files of one kernel, in the folder that was chosen, or that the user names.

    numba's other folders are left out: it looks at the kernel's own source there, and would run the
    old code of kernels that it calls.
    """

    _locator_classes = (
        _BySources,
        *(one for one in CompileResultCacheImpl._locator_classes if "UserProvided" in one.__name__),
    )
    called_from_python = False

    def check_cachable(self, data: Any) -> bool:
        """Return True if other processes can use a kernel: it has no addresses of this process.

        Kernels have such addresses if numba's optimization is switched off. numba's own check
        prints a warning, for which it needs the name of a file that is not known here.
        """
        return not data.library.has_dynamic_globals

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Return the kernel that a file holds.

        Beside machine code a file has intermediate code, which is needed to compile callers, and
        takes longer to read. It is read when a caller is compiled. Until then numba looks in it
        only for the function that Python calls, and is given a substitute that has just that.
        """
        (name, kind, data), description, *rest = payload
        if not self.called_from_python or kind != "object":
            return super().rebuild(target_context, payload)
        machine_code, for_callers = data
        way_in = f'define void @"{description.llvm_cpython_wrapper_name}"() {{ ret void }}'
        instead = binding.parse_assembly(way_in).as_bitcode()
        library = name, kind, (machine_code, instead)
        found = super().rebuild(target_context, (library, description, *rest))
        found.library._get_module_for_linking = cache(partial(binding.parse_bitcode, for_callers))
        return found


def _has_memory() -> bool:
    """Return True if there is memory for much more than a file of a kernel holds."""
    try:
        bytearray(_MUCH)
    except MemoryError:
        return False
    return True


def _digest(name: str, content: bytes) -> bytes:
    """Return the digest of a file's content, and of the key that it is asked for by."""
    return xxhash.xxh3_128(name.encode() + b"\n" + content).digest()


class SharedCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """The cache of one kernel.

    numba calls ``load_overload``, compiles a kernel that is not there, and calls ``save_overload``.
    numba's own cache loads everything that compiling needs before it looks for a kernel, which
    takes a fifth of a second. Here that is loaded when something is compiled.
    """

    _impl_class = _Files

    def __init__(self, function: Callable[..., Any], *, called_from_python: bool = False) -> None:
        super().__init__(function)
        self._impl.called_from_python = called_from_python
        self._lock_path = Path(self.cache_path) / f"{self._impl.filename_base}.lock"
        self._lock: int | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel compiled for these types; None if this process is to compile it."""
        _name_runtime()
        found = self._read(sig, target_context)
        if found is None and self._lock is None:
            if not self.reserve():
                with event.trigger_event(WAITING):
                    self._lock = self._open_lock(wait=True)
            # It may have been compiled elsewhere meanwhile.
            found = self._read(sig, target_context)
        if found is not None:
            self.release()
        return found

    def _read(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel in the cache. Where its files are damaged it is compiled anew."""
        try:
            return self._load_overload(sig, target_context)
        except MemoryError:
            if not _has_memory():
                raise  # else a damaged file says that it has more in it than there can be
        except Exception:  # pickle raises all kinds
            pass
        with suppress(OSError):  # without its index nothing is found; a full disk allows that
            Path(self._cache_file._index_path).unlink()
        return None

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kernel in the cache, None if there is none; ValueError as `_content_of`."""
        content = self._content_of(self._index_key(sig, target_context.codegen()))
        return (
            None if content is None else self._impl.rebuild(target_context, pickle.loads(content))
        )

    def _content_of(self, key: Any) -> bytes | None:
        """Return the content of a kernel's file, None if there is none.

        ValueError for a file that is damaged, or that of another kernel: other code, other types,
        other sources, or another processor.
        """
        kept = self._cache_file.load(key)
        if kept is None:
            return None
        content: bytes
        digest, content = kept
        if digest != _digest(self._identity(key), content):
            raise ValueError("a file of a kernel that is damaged, or another one's")
        return content

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Return True if the cache has the kernel compiled for these types, undamaged."""
        try:
            return self._content_of(self._index_key(sig, target_context.codegen())) is not None
        except Exception:  # pickle raises all kinds
            return False

    def _save_overload(self, sig: Any, data: Any) -> None:
        """Put a kernel into the cache, with a digest of all of it and of its name."""
        if not self._impl.check_cachable(data):
            return
        self._impl.locator.ensure_cache_path()
        key = self._index_key(sig, data.codegen)
        content = dumps(self._impl.reduce(data))
        self._cache_file.save(key, (_digest(self._identity(key), content), content))

    def _identity(self, key: Any) -> str:
        """Return text that differs for any two kernels: name, types, sources, processor."""
        function = self._py_func
        stamp = self._impl.locator.get_source_stamp()
        return f"{function.__module__}.{function.__qualname__} {stamp} {key}"

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the compiled kernel, if there is room on the disk."""
        try:
            super().save_overload(sig, data)
        except OSError:
            pass  # it is compiled again next time
        finally:
            self.release()

    def reserve(self) -> bool:
        """Take the right to compile this kernel; return False if another process has it."""
        try:
            self._lock = self._open_lock(wait=False)
        except BlockingIOError:
            return False
        return True

    def _open_lock(self, *, wait: bool) -> int | None:
        """Return the lock, taken; None where the file system has none.

        Then processes may do the same work twice.
        """
        try:
            opened = os.open(self._lock_path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return None
        try:
            lock(opened, wait)
        except BaseException as error:
            os.close(opened)
            if not isinstance(error, OSError) or isinstance(error, BlockingIOError):
                raise
            return None
        return opened

    def release(self) -> None:
        """Let other processes compile this kernel; nothing if this one does not hold it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _name_runtime() -> None:
    """Tell the linker where the functions of numba's runtime are that machine code calls.

    Compiling needs more of the runtime, which takes a fortieth of a second; numba begins with that.
    """
    for name, address in c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


class LateCache:
    """A stand-in for the cache of a kernel until it is first asked for something.

    Most kernels are only called by others and never ask. Where there is no folder to write to, a
    kernel is compiled each time.
    """

    def __init__(self, kernel: Any, function: Callable[..., Any]) -> None:
        self._kernel = kernel
        self._function = function

    def __getattr__(self, name: str) -> Any:
        inner = self._kernel.targetoptions.get("no_cpython_wrapper", False)
        try:
            found = SharedCache(self._function, called_from_python=not inner)
        except RuntimeError:
            found = NullCache()
        self._kernel._cache = found
        return getattr(found, name)


class _Failures(event.Listener):  # type: ignore[misc]  # numba has no types
    """A listener that gives up the right to compile a kernel when its compilation fails.

    numba asks the cache to save what was compiled, and says nothing to it of a failure.
    """

    def on_start(self, event: event.Event) -> None:
        """Ignore the start of a compilation."""

    def on_end(self, event: event.Event) -> None:
        """Let other processes compile the kernel, if an error or Ctrl-C has ended this."""
        cache = event.data["dispatcher"]._cache
        # Its property `is_failed` says the opposite.
        if event._exc_details is not None and isinstance(cache, SharedCache):
            cache.release()


def release_after_failures() -> None:
    """Let other processes compile a kernel whose compilation fails in this one, from now on."""
    event.register("numba:compile", _Failures())
