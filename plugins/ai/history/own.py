"""Conversations that are kept elsewhere, under the same rules as those in the store."""

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Final
from weakref import WeakValueDictionary

from bot.api import Entry, Erased, Json, People, origin
from plugins.ai.history.log import Log

ALL: Final = 1 << 31


class OwnLog:
    """Keeps entries in a `Log`; a `Messages`.

    It knows whose an entry is by the account that it came from, so that people who are linked or
    taken apart keep their own.
    """

    def __init__(self, log: Log, people: People, clock: Callable[[], datetime]) -> None:
        self._log = log
        self._people = people
        self._clock = clock
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def append(
        self, chat: str, entries: Sequence[Entry], *, epoch: int | None = None
    ) -> Sequence[Entry]:
        """Write entries of one turn; `Erased` where their person was erased since it began."""
        timed = [self._timed(entry) for entry in entries]
        if not timed:
            return []
        async with self._lock(chat):
            await self._check(timed[0].person, epoch)
            return await self._log.append(chat, timed)

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        """Return the last ``limit`` entries, oldest first."""
        async with self._lock(chat):
            return await self._log.latest(chat, limit, archived=archived)

    async def archive(self, chat: str, before: int) -> int:
        """Mark the entries with a sequence below ``before`` as archived; return how many."""
        async with self._lock(chat):
            return await self._log.archive(chat, before)

    async def clear(self, chat: str, *, person: str | None = None) -> int:
        """Delete a chat's log with its archive, or one person's part of it; return how many."""
        accounts = () if person is None else await self._people.accounts(person)
        whose = _by({person, *(account.key for account in accounts)})
        async with self._lock(chat):
            return await self._log.drop(chat, (lambda _: True) if person is None else whose)

    async def export(self, account: str) -> Json:
        """Return all entries that came from an account, with their chats."""
        whose = _by({account})
        rows: list[Json] = []
        for chat in await self._log.chats():
            entries = await self.latest(chat, ALL, archived=True)
            rows += [{"chat": chat, **_row(entry)} for entry in entries if whose(entry)]
        return rows

    async def erase(self, account: str) -> int:
        """Delete all entries that came from an account; return how many."""
        return await self._drop(_by({account}))

    async def expire(self, before: datetime) -> int:
        """Delete the entries that were written before a time; return how many."""
        return await self._drop(lambda entry: entry.time is not None and entry.time < before)

    async def close(self) -> None:
        """Close the log."""
        await self._log.close()

    async def _drop(self, which: Callable[[Entry], bool]) -> int:
        count = 0
        for chat in await self._log.chats():
            async with self._lock(chat):
                count += await self._log.drop(chat, which)
        return count

    async def _check(self, person: str | None, epoch: int | None) -> None:
        if person is None or epoch is None:
            return
        known = await self._people.get(person)
        if known is None or known.epoch != epoch:
            raise Erased

    def _timed(self, entry: Entry) -> Entry:
        json.dumps(entry.content, allow_nan=False)
        time = entry.time or self._clock()
        account = None if entry.person is None else origin.get()
        return replace(entry, time=time.astimezone(UTC), origin=account)

    def _lock(self, chat: str) -> asyncio.Lock:
        if not chat:
            message = "a chat's key is missing"
            raise ValueError(message)
        return self._locks.setdefault(chat, asyncio.Lock())


def _by(accounts: Collection[str | None]) -> Callable[[Entry], bool]:
    """Return what tells whether an entry is of one of these; nobody's entries are of none."""
    return lambda entry: entry.person is not None and (entry.origin or entry.person) in accounts


def _row(entry: Entry) -> dict[str, Json]:
    time = None if entry.time is None else entry.time.isoformat()
    return asdict(entry) | {"role": entry.role.value, "time": time}
