"""What becomes of a statement about a person: a new fact, a renewed one, a candidate, nothing."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.api import Chat
from plugins.ai.memory.fact import Fact, Origin, Source, Status, key_of
from plugins.ai.memory.ledger import Ledger
from plugins.ai.memory.options import Review as Policy
from plugins.ai.memory.parsing import Candidate


@dataclass(frozen=True, slots=True)
class Work:
    """What an extraction is for, and the marks by which it can tell that it came too late."""

    person: str
    epoch: int | None
    generation: int
    origin: Origin | None = None
    chat: Chat | None = None

    @property
    def shared(self) -> bool:
        """Whether it was said where others read along."""
        return self.chat is not None and not self.chat.private


class Intake:
    """Takes statements into a ledger; whoever calls it holds the person's lock."""

    def __init__(self, ledger: Ledger, counts: Counter[str]) -> None:
        self._ledger = ledger
        self._counts = counts

    async def propose(self, work: Work, candidate: Candidate, policy: Policy) -> bool:
        """Take in what an extraction found; tell whether that is new."""
        stated = replace(
            self.stated(work.person, candidate, Source.AUTO),
            origin=work.origin,
            shared=work.shared,
        )
        there = await self._ledger.get(work.person, stated.key)
        if there is not None and there.status is Status.REJECTED:
            self._counts["memory facts dropped: rejected before"] += 1
            return False
        if policy == "auto" or (there is not None and there.status is Status.APPROVED):
            bare = None if work.origin is None else replace(work.origin, text="")
            return await self.approve(replace(stated, origin=bare), None, work.epoch)
        return await self._pend(stated, there, work.epoch)

    async def _pend(self, stated: Fact, there: Fact | None, epoch: int | None) -> bool:
        """Put a candidate before its reviewer; one that waits already waits on as it is."""
        if there is not None and there.status is Status.PENDING:
            return False
        facts = await self._ledger.of(stated.person)
        waiting = sum(fact.status is Status.PENDING for fact in facts)
        if waiting >= self._ledger.options.max_facts:
            self._counts["memory facts dropped: too many pending"] += 1
            return False
        fact = replace(
            stated,
            life=self._ledger.options.ttl,
            decide_by=stated.created + self._ledger.options.pending_ttl,
            stored=None if there is None else there.stored,
        )
        await self._ledger.write(fact, epoch=epoch)
        return True

    async def approve(self, stated: Fact, life: timedelta | None, epoch: int | None) -> bool:
        """Keep a fact as approved; tell whether it is new. One that is there is renewed."""
        life = life or self._ledger.options.ttl
        there = await self._ledger.get(stated.person, stated.key)
        if there is not None and there.status is Status.APPROVED:
            again = replace(there, shared=there.shared or stated.shared)
            await self._ledger.write(again.stated(stated.updated, life), epoch=epoch)
            return False
        fresh = replace(
            stated, status=Status.APPROVED, stored=None if there is None else there.stored
        )
        made = await self._ledger.write(fresh.stated(stated.updated, life), epoch=epoch)
        await self._ledger.settle(made, epoch=epoch)
        return True

    def stated(self, person: str, candidate: Candidate, source: Source) -> Fact:
        """Return a statement that was made just now as a fact that nobody approved yet."""
        now = self._ledger.clock()
        return Fact(
            person,
            key_of(candidate.text),
            candidate.text,
            Status.PENDING,
            source,
            now,
            now,
            type=candidate.type,
            confidence=candidate.confidence,
        )
