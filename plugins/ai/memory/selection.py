"""Which facts go into a prompt."""

from collections.abc import Sequence
from typing import Final

from plugins.ai.matching import Matcher
from plugins.ai.memory.fact import Fact
from plugins.ai.memory.options import MemoryConfig

NEWEST: Final = 50
"""How many facts ``newest`` takes at the most."""


def select(facts: Sequence[Fact], text: str, options: MemoryConfig) -> list[Fact]:
    """Return those of the facts, oldest first, that go with a message."""
    by_age = sorted(facts, key=lambda fact: fact.updated)
    if options.select == "all":
        return by_age
    if options.select == "newest":
        return by_age[-NEWEST:]
    room = options.max_inject_chars
    if sum(len(fact.text) for fact in by_age) <= room:
        return by_age
    chosen = _fitting(ranked(by_age, text), room)
    return [fact for fact in by_age if fact.key in chosen]


def ranked(facts: Sequence[Fact], text: str) -> list[Fact]:
    """Return facts by how much of a message they cover, the newest first where that is equal."""
    matcher = Matcher(text, [fact.text for fact in facts])
    return sorted(facts, key=lambda fact: (matcher.coverage(fact.text), fact.updated), reverse=True)


def _fitting(facts: Sequence[Fact], room: int) -> set[str]:
    chosen = set()
    for fact in facts:
        if len(fact.text) <= room:
            room -= len(fact.text)
            chosen.add(fact.key)
    return chosen
