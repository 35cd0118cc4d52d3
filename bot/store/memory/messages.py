"""The log of each chat, in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC
from itertools import islice, takewhile

from bot.api import Entry, Role, origin
from bot.store.keys import counted, limited, named, optional, speaker
from bot.store.memory.rows import Log, Rows
from bot.store.values import encode, instant


class MemoryMessages:
    """Logs that live as long as the process; a `Messages`."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def append(
        self, chat: str, entries: Sequence[Entry], *, epoch: int | None = None
    ) -> Sequence[Entry]:
        """Write entries of one turn together or not at all; return them with sequence and time."""
        named("a chat's key", chat)
        contents = [encode(counted(entry).content) for entry in entries]
        self._rows.check(speaker(entries, epoch), epoch)
        turn = [self._timed(entry) for entry in entries]
        log = self._log(chat)
        return [_write(log, *pair) for pair in zip(turn, contents, strict=True)]

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        """Return the last ``limit`` entries, oldest first; ``archived`` adds the archived ones."""
        log = self._log(named("a chat's key", chat))
        first = 0 if archived else log.archived
        newest = takewhile(lambda sequence: sequence >= first, reversed(log.entries))
        found = list(islice(newest, limited(limit)))
        return [log.read(sequence) for sequence in reversed(found)]

    async def archive(self, chat: str, before: int) -> int:
        """Mark the entries with a sequence below ``before`` as archived; return how many."""
        log = self._log(named("a chat's key", chat))
        mark = min(before, log.last + 1)
        count = sum(log.archived <= sequence < mark for sequence in log.entries)
        log.archived = max(log.archived, mark)
        return count

    async def clear(self, chat: str, *, person: str | None = None) -> int:
        """Delete a chat's log with its archive, or one person's part of it; return how many."""
        log = self._log(named("a chat's key", chat))
        return log.drop(optional("a person's id", person))

    def _log(self, chat: str) -> Log:
        return self._rows.logs[self._rows.chat(chat)]

    def _timed(self, entry: Entry) -> Entry:
        time = entry.time or self._rows.clock()
        instant(time)
        return replace(entry, time=time.astimezone(UTC), archived=False, origin=origin.get())


def _write(log: Log, entry: Entry, text: str) -> Entry:
    log.last += 1
    log.entries[log.last] = (
        replace(entry, role=Role(entry.role), content=None, sequence=log.last),
        text,
    )
    return log.read(log.last)
