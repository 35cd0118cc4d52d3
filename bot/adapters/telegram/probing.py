"""Whether Telegram lets the bot in."""

from telegram import Bot
from telegram.request import HTTPXRequest

from bot.adapters.telegram.config import TelegramConfig
from bot.adapters.telegram.errors import sdk_errors


async def name(config: TelegramConfig) -> str:
    """Return the name by which the bot is known there; `AdapterError` where it is not."""
    async with HTTPXRequest(1) as request:
        token, address = config.token.get_secret_value(), config.address("api")
        bot = Bot(token, address, request=request, get_updates_request=request)
        with sdk_errors():
            return f"@{(await bot.get_me()).username}"
