"""Everything that commands may have to compile, divided into tasks for processes.

A task is a family of games and a part of what commands do with them. The kernels of searches are
listed by name; others are compiled by searching a deal of the family that is soon decided.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from dbmsolver.errors import SystemRefusedError
from dbmsolver.game.classes import has_classes
from dbmsolver.game.deals import Deal
from dbmsolver.game.dominance.records import has_dominance
from dbmsolver.game.kinds import Family
from dbmsolver.game.rules import Rules
from dbmsolver.game.shipped import GAMES
from dbmsolver.jit.cache import choose_cache
from dbmsolver.process import processors
from dbmsolver.programs import python_command
from dbmsolver.signals import end_with_parent
from dbmsolver.temporary import temporary_folder

Part = Literal["solve", "prove", "cover", "play"]
PARTS = {
    "solve": "shortest solutions",
    "prove": "proofs over every position",
    "cover": "proofs over dominating positions or classes",
    "play": "surveys and checks",
}
"""The parts of the work on a family, in words. "cover" is for families that have such proofs."""
FAMILIES = {
    "cards": "games of single cards",
    "runs": "games of runs",
    "two-way": "games built both ways",
    "pile": "games of one pile",
    "pairs": "pairing games",
    "patience": "Klondike and its relatives",
    "canfield": "Canfield",
    "wide": "Spider and its relatives",
}
"""The families, in words."""
BOTH_WAYS = """\
Foundations: H-9 C-9 D-9 S-9
JS KC KH QH
QS KD JH QC
TH JC TC JD
TS TD KS QD
"""
"""A deal of Fortress with few positions, which can be won."""
_LOST: dict[str, tuple[str, int]] = {
    "cards": ("freecell", 11982),
    "runs": ("alpha_star", 1),
    "pile": ("black_hole", 1),
    "pairs": ("pyramid", 285),
    "patience": ("klondike_by_threes", 66),
    "canfield": ("canfield", 5),
}
"""A game of each family, and the number of a deal with few positions that cannot be won."""
CODE_BITS = {"cards": (8, 16), "runs": (8, 16), "two-way": (8, 16)}
"""The widths of parent-move codes of families that have more than one."""
_MOST_STATES = 2000
_CLASSES_MEMORY = 1 << 28
_LARGEST_KERNEL = 1 << 20
"""Bytes that no file of a kernel exceeds."""


class CompileTask(NamedTuple):
    """The task of one process: a part of the kernels of a family."""

    family: Family
    part: Part

    def __str__(self) -> str:
        return f"{FAMILIES[self.family]}: {PARTS[self.part]}"


def kernel_folder() -> str:
    """Return the folder that kernels are kept in; SystemRefusedError if there is none."""
    choose_cache()
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if folder is None:
        raise SystemRefusedError("there is no folder to keep kernels in: set XDG_CACHE_HOME")
    return folder


def check_disk(folder: str) -> None:
    """Raise SystemRefusedError if the folder's disk has no space for another kernel."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_LARGEST_KERNEL))
            file.flush()
    except OSError as error:
        raise SystemRefusedError(f"kernels cannot be kept in {folder}: {error.strerror}") from None


def tasks_for(games: Iterable[Rules]) -> list[CompileTask]:
    """Return the tasks for some games; those that take longest first."""
    needed = set[CompileTask]()
    for rules in games:
        needed |= {CompileTask(rules.family, part) for part in ("solve", "prove", "play")}
        if has_dominance(rules) or has_classes(rules):
            needed.add(CompileTask(rules.family, "cover"))
        if rules.family == "cards":  # where runs count as one move
            needed.add(CompileTask("runs", "solve"))
    families, parts = get_args(Family), ("cover", "prove", "solve", "play")
    return sorted(needed, key=lambda task: (parts.index(task.part), families.index(task.family)))


def compile_tasks(tasks: list[CompileTask], threads: int | None = None) -> Iterator[CompileTask]:
    """Run the tasks, one for each thread at a time; yield each that is done.

    SystemRefusedError if a process fails.
    """
    waiting, running = list(tasks), dict[CompileTask, subprocess.Popen[bytes]]()
    done = threading.Semaphore(0)
    with ExitStack() as stack:
        while waiting or running:
            while waiting and len(running) < (threads or processors()):
                task = waiting.pop(0)
                process = stack.enter_context(_start(task))
                stack.callback(process.kill)
                threading.Thread(target=_signal_end, args=(process, done), daemon=True).start()
                running[task] = process
            done.acquire()
            for task, process in list(running.items()):
                if process.poll() is None:
                    continue
                del running[task]
                if process.returncode:
                    raise SystemRefusedError(f"{task}: {_last_line(process)}")
                yield task


def _start(task: CompileTask) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        python_command(compile_part, *task),
        stdin=subprocess.PIPE,  # it ends with this process
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        process_group=0,  # Ctrl-C is for this process, which ends it
    )


def _signal_end(process: subprocess.Popen[bytes], done: threading.Semaphore) -> None:
    process.wait()
    done.release()


def _last_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    lines = process.stderr.read().decode(errors="replace").splitlines()
    return lines[-1] if lines else f"its process ended with {process.returncode}"


def compile_part(family: Family, part: Part) -> None:
    """Compile one part of a family: the program of a process."""
    end_with_parent()
    from dbmsolver.search.precompile import compile_searches

    if part == "play":
        with temporary_folder() as folder:
            _play(family, folder)
        return
    for bits in CODE_BITS.get(family, (8,)):
        compile_searches(family, part, bits)


def _play(family: Family, folder: Path) -> None:
    """Search deals of a family, check the stores, and make a survey."""
    from dbmsolver import api
    from dbmsolver.verify.class_distances import ClassDistances

    if family == "wide":
        rules = GAMES["spider_one_suit"]
        for question in (api.prove, api.solve):
            question(Deal.from_number(3, rules), max_states=_MOST_STATES)
        api.survey_deals("1-2", folder / "table.csv", rules=rules, max_states=_MOST_STATES)
        return
    if family == "two-way":
        deals = [Deal.from_text(BOTH_WAYS, GAMES["fortress"])]
    else:
        game, number = _LOST[family]
        deals = [Deal.from_number(number, GAMES[game])]
        api.survey_deals("1-2", folder / "table.csv", rules=GAMES[game], max_states=_MOST_STATES)
    if family == "cards":
        deals.append(Deal.from_number(3))
        api.count_solutions(deals[1])
    for at, deal in enumerate(deals):
        api.solve(deal, any_solution=True, max_states=_MOST_STATES)
        for method in ("dominating", "every-position"):
            store = folder / f"{at} {method}"
            api.prove(deal, method=method, store=store)
            api.verify_store(store)
        store = folder / f"{at} shortest"
        api.solve(deal, store=store)
        api.verify_store(store)
    if family == "patience":  # a check of a deal that is hard to solve works them out
        for _ in ClassDistances(deals[0], threads=1, memory=_CLASSES_MEMORY).run():
            pass
