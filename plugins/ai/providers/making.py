"""From the configuration to a provider."""

from plugins.ai.config import AiConfig
from plugins.ai.providers.offline import Offline
from plugins.ai.providers.provider import Provider


def make(config: AiConfig) -> Provider:
    """Return the configured provider; only one that speaks HTTP loads an HTTP client."""
    if config.provider == "offline":
        return Offline()
    from plugins.ai.providers.openai import OpenAi  # noqa: PLC0415 - see above

    return OpenAi(config)
