"""Going back to a copy without bringing back those who were erased since."""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from bot.api import StoreError
from bot.store.keys import owner
from bot.store.sqlite.copies import check, copy, fresh
from bot.store.sqlite.faults import told
from bot.store.sqlite.files import FOLDER_MODE, NAME, examine, neighbours
from bot.store.sqlite.inbox import settle_inbox
from bot.store.sqlite.link import connect
from bot.store.sqlite.migrating import migrate, migrations
from bot.store.sqlite.personal import erase_rows
from bot.store.sqlite.tombstones import buried_epoch, present_epoch

Stone = tuple[bytes, bytes, int]
"""Salt, hash and epoch of a tombstone."""


async def restore(source: Path, data: Path) -> int:
    """Put a copy in the place of a folder's database, which no program may have open.

    Whoever was erased since the copy was made is erased in it again; returns how many people that
    were. A copy that is damaged, empty, newer than this program or not its own is refused, and so
    is one while the present database cannot tell who was erased: `StoreError`. What was there is
    then as it was.
    """
    with told(source):
        return await asyncio.to_thread(_restore, source, data)


def _restore(source: Path, data: Path) -> int:
    path = data / NAME
    known = migrations()
    if not source.is_file() or not (made := examine(source, known)):
        message = f"{source}: there is no copy of a store in it"
        raise StoreError(message)
    data.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    erased: list[str] = []

    def refine(connection: sqlite3.Connection) -> None:
        migrate(known, made, connection)
        settle_inbox(connection)  # what was worked on when the copy was made is long answered
        erased.extend(_erase_again(stones, connection))
        check(connection, source)

    with (
        told(path),
        _alone(path) as stones,
        fresh(path) as copied,
        closing(connect(source, writes=False)) as connection,
    ):
        check(connection, source)
        copy(connection, copied, refine)
    return len(erased)


@contextmanager
def _alone(path: Path) -> Iterator[Sequence[Stone]]:
    """Keep every other program from a database and yield its tombstones."""
    if not path.exists():
        for file in neighbours(path):  # what a lost database left would spoil the new one
            file.unlink(missing_ok=True)
        yield []
        return
    with closing(connect(path, writes=True)) as connection:
        stones = _lock(connection, path)
        connection.execute("BEGIN EXCLUSIVE")
        yield stones
        connection.execute("ROLLBACK")


def _lock(connection: sqlite3.Connection, path: Path) -> Sequence[Stone]:
    """Take a database over, fold its log into it, and return its tombstones."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
        return connection.execute(
            "SELECT salts.salt, hash, epoch FROM tombstones"
            " JOIN salts ON salts.number = tombstones.salt"
        ).fetchall()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise
        message = (
            f"{path}: it cannot tell who was erased since the copy was made;"
            " move it away to restore without knowing"
        )
        raise StoreError(message) from error


def _erase_again(stones: Sequence[Stone], connection: sqlite3.Connection) -> list[str]:
    """Add tombstones to a database and erase the people that are buried under newer ones."""
    connection.execute("BEGIN")
    epochs = {person: present_epoch(person, connection) for person in _people(connection)}
    for salt, digest, epoch in stones:
        connection.execute("INSERT INTO salts (salt) VALUES (?) ON CONFLICT DO NOTHING", (salt,))
        connection.execute(
            "INSERT INTO tombstones (salt, hash, epoch)"
            " SELECT number, ?, ? FROM salts WHERE salt = ?"
            " ON CONFLICT (salt, hash) DO UPDATE SET epoch = max(epoch, excluded.epoch)",
            (digest, epoch, salt),
        )
    erased = [p for p, epoch in epochs.items() if buried_epoch(p, connection) > epoch]
    for person in erased:
        erase_rows(person, 0, connection)
    connection.execute("COMMIT")
    connection.execute("VACUUM")
    return erased


def _people(connection: sqlite3.Connection) -> set[str]:
    """Return everyone of whom there is a row."""
    people = "SELECT id FROM people UNION SELECT person FROM messages WHERE person IS NOT NULL"
    scopes = "SELECT DISTINCT scope FROM documents"
    owners = {owner(scope) for (scope,) in connection.execute(scopes)} - {None}
    return {person for (person,) in connection.execute(people)} | {o for o in owners if o}
