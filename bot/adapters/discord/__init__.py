"""Discord, through its gateway and REST API."""

from importlib import import_module
from typing import Any, Final

from bot.adapters.discord.config import DiscordConfig
from bot.api import Adapter, ConfigError, Host, Platform

__all__ = ["platform"]

NEEDED: Final = frozenset({"discord", "aiohttp", "yarl"})


def _part(module: str) -> Any:
    """Return a module that imports the SDK."""
    try:
        return import_module(f"bot.adapters.discord.{module}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in NEEDED:
            raise
        raise ConfigError(
            "platforms.discord: the parts that talk to Discord are not installed;"
            " run: pip install 'tertulia[discord]'"
        ) from error


def _build(config: Any, host: Host) -> Adapter:
    adapter: Adapter = _part("adapter").DiscordAdapter(config, host)
    return adapter


async def _probe(config: Any) -> str:
    name: str = await _part("probing").name(config)
    return name


platform = Platform("discord", DiscordConfig, _build, _probe)
"""Discord: servers, threads and direct messages."""
