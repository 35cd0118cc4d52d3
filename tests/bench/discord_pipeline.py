"""From a gateway's text to the handler on Discord, against decoding it and calling the handler.

python tests/bench/discord_pipeline.py
"""

import asyncio
import json
import logging
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import discord
import orjson

from bot.adapters.discord.client import Client
from bot.adapters.discord.config import DiscordConfig
from bot.adapters.discord.interactions import Interactions
from bot.api import Context, Features, Host, Plugin
from bot.i18n import Languages
from bot.runtime import Runtime, utc_now
from bot.store import open_store
from bot.testing import RememberingAdapter

EVENTS = 5_000
ROUNDS = 5
BURST = 100
PAYLOADS = Path(__file__).parents[1] / "bot" / "adapters" / "discord" / "payloads.json"


def payloads(each: int) -> Sequence[bytes]:
    told = json.loads(PAYLOADS.read_text("utf-8"))
    made = []
    for number in range(each * EVENTS + 1, (each + 1) * EVENTS + 1):
        channel, author = str(10_000 + number % 500), {**told["ana"], "id": str(number % 500 + 1)}
        said = {"id": str(number), "channel_id": channel, "author": author, "content": "/hello"}
        made.append(json.dumps(told["message"] | said).encode())
    return made


class Handler:
    """Stands in for a handler; ``all`` is set when it was called for all of a burst."""

    def __init__(self) -> None:
        self.left = 0
        self.all = asyncio.Event()

    async def __call__(self, context: Context[None] | object) -> None:
        """Count."""
        self.left -= 1
        if not self.left:
            self.all.set()


async def plain(events: Sequence[bytes]) -> None:
    handler = Handler()
    tasks = [asyncio.create_task(handler(orjson.loads(event))) for event in events]
    for task in tasks:
        await task


async def measured(run: Callable[[Sequence[bytes]], Any]) -> float:
    times = []
    for number in range(ROUNDS):
        events = payloads(number)
        start = perf_counter()
        await run(events)
        times.append(perf_counter() - start)
    return statistics.median(times) / EVENTS * 1e6


class Plain(discord.Client):
    """The SDK with a handler and nothing else."""

    def __init__(self, handler: Handler) -> None:
        super().__init__(intents=discord.Intents.default(), max_messages=None)
        self.handler = handler

    async def on_message(self, message: discord.Message) -> None:
        """Call the handler."""
        await self.handler(message)


async def through(client: discord.Client, handler: Handler) -> float:
    """Hand events to the SDK as its gateway does, and wait for the handler."""
    await client._async_setup_hook()
    parse = client._connection.parse_message_create

    async def run(events: Sequence[bytes]) -> None:
        for first in range(0, len(events), BURST):
            handler.left = BURST
            handler.all.clear()
            for event in events[first : first + BURST]:
                parse(orjson.loads(event))
            await handler.all.wait()

    return await measured(run)


async def ours(store_name: str) -> float:
    plugin: Plugin[None] = Plugin("bench", "Measures.")
    handler = Handler()
    plugin.command("hello", "Does nothing.")(handler)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        store = await open_store(store_name, data, clock=utc_now)
        runtime = Runtime([(plugin, None)], store, Languages(), data)
        runtime.adapters["discord"] = RememberingAdapter("discord", Features())
        counts: Counter[str] = Counter()

        async def moved(*_: Any) -> None:
            raise AssertionError

        log = logging.getLogger("bench")
        host = Host((), log, data, lambda name: counts.update([name]), moved, lambda _: None)
        async with runtime.started() as dispatcher:
            config = DiscordConfig.model_validate({"token": "t"})
            client = Client(config, host, Interactions(), dispatcher.receive)
            took = await through(client, handler)
            await dispatcher.drain()
        await store.close()
        assert not counts
    return took


async def main() -> None:
    lower = await measured(plain)
    print(f"{EVENTS} messages from 500 chats, median of {ROUNDS} rounds")
    print(f"{'way':44}{'µs/event':>10}{'ratio':>8}")
    print(f"{'orjson, task and handler':44}{lower:10.2f}{1:8.2f}")
    handler = Handler()
    peer = await through(Plain(handler), handler)
    print(f"{'discord.py with a handler':44}{peer:10.2f}{peer / lower:8.2f}")
    for name, label in (
        ("memory", "ours, to the handler"),
        ("sqlite", "ours, each message on the disk first"),
    ):
        took = await ours(name)
        print(f"{label:44}{took:10.2f}{took / lower:8.2f}")


if __name__ == "__main__":
    asyncio.run(main())
