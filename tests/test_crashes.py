"""Killed at random moments, the bot loses nothing that it acknowledged and confirms nothing twice.

``python tests/test_crashes.py 200`` kills it that often and prints what it found.
"""

import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from bot.api import (
    Account,
    Attachment,
    Chat,
    Context,
    Entry,
    Features,
    Message,
    Plugin,
    Reply,
    Role,
    Sent,
)
from bot.i18n import Languages
from bot.runtime import Runtime, utc_now
from bot.store import open_store

CHATS = 8
PER_ROUND = 40
LONGEST = 0.25

plugin: Plugin[None] = Plugin("turns", "Keeps each turn and answers it.")


@plugin.message(lambda message: message.addressed)
async def answer(context: Context[None]) -> None:
    text = context.message.text
    turn = [Entry(Role.USER, text, context.sender), Entry(Role.ASSISTANT, text, context.sender)]
    await context.store.messages.append(context.chat, turn)
    async with context.draft() as draft:
        await draft.append("to ")
        await draft.append(text)


@dataclass
class Wire:
    """A platform behind a pipe: it delivers again what was not acknowledged."""

    updates: Sequence[int]
    output: int
    name: str = "wire"
    features: Features = field(default_factory=lambda: Features(edit_interval=0.0))

    def tell(self, **event: Any) -> None:
        os.write(self.output, json.dumps(event).encode() + b"\n")

    async def run(self, receive: Any) -> None:
        for number in self.updates:
            chat = Chat("wire", str(number % CHATS))
            sender = Account("wire", chat.id)
            now = datetime.now(UTC)
            text = str(number)
            await receive(Message(text, chat, sender, text, now, addressed=True, update=text))
            self.tell(acknowledged=number)

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        self.tell(message=f"m{reply.reply_to}-{os.getpid()}", reply=reply.text, to=reply.reply_to)
        await asyncio.sleep(0)
        return Sent(chat, (f"m{reply.reply_to}-{os.getpid()}",), reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        self.tell(message=sent.ids[0], reply=reply.text, to=reply.reply_to)
        await asyncio.sleep(0)
        return Sent(sent.chat, sent.ids, reply)

    @asynccontextmanager
    async def working(self, message: Message) -> AsyncIterator[None]:
        yield

    async def fetch(self, file: Attachment, most: int) -> bytes:
        raise NotImplementedError

    async def is_admin(self, chat: Chat, account: Account) -> bool:
        return True


class Confirming:
    """The store's inbox, telling the world what is committed."""

    def __init__(self, inbox: Any, wire: Wire) -> None:
        self._inbox = inbox
        self._wire = wire

    async def sent(self, message: Message, number: int, ids: Sequence[str], *, whole: bool) -> None:
        await self._inbox.sent(message, number, ids, whole=whole)
        if whole:
            self._wire.tell(confirmed=int(message.id))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inbox, name)


async def live(data: Path, updates: Sequence[int], output: int) -> None:
    """Run a bot on the data until all that is known is answered."""
    store: Any = await open_store("sqlite", data, clock=utc_now)
    wire = Wire(updates, output)
    store.inbox = Confirming(store.inbox, wire)
    runtime = Runtime([(plugin, None)], store, Languages("en"), data)
    runtime.adapters["wire"] = wire
    async with runtime.started() as dispatcher:
        await dispatcher.resume()
        await wire.run(dispatcher.receive)
        await dispatcher.drain()
    await store.close()


def one_life(data: Path, updates: Sequence[int], until: float | None) -> list[dict[str, Any]]:
    """Run a bot in a process of its own, kill it after a time, return what it told."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with suppress(BaseException):
            os.close(reading)
            asyncio.run(live(data, updates, writing))
            os._exit(0)
        os._exit(1)
    os.close(writing)
    told = bytearray()
    end = None if until is None else monotonic() + until
    os.set_blocking(reading, end is None)
    while True:
        with suppress(BlockingIOError):
            piece = os.read(reading, 1 << 16)
            told += piece
            if not piece:
                break
        if end is not None:
            sleep(0.001)
            if monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.set_blocking(reading, True)
                end = None
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if until is None and status:
        raise RuntimeError("the last life, which nobody killed, did not end well")
    return [json.loads(line) for line in told.decode().splitlines() if line.endswith("}")]


def lives(kills: int, seed: int) -> dict[str, Any]:
    """Kill the bot many times while it answers, let it finish, and count what went wrong."""
    dice = random.Random(seed)  # noqa: S311 - the same kills each time
    acknowledged: set[int] = set()
    confirmed: set[int] = set()
    messages: dict[int, dict[str, str]] = {}
    again = 0
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        for life in range(kills + 1):
            known = range(PER_ROUND * (life + 1))
            due = [n for n in known if n not in acknowledged]
            wait = dice.uniform(0, LONGEST) if life < kills else None
            before = set(confirmed)
            for event in one_life(data, due, wait):
                if "acknowledged" in event:
                    acknowledged.add(event["acknowledged"])
                elif "confirmed" in event:
                    confirmed.add(event["confirmed"])
                else:
                    number = int(event["to"])
                    again += number in before
                    messages.setdefault(number, {})[event["message"]] = event["reply"]
        with closing(sqlite3.connect(data / "tertulia.db")) as database:
            [(integrity,)] = database.execute("PRAGMA integrity_check").fetchall()
            roles = database.execute("SELECT chat, role FROM messages ORDER BY chat, sequence")
            said = Counter(roles.fetchall())
            [(left,)] = database.execute("SELECT count(*) FROM inbox WHERE message IS NOT NULL")
    whole = {
        n: [text for text in shown.values() if text == f"to {n}"] for n, shown in messages.items()
    }
    return {
        "kills": kills,
        "acknowledged": len(acknowledged),
        "lost": len([n for n in acknowledged if not whole.get(n)]),
        "answered after it was confirmed": again,
        "two whole answers, the first not yet confirmed": sum(len(w) > 1 for w in whole.values()),
        "left": left,
        "half turns": sum(said[c, "user"] != said[c, "assistant"] for c, _ in said),
        "integrity": integrity,
    }


def test_nothing_acknowledged_is_lost_and_nothing_confirmed_is_answered_again() -> None:
    done = subprocess.run(
        [sys.executable, __file__, "25"], capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["acknowledged"] == 26 * PER_ROUND
    assert found["lost"] == 0
    assert found["answered after it was confirmed"] == 0
    assert found["left"] == 0
    assert found["half turns"] == 0
    assert found["integrity"] == "ok"


if __name__ == "__main__":
    sys.stdout.write(json.dumps(lives(int(sys.argv[1]), seed=len(sys.argv))) + "\n")
