"""One connection to the database, in a thread of its own."""

import sqlite3
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import aiosqlite

from bot.api import StoreError
from bot.store.sqlite.sealing import Seal

Answer = TypeVar("Answer")
Work = Callable[[sqlite3.Connection], Answer]

BUSY_SECONDS: Final = 30.0
"""How long a write waits for another program's, which may be as long as a restored copy takes."""
STATEMENTS: Final = 256
SETTINGS: Final = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA synchronous = FULL",
    "PRAGMA temp_store = MEMORY",
)


class Link(aiosqlite.Connection):
    """A connection that runs a whole function in its thread, in the order of the calls.

    One hop to the thread then does for many statements. The thread is a daemon, so that a process
    that ends without closing the link still ends; the file stays whole, as after a kill.
    ``waiting`` is the number of calls that have not returned.
    """

    def __init__(self, path: Path, *, writes: bool, seal: Seal) -> None:
        connector = partial(connect, path, writes=writes, seal=seal)
        super().__init__(connector, iter_chunk_size=64)
        self._thread.daemon = True
        self.waiting = 0

    async def open(self) -> None:
        """Connect."""
        _ = await self

    async def run(self, work: Work[Answer]) -> Answer:
        """Return what ``work`` makes of the connection; it ends even if the caller is cancelled."""
        if not self._running or self._connection is None:
            message = "the store is closed"
            raise StoreError(message)
        self.waiting += 1
        try:
            execute: Callable[..., Awaitable[Answer]] = self._execute
            return await execute(work, self._connection)
        finally:
            self.waiting -= 1


def connect(path: Path, *, writes: bool, seal: Seal | None = None) -> sqlite3.Connection:
    """Return a connection to an existing database, set up as every one must be.

    Without a seal it reads and writes no value that is encrypted. It does not belong to a thread,
    but only one may use it at a time.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={'rw' if writes else 'ro'}",
        uri=True,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS,
    )
    for setting in SETTINGS:
        connection.execute(setting)
    (seal or Seal()).serve(connection)
    return connection
