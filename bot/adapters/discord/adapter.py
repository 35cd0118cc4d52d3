"""Discord's life cycle."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any, Final

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from bot.adapters.discord.commands import Registry
from bot.adapters.discord.config import DiscordConfig
from bot.adapters.discord.discretion import be_discreet
from bot.adapters.discord.errors import sdk_errors
from bot.adapters.discord.incoming import PLATFORM, Hearer, Ignored, asked, incoming
from bot.adapters.discord.interactions import Interactions
from bot.adapters.discord.sending import Sender
from bot.api import (
    Account,
    AdapterError,
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
DEFERRED_MESSAGE: Final = 5
DEFERRED_UPDATE: Final = 6
CALLBACK: Final = "/interactions/{interaction_id}/{interaction_token}/callback"
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
        self._registry = Registry(host.data)
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
                await _connect(client)
        finally:
            self._ready.clear()
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


async def _connect(client: discord.Client) -> None:
    try:
        await client.connect()
    except AttributeError as error:
        if client.ws is not None:
            raise
        # discord.py 2.7 falls over its own reconnecting when the first connection fails.
        raise Unavailable("Discord's gateway cannot be reached") from error


class Client(discord.Client):
    """Turns the SDK's events into messages."""

    def __init__(
        self, config: DiscordConfig, host: Host, interactions: Interactions, receive: Receive
    ) -> None:
        intents = discord.Intents(
            guilds=True, messages=True, message_content=config.message_content
        )
        super().__init__(intents=intents, allowed_mentions=discord.AllowedMentions.none())
        self._answer_all = config.answer == "all"
        self._host = host
        self._interactions = interactions
        self._receive = receive

    async def on_message(self, raw: discord.Message) -> None:
        """Hear a message."""
        await self._hear(incoming(raw, self._hearer(raw.guild)))

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Hear an edit; Discord also tells so of links that it looked up itself."""
        if event.message.edited_at is not None:
            await self._hear(incoming(event.message, self._hearer(event.message.guild)))

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Acknowledge a slash command or a button at once, then hear it."""
        found = asked(interaction, datetime.now(UTC))
        if isinstance(found, Message):
            pressed = interaction.type is discord.InteractionType.component
            kind = DEFERRED_UPDATE if pressed else DEFERRED_MESSAGE
            if await self._acknowledge(interaction, kind):
                self._interactions.add(
                    found.id,
                    interaction.application_id,
                    interaction.token,
                    placeholder=not pressed,
                )
        await self._hear(found)

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """Log what an event met."""
        fault = sys.exception()
        self._host.log.error("an event of Discord failed: %s", event_method, exc_info=fault)

    async def _hear(self, found: Message | Ignored) -> None:
        if isinstance(found, Message):
            await self._receive(found)
        else:
            self._host.count(found.value)

    async def _acknowledge(self, interaction: discord.Interaction[Any], kind: int) -> bool:
        route = Route(
            "POST",
            CALLBACK,
            interaction_id=interaction.id,
            interaction_token=interaction.token,
        )
        try:
            with sdk_errors():
                await self.http.request(route, json={"type": kind})
        except AdapterError as error:
            self._host.log.warning("an interaction was not acknowledged: %s", error)
            return False
        return True

    def _hearer(self, guild: discord.Guild | None) -> Hearer:
        own = None if guild is None else guild.self_role
        bot = 0 if self.user is None else self.user.id
        return Hearer(bot, () if own is None else (own.id,), self._answer_all)
