"""What keeps conversations elsewhere than in the bot's store."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from bot.api import Entry


class Log(Protocol):
    """Keeps the entries of each chat; it is called for one chat at a time by one task.

    An operator's own one has just these methods. A chat's key is any text.
    """

    async def append(self, chat: str, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Write entries together or not at all; return them with a ``sequence``.

        It is at least 1 and ascends in each chat.
        """
        ...

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        """Return the last ``limit`` entries, oldest first; ``archived`` adds the archived ones."""
        ...

    async def archive(self, chat: str, before: int) -> int:
        """Mark the entries with a sequence below ``before`` as archived; return how many."""
        ...

    async def drop(self, chat: str, which: Callable[[Entry], bool]) -> int:
        """Delete those entries for good, of the archived ones too; return how many."""
        ...

    async def chats(self) -> Sequence[str]:
        """Return the keys of the chats that have entries."""
        ...

    async def close(self) -> None:
        """Finish what is under way."""
        ...


@dataclass(slots=True)
class Record:
    """One chat's entries; those with a sequence below ``mark`` are archived."""

    entries: list[Entry] = field(default_factory=list)
    mark: int = 0
    last: int = 0

    def append(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Add entries, and return them with their sequence."""
        numbered = [
            replace(entry, sequence=sequence, archived=False)
            for sequence, entry in enumerate(entries, self.last + 1)
        ]
        self.last += len(numbered)
        self.entries += numbered
        return numbered

    def latest(self, limit: int, *, archived: bool) -> Sequence[Entry]:
        """Return the last entries, oldest first."""
        seen = [
            replace(entry, archived=entry.sequence < self.mark)
            for entry in self.entries
            if archived or entry.sequence >= self.mark
        ]
        return seen[max(0, len(seen) - limit) :]

    def archive(self, before: int) -> int:
        """Move the mark; return how many entries it passed."""
        mark = max(self.mark, min(before, self.last + 1))
        count = sum(self.mark <= entry.sequence < mark for entry in self.entries)
        self.mark = mark
        return count

    def drop(self, which: Callable[[Entry], bool]) -> int:
        """Delete entries; return how many."""
        kept = [entry for entry in self.entries if not which(entry)]
        count = len(self.entries) - len(kept)
        self.entries = kept
        return count
