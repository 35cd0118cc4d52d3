"""No fact of another person, for a narrower audience or out of use ever enters a prompt."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from bot.api import Account, Chat, ChatKind
from bot.background import Background
from bot.store import open_store
from plugins.ai.memory import Memory, MemoryConfig
from plugins.ai.memory.fact import Origin
from plugins.ai.memory.intake import Work
from plugins.ai.memory.parsing import Candidate

PEOPLE = ("test:ana", "test:an", "test:bo")
FATES = ("stays", "pending", "rejected", "superseded", "expired", "forgotten", "told", "edited")
WORDS = ("tea", "té", "cat", "chess", "Lisbon", "bikes", "茶")

Step = tuple[str, str, bool, str]
"""Whose fact it is, about what, whether it is learned in private, and what becomes of it."""

STEPS = st.lists(
    st.tuples(
        st.sampled_from(PEOPLE), st.sampled_from(WORDS), st.booleans(), st.sampled_from(FATES)
    ),
    min_size=2,
    max_size=9,
)
OPTIONS = st.fixed_dictionaries(
    {
        "inject": st.sampled_from([True, True, True, False]),
        "inject_in_groups": st.sampled_from([False, True, "all"]),
        "select": st.sampled_from(["relevant", "newest", "all"]),
        "typed": st.booleans(),
    }
)


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Life:
    """Lives through steps and knows what may be recalled afterwards."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self.memory = memory
        self.clock = clock
        self.shared: dict[str, set[str]] = {person: set() for person in PEOPLE}
        self.private: dict[str, set[str]] = {person: set() for person in PEOPLE}

    async def step(self, number: int, step: Step) -> None:
        person, about, private, fate = step
        text = f"Number {number} of {person} is about {about}"
        if fate == "told":
            await self.memory.remember(person, [text])
        else:
            await self._learn(person, text, private=private, wait=fate in {"pending", "rejected"})
        key = (await self.memory.memory_facts(person))[-1].key
        if fate == "rejected":
            await self.memory.review.reject(person, key)
        elif fate == "superseded":
            text = f"No longer: {text}"
            await self._learn(person, text, private=private)
        elif fate == "expired":
            await self.memory.remember(person, [text], ttl="1s")
            self.clock.now += timedelta(seconds=1)
        elif fate == "forgotten":
            await self.memory.forget(person, text)
        elif fate == "edited":
            text, private = f"{text}, edited", True
            await self.memory.review.edit(person, key, text)
        if fate in {"stays", "superseded", "told", "edited"}:
            (self.private if private or fate == "told" else self.shared)[person].add(text)

    async def _learn(self, person: str, text: str, *, private: bool, wait: bool = False) -> None:
        kind = ChatKind.PRIVATE if private else ChatKind.GROUP
        work = Work(person, 0, 0, Origin("test:1", "1"), Chat("test", "1", kind))
        policy: Any = "required" if wait else "auto"
        await self.memory._intake.propose(work, Candidate(text), policy)

    def may(self, person: str | None, *, private: bool) -> set[str]:
        options = self.memory.options
        if person is None or not options.inject:
            return set()
        if private or options.inject_in_groups == "all":
            return self.shared[person] | self.private[person]
        return self.shared[person] if options.inject_in_groups else set()


@settings(max_examples=150, deadline=None)
@given(STEPS, OPTIONS, st.sampled_from(WORDS))
def test_only_what_is_for_this_audience_enters_a_prompt(
    steps: Sequence[Step], options: dict[str, Any], asked: str
) -> None:
    asyncio.run(_check(steps, MemoryConfig.model_validate(options), asked))


async def _check(steps: Sequence[Step], options: MemoryConfig, asked: str) -> None:
    clock = Clock()
    store = await open_store("memory", Path(), clock=clock)
    for name in PEOPLE:
        await store.people.resolve(Account("test", name.partition(":")[2]))
    log = logging.getLogger("plugins.ai")
    memory = Memory(
        options,
        store,
        lambda: None,  # type: ignore[arg-type,return-value]
        tasks=Background(log),
        clock=clock,
        log=log,
    )
    life = Life(memory, clock)
    for number, step in enumerate(steps):
        await life.step(number, step)
    every = set().union(*life.shared.values(), *life.private.values())
    for person, kind in product([*PEOPLE, None], ChatKind):
        private = kind is ChatKind.PRIVATE
        known = None if person is None else await store.people.get(person)
        context: Any = SimpleNamespace(person=known, private=private)
        recalled = await memory.recall(context, asked)
        may = life.may(person, private=private)
        event(f"{len(may)} allowed")
        assert set(recalled.facts) == may
        assert all(f"> {text}\n" not in f"{recalled.section}\n" for text in every - may)
        assert bool(recalled.section) == bool(may)
