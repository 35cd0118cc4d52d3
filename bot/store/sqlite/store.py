"""Everything that is kept, in one SQLite file."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from functools import partial
from logging import getLogger
from pathlib import Path
from typing import Final, Self

from bot.api import Json, StoreError
from bot.store.keys import named
from bot.store.sqlite.copies import back_up
from bot.store.sqlite.documents import SqliteDocuments, any_expired, purge
from bot.store.sqlite.faults import told
from bot.store.sqlite.files import NAME, prepare
from bot.store.sqlite.inbox import SqliteInbox, purge_inbox
from bot.store.sqlite.link import Link
from bot.store.sqlite.messages import SqliteMessages
from bot.store.sqlite.migrating import Migration, migrate, migrations
from bot.store.sqlite.moving import move
from bot.store.sqlite.people import SqlitePeople
from bot.store.sqlite.personal import count_rows, erase_rows, export_rows, purge_older
from bot.store.sqlite.readers import Readers
from bot.store.sqlite.scrubbing import Scrubber, order_scrub
from bot.store.sqlite.sealing import Seal, unlock
from bot.store.sqlite.writer import Writer
from bot.store.values import Clock, instant

log = getLogger(__name__)

UPKEEP_SECONDS: Final = 60.0
ID: Final = "a person's id"
KEY: Final = "a chat's key"


class SqliteStore:
    """Keeps everything in ``tertulia.db``, so that nothing acknowledged is lost; a `Store`.

    Reads never wait for writes. Once a minute it deletes what has expired.
    """

    def __init__(self, path: Path, link: Link, readers: Readers, clock: Clock) -> None:
        self.path = path
        self._clock = clock
        self._readers = readers
        self._writer = Writer(link, path)
        self._scrubber = Scrubber(link, path)
        self._link = link
        self.people = SqlitePeople(readers, self._writer, clock)
        self._writer.intruded = self.people.forget_all
        self.documents = SqliteDocuments(readers, self._writer, clock)
        self.messages = SqliteMessages(readers, self._writer, clock)
        self.inbox = SqliteInbox(readers, self._writer, clock)
        self._upkeep = asyncio.create_task(self._keep_up(), name="store upkeep")

    @classmethod
    async def open(cls, data: Path, clock: Clock, seal: Seal | None = None) -> Self:
        """Open the database of a folder, made or brought up to date where needed.

        What is in it is encrypted from the first opening with a key on.
        `StoreError` where it cannot be; what was there is then as it was.
        """
        known = migrations()
        with told(data / NAME):
            path, made = await asyncio.to_thread(prepare, data, known)
        async with AsyncExitStack() as stack:
            stack.enter_context(told(path))
            seal = seal or Seal()
            link = Link(path, writes=True, seal=seal)
            await link.open()
            stack.push_async_callback(link.close)
            await link.run(partial(_set_up, known, made, seal))
            readers = await Readers.open(path, seal)
            stack.push_async_callback(readers.close)
            store = cls(path, link, readers, clock)
            stack.push_async_callback(store.close)
            await store.keep_up()
            stack.pop_all()
        return store

    async def kept(self, person: str) -> Mapping[str, int]:
        """Return how many rows are held of a person, by kind."""
        return await self._readers.read(partial(count_rows, named(ID, person), self._now()))

    async def export(self, person: str) -> Mapping[str, Json]:
        """Return every row that is held of a person, by kind."""
        return await self._readers.read(partial(export_rows, named(ID, person), self._now()))

    async def erase(self, person: str) -> Mapping[str, int]:
        """Delete all that is held of a person for good, raise the epoch; return counts by kind.

        It takes as long as rewriting the file does, so that nothing is left in free space. Where
        that fails the rows are gone all the same, a warning is logged, and it is done later.
        """
        counts = await self._writer.write(partial(erase_rows, named(ID, person), self._now()))
        self.people.forget(person)
        await self._scrubber.scrub()
        return counts

    async def purge_older(
        self, messages: datetime | None, documents: Mapping[str, datetime]
    ) -> int:
        """Delete messages written before a time, and documents by namespace; return how many."""
        limits = {namespace: instant(time) for namespace, time in documents.items()}
        until = None if messages is None else instant(messages)
        return await self._writer.write(partial(purge_older, until, limits))

    async def move_chat(self, old: str, new: str) -> None:
        """Give all that a chat's key holds to another key; doing it again does nothing.

        The old key stands for the new one from then on. Its log comes before one that is there;
        of two documents with the same key, the one that was written later stays.
        """
        work = partial(_move, named(KEY, old), named(KEY, new), self._clock)
        await self._writer.write(work)

    async def backup(self, target: Path) -> None:
        """Write a copy of everything to a file, while reads and writes go on.

        The file appears, or is replaced, once the copy was checked. `StoreError` where it fails.
        """
        with told(target):
            await asyncio.to_thread(back_up, self.path, target)

    async def purge(self) -> int:
        """Delete the documents that have expired; return how many."""
        if not await self._readers.read(partial(any_expired, self._now())):
            return 0
        return await self._writer.write(partial(purge, self._clock))

    async def close(self) -> None:
        """Finish what is under way and let go of files; once closed, do nothing."""
        self._upkeep.cancel()
        await asyncio.wait([self._upkeep])
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._link.close)
            stack.push_async_callback(self._readers.close)
            stack.push_async_callback(self._scrubber.finish)
            stack.push_async_callback(self._writer.finish)

    async def keep_up(self) -> None:
        """Delete what has expired, and do what an erasure left undone."""
        await self.purge()
        await self._writer.write(partial(purge_inbox, self._clock))
        await self._scrubber.resume()

    async def _keep_up(self) -> None:
        while True:
            await asyncio.sleep(UPKEEP_SECONDS)
            try:
                await self.keep_up()
            except StoreError as error:
                log.warning("the store's upkeep has to wait: %s", error)

    def _now(self) -> int:
        return instant(self._clock())


def _set_up(
    known: Sequence[Migration], made: int, seal: Seal, connection: sqlite3.Connection
) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        message = "the data folder's file system cannot hold a shared database; choose another one"
        raise StoreError(message)
    migrate(known, made, connection)
    if unlock(seal, connection):
        order_scrub(connection)


def _move(old: str, new: str, clock: Clock, connection: sqlite3.Connection) -> None:
    purge(clock, connection)
    move(old, new, connection)
