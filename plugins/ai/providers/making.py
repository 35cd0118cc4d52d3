"""From the configuration to a provider."""

from importlib import import_module
from logging import Logger

from plugins.ai.config import AiConfig
from plugins.ai.providers.fallback import Fallback
from plugins.ai.providers.offline import Offline
from plugins.ai.providers.provider import Provider


def make(config: AiConfig, log: Logger) -> Provider:
    """Return the configured provider, with those that answer in its place."""
    first = _one(config)
    if not config.fallback:
        return first
    others = [_one(config.with_access(access)) for access in config.fallback]
    return Fallback([first, *others], log)


def _one(config: AiConfig) -> Provider:
    """Return one provider; only those that speak HTTP load an HTTP client."""
    if config.provider == "offline":
        return Offline()
    streaming = import_module("plugins.ai.providers.streaming")
    dialect = import_module(f"plugins.ai.providers.{config.provider}").DIALECT
    provider: Provider = streaming.Streaming(config, dialect)
    return provider
