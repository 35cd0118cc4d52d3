"""From the bytes of an update to the handler, against decoding it and calling the same handler.

python tests/bench/pipeline.py
"""

import asyncio
import json
import statistics
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import orjson
from telegram import Update

from bot.adapters.telegram.incoming import incoming
from bot.adapters.telegram.speech import Hearer
from bot.api import Context, Features, Message, Plugin
from bot.i18n import Languages
from bot.runtime import Runtime, utc_now
from bot.store import open_store
from bot.testing import RememberingAdapter

EVENTS = 5_000
ROUNDS = 5
POLL = 100  # the most updates that Telegram gives at once
HEARER = Hearer(99, "@mybot")


def payloads(each: int) -> Sequence[bytes]:
    return [_payload(each * EVENTS + n) for n in range(EVENTS)]


def _payload(number: int) -> bytes:
    user = {
        "id": number % 500,
        "is_bot": False,
        "first_name": "Ana",
        "last_name": "Gil",
        "username": "anagil",
        "language_code": "es",
    }
    message = {
        "message_id": number,
        "from": user,
        "chat": {"id": number % 500, "first_name": "Ana", "last_name": "Gil", "type": "private"},
        "date": 1_700_000_000,
        "text": "/hello there",
        "entities": [{"offset": 0, "length": 6, "type": "bot_command"}],
    }
    return json.dumps({"update_id": number, "message": message}).encode()


async def nothing(context: Context[None] | object) -> None:
    """Stand in for a handler."""


async def plain(events: Sequence[bytes]) -> None:
    tasks = [asyncio.create_task(nothing(orjson.loads(event))) for event in events]
    for task in tasks:
        await task


async def objects(events: Sequence[bytes]) -> None:
    """Do what python-telegram-bot does before it looks for a handler."""
    made = (Update.de_json(orjson.loads(event), None) for event in events)
    tasks = [asyncio.create_task(nothing(update)) for update in made]
    for task in tasks:
        await task


async def measured(run: object) -> float:
    times = []
    for number in range(ROUNDS):
        events = payloads(number)
        start = perf_counter()
        await run(events)  # type: ignore[operator]
        times.append(perf_counter() - start)
    return statistics.median(times) / EVENTS * 1e6


async def ours(store_name: str) -> float:
    plugin: Plugin[None] = Plugin("bench", "Measures.")
    plugin.command("hello", "Does nothing.")(nothing)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        store = await open_store(store_name, data, clock=utc_now)
        runtime = Runtime([(plugin, None)], store, Languages(), data)
        runtime.adapters["telegram"] = RememberingAdapter("telegram", Features())

        async with runtime.started() as dispatcher:

            async def run(events: Sequence[bytes]) -> None:
                now = datetime.now(UTC)

                async def take(event: bytes) -> None:
                    message = incoming(orjson.loads(event), HEARER, now)
                    if isinstance(message, Message):
                        await dispatcher.receive(message)

                for first in range(0, len(events), POLL):
                    await asyncio.gather(*map(take, events[first : first + POLL]))
                await dispatcher.drain()

            took = await measured(run)
        await store.close()
    return took


async def main() -> None:
    lower = await measured(plain)
    print(f"{EVENTS} updates from 500 chats, median of {ROUNDS} rounds")
    print(f"{'way':44}{'µs/event':>10}{'ratio':>8}")
    print(f"{'orjson, task and handler':44}{lower:10.2f}{1:8.2f}")
    sdk = await measured(objects)
    print(f"{'... with the objects of the SDK between':44}{sdk:10.2f}{sdk / lower:8.2f}")
    for name, label in (
        ("memory", "ours, to the handler"),
        ("sqlite", "ours, each update on the disk before it counts"),
    ):
        took = await ours(name)
        print(f"{label:44}{took:10.2f}{took / lower:8.2f}{'   reach: 5' * (name == 'memory')}")


if __name__ == "__main__":
    asyncio.run(main())
