"""Discord's life cycle."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from bot.adapters.discord.client import Client
from bot.adapters.discord.commands import Registry
from bot.adapters.discord.config import DiscordConfig
from bot.adapters.discord.discretion import be_discreet
from bot.adapters.discord.errors import sdk_errors
from bot.adapters.discord.incoming import PLATFORM
from bot.adapters.discord.interactions import Interactions
from bot.adapters.discord.sending import Sender
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

TYPING_SECONDS: Final = 8.0
"""Discord shows that somebody types for ten seconds (``Trigger Typing Indicator``)."""

READY_SECONDS: Final = 30.0
TYPING: Final = "/channels/{channel_id}/typing"


class DiscordAdapter:
    """Hears through the gateway and answers through REST."""

    name: Final = PLATFORM
    features: Final = Features(edit_interval=1.2, group_edit_interval=1.2)

    def __init__(self, config: DiscordConfig, host: Host) -> None:
        be_discreet()
        self._config = config
        self._host = host
        self._interactions = Interactions()
        self._registry = Registry(host.data, host.log)
        self._ready = asyncio.Event()
        self._client: discord.Client | None = None
        self._sender: Sender | None = None

    async def run(self, receive: Receive) -> None:
        """Connect and hand over what is said until cancelled."""
        Route.BASE = self._config.api
        client = Client(self._config, self._host, self._interactions, receive)
        try:
            with sdk_errors():
                await client.login(self._config.token.get_secret_value())
                DiscordWebSocket.DEFAULT_GATEWAY = await self._gateway(client)
            await self._offer_commands(client)
            self._client, self._sender = client, Sender(client, self._interactions)
            self._ready.set()
            with sdk_errors():
                await client.listen()
        finally:
            self._ready.clear()
            self._client = self._sender = None
            await client.close()

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Send a reply, once there is a connection."""
        return await (await self._connected()).send(chat, reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Make a sent reply show another one."""
        return await (await self._connected()).edit(sent, reply)

    @asynccontextmanager
    async def working(self, message: Message) -> AsyncIterator[None]:
        """Show that the bot types; an interaction shows that it thinks by itself."""
        if self._interactions.get(message.id) is None:
            typing = asyncio.create_task(self._type(message.chat), name="typing")
            try:
                yield
            finally:
                typing.cancel()
                await asyncio.wait([typing])
            return
        try:
            yield
        finally:
            if self._sender is not None:
                await self._sender.drop_placeholder(message.id)

    async def fetch(self, file: Attachment, most: int) -> bytes:
        """Return what a file holds, once there is a connection."""
        await self._connected()
        if (file.size or 0) > most:
            raise AdapterError(f"a file is larger than {most} bytes")
        if self._client is None or file.id is None:
            raise Unavailable("there is no connection to Discord")
        with sdk_errors():
            return await self._client.http.get_from_cdn(file.id)

    async def is_admin(self, chat: Chat, account: Account) -> bool:
        """Tell whether an account may manage the server of a chat."""
        if chat.private:
            return True
        await self._connected()
        channel = None if self._client is None else self._client.get_channel(int(chat.id))
        guild = getattr(channel, "guild", None)
        if account.anonymous or not isinstance(guild, discord.Guild):
            return False
        with sdk_errors():
            member = guild.get_member(int(account.id)) or await guild.fetch_member(int(account.id))
        return member == guild.owner or member.guild_permissions.manage_guild

    async def _offer_commands(self, client: discord.Client) -> None:
        try:
            await self._registry.sync(client, self._host.commands, self._config.dev_guild)
        except AdapterError as error:
            self._host.log.warning("the slash commands could not be set: %s", error)

    async def _gateway(self, client: discord.Client) -> URL:
        if self._config.gateway_url is not None:
            return URL(self._config.gateway_url)
        return URL((await client.http.request(Route("GET", "/gateway/bot")))["url"])

    async def _type(self, chat: Chat) -> None:
        with suppress(AdapterError):  # nobody misses a sign that fails
            while self._client is not None:
                route = Route("POST", TYPING, channel_id=int(chat.id))
                with sdk_errors():
                    await self._client.http.request(route)
                await asyncio.sleep(TYPING_SECONDS)

    async def _connected(self) -> Sender:
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self._ready.wait()
        except TimeoutError as error:
            raise Unavailable("there is no connection to Discord") from error
        if self._sender is None:
            raise Unavailable("there is no connection to Discord")
        return self._sender
