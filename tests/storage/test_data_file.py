"""Data files that are cut short or overwritten: one line, exit code 4, no crash."""

from __future__ import annotations

import os
import re
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, NoReturn

import lmdb
import pytest
from helpers.searching import prove
from helpers.selection import few_fast

from dbmsolver.api import solve
from dbmsolver.cli.app import cli
from dbmsolver.errors import ChangedError, StoreError
from dbmsolver.game.deals import Deal
from dbmsolver.storage.datafile import DataFile
from dbmsolver.storage.nodes import Bounds, Damage
from dbmsolver.storage.pages import Pages

PAGE = 4096


class Outcome(NamedTuple):
    """The end of a command: exit code (minus the signal) and its output on both streams."""

    code: int
    text: str


def run(*args: str) -> Outcome:
    """Run a command in a fork of this process, in which the kernels are loaded."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if not child:
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                # pytest has its own streams in the place of these.
                import sys

                sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
                sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
                code = cli.main(list(args), standalone_mode=False)
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
            except BaseException as error:
                os.write(2, f"Traceback: {error!r}".encode())
            os._exit(99)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        return Outcome(code, output.read().decode())


def commands(store: Path) -> list[list[str]]:
    name = str(store)
    return [
        ["status", name],
        ["lookup", name, "11982"],
        ["verify", name, "--quiet", "--threads", "1"],
        ["export", name],
        ["certificate", name],
        ["resume", name, "--quiet"],  # which may change it
    ]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return stores with a proof, half of one, and a solution.

    All kernels of the commands are loaded.
    """
    folder = tmp_path_factory.mktemp("sound")
    deal = Deal.from_number(11982)
    stores = {name: folder / name for name in ("proof", "half", "solution")}
    assert prove(deal, store=stores["proof"]).verdict == "unsolvable"
    assert prove(deal, store=stores["half"], max_states=30_000).verdict == "undecided"
    assert solve(Deal.from_number(3), store=stores["solution"]).length == 73
    for store in stores.values():  # loads the kernels of all commands
        for args in commands(store):
            if args[0] != "resume" or store.name != "half":
                cli.main(args, standalone_mode=False)
    return stores


def damaged(sound: Path, path: Path, change: Callable[[bytearray], object]) -> Path:
    """Return a copy of a store with another data file."""
    path.mkdir()
    data = bytearray((sound / "data.mdb").read_bytes())
    change(data)
    (path / "data.mdb").write_bytes(data)
    return path


def expect_no_harm(sound: Path, store: Path) -> int:
    """Every command ends with one line and exit code 4, or as with the sound store.

    Returns how many do the former.
    """
    refused = 0
    for args in commands(store):
        outcome = run(*args)
        assert outcome.code in (0, 4, 10), (args, outcome)
        assert "Traceback" not in outcome.text
        if outcome.code == 4 and args[0] != "verify":
            refused += 1
            assert re.fullmatch(r"dbmsolver: [^\n]*\n", outcome.text), outcome.text
            assert str(store) in outcome.text
        elif outcome.code == 4:
            refused += 1
        elif args[0] != "resume":
            untouched = run(*[arg.replace(str(store), str(sound)) for arg in args])
            assert outcome.code == untouched.code
            verdicts = [
                re.findall(r"solved in|unsolvable|NOT", o.text) for o in (outcome, untouched)
            ]
            assert verdicts[0] == verdicts[1]
        elif outcome.code == 10:
            assert "unsolvable, after 61,643 positions" in outcome.text
    return refused


