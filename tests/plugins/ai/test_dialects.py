"""Each provider's own way to answer, cut and ended in every way, and to be asked."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bot.api import Role
from plugins.ai.config import AiConfig
from plugins.ai.providers import anthropic, gemini, ollama, openai
from plugins.ai.providers.provider import (
    End,
    Event,
    Fault,
    Piece,
    ProviderError,
    Request,
    Stop,
    ToolCall,
    ToolSpec,
    Turn,
    Usage,
)
from plugins.ai.providers.retries import Retries
from plugins.ai.providers.streaming import Dialect, Streaming

QUICK = Retries(2, base=0.01)
ASKED = Request("Be brief.", [Turn(Role.USER, "How long?")])
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"facts": {"type": "array"}}}
TEXT = "北京 🌍 takes 3 days."


def sse(*events: Any) -> bytes:
    lines = (json.dumps(event, ensure_ascii=False) for event in events)
    return "".join(f"event: x\r\ndata: {line}\r\n\r\n: ping\r\n\r\n" for line in lines).encode()


def ndjson(*events: Any) -> bytes:
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode()


def anthropic_events(text: str = TEXT, stop: str | None = "end_turn") -> list[Any]:
    ended = {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 5}}
    return [
        {"type": "message_start", "message": {"usage": {"input_tokens": 9}}},
        {"type": "ping"},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking"}},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "thinking_delta", "thinking": "hm"},
        },
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": t}}
            for t in (text[:4], text[4:])
        ),
        *([ended, {"type": "message_stop"}] if stop else []),
    ]


def gemini_events(text: str = TEXT, stop: str | None = "STOP") -> list[Any]:
    def chunk(part: Any, **more: Any) -> Any:
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, **more}]}

    usage = {"promptTokenCount": 9, "candidatesTokenCount": 5}
    last = {**chunk({"text": text[4:]}, **({"finishReason": stop} if stop else {}))}
    return [
        chunk({"text": "hm", "thought": True}),
        chunk({"text": text[:4]}),
        {**last, "usageMetadata": usage},
    ]


def ollama_events(text: str = TEXT, stop: str | None = "stop") -> list[Any]:
    def line(content: str, **more: Any) -> Any:
        return {"message": {"role": "assistant", "content": content}, "done": False, **more}

    counts = {"done": True, "done_reason": stop, "prompt_eval_count": 9, "eval_count": 5}
    pieces = [line("<think>hm</think>"), line(text[:4]), line(text[4:])]
    return [*pieces, *([{**line(""), **counts}] if stop else [])]


NDJSON = {"content-type": "application/x-ndjson"}
SSE = {"content-type": "text/event-stream"}
KINDS: dict[str, tuple[Dialect, Callable[..., list[Any]], Callable[..., bytes], dict[str, str]]] = {
    "anthropic": (anthropic.DIALECT, anthropic_events, sse, SSE),
    "gemini": (gemini.DIALECT, gemini_events, sse, SSE),
    "ollama": (ollama.DIALECT, ollama_events, ndjson, NDJSON),
}
LENGTH = {"anthropic": "max_tokens", "gemini": "MAX_TOKENS", "ollama": "length"}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def config(kind: str, url: str = "http://127.0.0.1:1", **more: Any) -> AiConfig:
    block = {"provider": kind, "base_url": url, "model": "m", "api_key": "sk-secret", **more}
    return AiConfig.model_validate(block)


async def asked(provider: Streaming, request: Request = ASKED) -> list[Event]:
    try:
        return [event async for event in provider.stream(request)]
    finally:
        await provider.close()


def said(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Piece))


async def test_text_usage_and_end(kind: str, server: Any, answered: Any) -> None:
    dialect, events, encode, headers = KINDS[kind]
    server.script = [answered([encode(*events())], headers=headers)]
    found = await asked(Streaming(config(kind, server.url), dialect, QUICK))
    assert said(found) == TEXT
    assert [event for event in found if isinstance(event, Usage)][-1] == Usage(9, 5)
    assert found[-1] == End(Stop.DONE)


async def test_every_cut_gives_the_same_text(kind: str, server: Any, answered: Any) -> None:
    dialect, events, encode, headers = KINDS[kind]
    body = encode(*events())
    cuts = [[body[:n], body[n:]] for n in range(1, len(body), 7)]
    cuts.append([bytes([b]) for b in body])
    server.script = [answered(pieces, headers=headers) for pieces in cuts]
    provider = Streaming(config(kind, server.url), dialect, QUICK)
    for _ in cuts:
        assert said([event async for event in provider.stream(ASKED)]) == TEXT
    await provider.close()


async def test_an_answer_that_nothing_ends_is_a_fault(
    kind: str, server: Any, answered: Any
) -> None:
    dialect, events, encode, headers = KINDS[kind]
    body = encode(*events(stop=None))
    for end in ("close", "cut"):
        server.script = [answered([body], headers=headers, end=end)]
        provider = Streaming(config(kind, server.url), dialect, QUICK)
        shown = []
        with pytest.raises(ProviderError) as error:
            async for event in provider.stream(ASKED):
                shown.append(event)  # noqa: PERF401 - what came before the error counts
        await provider.close()
        assert error.value.fault is Fault.BROKEN
        assert said(shown) == TEXT
    assert len(server.asked) == 2, "nothing is asked again once a piece is out"


async def test_a_limit_ends_an_answer(kind: str, server: Any, answered: Any) -> None:
    dialect, events, encode, headers = KINDS[kind]
    server.script = [answered([encode(*events(stop=LENGTH[kind]))], headers=headers)]
    assert (await asked(Streaming(config(kind, server.url), dialect)))[-1] == End(Stop.LENGTH)


async def test_passing_faults_are_asked_again(kind: str, server: Any, answered: Any) -> None:
    dialect, events, encode, headers = KINDS[kind]
    body = [encode(*events())]
    busy = answered([b"{}"], status="429 Busy", headers={"retry-after": "0"})
    down = answered([b"{}"], status="503 Down", headers={})
    server.script = [busy, down, answered(body, headers=headers)]
    assert said(await asked(Streaming(config(kind, server.url), dialect, QUICK))) == TEXT
    assert len(server.asked) == 3


ERRORS = {
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "my words"}},
    "gemini": {"error": {"code": 500, "status": "INTERNAL", "message": "my words"}},
    "ollama": {"error": "my words"},
}


async def test_an_error_in_the_middle_is_told_without_anybodys_words(
    kind: str, server: Any, answered: Any
) -> None:
    dialect, events, encode, headers = KINDS[kind]
    body = encode(*[*events()[:2], ERRORS[kind]])
    server.script = [answered([body], headers=headers)]
    with pytest.raises(ProviderError) as error:
        await asked(Streaming(config(kind, server.url), dialect, Retries(0)))
    assert error.value.fault is Fault.BROKEN
    assert "my words" not in str(error.value)


async def test_the_key_is_in_a_header_and_nowhere_else(
    kind: str, server: Any, answered: Any
) -> None:
    dialect, events, encode, headers = KINDS[kind]
    server.script = [answered([encode(*events())], headers=headers)]
    await asked(Streaming(config(kind, server.url), dialect))
    [request] = server.asked
    assert "sk-secret" not in request.line + json.dumps(request.body)
    assert [value for value in request.headers.values() if "sk-secret" in value]


CALLED: dict[str, list[Any]] = {
    "anthropic": [
        {"type": "message_start", "message": {}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "tool_use", "id": "t1", "name": "look", "input": {}},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": '{"a"'},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": ": 1}"},
        },
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ],
    "gemini": [
        {
            "candidates": [
                {
                    "content": {"parts": [{"functionCall": {"name": "look", "args": {"a": 1}}}]},
                    "finishReason": "STOP",
                }
            ]
        }
    ],
    "ollama": [
        {
            "message": {
                "content": "",
                "tool_calls": [{"function": {"name": "look", "arguments": {"a": 1}}}],
            }
        },
        {"message": {"content": ""}, "done": True, "done_reason": "stop"},
    ],
}


async def test_calls_are_put_together(kind: str, server: Any, answered: Any) -> None:
    dialect, _, encode, headers = KINDS[kind]
    server.script = [answered([encode(*CALLED[kind])], headers=headers)]
    found = await asked(Streaming(config(kind, server.url), dialect))
    [call] = [event for event in found if isinstance(event, ToolCall)]
    assert (call.name, json.loads(call.arguments)) == ("look", {"a": 1})
    assert call.id
    assert found[-1] == End(Stop.TOOLS)


HISTORY = [
    Turn(Role.USER, "look it up"),
    Turn(Role.ASSISTANT, "", (ToolCall("t1", "look", '{"a": 1}'),)),
    Turn(Role.TOOL, "found", call="t1"),
    Turn(Role.ASSISTANT, "It is there."),
    Turn(Role.USER, "thanks"),
]


def test_requests_are_as_each_wants_them() -> None:
    request = Request("Be brief.", HISTORY, schema=SCHEMA)
    options: dict[str, Any] = {"temperature": 1.5, "max_tokens": 50}
    claude: Any = anthropic.payload(request, config("anthropic", **options))
    assert (claude["system"], claude["max_tokens"], claude["temperature"]) == ("Be brief.", 50, 1.0)
    assert [m["role"] for m in claude["messages"]] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert claude["messages"][1]["content"][0]["input"] == {"a": 1}
    assert claude["messages"][2]["content"][0]["tool_use_id"] == "t1"
    google: Any = gemini.payload(request, config("gemini", **options))
    assert [c["role"] for c in google["contents"]] == ["user", "model", "user", "model", "user"]
    assert google["contents"][2]["parts"][0]["functionResponse"]["name"] == "look"
    assert google["generationConfig"]["maxOutputTokens"] == 50
    assert google["generationConfig"]["responseJsonSchema"] == SCHEMA
    local: Any = ollama.payload(request, config("ollama", **options))
    assert local["options"] == {"temperature": 1.5, "num_predict": 50, "num_ctx": 18_048}
    assert local["format"] == SCHEMA
    assert local["messages"][0] == {"role": "system", "content": "Be brief."}
    assert local["messages"][3]["tool_name"] == "look"
    bare: Any = ollama.payload(ASKED, config("ollama"))
    assert bare["options"] == {"num_ctx": 18_048}, "no limit of an answer unless one is set"


LOOK = ToolSpec("look", "Looks.", {"type": "object", "properties": {}})
OPENAI_TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": LOOK.parameters},
}
GEMINI_TOOL = {"name": "look", "description": "Looks.", "parametersJsonSchema": LOOK.parameters}


@pytest.mark.parametrize(
    ("payload", "kind", "tools", "last"),
    [
        (openai.payload, "openai", [OPENAI_TOOL], {"tool_choice": "none"}),
        (
            anthropic.payload,
            "anthropic",
            [{"name": "look", "description": "Looks.", "input_schema": LOOK.parameters}],
            {"tool_choice": {"type": "none"}},
        ),
        (
            gemini.payload,
            "gemini",
            [{"functionDeclarations": [GEMINI_TOOL]}],
            {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}},
        ),
        (ollama.payload, "ollama", [OPENAI_TOOL], {"tools": None}),
    ],
)
def test_tools_are_told_and_withheld_at_last(
    payload: Any, kind: str, tools: Any, last: dict[str, Any]
) -> None:
    request = Request("", ASKED.turns, tools=[LOOK])
    body: Any = payload(request, config(kind))
    assert body["tools"] == tools
    assert not set(body) & (set(last) - {"tools"})
    ended: Any = payload(replace(request, last=True), config(kind))
    assert {name: ended.get(name) for name in last} == last
    assert "tools" not in payload(ASKED, config(kind))


@pytest.mark.parametrize(("stop", "ends"), [("refusal", Stop.FILTER), ("stop_sequence", Stop.DONE)])
async def test_ends_of_anthropic(server: Any, answered: Any, stop: str, ends: Stop) -> None:
    server.script = [answered([sse(*anthropic_events(stop=stop))])]
    found = await asked(Streaming(config("anthropic", server.url), anthropic.DIALECT))
    assert found[-1] == End(ends)


async def test_a_filter_of_gemini_ends_an_answer(server: Any, answered: Any) -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    server.script = [answered([sse(blocked)]), answered([sse(*gemini_events(stop="RECITATION"))])]
    provider = Streaming(config("gemini", server.url), gemini.DIALECT)
    assert [event async for event in provider.stream(ASKED)] == [End(Stop.FILTER)]
    found = [event async for event in provider.stream(ASKED)]
    assert found[-1] == End(Stop.FILTER)
    await provider.close()


@pytest.mark.parametrize(
    ("block", "told"),
    [
        ({"provider": "anthropic", "model": "m"}, "ANTHROPIC_API_KEY"),
        ({"provider": "gemini", "model": "m"}, "GEMINI_API_KEY"),
        ({"provider": "ollama"}, "`model`"),
        ({"fallback": [{"provider": "openai", "model": "m"}]}, "OPENAI_API_KEY"),
    ],
)
def test_what_is_missing_is_named(block: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        AiConfig.model_validate(block)


def test_ollama_needs_no_key_and_is_on_this_machine() -> None:
    local = AiConfig.model_validate({"provider": "ollama", "model": "m"})
    assert local.address == "http://127.0.0.1:11434"


async def test_a_fallback_answers_and_the_person_is_told_so(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    down = answered([b"{}"], status="503 Down", headers={})
    server.script = [down, answered([sse("From the other.")])]
    other = {"provider": "openai", "base_url": server.url, "model": "m2"}
    async with chatting(model=True, block={"fallback": [other]}) as bot:
        [reply] = await bot.say("hello")
        assert "From the other." in reply.text
        assert "Another model than usual" in reply.text
        entries = await bot.store.messages.latest("test:ana", 9)
        assert "Another model" not in str([entry.content for entry in entries])
    assert [request.body["model"] for request in server.asked] == ["m", "m2"]


@pytest.mark.parametrize(
    ("status", "asked_"), [("401 No", 1), ("400 No", 1), ("429 Busy", 2), ("500 Down", 2)]
)
async def test_a_fallback_is_for_outages_only(
    chatting: Any, server: Any, answered: Any, status: str, asked_: int
) -> None:
    server.script = [answered([b"{}"], status=status, headers={})]
    other = {"provider": "openai", "base_url": server.url, "model": "m2"}
    async with chatting(model=True, block={"fallback": [other]}) as bot:
        [reply] = await bot.say("hello")
        assert "language model" in reply.text
    assert len(server.asked) == asked_


async def test_the_offline_provider_can_be_the_last_resort(
    chatting: Any, server: Any, answered: Any, library: Any
) -> None:
    from bot.api import Passage  # noqa: PLC0415 - this test alone

    library.passages = [Passage("Shipping takes 3 days.", "faq.md", 1.0)]
    server.script = [answered([b"{}"], status="503 Down", headers={})]
    async with chatting(model=True, block={"fallback": [{"provider": "offline"}]}) as bot:
        [reply] = await bot.say("how long does shipping take?")
    assert "Shipping takes 3 days. [1]" in reply.text
    assert "Another model than usual" in reply.text
    assert reply.text.endswith("Sources: [1] faq.md")


async def test_nothing_falls_back_once_a_piece_is_out(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    broken = answered([sse("Half an", stop=None, done=False)], end="cut")
    server.script = [broken, answered([sse("Other.")])]
    other = {"provider": "openai", "base_url": server.url, "model": "m2"}
    async with chatting(model=True, block={"fallback": [other]}) as bot:
        [reply] = await bot.say("hello")
    assert "Half an" in reply.text
    assert "Other." not in reply.text
    assert len(server.asked) == 1
    await asyncio.sleep(0)
