"""The one writer: what arrives while a transaction runs shares the next one."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

from bot.api import StoreError
from bot.store.sqlite.faults import store_error
from bot.store.sqlite.link import Answer, Link, Work

LARGEST: Final = 256
"""The most writes that share a transaction, so that none waits long for its neighbours."""

Outcome = tuple[Any, BaseException | None]
"""What a write returned, or what it raised."""


@dataclass(slots=True)
class Job:
    """A write that waits; it runs in the context of who asked for it."""

    work: Work[Any]
    context: Context
    done: asyncio.Future[Outcome]


class Writer:
    """Runs writes in the order of their arrival, many in one transaction.

    A write returns once it is committed. One that raises is undone alone, by its savepoint, and
    its error is its caller's; its neighbours are not touched. When the transaction itself fails,
    nothing of it is written and all of its callers hear of it. Where another program has written
    since the last transaction, ``intruded`` is called before a caller hears of this one.
    """

    def __init__(self, link: Link, path: Path) -> None:
        self._link = link
        self._path = path
        self.intruded: Callable[[], None] = lambda: None
        self._version: int | None = None
        self._waiting: deque[Job] = deque()
        self._committing: asyncio.Task[None] | None = None
        self._closed = False

    async def write(self, work: Work[Answer]) -> Answer:
        """Return what ``work`` returned, after its commit; it runs in the writer's thread.

        A caller that is cancelled takes a write back that has not begun, and no other.
        """
        if self._closed:
            message = "the store is closed"
            raise StoreError(message)
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append(Job(work, copy_context(), done))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit(), name="store writer")
        value, error = await done
        if error is not None:
            self._raise(error)
        answer: Answer = value
        return answer

    async def finish(self) -> None:
        """Accept no more writes, and return when those that were accepted are committed."""
        self._closed = True
        if self._committing is not None:
            await asyncio.wait([self._committing])

    async def _commit(self) -> None:
        try:
            while self._waiting:
                await self._settle(self._batch())
        finally:
            self._committing = None
            for job in self._waiting:  # none, unless this task was cancelled
                job.done.cancel()

    def _batch(self) -> Sequence[Job]:
        taken = (self._waiting.popleft() for _ in range(min(len(self._waiting), LARGEST)))
        return [job for job in taken if not job.done.done()]

    async def _settle(self, batch: Sequence[Job]) -> None:
        try:
            outcomes, version = await self._link.run(partial(commit, batch))
            if version != self._version:
                self._version = version
                self.intruded()
            for job, outcome in zip(batch, outcomes, strict=True):
                if not job.done.done():
                    job.done.set_result(outcome)
        finally:
            for job in batch:  # all are done, unless this task was cancelled
                job.done.cancel()

    def _raise(self, error: BaseException) -> NoReturn:
        if isinstance(error, sqlite3.Error):
            raise store_error(error, self._path) from error
        raise error


def commit(batch: Sequence[Job], connection: sqlite3.Connection) -> tuple[Sequence[Outcome], int]:
    """Run writes in one transaction and return their outcomes; none remains if it fails itself.

    The number beside them changes when another program has written.
    """
    outcomes, error = _outcome(partial(_transact, batch, connection))
    if error is not None:
        outcomes = [(None, error)] * len(batch)
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return outcomes, version


def _transact(batch: Sequence[Job], connection: sqlite3.Connection) -> Sequence[Outcome]:
    connection.execute("BEGIN IMMEDIATE")
    outcomes = [_attempt(job, connection) for job in batch]
    connection.execute("COMMIT")
    return outcomes


def _attempt(job: Job, connection: sqlite3.Connection) -> Outcome:
    connection.execute("SAVEPOINT write")
    value, error = _outcome(partial(job.context.run, job.work, connection))
    if error is not None:
        if not connection.in_transaction:
            raise error  # SQLite itself gave the whole transaction up
        connection.execute("ROLLBACK TO write")
    connection.execute("RELEASE write")
    return value, error


def _outcome(work: Callable[[], Any]) -> Outcome:
    try:
        return work(), None
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the caller's
        return None, error
