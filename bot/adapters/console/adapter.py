"""The terminal's life cycle."""

import asyncio
import os
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final, TextIO

from bot.adapters.console import incoming, outgoing
from bot.adapters.console.config import ConsoleConfig
from bot.adapters.console.reading import lines
from bot.adapters.console.screen import Screen
from bot.api import (
    Account,
    Attachment,
    Chat,
    Features,
    Host,
    Message,
    Receive,
    Reply,
    Sent,
    Unavailable,
)

REMEMBERED: Final = 10_000


class ConsoleAdapter:
    """A chat in the terminal (``text``), or JSON lines in and out (``jsonl``)."""

    name: Final = incoming.PLATFORM
    features: Final = Features(edit_interval=0.05, group_edit_interval=0.05, bursts=False)

    def __init__(self, config: ConsoleConfig, host: Host, output: TextIO | None = None) -> None:
        self._config = config
        self._host = host
        self._output = output or sys.stdout
        self._screen = Screen(self._output)
        self._sent = 0
        self._own: deque[str] = deque(maxlen=REMEMBERED)
        self._busy: dict[str, asyncio.Event] = {}

    async def run(self, receive: Receive) -> None:
        """Hand over what is typed or written until the end of input."""
        if self._config.format == "jsonl":
            await self._run_lines(receive)
        elif sys.stdin.isatty() and self._output.isatty():
            await self._converse(receive, self._screen.prompts())
        else:
            await self._converse(receive, _typed_lines())

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Print a reply, or write its event."""
        self._sent += 1
        message_id = f"bot-{self._sent}"
        self._own.append(message_id)
        if self._config.format == "jsonl":
            self._write(outgoing.event(_kind(reply, "reply"), chat, message_id, reply))
        else:
            self._screen.show(message_id, reply, self._host.data)
        return Sent(chat, (message_id,), reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Print how a reply goes on, or write the event of its change.

        The end of a draft is the event ``reply``; ``edit`` is a change to what was complete.
        """
        if self._config.format == "jsonl":
            kind = _kind(reply, "reply" if sent.reply.partial else "edit")
            self._write(outgoing.event(kind, sent.chat, sent.ids[0], reply))
        else:
            self._screen.show(sent.ids[0], reply, self._host.data)
        return Sent(sent.chat, sent.ids, reply)

    @asynccontextmanager
    async def working(self, message: Message) -> AsyncIterator[None]:
        """Hold the prompt back until the message is answered."""
        try:
            yield
        finally:
            if (done := self._busy.pop(message.id, None)) is not None:
                done.set()

    async def fetch(self, file: Attachment, most: int) -> bytes:  # noqa: ARG002 - Adapter's
        """Refuse: no files are typed."""
        raise Unavailable("no files come through the terminal")

    async def is_admin(self, chat: Chat, account: Account) -> bool:  # noqa: ARG002 - Adapter's
        """Whoever has the terminal has the bot; in groups that scripts play nobody is special."""
        return chat.private

    async def _run_lines(self, receive: Receive) -> None:
        number = 0
        async for line in lines():
            number += 1
            if line.strip():
                await self._take(line, number, receive)

    async def _take(self, line: bytes, number: int, receive: Receive) -> None:
        try:
            message = incoming.from_json(line, number, datetime.now(UTC), self._own.__contains__)
        except ValueError as error:
            self._write(outgoing.fault(number, str(error)))
        else:
            await receive(message)

    async def _converse(self, receive: Receive, typed: AsyncIterator[str]) -> None:
        sender = self._person()
        number = 0
        async for text in typed:
            if not text.strip():
                continue
            number += 1
            message = incoming.typed(text.strip(), number, sender, datetime.now(UTC))
            done = self._busy[message.id] = asyncio.Event()
            await receive(message)
            await done.wait()

    def _person(self) -> Account:
        sender = self._config.sender
        language = self._config.language or incoming.language(os.environ)
        return Account(self.name, sender, os.environ.get("USER", sender), language)

    def _write(self, line: str) -> None:
        print(line, file=self._output, flush=True)


def _kind(reply: Reply, complete: str) -> str:
    return "draft" if reply.partial else complete


async def _typed_lines() -> AsyncIterator[str]:
    async for line in lines():
        yield line.decode(errors="replace")
