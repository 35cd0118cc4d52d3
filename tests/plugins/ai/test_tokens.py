"""How long a conversation is: estimates, a provider's counts, and what a model takes."""

import logging
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import Entry, Role
from plugins.ai import tokens
from plugins.ai.config import AiConfig
from plugins.ai.limits import limit, warnings
from plugins.ai.tokens import calibrated, estimate, guess
from plugins.ai.window import begin

texts = st.text(st.sampled_from("ab 你好\n"), max_size=80)


def told(said: Sequence[str]) -> list[Entry]:
    roles = (Role.USER, Role.ASSISTANT)
    return [
        Entry(roles[n % 2], {"text": text}, "ana", estimate(text)) for n, text in enumerate(said)
    ]


@given(st.lists(texts, max_size=30), st.integers(0, 400), st.integers(0, 400))
def test_adding_up_after_two_trims_equals_a_recount(
    said: list[str], first: int, second: int
) -> None:
    entries = told(said)
    total = sum(entry.tokens for entry in entries)
    for budget in (first, second):
        cut = begin(entries, budget)
        total -= sum(entry.tokens for entry in entries[:cut])
        entries = entries[cut:]
        contents: list[Any] = [entry.content for entry in entries]
        recount = sum(estimate(content["text"]) for content in contents)
        assert total == recount
        assert total <= budget


@pytest.mark.parametrize(
    ("counted", "estimated", "window"),
    [(100, 100, 1000), (125, 100, 800), (900, 100, 500), (50, 100, 1000), (0, 0, 1000)],
)
def test_a_window_follows_the_providers_count(counted: int, estimated: int, window: int) -> None:
    assert calibrated(1000, counted, estimated) == window


async def test_a_count_above_the_estimate_shortens_what_is_sent(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    def usage(prompt: int) -> dict[str, Any]:
        return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": 5}}

    word = "word " * 120
    sizes = {}
    for factor in (1.0, 1.5):
        server.asked.clear()
        async with chatting(model=True, block={"history": {"window": 3000}}) as bot:
            for _ in range(25):
                last = 0 if not server.asked else _estimated(server.asked[-1].body)
                server.script = [answered([sse("Yes.", usage(int(last * factor)))])]
                await bot.say(word)
            sizes[factor] = _estimated(server.asked[-1].body)
            entries: Any = await bot.store.messages.latest("test:ana", 1)
            assert entries[0].content["checkpoint"][0] > 0
    assert sizes[1.0] <= 3000
    assert sizes[1.5] <= 3000 / 1.3


def _estimated(body: Any) -> int:
    return sum(estimate(str(message["content"])) for message in body["messages"])


async def test_a_count_of_a_stand_in_or_of_a_picture_is_no_checkpoint(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    used = {"choices": [], "usage": {"prompt_tokens": 900, "completion_tokens": 5}}
    down = answered([b"{}"], status="503 Service Unavailable")
    server.script = [down, answered([sse("Yes.", used)])]
    other = {"provider": "openai", "base_url": server.url, "model": "n", "api_key": "k"}
    async with chatting(model=True, block={"fallback": [other]}) as bot:
        await bot.say("hi")
        entries: Any = await bot.store.messages.latest("test:ana", 1)
        assert "checkpoint" not in entries[0].content


@pytest.mark.parametrize(
    ("model", "most"),
    [
        ("gpt-4o-mini", 128_000),
        ("gpt-4.1-nano", 1_047_576),
        ("openai/gpt-5-mini", 400_000),
        ("gpt-4", 8_192),
        ("claude-sonnet-4-5", 200_000),
        ("gemini-2.5-flash", 1_048_576),
        ("llama3.2:3b", 131_072),
        ("llama3", 8_192),
        ("my-own", None),
    ],
)
def test_what_a_model_takes_is_known_by_its_name(model: str, most: int | None) -> None:
    assert limit(model) == most


async def test_a_window_that_leaves_no_room_is_warned_of(
    chatting: Any, caplog: pytest.LogCaptureFixture
) -> None:
    block = {"provider": "openai", "model": "gpt-4", "api_key": "k", "history": {"window": 7782}}
    assert list(warnings(AiConfig.model_validate(block))) == []
    block["history"] = {"window": 7783}
    (line,) = warnings(AiConfig.model_validate(block))
    assert "set it to 7782 or less" in line
    with caplog.at_level(logging.WARNING, "plugins.ai"):
        async with chatting(block=block):
            assert line in caplog.text


def test_a_tokenizer_counts_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    encoding = SimpleNamespace(encode_ordinary=str.split)
    module = SimpleNamespace(get_encoding=lambda name: encoding)
    monkeypatch.setitem(sys.modules, "bpe_openai", module)
    tokens._counter.cache_clear()
    try:
        assert estimate("three words here") == tokens.PER_TURN + 3
        assert estimate("a lone \ud800") == tokens.PER_TURN + 3
    finally:
        tokens._counter.cache_clear()


@pytest.mark.parametrize(
    "text", ["The quick brown fox jumps over it. " * 20, "你好世界，我们走吧。" * 20]
)
def test_the_guess_is_near_a_tokenizers_count(text: str) -> None:
    encoding = pytest.importorskip("bpe_openai").get_encoding(tokens.ENCODING)
    assert 0.6 < guess(text) / len(encoding.encode_ordinary(text)) < 1.7
