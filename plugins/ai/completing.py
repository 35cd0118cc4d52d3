"""The configured model for other programs: a text with its JSON Schema in, JSON out."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from logging import getLogger

from bot.api import Complete, ConfigError, Json, Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.making import make
from plugins.ai.providers.provider import Request, Turn
from plugins.ai.providers.whole import whole


@asynccontextmanager
async def completing(config: AiConfig) -> AsyncIterator[Complete]:
    """Yield what asks the model; `ConfigError` where there is none."""
    if config.provider == "offline":
        raise ConfigError("plugins.ai.provider: this needs a model; offline has none")
    provider = make(config, getLogger(__name__))

    async def complete(instructions: str, asked: str, schema: Mapping[str, Json]) -> str:
        request = Request(instructions, [Turn(Role.USER, asked)], schema=schema)
        return (await whole(provider, request)).text

    try:
        yield complete
    finally:
        await provider.close()
