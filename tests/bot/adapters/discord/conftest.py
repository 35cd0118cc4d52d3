"""The Discord adapter, connected to the loopback server."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.discord.adapter import DiscordAdapter
from bot.adapters.discord.config import DiscordConfig
from bot.api import Chat, CommandInfo, Host, Message, Receive


@dataclass
class Talk:
    """The adapter under test and what the runtime hears from it."""

    adapter: DiscordAdapter
    heard: list[Message] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, message: Message) -> None:
        self.heard.append(message)
        self.changed.set()

    async def hears(self, count: int) -> list[Message]:
        """Wait for so many messages and return them."""
        async with asyncio.timeout(10):
            while len(self.heard) < count:
                self.changed.clear()
                await self.changed.wait()
        return self.heard


@pytest.fixture
def discord_adapter(discord_server: Any, tmp_path: Path) -> Callable[..., Talk]:
    """Make an adapter that is not connected yet."""

    def make(*commands: CommandInfo, **options: Any) -> Talk:
        block = {"token": discord_server.token, "base_url": discord_server.url, **options}
        config = DiscordConfig.model_validate(block)
        counts: Counter[str] = Counter()

        async def moved(old: Chat, new: Chat) -> None:
            raise AssertionError

        def count(name: str) -> None:
            counts[name] += 1

        log = logging.getLogger("platforms.discord")
        host = Host(commands, log, tmp_path, count, moved, lambda _: None)
        return Talk(DiscordAdapter(config, host), counts=counts)

    return make


@pytest.fixture
def running(discord_server: Any) -> Callable[..., Any]:
    """Run an adapter while the context is open, from its connection on."""

    @asynccontextmanager
    async def run(adapter: DiscordAdapter, receive: Receive) -> AsyncIterator[None]:
        discord_server.greeted.clear()
        task = asyncio.create_task(adapter.run(receive))
        greeted = asyncio.create_task(discord_server.greeted.wait())
        await asyncio.wait([task, greeted], timeout=10, return_when=asyncio.FIRST_COMPLETED)
        try:
            assert not task.done()
            assert greeted.done()
            yield
        finally:
            greeted.cancel()
            task.cancel()
            await asyncio.wait([task])

    return run


@pytest.fixture
def on_discord(
    discord_adapter: Callable[..., Talk], running: Callable[..., Any]
) -> Callable[..., Any]:
    """Make an adapter and run it while the context is open."""

    @asynccontextmanager
    async def run(*commands: CommandInfo, **options: Any) -> AsyncIterator[Talk]:
        talk = discord_adapter(*commands, **options)
        async with running(talk.adapter, talk.receive):
            yield talk

    return run
