"""Leaving no trace in the files of what was erased.

SQLite's ``secure_delete`` overwrites a deleted row where it stands, but not the copies that stay
behind in free space when rows move from page to page. Only rewriting the file removes those.
"""

import asyncio
import sqlite3
from logging import getLogger
from pathlib import Path
from typing import Final

from bot.api import StoreError
from bot.store.sqlite.faults import told
from bot.store.sqlite.link import Link

log = getLogger(__name__)

DUTY: Final = "scrub"


class Scrubber:
    """Rewrites the file after erasures; those that wait at the same time share one rewriting.

    An erasure orders it in its own transaction, so that one that fails or is cut off is made good
    by the next `resume`.
    """

    def __init__(self, link: Link, path: Path) -> None:
        self._link = link
        self._path = path
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[None] | None = None

    async def scrub(self) -> None:
        """Return when everything that was erased before the call has left the files."""
        if self._next is None:
            self._next = asyncio.create_task(self._scrub(), name="store scrub")
        await asyncio.shield(self._next)

    async def resume(self) -> None:
        """Do what was ordered and not done."""
        if await self._link.run(_ordered):
            await self.scrub()

    async def finish(self) -> None:
        """Wait until no rewriting is under way."""
        async with self._turn:
            pass

    async def _scrub(self) -> None:
        async with self._turn:
            self._next = None  # who erases from here on needs another one
            try:
                with told(self._path):
                    whole = await self._link.run(rewrite)
            except StoreError as error:
                log.warning("erased rows may have traces in the file still: %s", error)
            else:
                if not whole:
                    log.warning("erased rows may have traces in the log file still")


def order_scrub(connection: sqlite3.Connection) -> None:
    """Note that the file must be rewritten."""
    connection.execute("INSERT INTO duties (name) VALUES (?) ON CONFLICT DO NOTHING", (DUTY,))


def _ordered(connection: sqlite3.Connection) -> bool:
    row = connection.execute("SELECT 1 FROM duties WHERE name = ?", (DUTY,)).fetchone()
    return row is not None


def rewrite(connection: sqlite3.Connection) -> bool:
    """Rewrite the file and empty the log; tell whether no reader was in the way."""
    connection.execute("PRAGMA temp_store = FILE")  # the copy may be too large for memory
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store = MEMORY")
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if not busy:
        connection.execute("DELETE FROM duties WHERE name = ?", (DUTY,))
    return not busy
