"""Dispatch of a command as their number grows, against the same handler called in a plain task.

python tests/bench/dispatch.py
"""

import asyncio
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from bot.api import (
    Account,
    Attachment,
    Chat,
    Command,
    Context,
    Features,
    Message,
    Plugin,
    Receive,
    Reply,
    Sent,
)
from bot.i18n import Languages
from bot.runtime import Runtime, utc_now
from bot.store import open_store

EVENTS = 5_000
ROUNDS = 5
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Silent:
    """An adapter that costs nothing."""

    name = "bench"
    features = Features()

    async def run(self, receive: Receive) -> None: ...

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        return Sent(chat, ("1",), reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        return sent

    def working(self, message: Message) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def fetch(self, file: Attachment, most: int) -> bytes:
        raise NotImplementedError

    async def is_admin(self, chat: Chat, account: Account) -> bool:
        return True


async def nothing(context: Context[None] | Message) -> None:
    """Stand in for a handler."""


def plugin_of(commands: int) -> Plugin[None]:
    plugin: Plugin[None] = Plugin("bench", "Measures.")
    for number in range(commands):
        plugin.command(f"c{number}", "Does nothing.")(nothing)
    return plugin


def messages(commands: int) -> Sequence[Message]:
    return [
        Message(
            str(n),
            Chat("bench", str(n % 500)),
            Account("bench", str(n % 500), language="en"),
            f"/c{n % commands}",
            NOW,
            addressed=True,
            command=Command(f"c{n % commands}"),
        )
        for n in range(EVENTS)
    ]


async def dispatched(commands: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        store = await open_store("memory", data, clock=utc_now)
        runtime = Runtime([(plugin_of(commands), None)], store, Languages(), data)
        runtime.adapters["bench"] = Silent()
        events = messages(commands)
        times = []
        async with runtime.started() as dispatcher:
            for _ in range(ROUNDS):
                start = perf_counter()
                for event in events:
                    await dispatcher.receive(event)
                await dispatcher.drain()
                times.append(perf_counter() - start)
        await store.close()
    return statistics.median(times) / EVENTS * 1e6


async def plain() -> float:
    events = messages(1)
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        tasks = [asyncio.create_task(nothing(event)) for event in events]
        await asyncio.gather(*tasks)
        times.append(perf_counter() - start)
    return statistics.median(times) / EVENTS * 1e6


def main() -> None:
    bare = asyncio.run(plain())
    one = asyncio.run(dispatched(1))
    print(f"{EVENTS} commands from 500 chats, median of {ROUNDS} rounds")
    print(f"{'way':28}{'µs/event':>10}{'to a task':>11}{'to 1 command':>14}")
    print(f"{'plain task and handler':28}{bare:10.2f}{1:11.2f}")
    for commands in (1, 10, 100, 1000):
        took = one if commands == 1 else asyncio.run(dispatched(commands))
        label = f"dispatch, {commands} commands"
        print(f"{label:28}{took:10.2f}{took / bare:11.2f}{took / one:14.2f}")


if __name__ == "__main__":
    main()
