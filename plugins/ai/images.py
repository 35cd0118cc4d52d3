"""The pictures that come with a message, for models that take them."""

import asyncio
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from bot.api import Context
from plugins.ai.providers.provider import Image

MOST: Final = 4
"""How many pictures of a message a model is shown."""

LARGEST: Final = 5 << 20
"""In bytes: what each provider takes (Anthropic's is the lowest limit of a picture)."""

SECONDS: Final = 30.0

MAGIC: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


async def images(context: Context[Any]) -> Sequence[Image]:
    """Return a message's pictures; `AdapterError` or TimeoutError where one cannot be had."""
    files = [
        file
        for file in context.message.attachments
        if file.media_type.startswith("image/") and (file.size or 0) <= LARGEST
    ]
    async with asyncio.timeout(SECONDS):
        found = [await context.fetch(file, LARGEST) for file in islice(files, MOST)]
    return [Image(kind, content) for content in found if (kind := kind_of(content)) is not None]


def kind_of(content: bytes) -> str | None:
    """Return the media type of a picture's bytes, None for what no model takes."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in MAGIC if content.startswith(magic)), None)
