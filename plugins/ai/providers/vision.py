"""Which models look at pictures."""

import re
from base64 import b64encode
from typing import Final

from plugins.ai.config import Access
from plugins.ai.providers.provider import Image, Turn

LOOKING: Final = re.compile(
    r"(^|[/:.])(gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-[5-9]|chatgpt-4o|o[13](?!-mini)|o4"
    r"|claude-|gemini-|gemma-?3(?!.*\b1b)|llava|bakllava|moondream|minicpm-v|pixtral"
    r"|mistral-(small-3|medium-3)|llama-?3\.2-vision|llama-?4|qwen[\d.]*-?vl|internvl)",
    re.IGNORECASE,
)
"""Names of models that take pictures, by their makers' documentation."""


def looks(access: Access) -> bool:
    """Tell whether a model takes pictures: as configured, or else by its name."""
    if access.images is not None:
        return access.images
    return LOOKING.search(access.model or "") is not None


def shown(turn: Turn, access: Access) -> tuple[Image, ...]:
    """Return the pictures of a turn that its model takes."""
    return turn.images if looks(access) else ()


def base64(image: Image) -> str:
    """Return a picture as text."""
    return b64encode(image.content).decode()
