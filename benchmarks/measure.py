"""Measuring whole processes: wall seconds, peak anonymous memory, disk used by temporary stores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

INTERVAL = 0.02
"""Seconds between two looks at a running process."""
STORE_PREFIX = "dbmsolver-"
"""Temporary stores are directories of such names."""
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of the program, or the medians of several: bytes and seconds."""

    seconds: float
    peak_memory: int
    peak_disk: int
    final_disk: int
    code: int
    output: str
    errors: str
    answer: dict[str, Any]
    runs: int = 1

    @property
    def states(self) -> int:
        """States that the answer counts, without the forced ones."""
        return int(self.answer.get("states", 0))

    @property
    def rate(self) -> float:
        """States a second, of the whole process."""
        return self.states / self.seconds


def run(args: Sequence[str], environment: dict[str, str] | None = None) -> Measured:
    """Run ``dbmsolver`` with these arguments and look at it until it ends.

    Its temporary stores go into a directory of their own, where their size is sampled; the answer
    is read where ``--json`` asks for one.
    """
    scratch = Path(tempfile.mkdtemp(prefix="bars-"))
    try:
        return _run(args, scratch, environment or {})
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _run(args: Sequence[str], scratch: Path, environment: dict[str, str]) -> Measured:
    variables = {**os.environ, "TMPDIR": str(scratch), **environment}
    variables["PYTHONPATH"] = os.pathsep.join(
        part for part in (str(ROOT), variables.get("PYTHONPATH", "")) if part
    )
    command = [sys.executable, "-m", "dbmsolver", *args]
    peak_memory = peak_disk = 0
    with (scratch / "output").open("w+") as output, (scratch / "errors").open("w+") as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(command, env=variables, stdout=output, stderr=errors)
        try:
            while True:
                try:
                    process.wait(INTERVAL)
                    break
                except subprocess.TimeoutExpired:
                    peak_memory = max(peak_memory, anonymous_memory(process.pid))
                    peak_disk = max(peak_disk, stores_size(scratch))
        except BaseException:
            process.kill()
            process.wait()
            raise
        seconds = time.perf_counter() - begun
        output.seek(0)
        errors.seek(0)
        text, messages = output.read(), errors.read()
    answer = json.loads(text) if "--json" in args and text else {}
    final = int(answer.get("disk", 0))
    return Measured(
        seconds,
        peak_memory,
        max(peak_disk, final),
        final,
        process.returncode,
        text,
        messages,
        answer,
    )


def repeat(args: Sequence[str], times: int) -> Measured:
    """Return the run that took the median time of several, with the largest peaks of all."""
    runs = [run(args) for _ in range(times)]
    middle = min(runs, key=lambda one: abs(one.seconds - median(run.seconds for run in runs)))
    return Measured(
        median(one.seconds for one in runs),
        max(one.peak_memory for one in runs),
        max(one.peak_disk for one in runs),
        middle.final_disk,
        max(one.code for one in runs),
        middle.output,
        middle.errors,
        middle.answer,
        times,
    )


def anonymous_memory(process: int) -> int:
    """RssAnon of a process in bytes; 0 when it has gone."""
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def stores_size(folder: Path) -> int:
    """Bytes on disk of the temporary stores in a folder."""
    size = 0
    for path in folder.glob(f"{STORE_PREFIX}*/*"):
        try:
            size += path.stat().st_blocks * 512
        except OSError:  # removed meanwhile
            continue
    return size
