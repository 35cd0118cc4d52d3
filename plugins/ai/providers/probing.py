"""Whether the configured models answer."""

from collections.abc import Mapping
from contextlib import aclosing
from functools import partial
from logging import getLogger

from bot.api import Probe, Role
from plugins.ai.config import AiConfig, extracting
from plugins.ai.providers.making import make
from plugins.ai.providers.provider import Request, Turn

GREETING = Request("", [Turn(Role.USER, "Say OK.")])


def probes(config: AiConfig) -> Mapping[str, Probe]:
    """Return a probe for each model that the configuration names."""
    accesses = (config, *config.fallback)
    models = {a.label: config.with_access(a) for a in accesses if a.provider != "offline"}
    if config.remembering is not None and config.remembering.extracting is not None:
        models.setdefault(extracting(config).label, extracting(config))
    return {
        label: partial(_answers, model.model_copy(update={"fallback": ()}))
        for label, model in models.items()
    }


async def _answers(config: AiConfig) -> str:
    """Ask for a word, and go once something of an answer comes; `ProviderError` otherwise."""
    provider = make(config, getLogger(__name__))
    try:
        async with aclosing(provider.stream(GREETING)) as events:
            async for _ in events:
                break
    finally:
        await provider.close()
    return ""
