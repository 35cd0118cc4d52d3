"""The memory as other plugins find it: ``context.tools.ai``."""

from collections.abc import Sequence
from datetime import timedelta

from plugins.ai.memory.fact import Fact
from plugins.ai.memory.memory import Memory


class Remembering:
    """What the AI plugin offers of its memory; ``facts`` is the memory itself.

    A person is always named by the canonical id, as in ``context.sender``; an empty or missing one
    is a ValueError, never everybody.
    """

    __slots__ = ()

    facts: Memory

    async def memory(self, person: str) -> list[str]:
        """Return the live approved facts about a person, oldest first."""
        return await self.facts.memory(person)

    async def memory_facts(self, person: str) -> list[Fact]:
        """Return all facts about a person with what is known of them, oldest first."""
        return await self.facts.memory_facts(person)

    async def remember(
        self,
        person: str,
        facts: Sequence[str],
        ttl: timedelta | str | None = None,
        source: str = "manual",
    ) -> list[str]:
        """Keep facts for good or for ``ttl``; return those that were new. Others are renewed."""
        return await self.facts.remember(person, facts, ttl, source)

    async def forget(self, person: str, fact: str) -> bool:
        """Delete a fact; tell whether there was one in these words."""
        return await self.facts.forget(person, fact)

    async def forget_all(self, person: str) -> int:
        """Delete all facts about one person; return how many."""
        return await self.facts.forget_all(person)

    async def extract_memory(self, person: str, user_text: str, assistant_text: str) -> list[str]:
        """Extract facts from a turn and keep them; return those that were added."""
        return await self.facts.extract_memory(person, user_text, assistant_text)

    async def idle(self) -> None:
        """Wait until no work in the background is left."""
        await self.facts.idle()
