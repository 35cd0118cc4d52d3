from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from plugins.ai.config import AiConfig, extracting
from plugins.ai.memory import MemoryConfig

MODEL = {"provider": "openai", "model": "m", "api_key": "sk-key"}


def not_tea(text: str) -> bool:
    return "tea" not in text


async def asynchronous(text: str) -> bool:
    return True


def test_true_means_the_defaults() -> None:
    options = AiConfig.model_validate({"memory": True}).remembering
    assert options == MemoryConfig()
    assert options is not None
    assert (options.max_facts, options.max_fact_length, options.select) == (50, 300, "relevant")
    assert (options.inject, options.inject_in_groups, options.review) == (True, False, "auto")
    assert (options.ttl, options.pending_ttl) == (None, timedelta(days=7))
    assert (options.extracting, options.typed, options.namespace) == (None, False, "ai.memory")


@pytest.mark.parametrize("block", [{}, {"memory": False}])
def test_it_is_off_unless_it_is_on(block: dict[str, Any]) -> None:
    assert AiConfig.model_validate(block).remembering is None


def test_the_designs_block() -> None:
    memory = {
        "max_facts": 50,
        "ttl": "90d",
        "review": "auto",
        "auto_extract": True,
        "inject_in_groups": False,
    }
    options = AiConfig.model_validate({**MODEL, "memory": memory}).remembering
    assert options is not None
    assert options.ttl == timedelta(days=90)
    assert options.extracting is not None
    assert options.extracting.max_facts_per_turn == 5


@pytest.mark.parametrize(
    ("memory", "told"),
    [
        ({"type": "per-chat"}, "per-user"),
        ({"max_facts": 0}, "greater than or equal to 1"),
        ({"ttl": "0s"}, "longer than no time"),
        ({"ttl": 30}, "a number and a unit"),
        ({"ttl": "soon"}, "a number and a unit"),
        ({"ttl": "200000d"}, "36500d at the most"),
        ({"pending_ttl": "0d"}, "longer than no time"),
        ({"max_fact_length": 1}, "greater than or equal to 10"),
        ({"inject_in_groups": "some"}, "all"),
        ({"select": "best"}, "relevant"),
        ({"review": "ask"}, "required"),
        ({"max_inject_chars": 200}, "max_fact_length"),
        ({"types": ["fact"]}, "need `typed: true`"),
        ({"min_confidence": 0.5}, "need `typed: true`"),
        ({"typed": True, "types": []}, "at least 1"),
        ({"typed": True, "types": ["mood"]}, "preference"),
        ({"typed": True, "min_confidence": 1.5}, "less than or equal to 1"),
        ({"namespace": ""}, "pattern"),
        ({"namespace": "No spaces"}, "pattern"),
        ({"auto_extract": {"max_facts_per_turn": 0}}, "greater than or equal to 1"),
        ({"auto_extract": {"filter": "nothing"}}, "module:function"),
        ({"auto_extract": {"filter": "no.such.module:f"}}, "cannot be imported"),
        ({"auto_extract": {"filter": "json:nothing"}}, "no plain function"),
        ({"auto_extract": {"filter": f"{__name__}:asynchronous"}}, "no plain function"),
        ({"auto_extract": {"modle": "m"}}, "Extra inputs"),
        ({"max_fact": 1}, "Extra inputs"),
    ],
)
def test_faults_are_told(memory: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError) as caught:
        AiConfig.model_validate({**MODEL, "memory": memory})
    assert told in str(caught.value)


def test_extraction_needs_a_model() -> None:
    with pytest.raises(ValidationError, match="offline provider has none"):
        AiConfig.model_validate({"memory": {"auto_extract": True}})


def test_the_extraction_has_a_provider_of_its_own() -> None:
    config = AiConfig.model_validate({**MODEL, "max_tokens": 50, "memory": True})
    assert (extracting(config).model, extracting(config).max_tokens) == ("m", 1024)
    own = {"auto_extract": {"model": "small", "max_tokens": 200}}
    config = AiConfig.model_validate({**MODEL, "memory": own})
    assert (extracting(config).model, extracting(config).max_tokens) == ("small", 200)
    assert config.max_tokens is None


async def test_the_operators_filter_drops_candidates(room: Any) -> None:
    async with room(auto_extract={"filter": f"{__name__}:not_tea"}) as r:
        assert await r.learn("Likes tea", "Has a cat") == ["Has a cat"]
        assert r.memory.counts["memory facts dropped: filter"] == 1