@pytest.mark.slow
def test_cut_short_at_every_page(sound: dict[str, Path], tmp_path: Path) -> None:
    """A file that is cut short either has all records, or is refused.

    Pages may be missing that only writing needs.
    """
    whole = (sound["half"] / "data.mdb").read_bytes()
    file = DataFile(sound["half"] / "data.mdb", "store")
    records = {key: file.get(key) for key in file.keys()}  # noqa: SIM118
    file.close()
    refused = 0
    for end in range(0, len(whole), PAGE // 2):
        (tmp_path / "data.mdb").write_bytes(whole[:end])
        try:
            file = DataFile(tmp_path / "data.mdb", "store")
        except StoreError as error:
            assert "damaged" in str(error)
            refused += 1
            continue
        assert {key: file.get(key) for key in file.keys()} == records  # noqa: SIM118
        try:
            file.check_for_writing()
        except StoreError as error:
            assert "damaged" in str(error)
            refused += 1
        file.close()
    assert refused > 20


@pytest.mark.parametrize(
    ("name", "share", "odd"),
    few_fast(product(["proof", "half", "solution"], [0.0, 0.01, 0.5, 0.9], [0, 1, 777]), 2),
)
def test_cut_short(
    sound: dict[str, Path], tmp_path: Path, name: str, share: float, odd: int
) -> None:
    length = int((sound[name] / "data.mdb").stat().st_size * share) + odd
    store = shutil.copytree(sound[name], tmp_path / "store")
    os.truncate(store / "data.mdb", length)
    refused = expect_no_harm(sound[name], store)
    # How many free pages the end holds depends on when the search committed.
    assert refused == 6 or (share == 0.9 and refused == 0)


@pytest.mark.parametrize(
    ("name", "pages"),
    few_fast(
        product(
            ["proof", "half", "solution"],
            [(0, 1), (1, 2), (0, 2), (2, 4), (5, 40), (2, 1000), (0, 1000)],
        ),
        3,
    ),
)
def test_zeroed_pages(
    sound: dict[str, Path], tmp_path: Path, name: str, pages: tuple[int, int]
) -> None:
    def zero(data: bytearray) -> None:
        end = min(pages[1] * PAGE, len(data))
        data[pages[0] * PAGE : end] = bytes(end - pages[0] * PAGE)

    store = damaged(sound[name], tmp_path / "store", zero)
    assert expect_no_harm(sound[name], store) > 0


@pytest.mark.parametrize("seed", few_fast(range(15), 2))
def test_random_damage(sound: dict[str, Path], tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    name = random.choice(sorted(sound))

    def change(data: bytearray) -> None:
        for _ in range(random.choice((1, 1, 3, 20))):
            kind = random.randrange(4)
            # Half of the time at what LMDB itself goes by.
            first = (
                random.randrange(4) * PAGE if random.random() < 0.5 else random.randrange(len(data))
            )
            place = min(first + random.randrange(160), len(data) - 64)
            if kind == 0:
                data[place] ^= 1 << random.randrange(8)
            elif kind == 1:
                data[place : place + 8] = struct.pack(
                    "<Q", random.choice((0, 1, 1 << 63, (1 << 64) - 1))
                )
            elif kind == 2:
                data[place : place + 40] = random.randbytes(40)
            else:
                other = random.randrange(len(data) // PAGE) * PAGE
                page = place // PAGE * PAGE
                data[page : page + PAGE] = data[other : other + PAGE]

    store = damaged(sound[name], tmp_path / "store", change)
    expect_no_harm(sound[name], store)


def directory(data: Path) -> None:
    data.unlink()
    data.mkdir()


def pipe(data: Path) -> None:
    data.unlink()
    os.mkfifo(data)


def circle(data: Path) -> None:
    data.unlink()
    data.symlink_to(data)


def text(data: Path) -> None:
    data.write_text("Dear reader, this is not a store.\n" * 1000)


def empty(data: Path) -> None:
    data.write_bytes(b"")


def absent(data: Path) -> None:
    data.unlink()


@pytest.mark.parametrize("what", few_fast([directory, pipe, circle, text, empty, absent], 2))
def test_other_things_in_its_place(
    sound: dict[str, Path], tmp_path: Path, what: Callable[[Path], None]
) -> None:
    store = shutil.copytree(sound["proof"], tmp_path / "store")
    what(store / "data.mdb")
    for args in commands(store):
        outcome = run(*args)
        assert outcome.code == 4, (args, outcome)
        assert re.fullmatch(r"dbmsolver: [^\n]*\n", outcome.text), outcome.text


@pytest.mark.parametrize("name", ["lock.mdb", "writer.lock"])
@pytest.mark.parametrize("what", few_fast([directory, pipe, text, empty, absent], 2))
def test_odd_locks(
    sound: dict[str, Path], tmp_path: Path, name: str, what: Callable[[Path], None]
) -> None:
    """Reading needs none of them; a search either works or refuses in one line."""
    store = shutil.copytree(sound["half"], tmp_path / "store")
    what(store / name)
    assert run("status", str(store)).code == 0
    outcome = run("resume", str(store), "--quiet")
    assert outcome.code in (4, 10), outcome
    assert "Traceback" not in outcome.text


def test_all_records_are_read_as_lmdb_reads_them(sound: dict[str, Path]) -> None:
    for path in sound.values():
        with (
            lmdb.open(str(path), readonly=True, lock=False) as environment,
            environment.begin() as txn,
        ):
            expected = dict(txn.cursor())
        file = DataFile(path / "data.mdb", str(path))
        assert file.keys() == list(expected)
        assert {key: file.get(key) for key in file.keys()} == expected  # noqa: SIM118
        file.check_for_writing()
        file.close()


def transactions(random: Random, path: Path) -> Iterator[dict[bytes, bytes]]:
    """Yield the records of an environment after each of many transactions."""
    largest = random.choice((30, 300, 3000, 20_000))
    key_size = random.choice((8, 28, 200))
    records: dict[bytes, bytes] = {}
    with lmdb.open(str(path), map_size=1 << 30, sync=False) as environment:
        for _ in range(random.randrange(1, 60)):
            with environment.begin(write=True) as txn:
                for _ in range(random.randrange(1, 200)):
                    if records and random.random() < random.choice((0.2, 0.5, 0.8)):
                        key = random.choice(list(records))
                        del records[key]
                        txn.delete(key)
                    else:
                        key = random.choice((b"C", b"P")) + random.randbytes(key_size)
                        records[key] = random.randbytes(random.randrange(largest))
                        txn.put(key, records[key])
            yield records


@pytest.mark.parametrize("seed", few_fast(range(8), 3))
def test_what_lmdb_writes_is_sound(tmp_path: Path, seed: int) -> None:
    """No false alarm, whatever is written, deleted and written again."""
    for records in transactions(Random(seed), tmp_path):
        file = DataFile(tmp_path / "data.mdb", "store")
        file.check_for_writing()
        assert file.keys() == sorted(records)
        for key in list(records)[:20]:
            assert file.get(key) == records[key]
        file.close()


def test_commits_that_are_made_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After one other commit the pages are as they were; after two they may be overwritten.

    What then looks like damage is none.
    """

    def damaged(*_: object) -> NoReturn:
        raise Damage("other bytes")

    with lmdb.open(str(tmp_path), map_size=1 << 30) as environment:

        def commit(key: bytes) -> None:
            with environment.begin(write=True) as txn:
                txn.put(key, b"value")

        commit(b"P1")
        file = DataFile(tmp_path / "data.mdb", "store")
        commit(b"P2")
        assert (file.get(b"P1"), file.get(b"P2")) == (b"value", None)
        with monkeypatch.context() as patch, pytest.raises(StoreError, match="damaged: other"):
            patch.setattr(Pages, "value", damaged)
            file.get(b"P1")
        commit(b"P3")
        with pytest.raises(ChangedError, match="another process changes it too fast"):
            file.get(b"P1")
        monkeypatch.setattr(Pages, "value", damaged)
        with pytest.raises(ChangedError, match="another process changes it too fast"):
            file.get(b"P1")
        file.close()


def test_a_branch_that_leads_astray_is_noticed(tmp_path: Path) -> None:
    """LMDB itself would pass over records."""
    with (
        lmdb.open(str(tmp_path), map_size=1 << 30) as environment,
        environment.begin(write=True) as txn,
    ):
        for number in range(1000):
            txn.put(b"P%08d" % number, bytes(50))
    data = bytearray((tmp_path / "data.mdb").read_bytes())
    roots = [page for page in range(2, len(data) // PAGE) if data[page * PAGE + 10] == 1]
    changed = 0
    for page in roots:
        place = data.find(b"P0000", page * PAGE, (page + 1) * PAGE)
        if place > 0:
            data[place + 5] = ord("9")
            changed += 1
    assert changed
    (tmp_path / "data.mdb").write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        DataFile(tmp_path / "data.mdb", "store")


# One field of a page is wrong.

HEADER, NODE = struct.Struct("<QHHHH"), struct.Struct("<HHHH")
BRANCH, LEAF, OVERFLOW = 1, 2, 4
Field = tuple[int, int, int]
"""The byte at which a field begins, how many bytes it has, and another value for it."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return a data file with branches, large values, and pages that are free."""
    path = tmp_path_factory.mktemp("pages")
    with lmdb.open(str(path), map_size=1 << 24) as environment:
        for half in (0, 1):
            with environment.begin(write=True) as txn:
                for number in range(half, 400, 2):
                    size = 9000 if number % 80 == 7 else 30 + number % 11
                    txn.put(b"key %03d" % number, b"v" * size)
        for key in (b"key 007", b"key 008"):  # an even number of commits: the first meta counts
            with environment.begin(write=True) as txn:
                txn.delete(key)
    return (path / "data.mdb").read_bytes()


def fields_of_header(data: bytes, at: int, kind: int) -> Iterator[Field]:
    """Yield values that the header of a page cannot have."""
    number, _, _, lower, upper = HEADER.unpack_from(data, at)
    yield at, 8, number + 1
    yield at + 10, 2, kind ^ (BRANCH | LEAF)
    if kind == OVERFLOW:
        yield at + 12, 2, lower + 1
        yield at + 14, 2, 1
        return
    for value in (0, HEADER.size, lower + 1, lower + 2, upper + 2, PAGE + 2):
        yield at + 12, 2, value
    for value in (0, lower - 2, upper - 2, upper + 2, PAGE + 2):
        yield at + 14, 2, value


def fields_of_nodes(data: bytes, at: int, kind: int) -> Iterator[Field]:
    """Yield values that the nodes of a page cannot have."""
    lower = HEADER.unpack_from(data, at)[3]
    starts = struct.unpack_from(f"<{(lower - HEADER.size) // 2}H", data, at + HEADER.size)
    for place in {0, len(starts) // 2, len(starts) - 1}:
        start = starts[place]
        for other in {start - 2, start + 2, starts[place - 1], 0, PAGE - 2, 0xFFFF} - {start}:
            yield at + HEADER.size + 2 * place, 2, other
        low, _, flags, key_size = NODE.unpack_from(data, at + start)
        yield at + start + 6, 2, key_size + 2
        if kind == LEAF:
            yield at + start + 4, 2, flags ^ 2
            yield at + start + 6, 2, 0
            yield at + start, 2, low + 2
        else:
            yield at + start, 2, 1
            yield at + start + 4, 2, flags + 1


def fields_of_metas(data: bytes) -> Iterator[Field]:
    """Yield values that no meta page has."""
    for at in (0, PAGE):
        yield at + 10, 2, 0
        yield at + HEADER.size, 4, 0xBEEFC0DD
        yield at + HEADER.size + 4, 4, 2
        yield at + HEADER.size + 16, 8, 2 * PAGE
        for size in (0, PAGE + 1, 2 * PAGE, 1 << 17):
            yield at + HEADER.size + 24, 4, size
        yield at + 136, 8, 1 << 48


def test_any_field_of_a_page(pages: bytes, tmp_path: Path) -> None:
    """A page that says something wrong of itself or of its nodes is found out, and not read."""
    path, kinds = tmp_path / "data.mdb", set()
    path.write_bytes(pages)
    whole = DataFile(path, "store")
    records = {key: whole.get(key) for key in whole.keys()}  # noqa: SIM118
    whole.check_for_writing()
    lists = whole._pages.index(whole._meta, whole._meta.free)[1]
    whole.close()
    assert len(records) == 398
    wrong = [(field, 0) for field in fields_of_metas(pages)]
    for page, _ in whole._used + lists:
        kind = HEADER.unpack_from(pages, page * PAGE)[2]
        wrong += [(field, kind) for field in fields_of_header(pages, page * PAGE, kind)]
        if kind != OVERFLOW:
            wrong += [(field, kind) for field in fields_of_nodes(pages, page * PAGE, kind)]
    for (at, size, value), kind in wrong:
        other = bytearray(pages)
        other[at : at + size] = value.to_bytes(8, "little")[:size]
        path.write_bytes(other)
        file = None
        try:
            file = DataFile(path, "store")
            for key in file.keys():  # noqa: SIM118
                file.get(key)
            file.check_for_writing()
        except StoreError as error:
            assert "damaged" in str(error)
            kinds.add(kind)
        else:
            raise AssertionError(f"byte {at % PAGE} of page {at // PAGE} may be {value}")
        finally:
            if file is not None:
                file.close()
    assert kinds == {0, BRANCH, LEAF, OVERFLOW}


def test_nodes_that_do_not_fill_their_page(pages: bytes, tmp_path: Path) -> None:
    """The last node of a page ends with it: a record that is cut short or goes on is none."""
    path = tmp_path / "data.mdb"
    path.write_bytes(pages)
    whole = DataFile(path, "store")
    used = [page * PAGE for page, _ in whole._used]
    whole.close()
    leaves = [at for at in used if HEADER.unpack_from(pages, at)[2] == LEAF]
    assert leaves
    for at in leaves[:5]:
        lower = HEADER.unpack_from(pages, at)[3]
        starts = struct.unpack_from(f"<{(lower - HEADER.size) // 2}H", pages, at + HEADER.size)
        node = at + max(starts)
        low, _, flags, _ = NODE.unpack_from(pages, node)
        assert not flags
        for size in (low - 2, low + 2):
            data = bytearray(pages)
            data[node : node + 2] = size.to_bytes(2, "little")
            path.write_bytes(data)
            with pytest.raises(StoreError, match="damaged"):
                DataFile(path, "store")


@pytest.mark.parametrize(
    ("low", "high", "first", "last", "fits"),
    [
        (None, None, b"a", b"z", True),
        (b"b", None, b"b", b"z", True),
        (b"b", None, b"a", b"z", False),
        (None, b"d", b"a", b"c", True),
        (None, b"d", b"a", b"d", False),
        (b"b", b"d", b"a", b"d", False),
        (3, 5, 3, 4, True),
        (3, 5, 2, 4, False),
        (3, 5, 3, 5, False),
    ],
)
def test_keys_between_bounds(low: Any, high: Any, first: Any, last: Any, fits: bool) -> None:
    assert Bounds(low, high).hold(first, last) == fits


def test_lists_of_free_pages(pages: bytes, tmp_path: Path) -> None:
    """A list that LMDB would give wrong pages from is found out before it writes."""
    path = tmp_path / "data.mdb"
    path.write_bytes(pages)
    whole = DataFile(path, "store")
    meta = whole._meta
    lists, _ = whole._pages.index(meta, meta.free)
    taken = whole._used[0][0]
    whole.close()
    place = max((one for one in lists.values() if one.page < 0), key=lambda one: one.size)
    count = place.size // 8 - 1
    assert count > 2
    numbers = list(struct.unpack_from(f"<{count + 1}Q", pages, place.offset))
    assert numbers[0] == count
    others = [other.offset for other in lists.values() if other != place]
    shared = struct.unpack_from("<Q", pages, others[0] + 8)[0] if others else numbers[2]
    for at, value, said in (
        (1, numbers[2], "a page has two uses"),
        (1, shared, "a page has two uses"),
        (1, taken, "a page is free and used"),
        (1, 1, "a free page does not exist"),
        (1, meta.last_page + 1, "a free page does not exist"),
        (0, count + 1, "a list of free pages is cut short"),
    ):
        data = bytearray(pages)
        struct.pack_into("<Q", data, place.offset + 8 * at, value)
        path.write_bytes(data)
        file = DataFile(path, "store")
        with pytest.raises(StoreError, match=said):
            file.check_for_writing()
        file.close()
