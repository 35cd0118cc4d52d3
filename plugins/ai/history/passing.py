"""Conversations that are forgotten with the process."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from bot.api import Entry
from plugins.ai.history.log import Record


class PassingLog:
    """Keeps conversations in memory only; a `Log`."""

    def __init__(self) -> None:
        self._chats: dict[str, Record] = defaultdict(Record)

    async def append(self, chat: str, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Write entries."""
        return self._chats[chat].append(entries)

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        """Return the last entries, oldest first."""
        record = self._chats.get(chat)
        return [] if record is None else record.latest(limit, archived=archived)

    async def archive(self, chat: str, before: int) -> int:
        """Mark entries as archived."""
        record = self._chats.get(chat)
        return 0 if record is None else record.archive(before)

    async def drop(self, chat: str, which: Callable[[Entry], bool]) -> int:
        """Delete entries."""
        record = self._chats.get(chat)
        return 0 if record is None else record.drop(which)

    async def chats(self) -> Sequence[str]:
        """Return the keys of the chats."""
        return [chat for chat, record in self._chats.items() if record.entries]

    async def close(self) -> None:
        """Do nothing."""
