"""Telegram's life cycle."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any, Final

from telegram import Bot, BotCommand
from telegram.constants import ChatAction
from telegram.request import HTTPXRequest

from bot.adapters.telegram.config import TelegramConfig
from bot.adapters.telegram.errors import sdk_errors
from bot.adapters.telegram.incoming import PLATFORM, UNREADABLE, Ignored, Moved, incoming
from bot.adapters.telegram.outgoing import languages, menu
from bot.adapters.telegram.polling import Polling, Update
from bot.adapters.telegram.sending import Sender
from bot.adapters.telegram.speech import Hearer
from bot.api import (
    Account,
    AdapterError,
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

TYPING_SECONDS: Final = 4.5
"""Telegram shows that somebody types for five seconds (Bot API, ``sendChatAction``)."""

SDK_TYPES: Final = ("PTB_TIMEDELTA", "true")
"""Takes the SDK's times as timedeltas, which it will have for all and warns of until then."""

READY_SECONDS: Final = 30.0
CONNECTIONS: Final = 32
ADMINS: Final = ("creator", "administrator")


class TelegramAdapter:
    """Talks through the Bot API: polls for updates, sends replies."""

    name: Final = PLATFORM
    features: Final = Features(edit_interval=1.0, group_edit_interval=3.0)

    def __init__(self, config: TelegramConfig, host: Host) -> None:
        os.environ.setdefault(*SDK_TYPES)
        self._config = config
        self._host = host
        self._bot = Bot(
            config.token.get_secret_value(),
            config.address("api"),
            config.address("file"),
            request=HTTPXRequest(CONNECTIONS, read_timeout=20, pool_timeout=20),
        )
        self._sender = Sender(self._bot, host.moved)
        self._polling = Polling(config, self._degraded)
        self._ready = asyncio.Event()

    async def run(self, receive: Receive) -> None:
        """Poll for updates and hand them over until cancelled."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._bot.shutdown)
            with sdk_errors():
                await self._bot.initialize()
                await self._bot.delete_webhook()
            await self._offer_menu()
            request = await stack.enter_async_context(HTTPXRequest(1))
            self._ready.set()
            stack.callback(self._ready.clear)
            hearer = self._hearer()
            async for updates in self._polling.batches(request):
                # Together, so that they share the store's transactions; they begin in their order.
                await asyncio.gather(*(self._take(update, hearer, receive) for update in updates))

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Send a reply, once there is a connection."""
        await self._connected()
        return await self._sender.send(chat, reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Make a sent reply show another one."""
        await self._connected()
        return await self._sender.edit(sent, reply)

    @asynccontextmanager
    async def working(self, message: Message) -> AsyncIterator[None]:
        """Show that the bot types."""
        typing = asyncio.create_task(self._type(message.chat), name="typing")
        try:
            yield
        finally:
            typing.cancel()
            await asyncio.wait([typing])

    async def fetch(self, file: Attachment, most: int) -> bytes:
        """Return what a file holds, once there is a connection."""
        await self._connected()
        with sdk_errors():
            found = await self._bot.get_file(file.id or "")
            if (found.file_size or 0) > most:
                raise AdapterError(f"a file is larger than {most} bytes")
            content = bytes(await found.download_as_bytearray())
        if len(content) > most:
            raise AdapterError(f"a file is larger than {most} bytes")
        return content

    async def is_admin(self, chat: Chat, account: Account) -> bool:
        """Tell whether an account administers a chat; who speaks as the group itself does."""
        if chat.private or account.id == chat.id:
            return True
        if account.anonymous:
            return False
        with sdk_errors():
            member = await self._bot.get_chat_member(int(chat.id), int(account.id))
        return member.status in ADMINS

    def _hearer(self) -> Hearer:
        return Hearer(
            self._bot.id,
            f"@{self._bot.username}".lower(),
            answer_all=self._config.answer == "all",
            caption_commands=self._config.caption_commands,
        )

    async def _take(self, update: Update, hearer: Hearer, receive: Receive) -> None:
        if (pressed := update.get("callback_query")) is not None:
            await self._acknowledge(pressed)
        try:
            found = incoming(update, hearer, datetime.now(UTC))
        except UNREADABLE as error:
            self._host.count("ignored: an update that cannot be read")
            self._host.log.warning("an update cannot be read (%s)", type(error).__name__)
            return
        match found:
            case Message():
                await receive(found)
            case Moved(old, new):
                await self._host.moved(old, new)
            case Ignored():
                self._host.count(found.value)

    async def _acknowledge(self, pressed: Any) -> None:
        """End the sign of waiting on a button."""
        try:
            with sdk_errors():
                await self._bot.answer_callback_query(str(pressed["id"]))
        except (AdapterError, KeyError) as error:
            self._host.log.debug("a button's press was not acknowledged: %s", error)

    async def _type(self, chat: Chat) -> None:
        thread = None if chat.thread is None else int(chat.thread)
        with suppress(AdapterError):  # nobody misses a sign that fails
            while True:
                with sdk_errors():
                    await self._bot.send_chat_action(
                        int(chat.id), ChatAction.TYPING, message_thread_id=thread
                    )
                await asyncio.sleep(TYPING_SECONDS)

    async def _offer_menu(self) -> None:
        """Set the menu of commands in each language where it has changed."""
        try:
            for code, tag in [(None, None), *languages(self._host.commands).items()]:
                wanted = [BotCommand(*item) for item in menu(self._host.commands, tag)]
                with sdk_errors():
                    if tuple(wanted) != await self._bot.get_my_commands(language_code=code):
                        await self._bot.set_my_commands(wanted, language_code=code)
        except AdapterError as error:
            self._host.log.warning("the menu of commands could not be set: %s", error)

    async def _connected(self) -> None:
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self._ready.wait()
        except TimeoutError as error:
            raise Unavailable("there is no connection to Telegram") from error

    def _degraded(self, problem: str | None) -> None:
        if problem is not None:
            self._host.log.warning("%s", problem)
        self._host.degraded(problem)
