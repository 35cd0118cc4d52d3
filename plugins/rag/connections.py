"""The index's connections, each with a thread of its own."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from plugins.rag.database import check, connect, damaged, set_aside
from plugins.rag.errors import Code, RagError
from plugins.rag.search import Searcher

FILE: Final = "index.db"

Result = TypeVar("Result")


class Connections:
    """Runs work on the index: one thread writes and one reads, the same where it is in memory.

    ``folder`` is where the file is, None for an index in memory. A damaged file is set aside.
    """

    def __init__(
        self, folder: Callable[[], Path] | None, on_error: Callable[[RagError], None]
    ) -> None:
        self._folder = folder
        self._on_error = on_error
        self._writing = ThreadPoolExecutor(1, "rag-write")
        self._reading = self._writing if folder is None else ThreadPoolExecutor(1, "rag-read")
        self._writer: sqlite3.Connection | None = None
        self._searcher: Searcher | None = None

    def file(self) -> Path | None:
        """Return the index's file, None where it is in memory."""
        return None if self._folder is None else self._folder() / FILE

    async def write(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the connection that writes."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writing, lambda: work(self._connection()))

    async def read(self, work: Callable[[Searcher], Result]) -> Result:
        """Do something with the searcher."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reading, lambda: work(self._reader()))

    async def mended(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Do something with the index; where its file is damaged, with a new one."""
        try:
            return await work()
        except sqlite3.DatabaseError as error:
            await self.set_aside(error)
            return await work()

    async def set_aside(self, error: sqlite3.DatabaseError) -> None:
        """Move a damaged file out of the way; raise what is another kind of error."""
        file = self.file()
        if file is None or not damaged(error):
            raise error
        await self.let_go()
        away = await asyncio.to_thread(set_aside, file)
        told = f"the index was damaged; it is built anew, the old one is {away}"
        self._on_error(RagError(Code.INVALID_INDEX, told))

    async def let_go(self) -> None:
        """Close the connections; the next use opens them again."""
        loop = asyncio.get_running_loop()
        writer, searcher = self._writer, self._searcher
        self._writer = self._searcher = None
        if writer is not None:
            await loop.run_in_executor(self._writing, writer.close)
        if searcher is not None and self._folder is not None:
            await loop.run_in_executor(self._reading, searcher.close)

    async def close(self) -> None:
        """Let go of the file and end the threads."""
        await self.let_go()
        for executor in {self._writing, self._reading}:
            await asyncio.to_thread(executor.shutdown)

    def _reader(self) -> Searcher:
        if self._searcher is None:
            db = self._connection() if self._folder is None else connect(self.file())
            self._searcher = Searcher(db)
        return self._searcher

    def _connection(self) -> sqlite3.Connection:
        if self._writer is None:
            db = connect(self.file())
            try:
                check(db)
            except sqlite3.DatabaseError:
                db.close()
                raise
            self._writer = db
        return self._writer
