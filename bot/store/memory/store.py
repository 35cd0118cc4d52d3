"""Everything that is kept, in memory."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from bot.api import Json, chat_scope
from bot.store.envelopes import message_row
from bot.store.exports import account_row, document_row, entry_row
from bot.store.keys import named
from bot.store.memory.documents import MemoryDocuments
from bot.store.memory.inbox import MemoryInbox
from bot.store.memory.messages import MemoryMessages
from bot.store.memory.people import MemoryPeople
from bot.store.memory.rows import Log, Row, Rows
from bot.store.values import Clock

ID: Final = "a person's id"


class MemoryStore:
    """Keeps everything until the process ends; a `Store`.

    Each operation runs to its end without waiting, so that all of them are atomic.
    """

    def __init__(self, clock: Clock) -> None:
        self._rows = Rows(clock)
        self.people = MemoryPeople(self._rows)
        self.documents = MemoryDocuments(self._rows)
        self.messages = MemoryMessages(self._rows)
        self.inbox = MemoryInbox()

    async def kept(self, person: str) -> Mapping[str, int]:
        """Return how many rows are held of a person, by kind."""
        return {kind: len(rows) for kind, rows in self._held(person).items()}

    async def export(self, person: str) -> Mapping[str, Json]:
        """Return every row that is held of a person, by kind."""
        return dict(self._held(person))

    async def erase(self, person: str) -> Mapping[str, int]:
        """Delete all that is held of a person for good, raise the epoch; return counts by kind."""
        counts = await self.kept(person)
        self.inbox.drop(self._accounts(person))
        self._rows.erased[person] = self._rows.epoch(person) + 1
        self._rows.people.pop(person, None)
        for account in [a for a, (_, owner) in self._rows.accounts.items() if owner == person]:
            del self._rows.accounts[account]
        for drawer in self._rows.drawers(person):
            del self._rows.documents[drawer]
        for chat, log in list(self._rows.logs.items()):
            if log.drop(person) and not log.entries:
                del self._rows.logs[chat]
        return counts

    async def purge_older(
        self, messages: datetime | None, documents: Mapping[str, datetime]
    ) -> int:
        """Delete messages written before a time, and documents by namespace; return how many."""
        count = 0
        for log in self._rows.logs.values() if messages is not None else ():
            old = [n for n, (entry, _) in log.entries.items() if _before(entry.time, messages)]
            for sequence in old:
                del log.entries[sequence]
            count += len(old)
        for (_, namespace), drawer in self._rows.documents.items():
            until = documents.get(namespace)
            gone = [k for k, row in drawer.items() if _before(row.document.updated, until)]
            for key in gone:
                del drawer[key]
            count += len(gone)
        return count

    async def move_chat(self, old: str, new: str) -> None:
        """Give all that a chat's key holds to another key; doing it again does nothing.

        The old key stands for the new one from then on. Its log comes before one that is there;
        of two documents with the same key, the one that was written later stays.
        """
        source = self._rows.chat(named("a chat's key", old))
        target = self._rows.chat(named("a chat's key", new))
        if source == target:
            return
        self._move_log(source, target)
        for scope, namespace in list(self._rows.documents):
            if scope == chat_scope(source):
                self._move_drawer(scope, chat_scope(target), namespace)
        for key, present in self._rows.moves.items():
            self._rows.moves[key] = target if present == source else present
        self._rows.moves[source] = target

    async def close(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def _move_log(self, source: str, target: str) -> None:
        earlier = self._rows.logs.pop(source, Log())
        self._rows.logs[target].follow(earlier)

    def _move_drawer(self, source: str, target: str, namespace: str) -> None:
        present = self._rows.live((target, namespace))
        moved = self._rows.live((source, namespace))
        del self._rows.documents[source, namespace]
        for key, row in moved.items():
            there = present.get(key)
            if there is None or there.document.updated <= row.document.updated:
                document = replace(row.document, scope=target)
                self._rows.documents[target, namespace][key] = Row(row.number, document, row.text)

    def _held(self, person: str) -> dict[str, list[dict[str, Json]]]:
        known = self._rows.people.get(named(ID, person))
        accounts = [a for a, owner in self._rows.accounts.values() if owner == person]
        documents = [
            row for drawer in self._rows.drawers(person) for row in self._rows.live(drawer).values()
        ]
        return {
            "accounts": [account_row(account, known) for account in accounts if known],
            "documents": [
                document_row(row.copy()) for row in sorted(documents, key=lambda r: r.number)
            ],
            "messages": [
                entry_row(chat, log.read(sequence))
                for chat, log in sorted(self._rows.logs.items())
                for sequence in log.of(person)
            ],
            "inbox": [message_row(message) for message in self.inbox.of(self._accounts(person))],
        }

    def _accounts(self, person: str) -> list[str]:
        return [a.key for a, owner in self._rows.accounts.values() if owner == person]


def _before(time: datetime | None, until: datetime | None) -> bool:
    return time is not None and until is not None and time < until
