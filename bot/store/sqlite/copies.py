"""Copies of the database that are whole, or are none."""

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from bot.api import StoreError
from bot.store.sqlite.faults import told
from bot.store.sqlite.files import NAME, create, examine, neighbours, sync_folder
from bot.store.sqlite.link import connect
from bot.store.sqlite.migrating import migrations


def back_up(source: Path, target: Path) -> None:
    """Copy an open database, log included, to a file that has its name once it was checked."""
    with fresh(target) as partial, closing(connect(source, writes=False)) as connection:
        copy(connection, partial)


async def verify(place: Path) -> Mapping[str, int]:
    """Return the rows by table of a copy, or of a folder's database; `StoreError` if damaged."""
    with told(place):
        return await asyncio.to_thread(_verified, place)


def _verified(place: Path) -> Mapping[str, int]:
    path = place / NAME if place.is_dir() else place
    if not path.is_file():
        message = f"{path}: there is no such file"
        raise StoreError(message)
    if not examine(path, migrations()):
        message = f"{path}: there is no store in it"
        raise StoreError(message)
    with closing(connect(path, writes=False)) as connection:
        check(connection, path)
        return row_counts(connection)


@contextmanager
def fresh(target: Path) -> Iterator[Path]:
    """Yield a path beside a file to write to; it takes the file's name unless an error leaves."""
    with beside(target) as partial:
        yield partial
        sync(partial)
        partial.replace(target)
        sync_folder(target)


@contextmanager
def beside(target: Path) -> Iterator[Path]:
    """Yield the path of an empty file beside another one, which is gone in the end."""
    partial = target.with_name(f"{target.name}.partial")
    discard(partial)
    create(partial)
    try:
        yield partial
    finally:
        discard(partial)


def copy(
    source: sqlite3.Connection,
    target: Path,
    refine: Callable[[sqlite3.Connection], int] = lambda _: 0,
) -> int:
    """Copy one state of a database to an empty file, check the copy, and let ``refine`` work on it.

    Returns what ``refine`` does. The copy needs no file beside it. `StoreError` where it differs
    from its source or is damaged.
    """
    with closing(connect(target, writes=True)) as made:
        source.execute("BEGIN")
        try:
            counts = row_counts(source)
            source.backup(made)
        finally:
            source.execute("COMMIT")
        made.execute("PRAGMA journal_mode = DELETE")
        check(made, target)
        if row_counts(made) != counts:
            message = f"{target}: the copy lacks rows of the original"
            raise StoreError(message)
        return refine(made)


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Raise `StoreError` where a database is damaged or its rows contradict each other."""
    (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok" or connection.execute("PRAGMA foreign_key_check").fetchone():
        message = f"{path}: it is damaged; use another copy"
        raise StoreError(message)


def row_counts(connection: sqlite3.Connection) -> Mapping[str, int]:
    """Return the number of rows by table."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608
        for (name,) in tables
    }


def discard(path: Path) -> None:
    """Delete a database with the files beside it, where there is one."""
    for file in (path, *neighbours(path)):
        file.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Make a file's content outlast a loss of power."""
    file = os.open(path, os.O_RDWR)
    try:
        os.fsync(file)
    finally:
        os.close(file)
