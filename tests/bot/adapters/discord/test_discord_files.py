"""Files that come with a message are fetched when somebody wants them."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.api import AdapterError, Attachment

OnDiscord = Callable[..., Any]


async def nobody(message: Any) -> None:
    """Hear nothing."""


async def test_a_file_is_fetched_without_the_token(
    discord_server: Any, discord_adapter: OnDiscord, running: OnDiscord
) -> None:
    discord_server.files = {"/attachments/1/a.png": b"picture"}
    file = Attachment("a.png", "image/png", id=f"{discord_server.url}/attachments/1/a.png", size=7)
    talk = discord_adapter()
    async with running(talk.adapter, nobody):
        assert await talk.adapter.fetch(file, 7) == b"picture"
        with pytest.raises(AdapterError, match="larger than 6"):
            await talk.adapter.fetch(file, 6)
        for gone in (Attachment("x", id=f"{discord_server.url}/none"), Attachment("x")):
            with pytest.raises(AdapterError):
                await talk.adapter.fetch(gone, 7)
