"""What a handler gets with one message."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from bot.api.adapter import Adapter
from bot.api.draft import Draft
from bot.api.messages import Account, Attachment, Button, Message, Reply, Sent
from bot.api.offers import Tools
from bot.api.store import Document, Documents, Json, Person, Store, chat_scope, person_scope
from bot.api.text import Translator

State = TypeVar("State")
Other = TypeVar("Other")


class Following(Protocol):
    """The messages of a chat that wait while one is handled."""

    async def arrived(self) -> None:
        """Return when another one comes."""
        ...

    @property
    def waiting(self) -> Sequence[Message]:
        """Those that wait, in order."""
        ...

    def take(self, fits: Callable[[Message], bool]) -> Sequence[Message]:
        """Take those that fit: they are handled with the present one, and not once more."""
        ...


class Nothing:
    """No message follows, and none ever comes."""

    waiting: Sequence[Message] = ()

    async def arrived(self) -> None:
        """Wait for ever."""
        await asyncio.Event().wait()

    def take(self, fits: Callable[[Message], bool]) -> Sequence[Message]:  # noqa: ARG002
        """Return none."""
        return ()


class Drawer:
    """One plugin's documents of one person or chat.

    Of nobody (an anonymous admin, a channel) reads find nothing and writes are not kept.
    """

    def __init__(
        self, documents: Documents, scope: str | None, namespace: str, epoch: int | None = None
    ) -> None:
        self.scope = scope
        self.namespace = namespace
        self._documents = documents
        self._epoch = epoch

    async def get(self, key: str) -> Json:
        """Return the value, None where there is none."""
        if self.scope is None:
            return None
        found = await self._documents.get(self.scope, self.namespace, key)
        return None if found is None else found.value

    async def put(
        self, key: str, value: Json, *, tag: str | None = None, expires: datetime | None = None
    ) -> None:
        """Write the value."""
        if self.scope is not None:
            await self._documents.put(
                self.scope,
                self.namespace,
                key,
                value,
                tag=tag,
                expires=expires,
                epoch=self._epoch,
            )

    async def update(self, key: str, change: Callable[[Json], Json]) -> Json:
        """Write what ``change`` makes of the present value, atomically, and return it."""
        if self.scope is None:
            return None
        made = await self._documents.update(
            self.scope, self.namespace, key, change, epoch=self._epoch
        )
        return None if made is None else made.value

    async def delete(self, key: str) -> bool:
        """Delete the value; tell whether there was one."""
        if self.scope is None:
            return False
        return await self._documents.delete(self.scope, self.namespace, key, epoch=self._epoch)

    async def scan(self, tag: str | None = None) -> Sequence[Document]:
        """Return the documents, oldest first."""
        if self.scope is None:
            return ()
        return await self._documents.scan(self.namespace, scope=self.scope, tag=tag)


class Context(Generic[State]):
    """One message and all that a handler needs to answer it.

    ``person`` is the canonical sender, None for nobody (an anonymous admin, a channel).
    ``language`` is the one to answer in. ``id`` stands in the log lines about this message.
    ``keeps`` is False where what is written now is forgotten with the process, by wish.
    ``following`` are the messages of the chat that wait until this one is answered.
    """

    __slots__ = (
        "_adapter",
        "_translator",
        "following",
        "id",
        "keeps",
        "language",
        "message",
        "person",
        "plugin",
        "state",
        "store",
        "tools",
    )

    def __init__(  # noqa: PLR0913 - made in one place, the dispatcher
        self,
        message: Message,
        person: Person | None,
        adapter: Adapter,
        translator: Translator,
        *,
        language: str,
        id: str,  # noqa: A002 - the field's name
        plugin: str,
        state: State,
        store: Store,
        tools: Tools,
        keeps: bool = True,
        following: Following | None = None,
    ) -> None:
        self.message = message
        self.person = person
        self.language = language
        self.id = id
        self.plugin = plugin
        self.state = state
        self.store = store
        self.tools = tools
        self.keeps = keeps
        self.following = following or Nothing()
        self._adapter = adapter
        self._translator = translator

    def of(self, plugin: str, state: Other) -> "Context[Other]":
        """Return the context of the same message for another plugin."""
        return Context(
            self.message,
            self.person,
            self._adapter,
            self._translator,
            language=self.language,
            id=self.id,
            plugin=plugin,
            state=state,
            store=self.store,
            tools=self.tools,
            keeps=self.keeps,
            following=self.following,
        )

    @property
    def sender(self) -> str | None:
        """The person's id, None for nobody."""
        return None if self.person is None else self.person.id

    @property
    def chat(self) -> str:
        """The key of the chat."""
        return self.message.chat.key

    @property
    def private(self) -> bool:
        """Whether only the sender reads the answer."""
        return self.message.chat.private

    @property
    def arguments(self) -> str:
        """What stands behind the command's name."""
        return "" if self.message.command is None else self.message.command.arguments

    @property
    def user(self) -> Drawer:
        """The plugin's documents of the person."""
        if self.person is None:
            return Drawer(self.store.documents, None, self.plugin)
        return Drawer(
            self.store.documents,
            person_scope(self.person.id),
            self.plugin,
            self.person.epoch,
        )

    @property
    def room(self) -> Drawer:
        """The plugin's documents of the chat."""
        return Drawer(self.store.documents, chat_scope(self.chat), self.plugin)

    async def reply(
        self,
        text: str,
        *,
        buttons: Sequence[Button] = (),
        attachments: Sequence[Attachment] = (),
    ) -> Sent:
        """Answer the message."""
        reply = Reply(text, tuple(attachments), tuple(buttons), reply_to=self.message.id)
        return await self._adapter.send(self.message.chat, reply)

    def draft(self) -> Draft:
        """Begin an answer that grows."""
        return Draft(self._adapter, self.message.chat, reply_to=self.message.id)

    async def fetch(self, file: Attachment, most: int) -> bytes:
        """Return what a file of the message holds; `AdapterError` where it is over ``most``."""
        return await self._adapter.fetch(file, most)

    async def is_admin(self, account: Account | None = None) -> bool:
        """Tell whether the sender, or another, administers the chat; everybody does in private."""
        return await self._adapter.is_admin(self.message.chat, account or self.message.sender)

    def gettext(self, message: str) -> str:
        """Return a message in the language of the answer."""
        return self._translator.gettext(message)

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        """Return a message in the language of the answer, in the form for ``count``."""
        return self._translator.ngettext(singular, plural, count)
