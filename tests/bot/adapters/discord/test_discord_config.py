"""The options of Discord: what is taken, what is refused and in which words."""

from typing import Any

import pytest
from pydantic import ValidationError

from bot.adapters.discord.config import DiscordConfig


def config(**options: Any) -> DiscordConfig:
    return DiscordConfig.model_validate({"token": "a.b-c", **options})


def test_what_is_taken() -> None:
    made = config(base_url="http://127.0.0.1:8000/", gateway_url="ws://127.0.0.1:8001")
    assert made.api == "http://127.0.0.1:8000/api/v10"
    assert made.gateway_url == "ws://127.0.0.1:8001"
    assert config(dev_guild=1234567890123456789).dev_guild == "1234567890123456789"
    assert (config().answer, config().message_content) == ("addressed", True)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"token": "my secret"}, "one word"),
        ({"token": "mysecrét"}, "one word"),
        ({"token": ""}, "one word"),
        ({"base_url": "discord.com"}, "https://discord.com"),
        ({"base_url": "wss://discord.com"}, "https://discord.com"),
        ({"gateway_url": "https://gateway.discord.gg"}, "wss://"),
        ({"gateway_url": "wss://gateway.discord.gg/?v=9"}, "wss://"),
        ({"dev_guild": "-5"}, "whole number"),
        ({"dev_guild": "my server"}, "whole number"),
        ({"dev_guild": 1.23e18}, "whole number"),
        ({"answer": "some"}, "addressed"),
        ({"guild": "1"}, "not permitted"),
    ],
)
def test_what_is_refused_and_why(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told) as error:
        config(**options)
    assert "secr" not in str(error.value)
