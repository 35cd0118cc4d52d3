"""Answers to one message, delivered so that neither a crash nor an edit leaves two of them."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import NoReturn

from bot.api import (
    Account,
    Adapter,
    Attachment,
    Chat,
    Features,
    Inbox,
    Message,
    Receive,
    Reply,
    Sent,
)

Begun = Mapping[int, Sequence[str]]
"""What a platform shows already of each answer to a message, by its number from 0."""


class Delivery:
    """A platform as the handlers of one message see it; an `Adapter`.

    What is sent is noted in the inbox. Where the message was begun before, an answer takes the
    place of the one with its number.
    """

    def __init__(self, adapter: Adapter, inbox: Inbox, message: Message, begun: Begun) -> None:
        self.begun = dict(begun)
        self._adapter = adapter
        self._inbox = inbox
        self._message = message
        self._next = 0
        self._numbers: dict[Sequence[str], int] = {}

    @property
    def name(self) -> str:
        """The platform's name."""
        return self._adapter.name

    @property
    def features(self) -> Features:
        """What the platform can do."""
        return self._adapter.features

    async def run(self, receive: Receive) -> NoReturn:
        """Refuse: one message's view of a platform does not run it."""
        raise NotImplementedError

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Send the next answer, over the one that was begun before."""
        number, self._next = self._next, self._next + 1
        ids = self.begun.get(number)
        if ids and self.features.edits:
            sent = await self._adapter.edit(Sent(chat, ids, Reply("")), reply)
        else:
            sent = await self._adapter.send(chat, reply)
        return await self._noted(number, sent, whole=not reply.partial)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Make an answer show another text."""
        number = self._numbers.get(tuple(sent.ids))
        sent = await self._adapter.edit(sent, reply)
        if number is None:
            return sent
        if reply.partial and self.begun.get(number) == tuple(sent.ids):
            return sent
        return await self._noted(number, sent, whole=not reply.partial)

    async def cut(self) -> None:
        """Note that nothing was answered whole, so that the message is handled again."""
        for number, ids in self.begun.items():
            await self._inbox.sent(self._message, number, ids, whole=False)

    def working(self, message: Message) -> AbstractAsyncContextManager[None]:
        """Show that the bot is at work."""
        return self._adapter.working(message)

    async def fetch(self, file: Attachment, most: int) -> bytes:
        """Return what a file holds."""
        return await self._adapter.fetch(file, most)

    async def is_admin(self, chat: Chat, account: Account) -> bool:
        """Tell whether an account administers a chat."""
        return await self._adapter.is_admin(chat, account)

    async def _noted(self, number: int, sent: Sent, *, whole: bool) -> Sent:
        ids = tuple(sent.ids)
        self.begun[number] = ids
        self._numbers[ids] = number
        await self._inbox.sent(self._message, number, ids, whole=whole)
        return sent
