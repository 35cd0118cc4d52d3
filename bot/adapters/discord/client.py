"""Discord's events, as they come through the gateway."""

import sys
from datetime import UTC, datetime
from typing import Any, Final

import discord
from discord.http import Route
from yarl import URL

from bot.adapters.discord.config import DiscordConfig
from bot.adapters.discord.errors import sdk_errors
from bot.adapters.discord.incoming import Hearer, Ignored, asked, incoming
from bot.adapters.discord.interactions import Interactions
from bot.api import AdapterError, Host, Message, Receive, Unavailable

LONGEST_WAIT: Final = 60.0
"""Seconds that a request waits where Discord asks to; longer ones fail."""

DEFERRED_MESSAGE: Final = 5
DEFERRED_UPDATE: Final = 6
CALLBACK: Final = "/interactions/{interaction_id}/{interaction_token}/callback"


class Client(discord.Client):
    """Turns the SDK's events into messages; keeps none of them."""

    def __init__(
        self, config: DiscordConfig, host: Host, interactions: Interactions, receive: Receive
    ) -> None:
        intents = discord.Intents(
            guilds=True, messages=True, message_content=config.message_content
        )
        super().__init__(
            intents=intents,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            max_ratelimit_timeout=LONGEST_WAIT,
        )
        self._answer_all = config.answer == "all"
        self._gateway = config.gateway_url
        self._words = {
            command.name: [argument.name for argument in command.arguments]
            for command in host.commands
        }
        self._host = host
        self._interactions = interactions
        self._receive = receive

    async def listen(self) -> None:
        """Connect to the gateway, and again where the connection breaks, until cancelled."""
        try:
            await self.connect()
        except AttributeError as error:
            if self.ws is not None:
                raise
            # discord.py 2.7 falls over its own reconnecting when the first connection fails.
            raise Unavailable("Discord's gateway cannot be reached") from error

    async def on_connect(self) -> None:
        """Go on through the configured gateway; Discord names another one to resume at."""
        if self._gateway is not None:
            self.ws.gateway = URL(self._gateway)

    async def on_message(self, raw: discord.Message) -> None:
        """Hear a message."""
        await self._hear(incoming(raw, self._hearer(raw.guild)))

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Hear an edit; Discord also tells so of links that it looked up itself."""
        if event.message.edited_at is not None:
            await self._hear(incoming(event.message, self._hearer(event.message.guild)))

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Acknowledge a slash command or a button at once, then hear it."""
        found = asked(interaction, self._words, datetime.now(UTC))
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
            metadata=str(interaction.id),  # else the SDK would have each wait for the one before
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
