"""The SQLite file: migrations, faults of the disk, copies, many at once."""

import asyncio
import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from bot.api import Account, Entry, Role, StoreError
from bot.store import open_store
from bot.store.sqlite import SqliteStore, restore
from bot.store.sqlite.migrating import migrations

NAME = "tertulia.db"


def snapshot(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}


def execute(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


async def make(folder: Path, clock: Any) -> None:
    store = await SqliteStore.open(folder, clock)
    try:
        await store.messages.append("test:c", [Entry(Role.USER, "hello", "test:1")])
    finally:
        await store.close()


def test_migrations_are_numbered_without_gaps_and_have_checksums() -> None:
    known = migrations()
    assert [migration.number for migration in known] == list(range(1, len(known) + 1))
    assert len({migration.checksum for migration in known}) == len(known)


async def test_every_step_from_every_older_state_ends_the_same(
    tmp_path: Path, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = migrations()

    async def schema(folder: Path) -> list[Any]:
        with closing(sqlite3.connect(folder / NAME)) as connection:
            return connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()

    await make(tmp_path / "whole", clock)
    for done in range(1, len(known)):
        folder = tmp_path / str(done)
        monkeypatch.setattr("bot.store.sqlite.store.migrations", lambda n=done: known[:n])
        with suppress(StoreError):  # an older schema lacks what the newest code asks for
            await make(folder, clock)
        monkeypatch.undo()
        await make(folder, clock)
        assert sorted(await schema(folder), key=repr) == sorted(
            await schema(tmp_path / "whole"), key=repr
        )


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda p: p.write_bytes(b"not a database at all, just some text" * 40), "no SQLite"),
        (
            lambda p: execute(p, "UPDATE migrations SET checksum = 'x' WHERE number = 1"),
            "another form",
        ),
        (lambda p: execute(p, "INSERT INTO migrations VALUES (999, '999_x.sql', 'x')"), "newer"),
        (lambda p: execute(p, "DROP TABLE migrations"), "another program's"),
    ],
    ids=["no database", "changed step", "newer program", "another program"],
)
async def test_what_is_not_ours_is_left_alone(
    tmp_path: Path, clock: Any, spoil: Any, told: str
) -> None:
    await make(tmp_path, clock)
    spoil(tmp_path / NAME)
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match=told) as error:
        await SqliteStore.open(tmp_path, clock)
    assert NAME in str(error.value)
    assert snapshot(tmp_path)[NAME] == before[NAME]


async def test_a_damaged_file_is_told_and_kept(tmp_path: Path, clock: Any) -> None:
    await make(tmp_path, clock)
    path = tmp_path / NAME
    content = path.read_bytes()
    path.write_bytes(content[:20] + b"\xff" * 80 + content[100:])
    before = snapshot(tmp_path)
    with pytest.raises(StoreError, match="damaged"):
        await SqliteStore.open(tmp_path, clock)
    assert snapshot(tmp_path)[NAME] == before[NAME]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
async def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path, clock: Any) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o500)
    with pytest.raises(StoreError, match="data"):
        await SqliteStore.open(folder / "below", clock)


async def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path, clock: Any) -> None:
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(StoreError, match="data"):
        await SqliteStore.open(tmp_path / "data", clock)


FULL = """
import asyncio, resource, signal, sys
from pathlib import Path
from bot.api import Entry, Role, StoreError
from bot.runtime import utc_now
from bot.store.sqlite import SqliteStore

async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = await SqliteStore.open(Path(sys.argv[1]), utc_now)
    await store.messages.append("t:c", [Entry(Role.USER, "kept")])
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
    try:
        for _ in range(100):
            await store.messages.append("t:c", [Entry(Role.USER, "x" * 20_000)])
    except StoreError as error:
        print("told:", error)
    print(len(await store.messages.latest("t:c", 1000)) >= 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, -1))
    await store.close()

asyncio.run(main())
"""


