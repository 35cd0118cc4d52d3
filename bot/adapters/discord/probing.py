"""Whether Discord lets the bot in."""

import discord
from discord.http import Route

from bot.adapters.discord.config import DiscordConfig
from bot.adapters.discord.discretion import be_discreet
from bot.adapters.discord.errors import sdk_errors


async def name(config: DiscordConfig) -> str:
    """Return the name by which the bot is known there; `AdapterError` where it is not."""
    be_discreet()
    Route.BASE = config.api
    client = discord.Client(intents=discord.Intents.none())
    try:
        with sdk_errors():
            await client.login(config.token.get_secret_value())
        return str(client.user)
    finally:
        await client.close()
