"""The facts about people as documents, and what must hold among the facts of one person."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final
from weakref import WeakValueDictionary

from bot.api import BotError, Documents, Json, person_scope
from plugins.ai.memory.contradiction import contradicts
from plugins.ai.memory.fact import FOR_EVER, Fact, Status
from plugins.ai.memory.options import MemoryConfig

HISTORY: Final = 200
"""How many rejected and superseded facts are kept of a person; the oldest go first."""


class Changed(BotError):
    """A fact was changed by somebody else between reading and writing it; nothing was written."""


class Ledger:
    """Reads and writes facts.

    What one process does to a person's facts it does under their `lock`. Every write is checked
    inside the store's commit: against the ``epoch`` in which the work began, and against what was
    read, so that another process may write too.
    """

    def __init__(
        self, documents: Documents, options: MemoryConfig, clock: Callable[[], datetime]
    ) -> None:
        self.options = options
        self.clock = clock
        self.generations: Counter[str] = Counter()
        self._documents = documents
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, person: str) -> asyncio.Lock:
        """Return the lock of a person's facts."""
        return self._locks.setdefault(person, asyncio.Lock())

    async def of(self, person: str) -> list[Fact]:
        """Return all facts about a person, oldest first, as they stand now."""
        return await self._read(scope=person_scope(person))

    async def approved(self, person: str) -> list[Fact]:
        """Return the facts about a person that may be used, oldest first."""
        return [fact for fact in await self.of(person) if fact.status is Status.APPROVED]

    async def everyone(self, status: Status | None = None) -> list[Fact]:
        """Return the facts about all people, or those of a status, oldest first."""
        tag = None if status in {None, Status.REJECTED} else str(status)
        facts = await self._read(tag=tag)
        return [fact for fact in facts if status in {None, fact.status}]

    async def get(self, person: str, key: str) -> Fact | None:
        """Return a fact as it stands now."""
        document = await self._documents.get(person_scope(person), self.options.namespace, key)
        fact = None if document is None else Fact.read(document)
        return None if fact is None else fact.at(self.clock())

    async def write(self, fact: Fact, *, epoch: int | None = None) -> Fact:
        """Write a fact over what it was read from; `Changed` or `Erased` where that has gone."""

        def change(present: Json) -> Json:
            if present != fact.stored:
                raise Changed(f"the fact {fact.key} was changed meanwhile; look at it again")
            return fact.value()

        document = await self._documents.update(
            fact.scope,
            self.options.namespace,
            fact.key,
            change,
            tag=fact.status.value,
            expires=FOR_EVER if fact.expires is None and _had_life(fact.stored) else fact.expires,
            epoch=epoch,
        )
        return fact if document is None else replace(fact, stored=document.value)

    async def delete(self, fact: Fact, *, epoch: int | None = None) -> bool:
        """Delete a fact; tell whether it was there."""
        return await self._documents.delete(
            fact.scope, self.options.namespace, fact.key, epoch=epoch
        )

    async def settle(self, approved: Fact, *, epoch: int | None = None) -> None:
        """Supersede what a newly approved fact contradicts, and delete what is too much."""
        facts = await self.of(approved.person)
        for fact in facts:
            usable = fact.status is Status.APPROVED and fact.key != approved.key
            if usable and contradicts(approved.text, fact.text):
                over = replace(
                    fact,
                    status=Status.SUPERSEDED,
                    ended=self.clock(),
                    successor=approved.key,
                )
                await self.write(over, epoch=epoch)
        for fact in self._surplus(await self.of(approved.person)):
            await self.delete(fact, epoch=epoch)

    def _surplus(self, facts: Sequence[Fact]) -> Sequence[Fact]:
        used = [fact for fact in facts if fact.status is Status.APPROVED]
        over = [fact for fact in facts if fact.status in {Status.REJECTED, Status.SUPERSEDED}]
        used.sort(key=lambda fact: (fact.kept, fact.updated))
        over.sort(key=lambda fact: fact.ended or fact.updated)
        too_many = max(len(used) - self.options.max_facts, 0)
        return used[:too_many] + over[: max(len(over) - HISTORY, 0)]

    async def _read(self, *, scope: str | None = None, tag: str | None = None) -> list[Fact]:
        namespace, now = self.options.namespace, self.clock()
        documents = await self._documents.scan(namespace, scope=scope, tag=tag)
        found = [fact.at(now) for document in documents if (fact := Fact.read(document))]
        return sorted(found, key=lambda fact: fact.created)


def _had_life(stored: Json) -> bool:
    return isinstance(stored, Mapping) and "life" in stored
