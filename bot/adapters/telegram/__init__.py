"""Telegram through the Bot API."""

from typing import Any, Final

from bot.adapters.telegram.config import TelegramConfig
from bot.api import Adapter, ConfigError, Host, Platform

__all__ = ["platform"]

NEEDED: Final = frozenset({"telegram", "telegramify_markdown"})


def _build(config: Any, host: Host) -> Adapter:
    try:
        from bot.adapters.telegram.adapter import TelegramAdapter  # noqa: PLC0415 - the SDK
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        raise ConfigError(
            "platforms.telegram: the parts that talk to Telegram are not installed;"
            " run: pip install 'tertulia[telegram]'"
        ) from error
    return TelegramAdapter(config, host)


platform = Platform("telegram", TelegramConfig, _build)
"""Telegram, by long polling."""
