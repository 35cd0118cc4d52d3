from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from plugins.ai import plugin
from plugins.ai.config import AiConfig

KEYED = {"provider": "openai", "model": "m", "api_key": "sk-secret-1"}


def test_nothing_configured_is_offline() -> None:
    config = AiConfig()
    assert (config.provider, config.rag, config.retries) == ("offline", None, 2)
    assert config.history.window == 16_000


def test_the_designs_block() -> None:
    config = AiConfig.model_validate(
        {
            **KEYED,
            "base_url": "https://api.openai.com/v1/",
            "history": {"window": 8000},
            "rag": {"retriever": "docs", "append_sources": True, "timeout": "1m"},
        }
    )
    assert config.base_url == "https://api.openai.com/v1"
    assert config.rag is not None
    assert config.rag.timeout == timedelta(minutes=1)
    assert plugin.needs is not None
    assert plugin.needs(config) == ["docs"]
    assert plugin.needs(AiConfig()) == []


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ({"provider": "clippy"}, "'offline'"),
        ({"provider": "openai"}, "`model`"),
        ({"provider": "openai", "model": "m"}, "`api_key`"),
        ({"base_url": "api.openai.com"}, "whole URL"),
        ({"base_url": "ftp://host/v1"}, "whole URL"),
        ({"base_url": "http://models.example/v1"}, "https://"),
        ({"base_url": "http://127.0.0.1.evil.example"}, "https://"),
        ({"base_url": "https://user:pass@host/v1"}, "api_key"),
        ({"base_url": "https://host/v1?key=abc"}, "api_key"),
        ({**KEYED, "api_key": "sk-ключ"}, "copy it again"),
        ({**KEYED, "api_key": "sk-a\nX-Evil: 1"}, "copy it again"),
        ({"retries": 6}, "less than or equal to 5"),
        ({"rag": {"timeout": "0s"}}, "greater than"),
        ({"rag": {"timeout": 10}}, "a number and a unit"),
        ({"http": {"proxy": "ftp://x"}}, "pattern"),
        ({"temprature": 1}, "Extra inputs"),
    ],
)
def test_faults_are_told(block: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        AiConfig.model_validate(block)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8080/v1", "http://127.0.0.1:1", "http://[::1]:1/v1", "http://127.8.8.8"],
)
def test_plain_http_is_for_this_machine(url: str) -> None:
    assert AiConfig.model_validate({**KEYED, "base_url": url}).base_url == url


def test_a_server_of_ones_own_needs_no_key() -> None:
    AiConfig.model_validate({"provider": "openai", "model": "m", "base_url": "http://localhost:1"})


def test_the_key_is_not_shown() -> None:
    config = AiConfig.model_validate({**KEYED, "api_key": " sk-secret-1 \n"})
    assert config.api_key.get_secret_value() == "sk-secret-1"
    assert "sk-secret" not in repr(config)
