"""A bot in a test: real dispatch, store and languages, and a platform that only remembers."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from bot.api import (
    Account,
    AdapterError,
    Attachment,
    Chat,
    ChatKind,
    Command,
    Features,
    Message,
    Plugin,
    Quote,
    Receive,
    Reply,
    Sent,
    Store,
)
from bot.dispatch import Dispatcher, Limits
from bot.i18n import Languages
from bot.runtime import Runtime, utc_now
from bot.store import open_store

PLATFORM: Final = "test"


@dataclass(slots=True)
class RememberingAdapter:
    """Keeps what the bot sends: ``shown`` holds the present reply of each message by its id.

    ``before_send`` is called with each reply before it is taken, and may raise.
    """

    name: str = PLATFORM
    features: Features = field(default_factory=lambda: Features(edit_interval=0.0))
    shown: dict[str, Reply] = field(default_factory=dict)
    chats: dict[str, str] = field(default_factory=dict)
    history: list[Reply] = field(default_factory=list)
    admins: set[str] = field(default_factory=set)
    working_on: list[str] = field(default_factory=list)
    before_send: Callable[[Reply], None] = lambda _: None

    async def run(self, receive: Receive) -> None:  # noqa: ARG002 - messages come from `Bot.say`
        """Do nothing until cancelled."""
        await asyncio.Event().wait()

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Remember a reply."""
        self.before_send(reply)
        message_id = f"sent-{len(self.shown) + 1}"
        self.shown[message_id] = reply
        self.chats[message_id] = chat.key
        self.history.append(reply)
        return Sent(chat, (message_id,), reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Remember a change."""
        self.before_send(reply)
        self.shown[sent.ids[0]] = reply
        self.history.append(reply)
        return replace(sent, reply=reply)

    @asynccontextmanager
    async def working(self, message: Message) -> AsyncIterator[None]:
        """Remember what is worked on while it is."""
        self.working_on.append(message.id)
        try:
            yield
        finally:
            self.working_on.remove(message.id)

    async def fetch(self, file: Attachment, most: int) -> bytes:
        """Return a file's content, where it came with one of at most so many bytes."""
        if file.content is None or len(file.content) > most:
            raise AdapterError("there is no such file")
        return file.content

    async def is_admin(self, chat: Chat, account: Account) -> bool:
        """Tell whether the account's id is among ``admins``, or the chat private."""
        return chat.private or account.id in self.admins


@dataclass(slots=True)
class Bot:
    """The bot under test."""

    dispatcher: Dispatcher
    runtime: Runtime
    adapter: RememberingAdapter
    said: int = 0

    @property
    def store(self) -> Store:
        """What the bot keeps."""
        return self.runtime.store

    async def say(self, text: str, **options: Any) -> list[Reply]:
        """Say something as `message` makes it, wait for all that follows, return the replies."""
        before = len(self.adapter.shown)
        await self.dispatcher.receive(self.message(text, **options))
        await self.settle()
        return list(self.adapter.shown.values())[before:]

    async def settle(self) -> None:
        """Wait until nothing is handled and nothing runs in the background."""
        await self.dispatcher.drain()
        await self.runtime.idle()

    def message(  # noqa: PLR0913 - what tests vary
        self,
        text: str,
        *,
        sender: str = "ana",
        chat: str | None = None,
        kind: ChatKind = ChatKind.PRIVATE,
        language: str | None = "en",
        addressed: bool | None = None,
        reply_to: Quote | None = None,
        forwarded: str | None = None,
        is_bot: bool = False,
        anonymous: bool = False,
        name: str | None = None,
        message_id: str | None = None,
        edited: bool = False,
        attachments: Sequence[Attachment] = (),
    ) -> Message:
        """Return a message; by default in the sender's private chat, ``/word`` as a command."""
        self.said += 1
        return Message(
            message_id or str(self.said),
            Chat(PLATFORM, chat or sender, kind),
            Account(PLATFORM, sender, name or sender, language, is_bot, anonymous),
            text,
            datetime.now(UTC),
            addressed=kind is ChatKind.PRIVATE if addressed is None else addressed,
            command=_command(text),
            reply_to=reply_to,
            attachments=tuple(attachments),
            forwarded=forwarded,
            edited=edited,
            update=uuid4().hex,
        )


@asynccontextmanager
async def talking_to(  # noqa: PLR0913 - what tests vary
    *plugins: Plugin[Any],
    config: Mapping[str, Any] | None = None,
    language: str = "en",
    store: Store | None = None,
    clock: Callable[[], datetime] = utc_now,
    limits: Limits | None = None,
    adapter: RememberingAdapter | None = None,
) -> AsyncIterator[Bot]:
    """Run a bot of these plugins and yield it; ``config`` holds a plain block for each by name."""
    blocks = config or {}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        runtime = Runtime(
            [(plugin, _validated(plugin, blocks.get(plugin.name, {}), data)) for plugin in plugins],
            store or await open_store("memory", data, clock=clock),
            Languages(language),
            data,
            clock=clock,
            limits=limits or Limits(),
        )
        platform = adapter or RememberingAdapter()
        runtime.adapters[PLATFORM] = platform
        async with runtime.started() as dispatcher:
            yield Bot(dispatcher, runtime, platform)
        if store is None:
            await runtime.store.close()


def _validated(plugin: Plugin[Any], block: Mapping[str, Any], folder: Path) -> Any:
    if plugin.config is None:
        return None
    return plugin.config.model_validate(block, context={"folder": folder})


def _command(text: str) -> Command | None:
    if not text.startswith("/"):
        return None
    name, _, arguments = text[1:].partition(" ")
    return Command(name, arguments.strip())
