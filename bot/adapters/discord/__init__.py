"""Discord, through its gateway and REST API."""

from typing import Any, Final

from bot.adapters.discord.config import DiscordConfig
from bot.api import Adapter, ConfigError, Host, Platform

__all__ = ["platform"]

NEEDED: Final = frozenset({"discord", "aiohttp", "yarl"})


def _build(config: Any, host: Host) -> Adapter:
    try:
        from bot.adapters.discord.adapter import DiscordAdapter  # noqa: PLC0415 - the SDK
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        raise ConfigError(
            "platforms.discord: the parts that talk to Discord are not installed;"
            " run: pip install 'tertulia[discord]'"
        ) from error
    return DiscordAdapter(config, host)


platform = Platform("discord", DiscordConfig, _build)
"""Discord: servers, threads and direct messages."""
