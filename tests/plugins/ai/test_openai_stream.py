"""Reading an answer off the wire: rows B10, B11, B18, B19, B50 and what else servers send."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from bot.api import Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.openai import DIALECT, payload
from plugins.ai.providers.provider import (
    End,
    Event,
    Fault,
    Piece,
    ProviderError,
    Request,
    Stop,
    ToolCall,
    Turn,
    Usage,
)
from plugins.ai.providers.retries import Retries
from plugins.ai.providers.streaming import Streaming

Sse = Callable[..., bytes]
ASK = Request("Be brief.", [Turn(Role.USER, "hello")])
ONCE = Retries(0)


def config(url: str, **more: Any) -> AiConfig:
    block = {"provider": "openai", "base_url": url, "model": "m", "api_key": "sk-secret", **more}
    return AiConfig.model_validate(block)


async def events(server: Any, retries: Retries = ONCE, **more: Any) -> list[Event]:
    provider = Streaming(config(server.url, **more), DIALECT, retries)
    try:
        return [event async for event in provider.stream(ASK)]
    finally:
        await provider.close()


def text(found: list[Event]) -> str:
    return "".join(event.text for event in found if isinstance(event, Piece))


async def test_every_cut_gives_the_same_text(server: Any, answered: Any, sse: Sse) -> None:
    body = sse("北京 🌍")
    server.script = [answered([body[:cut], body[cut:]]) for cut in range(1, len(body))]
    server.script.append(answered([bytes([byte]) for byte in body]))
    provider = Streaming(config(server.url), DIALECT, ONCE)
    for _ in server.script:
        found = [event async for event in provider.stream(ASK)]
        assert text(found) == "北京 🌍"
        assert found[-1] == End(Stop.DONE)
    await provider.close()
    assert server.connections == 1


@pytest.mark.parametrize(
    "noise",
    [
        b": ping\n\n",
        b":\n\n",
        b":\n",
        b"\n\n",
        b"data:\n\n",
        b"data: \n\n",
        b"event: ping\ndata:\n\n",
        b"retry: 100\n\n",
        b"id: 7\n\n",
        b": OPENROUTER PROCESSING\n\n: x\n\n",
        b"data: null\n\n",
    ],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
async def test_noise_between_events_is_no_event(
    server: Any, answered: Any, sse: Sse, noise: bytes, ending: bytes
) -> None:
    body = noise + sse("yes", stop=None, done=False) + noise + sse("!") + noise
    server.script = [answered([body.replace(b"\n", ending)])]
    assert text(await events(server)) == "yes!"


async def test_data_needs_no_blank_before_it(server: Any, answered: Any, sse: Sse) -> None:
    server.script = [answered([sse("yes").replace(b"data: ", b"data:")])]
    assert text(await events(server)) == "yes"


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": []},
        {"choices": [], "prompt_filter_results": [{}]},
        {"choices": None},
        {},
        {"choices": [{"index": 0, "delta": None}]},
        {"choices": [{"index": 0, "delta": {"content": None}}]},
        {"choices": [{"index": 0, "delta": {"content": []}}]},
        {"choices": [{"index": 0, "delta": {"role": "assistant"}}]},
        {"choices": [{"index": 0, "delta": {"reasoning_content": "hm", "reasoning": "hm"}}]},
        {"choices": [{"index": 1, "delta": {"content": "another answer"}}]},
        {"choices": [None]},
        {"usage": None},
        {"usage": {"prompt_tokens": None}},
    ],
)
async def test_chunks_without_text(
    server: Any, answered: Any, sse: Sse, chunk: dict[str, object]
) -> None:
    server.script = [answered([sse(chunk, "yes", chunk)])]
    assert await events(server) == [Piece("yes"), End(Stop.DONE)]


async def test_usage_comes_last_and_without_choices(server: Any, answered: Any, sse: Sse) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    body = sse("yes", done=False) + sse(usage, stop=None)
    server.script = [answered([body])]
    assert await events(server) == [Piece("yes"), Usage(9, 2), End(Stop.DONE)]


async def test_content_in_parts_and_refusals_are_text(server: Any, answered: Any, sse: Sse) -> None:
    parts = {"choices": [{"delta": {"content": [{"type": "text", "text": "a"}, {"x": 1}]}}]}
    refusal = {"choices": [{"delta": {"refusal": "no"}}]}
    server.script = [answered([sse(parts, refusal)])]
    assert text(await events(server)) == "ano"


async def test_an_answer_that_is_not_streamed_is_read(server: Any, answered: Any) -> None:
    whole = {"choices": [{"message": {"content": "all"}, "finish_reason": "stop"}]}
    json_type = {"content-type": "application/json"}
    server.script = [answered([json.dumps(whole).encode()], headers=json_type)]
    assert await events(server) == [Piece("all"), End(Stop.DONE)]


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", Stop.DONE),
        ("length", Stop.LENGTH),
        ("content_filter", Stop.FILTER),
        ("eos", Stop.DONE),
    ],
)
@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize("end", ["keep", "close", "cut"])
async def test_the_reason_ends_an_answer(
    server: Any,
    answered: Any,
    sse: Sse,
    reason: str,
    stop: Stop,
    done: bool,  # noqa: FBT001
    end: str,
) -> None:
    server.script = [answered([sse("yes", stop=reason, done=done)], end=end)]
    assert await events(server) == [Piece("yes"), End(stop)]


@pytest.mark.parametrize("end", ["keep", "cut"])
@pytest.mark.parametrize("done", [True, False])
async def test_an_answer_that_nothing_ends_is_a_fault(
    server: Any,
    answered: Any,
    sse: Sse,
    end: str,
    done: bool,  # noqa: FBT001
) -> None:
    server.script = [answered([sse("half", stop=None, done=done)], end=end)]
    with pytest.raises(ProviderError) as caught:
        await events(server)
    assert caught.value.fault is Fault.BROKEN


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"data: {not json\n\n", Fault.BROKEN),
        (b'data: {"error": {"code": "server_error", "message": "secret words"}}\n\n', Fault.BROKEN),
        (b'data: {"error": "secret words"}\n\n', Fault.BROKEN),
        (b'data: {"error": {"message": "maximum context length is 9"}}\n\n', Fault.TOO_LONG),
    ],
)
async def test_what_breaks_an_answer_is_told_without_anybodys_words(
    server: Any, answered: Any, body: bytes, fault: Fault
) -> None:
    server.script = [answered([body])]
    with pytest.raises(ProviderError) as caught:
        await events(server)
    assert caught.value.fault is fault
    assert "secret" not in str(caught.value)


async def test_an_open_connection_after_the_end_is_not_waited_for(
    server: Any, answered: Any, sse: Sse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugins.ai.providers.deadlines.AFTER_END", 0.05)
    server.script = [answered([sse("yes", done=False)], end="hang")]
    assert await events(server) == [Piece("yes"), End(Stop.DONE)]


@pytest.mark.parametrize(
    ("timeouts", "pieces", "named"),
    [
        ({"first_token": "50ms"}, [b": ping\n\n"], "first_token"),
        ({"between": "50ms"}, ["half"], "between"),
        ({"whole": "80ms"}, ["half"], "whole"),
    ],
)
async def test_deadlines(
    server: Any,
    answered: Any,
    sse: Sse,
    timeouts: dict[str, str],
    pieces: list[str | bytes],
    named: str,
) -> None:
    body = [p if isinstance(p, bytes) else sse(p, stop=None, done=False) for p in pieces]
    server.script = [answered(body, end="hang")]
    async with asyncio.timeout(5):
        with pytest.raises(ProviderError, match=f"timeouts.{named}") as caught:
            await events(server, timeouts=timeouts)
    assert caught.value.fault is Fault.TIMEOUT


def call(index: int | None, call_id: str | None, name: str | None, arguments: str) -> Any:
    piece: dict[str, Any] = {"function": {"arguments": arguments}}
    if name is not None:
        piece["function"]["name"] = name
    if index is not None:
        piece["index"] = index
    if call_id is not None:
        piece["id"] = call_id
    return {"choices": [{"delta": {"tool_calls": [piece]}}]}


A, B = ToolCall("a", "look", '{"x":1}'), ToolCall("b", "find", '{"y":2}')


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        (
            [
                call(0, "a", "look", '{"x"'),
                call(0, None, None, ":1}"),
                call(1, "b", "find", '{"y"'),
                call(1, None, None, ":2}"),
            ],
            [A, B],
        ),
        (
            [
                call(0, "a", "look", '{"x"'),
                call(0, "a", None, ":1}"),
                call(0, "b", "find", '{"y"'),
                call(0, "b", None, ":2}"),
            ],
            [A, B],
        ),
        (
            [
                call(None, "a", "look", '{"x"'),
                call(None, None, None, ":1}"),
                call(None, "b", "find", '{"y"'),
                call(None, None, None, ":2}"),
            ],
            [A, B],
        ),
        (
            [call(0, None, "look", '{"x"'), call(0, "a", None, ":1}"), call(1, "b", "find", "{}")],
            [A, ToolCall("b", "find", "{}")],
        ),
        ([call(0, "a", "look", '{"x"'), call(1, None, None, ":1}")], [A]),
        (
            [call(0, "", "look", '{"x":1}'), call(1, "", "find", '{"y":2}')],
            [ToolCall("call-1", "look", '{"x":1}'), ToolCall("call-2", "find", '{"y":2}')],
        ),
        (
            [
                call(0, "a", "look", '{"x"'),
                call(1, "b", "find", '{"y"'),
                call(0, None, None, ":1}"),
                call(1, None, None, ":2}"),
            ],
            [A, B],
        ),
    ],
)
@pytest.mark.parametrize("reason", ["tool_calls", "stop"])
async def test_calls_are_put_together(
    server: Any, answered: Any, sse: Sse, pieces: list[Any], calls: list[ToolCall], reason: str
) -> None:
    server.script = [answered([sse(*pieces, stop=reason)])]
    assert await events(server) == [*calls, End(Stop.TOOLS)]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_a_call_that_was_cut_is_none(
    server: Any, answered: Any, sse: Sse, reason: str
) -> None:
    server.script = [answered([sse(call(0, "a", "look", '{"x'), stop=reason)])]
    assert [type(event) for event in await events(server)] == [End]


async def test_thoughts_are_no_text(server: Any, answered: Any, sse: Sse) -> None:
    server.script = [answered([sse("<thi", "nk>secret</thi", "nk>", "Yes")])]
    assert text(await events(server)) == "Yes"


def test_the_request() -> None:
    turns = [
        Turn(Role.USER, "hi"),
        Turn(Role.ASSISTANT, "", calls=(A,)),
        Turn(Role.TOOL, "3", call="a"),
    ]
    schema = {"type": "object"}
    made = payload(
        Request("Be brief.", turns, schema=schema),
        config("http://localhost:1", temperature=0.5, max_tokens=9),
    )
    assert made == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hi"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "a",
                        "type": "function",
                        "function": {"name": "look", "arguments": '{"x": 1}'},
                    }
                ],
            },
            {"role": "tool", "content": "3", "tool_call_id": "a"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0.5,
        "max_tokens": 9,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": schema, "strict": True},
        },
    }
    own = config("https://api.openai.com/v1", max_tokens=9)
    assert payload(ASK, own)["max_completion_tokens"] == 9
