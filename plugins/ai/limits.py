"""How much the models take that are known by name."""

import re
from collections.abc import Iterator
from typing import Final

from plugins.ai.config import AiConfig

SHARE: Final = 0.95
KNOWN: Final = (
    (r"gpt-4\.1", 1_047_576),
    (r"gpt-5", 400_000),
    (r"gpt-4o|chatgpt-4o|gpt-4-turbo|o1-mini", 128_000),
    (r"o[134]", 200_000),
    (r"gpt-4", 8_192),
    (r"gpt-3\.5-turbo", 16_385),
    (r"claude-", 200_000),
    (r"gemini-", 1_048_576),
    (r"deepseek-(chat|reasoner)", 128_000),
    (r"llama-?3\.[123]", 131_072),
    (r"llama-?3", 8_192),
    (r"mistral-(small|medium|large)", 128_000),
    (r"qwen-?2\.5|qwen-?3", 32_768),
    (r"gemma-?3", 131_072),
    (r"smollm2", 8_192),
)
"""Names of models, the first that fits, with their context windows as their makers give them."""


def limit(model: str) -> int | None:
    """Return the tokens that a model takes with its answer, None where that is not known."""
    name = model.lower().rpartition("/")[2]
    return next((size for pattern, size in KNOWN if re.match(pattern, name)), None)


def warnings(config: AiConfig) -> Iterator[str]:
    """Yield a line for each model that the window of the history leaves no room in."""
    for access in (config, *config.fallback):
        most = limit(access.model or "")
        if most is not None and config.history.window > SHARE * most:
            yield (
                f"history.window ({config.history.window}) is over 95 % of what the model"
                f" {access.model} takes ({most} tokens); set it to {int(SHARE * most)} or less"
            )