def test_a_full_disk_is_told_and_what_was_there_stays(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "told:" in done.stdout, done.stderr
    assert NAME in done.stdout
    assert "True" in done.stdout
    with closing(sqlite3.connect(tmp_path / NAME)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        [first] = connection.execute("SELECT content FROM messages WHERE sequence = 1").fetchone()
        assert "kept" in first


async def test_only_the_owner_may_read(tmp_path: Path, clock: Any) -> None:
    folder = tmp_path / "data"
    store = await SqliteStore.open(folder, clock)
    await store.people.resolve(Account("test", "1"))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    await store.close()


EXIT = """
import asyncio, sys
from pathlib import Path
from bot.runtime import utc_now
from bot.store.sqlite import SqliteStore

async def main():
    await SqliteStore.open(Path(sys.argv[1]), utc_now)
    raise SystemExit(7)

asyncio.run(main())
"""


def test_a_start_that_fails_ends_the_process(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", EXIT, str(tmp_path)], timeout=20, check=False)
    assert done.returncode == 7


async def test_a_copy_has_what_only_the_log_has(tmp_path: Path, clock: Any) -> None:
    store = await SqliteStore.open(tmp_path / "data", clock)
    for n in range(1000):
        await store.messages.append("test:c", [Entry(Role.USER, n)])
    plain = tmp_path / "plain.db"
    shutil.copy(tmp_path / "data" / NAME, plain)
    with closing(sqlite3.connect(plain)) as connection, suppress(sqlite3.Error):
        [(count,)] = connection.execute("SELECT count(*) FROM messages").fetchall()
        assert count < 1000, "the log was folded in; this test shows nothing"
    await store.backup(tmp_path / "copy.db")
    await store.close()
    await restore(tmp_path / "copy.db", tmp_path / "new")
    again = await SqliteStore.open(tmp_path / "new", clock)
    assert len(await again.messages.latest("test:c", 2000)) == 1000
    await again.close()


async def test_a_damaged_copy_is_not_restored(tmp_path: Path, clock: Any) -> None:
    store = await SqliteStore.open(tmp_path / "data", clock)
    for n in range(300):
        await store.messages.append("test:c", [Entry(Role.USER, f"{n} " * 50)])
    copy = tmp_path / "copy.db"
    await store.backup(copy)
    before = await store.messages.latest("test:c", 999)
    await store.close()
    content = bytearray(copy.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 4096] = b"\xee" * 4096
    copy.write_bytes(content)
    with pytest.raises(StoreError, match=r"copy\.db"):
        await restore(copy, tmp_path / "data")
    store = await SqliteStore.open(tmp_path / "data", clock)
    assert await store.messages.latest("test:c", 999) == before
    await store.close()
    with pytest.raises(StoreError, match="no copy of a store"):
        await restore(tmp_path / "missing.db", tmp_path / "data")


async def test_fifty_writers_and_a_reader_that_exports_wait_for_nobody(
    tmp_path: Path, clock: Any
) -> None:
    store = await SqliteStore.open(tmp_path, clock)
    other = await SqliteStore.open(tmp_path, clock)  # as another process has it
    person = await store.people.resolve(Account("test", "1"))

    async def write(number: int) -> None:
        for n in range(20):
            turn = [Entry(Role.USER, n, person.id)]
            await (store if number % 2 else other).messages.append(f"test:{number}", turn)

    async def export() -> None:
        for _ in range(20):
            await other.export(person.id)

    await asyncio.gather(*map(write, range(50)), export())
    assert (await store.kept(person.id))["messages"] == 1000
    await other.close()
    await store.close()


async def test_a_cancelled_writer_and_a_failing_neighbour_harm_nobody(
    tmp_path: Path, clock: Any
) -> None:
    store = await SqliteStore.open(tmp_path, clock)
    tasks = [
        asyncio.create_task(store.messages.append("test:c", [Entry(Role.USER, n)]))
        for n in range(100)
    ]
    await asyncio.sleep(0)
    for task in tasks[::10]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    written = {e.content for e in await store.messages.latest("test:c", 200)}
    for n, outcome in enumerate(outcomes):
        if not isinstance(outcome, BaseException):
            assert n in written
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await store.messages.append("test:c", [Entry(Role.USER, 1)])


@pytest.mark.parametrize("url", ["postgresql://x", "mysql", "", "sqlite:///x"])
async def test_a_store_that_there_is_not_names_those_there_are(
    tmp_path: Path, clock: Any, url: str
) -> None:
    with pytest.raises(StoreError, match="memory"):
        await open_store(url, tmp_path, clock=clock)
