"""A memory over a real store, whose extraction asks a model that says what a test tells it to."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.api import Account, Store
from bot.background import Background
from bot.store import open_store
from plugins.ai.memory import Memory, MemoryConfig
from plugins.ai.memory.fact import Fact
from plugins.ai.providers.provider import End, Event, Piece, ProviderError, Request, Stop

ANA, BO = "test:ana", "test:bo"


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **time: float) -> None:
        self.now += timedelta(**time)


@dataclass
class Model:
    """Answers the n-th request with the n-th answer, and the last one for ever.

    An answer is a text, a list of facts, or an error to raise; ``going`` holds it back.
    """

    answers: list[Any] = field(default_factory=lambda: [[]])
    asked: list[Request] = field(default_factory=list)
    going: asyncio.Event | None = None
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    stop: Stop = Stop.DONE
    closed: bool = False
    name: str = "model"

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        self.asked.append(request)
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if self.going is not None:
            self.waiting.set()
            await self.going.wait()
        if isinstance(answer, ProviderError):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps({"facts": answer})
        for piece in (text[:3], text[3:]):
            yield Piece(piece)
        yield End(self.stop)

    async def close(self) -> None:
        self.closed = True


@dataclass
class Room:
    """A memory with all that is around it; Ana and Bo are known."""

    memory: Memory
    store: Store
    model: Model
    clock: Clock

    async def facts(self, person: str = ANA) -> list[Fact]:
        return list(await self.memory.memory_facts(person))

    async def statuses(self, person: str = ANA) -> dict[str, str]:
        return {fact.text: fact.status.value for fact in await self.facts(person)}

    async def fact(self, text: str, person: str = ANA) -> Fact:
        (found,) = [fact for fact in await self.facts(person) if fact.text == text]
        return found

    async def learn(self, *facts: object, text: str = "", person: str = ANA) -> Sequence[str]:
        """Let the model find these facts in a message and return what was added."""
        self.model.answers, self.model.asked = [list(facts)], []
        return await self.memory.extract_memory(person, text or f"So: {facts}", "Fine.")


Rooms = Callable[..., AbstractAsyncContextManager[Room]]


@pytest.fixture
def room(tmp_path: Path) -> Rooms:
    @asynccontextmanager
    async def opened(
        store: str = "memory", *, off: bool = False, **options: Any
    ) -> AsyncIterator[Room]:
        clock, model = Clock(), Model()
        log = logging.getLogger("plugins.ai")
        async with AsyncExitStack() as stack:
            kept = await open_store(store, tmp_path, clock=clock)
            stack.push_async_callback(kept.close)
            tasks = Background(log)
            stack.push_async_callback(tasks.close)
            memory = Memory(
                None if off else MemoryConfig.model_validate(options),
                kept,
                lambda: model,
                tasks=tasks,
                clock=clock,
                log=log,
            )
            stack.push_async_callback(memory.close)
            for name in ("ana", "bo"):
                await kept.people.resolve(Account("test", name))
            yield Room(memory, kept, model, clock)

    return opened
