"""Order per chat: the lanes against a bare task for each event, and what an idle chat costs.

python tests/bench/lanes.py
"""

import asyncio
import gc
import statistics
import tracemalloc
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from time import perf_counter

from bot.api import Account, Chat, Message
from bot.lanes import Lane, Lanes

CHATS = 10_000
EVENTS = (1, 5, 20)
ROUNDS = 5
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def messages(each: int) -> list[Message]:
    sender = Account("bench", "ana")
    return [
        Message(str(n), Chat("bench", str(chat)), sender, "hello", NOW)
        for n in range(each)
        for chat in range(CHATS)
    ]


async def handle(message: Message, _: Lane | None = None) -> None:
    await asyncio.sleep(0)


async def bare(events: list[Message]) -> None:
    tasks = [asyncio.create_task(handle(event)) for event in events]
    for task in tasks:
        await task


async def in_lanes(events: list[Message]) -> None:
    lanes = Lanes(handle, 100)
    for event in events:
        await lanes.put(event)
    await lanes.drain()
    if len(lanes):
        raise RuntimeError("an idle chat kept its lane")


def microseconds(run: Callable[[list[Message]], Awaitable[None]], events: list[Message]) -> float:
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        start = perf_counter()
        asyncio.run(run(events))  # type: ignore[arg-type]
        times.append(perf_counter() - start)
    return statistics.median(times) / len(events) * 1e6


async def bytes_per_idle_chat(events: list[Message]) -> float:
    lanes = Lanes(handle, 100)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for event in events:
        await lanes.put(event)
    await lanes.drain()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (after - before) / CHATS


def main() -> None:
    print(f"{CHATS} chats, median of {ROUNDS} rounds, microseconds an event")
    print(f"{'events a chat':>13}{'bare task':>12}{'lanes':>8}{'ratio':>8}")
    for each in EVENTS:
        events = messages(each)
        plain, ordered = microseconds(bare, events), microseconds(in_lanes, events)
        print(f"{each:13}{plain:12.2f}{ordered:8.2f}{ordered / plain:8.2f}   reach: 1.50")
    idle = asyncio.run(bytes_per_idle_chat(messages(1)))
    print(f"bytes per idle chat: {idle:.0f}   reach: 1000")


if __name__ == "__main__":
    main()
