"""Going back to a copy without bringing back those who were erased since."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from bot.api import StoreError
from bot.store.sqlite.copies import beside, check, copy, fresh
from bot.store.sqlite.faults import told
from bot.store.sqlite.files import FOLDER_MODE, NAME, examine, neighbours
from bot.store.sqlite.inbox import settle_inbox
from bot.store.sqlite.link import connect
from bot.store.sqlite.migrating import Migration, migrate, migrations
from bot.store.sqlite.personal import erase_again
from bot.store.sqlite.replacing import replace_rows
from bot.store.sqlite.tombstones import Stone, tombstones


async def restore(source: Path, data: Path) -> int:
    """Put a copy in the place of a folder's database, or its rows while a program has it open.

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
    with told(path), closing(connect(source, writes=False)) as connection, ExitStack() as stack:
        check(connection, source)
        if (stones := stack.enter_context(_alone(path))) is not None:
            copied = stack.enter_context(fresh(path))
            return copy(connection, copied, _refine(known[made:], stones, source))
        copied = stack.enter_context(beside(path))
        copy(connection, copied, _refine(known[made:], [], source))
        return replace_rows(path, copied)


def _refine(
    missing: Sequence[Migration], stones: Sequence[Stone], source: Path
) -> Callable[[sqlite3.Connection], int]:
    """Return what makes a copy fit to be used, and tells how many people it erased in it."""

    def refine(connection: sqlite3.Connection) -> int:
        migrate(missing, 0, connection)
        settle_inbox(connection)  # what was worked on when the copy was made is long answered
        connection.execute("BEGIN")
        erased = erase_again(stones, connection)
        connection.execute("COMMIT")
        connection.execute("VACUUM")
        check(connection, source)
        return len(erased)

    return refine


@contextmanager
def _alone(path: Path) -> Iterator[Sequence[Stone] | None]:
    """Keep every other program from a database and yield its tombstones; None if one is in it."""
    if not path.exists():
        for file in neighbours(path):  # what a lost database left would spoil the new one
            file.unlink(missing_ok=True)
        yield []
        return
    with closing(connect(path, writes=True)) as connection:
        stones = _lock(connection, path)
        if stones is not None:
            connection.execute("BEGIN EXCLUSIVE")
            yield stones
            connection.execute("ROLLBACK")
            return
    yield None  # the connection is closed, since it may hold locks


def _lock(connection: sqlite3.Connection, path: Path) -> Sequence[Stone] | None:
    """Take a database over, fold its log into it, and return its tombstones; None if it is busy."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
        return tombstones(connection)
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return None
        message = (
            f"{path}: it cannot tell who was erased since the copy was made;"
            " move it away to restore without knowing"
        )
        raise StoreError(message) from error
