"""Telegram through the Bot API."""

from importlib import import_module
from typing import Any, Final

from bot.adapters.telegram.config import TelegramConfig
from bot.api import Adapter, ConfigError, Host, Platform

__all__ = ["platform"]

NEEDED: Final = frozenset({"telegram", "telegramify_markdown"})


def _part(module: str) -> Any:
    """Return a module that imports the SDK."""
    try:
        return import_module(f"bot.adapters.telegram.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        raise ConfigError(
            "platforms.telegram: the parts that talk to Telegram are not installed;"
            " run: pip install 'tertulia[telegram]'"
        ) from error


def _build(config: Any, host: Host) -> Adapter:
    adapter: Adapter = _part("adapter").TelegramAdapter(config, host)
    return adapter


async def _probe(config: Any) -> str:
    name: str = await _part("probing").name(config)
    return name


platform = Platform("telegram", TelegramConfig, _build, _probe)
"""Telegram, by long polling."""
