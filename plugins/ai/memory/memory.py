"""Long-term memory: what is known about people, and its way in and out."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from logging import Logger
from typing import Any, Final

from bot.api import Chat, Context, Erased, Store, StoreError, Tasks, UserError, parse_duration
from plugins.ai.memory.extraction import Extractor
from plugins.ai.memory.fact import Fact, Origin, Source, cleaned, key_of
from plugins.ai.memory.intake import Intake, Work
from plugins.ai.memory.ledger import Ledger
from plugins.ai.memory.options import MemoryConfig
from plugins.ai.memory.options import Review as Policy
from plugins.ai.memory.parsing import Candidate
from plugins.ai.memory.policy import Policies, Wish, stricter
from plugins.ai.memory.recalling import Recalled, allowed, recalled
from plugins.ai.memory.refusing import refusal
from plugins.ai.memory.review import Review
from plugins.ai.memory.selection import select
from plugins.ai.memory.sensitive import is_secret
from plugins.ai.providers.provider import Provider, ProviderError

AT_ONCE: Final = 4
"""How many extractions ask the model at the same time."""

MOST_WAITING: Final = 200
"""How many extractions may be under way; while there are more, turns are not learned from."""

LONGEST_ORIGIN: Final = 500
"""How much of a message is kept beside a candidate, in characters, until it is reviewed."""


class Memory:
    """Facts about people.

    Without ``options`` nothing is injected or extracted of its own accord, but all the rest works.
    ``make`` returns the provider that extracts. ``incognito`` tells whether a chat keeps nothing.
    """

    def __init__(  # noqa: PLR0913 - one argument for each thing it works with
        self,
        options: MemoryConfig | None,
        store: Store,
        make: Callable[[], Provider],
        *,
        tasks: Tasks,
        clock: Callable[[], datetime],
        log: Logger,
        incognito: Callable[[Chat], bool] = lambda _: False,
    ) -> None:
        self.on = options is not None
        self.options = options or MemoryConfig()
        self.counts: Counter[str] = Counter()
        self.policies = Policies(store.documents, self.options.namespace)
        self._ledger = Ledger(store.documents, self.options, clock)
        self.review = Review(self._ledger, self.policies)
        self._intake = Intake(self._ledger, self.counts)
        self._people = store.people
        self._extractor = Extractor(make, self.options, self.counts, log)
        self._tasks = tasks
        self._log = log
        self._incognito = incognito
        self._waiting = 0
        self._room = asyncio.Semaphore(AT_ONCE)

    async def close(self) -> None:
        """Let go of connections."""
        await self._extractor.close()

    async def recall(self, context: Context[Any], text: str) -> Recalled:
        """Return what a turn with this text is told about the person who wrote it."""
        if not self.on or not self.options.inject or context.person is None:
            return Recalled()
        if not context.private and not self.options.inject_in_groups:
            return Recalled()
        try:
            approved = await self._ledger.approved(context.person.id)
        except StoreError as error:
            self._log.warning("nothing could be recalled: %s", error)
            return Recalled()
        facts = allowed(approved, context, self.options)
        return recalled(select(facts, text, self.options), typed=self.options.typed)

    def learn(self, context: Context[Any], user_text: str, answer: str) -> None:
        """Begin to extract facts from what a person has just written, in the background.

        Nothing is taken from a forwarded message, from a command or from nobody.
        """
        person, message = context.person, context.message
        wanted = self.on and self.options.extracting is not None and self.options.review != "off"
        if not wanted or person is None or message.forwarded is not None or message.command:
            return
        if not user_text.strip():
            return
        if self._waiting >= MOST_WAITING:
            self.counts["memory extractions dropped: too many at once"] += 1
            return
        self._waiting += 1
        kept = "" if is_secret(user_text) else cleaned(user_text)[:LONGEST_ORIGIN]
        work = Work(
            person.id,
            person.epoch,
            self._ledger.generations[person.id],
            Origin(context.chat, message.id, kept),
            message.chat,
        )
        self._tasks.start(self._learn(work, user_text, answer), name="memory extraction")

    def policy(self, wish: Wish) -> Policy:
        """Return what holds for a person with this wish: the stricter of theirs and the options."""
        if not self.on or self.options.extracting is None:
            return "off"
        return stricter(self.options.review, wish.review)

    async def memory(self, person: str) -> list[str]:
        """Return the live approved facts about a person, oldest first."""
        return [fact.text for fact in await self._ledger.approved(_named(person))]

    async def memory_facts(self, person: str) -> list[Fact]:
        """Return all facts about a person with what is known of them, oldest first."""
        return await self._ledger.of(_named(person))

    async def remember(
        self,
        person: str,
        facts: Sequence[str],
        ttl: timedelta | str | None = None,
        source: str = Source.MANUAL,
        *,
        epoch: int | None = None,
    ) -> list[str]:
        """Keep facts as approved ones; return those that were new.

        Duplicates are renewed. What may not be kept (empty, too long, a secret) is counted.
        """
        known = await self._people.get(_named(person))
        if epoch is None and known is not None:
            epoch = known.epoch
        life = None if ttl is None else _life(ttl)
        texts = [facts] if isinstance(facts, str) else facts
        added = []
        async with self._ledger.lock(person):
            for text in texts:
                reason = refusal(text, self.options.max_fact_length)
                if reason is not None:
                    self.counts[f"memory facts dropped: {reason}"] += 1
                    continue
                stated = self._intake.stated(person, Candidate(cleaned(text)), Source(source))
                if await self._intake.approve(stated, life, epoch):
                    added.append(stated.text)
        return added

    async def forget(self, person: str, fact: str) -> bool:
        """Delete a fact; tell whether there was one in these words."""
        return await self.review.forget(_named(person), key_of(fact))

    async def forget_all(self, person: str) -> int:
        """Delete all facts about one person; return how many. Nobody is a ValueError."""
        async with self._ledger.lock(_named(person)):
            self._ledger.generations[person] += 1
            if await self._people.get(person) is not None:
                await self.policies.touch(person)
            facts = await self._ledger.of(person)
            gone = await asyncio.gather(*(self._ledger.delete(fact) for fact in facts))
            return sum(gone)

    async def choose(self, person: str, policy: Policy, *, epoch: int | None) -> None:
        """Keep a person's own policy; what is being extracted under the old one is dropped."""
        async with self._ledger.lock(_named(person)):
            self._ledger.generations[person] += 1
            await self.policies.choose(person, policy, epoch=epoch)

    async def extract_memory(self, person: str, user_text: str, assistant_text: str) -> list[str]:
        """Extract facts from a turn and keep them under the policy; return those that were added.

        Raises `ProviderError`.
        """
        known = await self._people.get(_named(person))
        epoch = None if known is None else known.epoch
        work = Work(person, epoch, self._ledger.generations[person])
        return await self._extract(work, user_text, assistant_text)

    async def idle(self) -> None:
        """Wait until no work in the background is left."""
        await self._tasks.idle()

    async def _learn(self, work: Work, user_text: str, answer: str) -> None:
        try:
            await self._extract(work, user_text, answer)
        except Erased:
            self.counts["memory extractions dropped: erased"] += 1
        except UserError:
            self.counts["memory extractions dropped: no budget"] += 1
        except ProviderError as error:
            self.counts[f"memory extractions failed: {error.fault}"] += 1
            self._log.warning("an extraction failed (%s): %s", error.fault, error)
        finally:
            self._waiting -= 1

    async def _extract(self, work: Work, user_text: str, answer: str) -> list[str]:
        wish = await self.policies.wish(work.person)
        policy = stricter(self.options.review, wish.review)
        if policy == "off":
            return []
        async with self._room:
            candidates = await self._extractor.extract(user_text, answer)
        async with self._ledger.lock(work.person):
            if await self._late(work, wish):
                self.counts["memory extractions dropped: out of date"] += 1
                return []
            return [c.text for c in candidates if await self._intake.propose(work, c, policy)]

    async def _late(self, work: Work, wish: Wish) -> bool:
        """Tell whether the person has had something forgotten or chosen anew meanwhile."""
        forgotten = work.generation != self._ledger.generations[work.person]
        hidden = work.chat is not None and self._incognito(work.chat)
        return forgotten or hidden or await self.policies.wish(work.person) != wish


def _life(ttl: timedelta | str) -> timedelta:
    life = parse_duration(ttl)
    if life <= timedelta(0):
        message = "a fact's ttl must be longer than no time at all"
        raise ValueError(message)
    return life


def _named(person: object) -> str:
    """Return a person's id; an empty or missing one is refused, it never means everybody."""
    if not isinstance(person, str) or not person.strip():
        message = "whose memory is meant? a person's id is needed"
        raise ValueError(message)
    return person
