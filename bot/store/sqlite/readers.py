"""Reading beside the writer, which never waits for it nor it for the writer."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Final, Self

from bot.store.sqlite.faults import told
from bot.store.sqlite.link import Answer, Link, Work
from bot.store.sqlite.sealing import Seal

LINKS: Final = 2


class Readers:
    """Connections that only read; a long read on one leaves the other for the rest."""

    def __init__(self, links: Sequence[Link], path: Path) -> None:
        self._links = links
        self._path = path

    @classmethod
    async def open(cls, path: Path, seal: Seal) -> Self:
        """Connect to the database of a path."""
        links = [Link(path, writes=False, seal=seal) for _ in range(LINKS)]
        async with AsyncExitStack() as stack:
            for link in links:
                await link.open()
                stack.push_async_callback(link.close)
            stack.pop_all()
        return cls(links, path)

    async def read(self, work: Work[Answer]) -> Answer:
        """Return what ``work`` reads; all of it is of one state of the database."""
        link = min(self._links, key=lambda link: link.waiting)
        with told(self._path):
            return await link.run(partial(_read, work))

    async def close(self) -> None:
        """Finish the reads under way and disconnect."""
        await asyncio.gather(*(link.close() for link in self._links))


def _read(work: Work[Answer], connection: sqlite3.Connection) -> Answer:
    connection.execute("BEGIN")
    try:
        return work(connection)
    finally:
        connection.execute("COMMIT")
