"""When a provider is asked again, when never, and that no key leaves the header (B29)."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from bot.api import Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.openai import DIALECT
from plugins.ai.providers.provider import Event, Fault, Piece, ProviderError, Request, Turn
from plugins.ai.providers.refusals import retry_after
from plugins.ai.providers.retries import Retries
from plugins.ai.providers.streaming import Streaming

Sse = Callable[..., bytes]
KEY = "sk-secret-1234567890"
ASK = Request("", [Turn(Role.USER, "hello")])
QUICK = Retries(2, base=0.02)


def provider(url: str, retries: Retries = QUICK, **more: Any) -> Streaming:
    block = {"provider": "openai", "base_url": url, "model": "m", "api_key": KEY, **more}
    return Streaming(AiConfig.model_validate(block), DIALECT, retries)


async def ask(asked: Streaming) -> str:
    try:
        found: list[Event] = [event async for event in asked.stream(ASK)]
    finally:
        await asked.close()
    return "".join(event.text for event in found if isinstance(event, Piece))


async def test_llmock_is_answered(llmock: LLMock) -> None:
    llmock.reply("Hello there, how are you?")
    assert await ask(provider(llmock.base_url())) == "Hello there, how are you?"
    llmock.assert_resilient(strict=True)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_passing_faults_are_asked_again(llmock: LLMock, status: int) -> None:
    llmock.fail(status, times=2, retry_after=0.1 if status in {429, 503, 504} else None)
    llmock.reply("Here.")
    retries = Retries(2, base=0.1)
    assert await ask(provider(llmock.base_url(), retries)) == "Here."
    assert len(llmock.requests) == 3
    llmock.assert_resilient(strict=True)


async def test_the_wish_to_wait_is_granted(llmock: LLMock) -> None:
    llmock.rate_limit(times=1, retry_after=0.3).reply("Here.")
    assert await ask(provider(llmock.base_url())) == "Here."
    llmock.assert_resilient(strict=True)


async def test_too_long_a_wait_is_given_up(llmock: LLMock) -> None:
    llmock.rate_limit(times=None, retry_after=31)
    with pytest.raises(ProviderError) as caught:
        await ask(provider(llmock.base_url()))
    assert caught.value.fault is Fault.BUSY
    assert caught.value.retry_after == 31
    assert len(llmock.requests) == 1


@pytest.mark.parametrize("retries", [0, 1, 2, 5])
async def test_an_outage_is_given_up_after_the_configured_retries(
    llmock: LLMock, retries: int
) -> None:
    llmock.fail(503, times=None, retry_after=0.01)
    with pytest.raises(ProviderError) as caught:
        await ask(provider(llmock.base_url(), Retries(retries, base=0.01)))
    assert caught.value.fault is Fault.DOWN
    assert len(llmock.requests) == retries + 1


@pytest.mark.parametrize(
    ("status", "code", "fault"),
    [
        (400, None, Fault.REFUSED),
        (401, "invalid_api_key", Fault.DENIED),
        (403, None, Fault.DENIED),
        (404, "model_not_found", Fault.REFUSED),
        (422, None, Fault.REFUSED),
        (429, "insufficient_quota", Fault.QUOTA),
        (402, None, Fault.QUOTA),
        (413, None, Fault.TOO_LONG),
        (400, "context_length_exceeded", Fault.TOO_LONG),
    ],
)
async def test_what_asking_again_cannot_mend(
    llmock: LLMock, status: int, code: str | None, fault: Fault
) -> None:
    llmock.fail(status, times=None, code=code, message=f"wrong: {KEY} and the person's words")
    with pytest.raises(ProviderError) as caught:
        await ask(provider(llmock.base_url()))
    assert caught.value.fault is fault
    assert len(llmock.requests) == 1
    assert f"HTTP {status}" in str(caught.value)
    assert KEY[:8] not in str(caught.value)
    assert "words" not in str(caught.value)
    llmock.assert_resilient()


@pytest.mark.parametrize("fault", ["disconnect", "truncate", "corrupt"])
async def test_a_stream_that_breaks_before_anything_is_out_is_asked_again(
    llmock: LLMock, fault: str
) -> None:
    getattr(llmock, fault)(after_chunks=0)
    llmock.reply("Here.", times=None)
    assert await ask(provider(llmock.base_url())) == "Here."
    assert len(llmock.requests) == 2


async def test_nothing_is_asked_again_once_a_piece_is_out(
    server: Any, answered: Any, sse: Sse
) -> None:
    server.script = [
        answered([sse("half", stop=None, done=False)], end="cut"),
        answered([sse("x")]),
    ]
    asked = provider(server.url)
    pieces = []
    with pytest.raises(ProviderError) as caught:
        async for event in asked.stream(ASK):
            pieces.append(event)  # noqa: PERF401 - what came before the error
    await asked.close()
    assert pieces == [Piece("half")]
    assert caught.value.passing
    assert len(server.asked) == 1


@pytest.mark.parametrize("retries", [0, 2])
async def test_a_kept_connection_that_the_server_closed_is_replaced_at_once(
    server: Any, answered: Any, sse: Sse, retries: int
) -> None:
    server.script = [answered([sse("one")])]
    asked = provider(server.url, Retries(retries, base=60))
    assert Piece("one") in [event async for event in asked.stream(ASK)]
    # The pool has looked at its connection before the server drops it: the request meets the end.
    server.drop_next = True
    async with asyncio.timeout(5):
        assert Piece("one") in [event async for event in asked.stream(ASK)]
    await asked.close()
    assert server.connections == 2


async def test_a_fresh_connection_that_fails_is_an_ordinary_fault(server: Any) -> None:
    server.drop_next = True
    with pytest.raises(ProviderError) as caught:
        await ask(provider(server.url, Retries(0)))
    assert caught.value.fault is Fault.BROKEN
    assert server.connections == 1


async def test_nobody_listening() -> None:
    listening = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    listening.close()
    await listening.wait_closed()
    with pytest.raises(ProviderError) as caught:
        await ask(provider(f"http://127.0.0.1:{port}", Retries(1, base=0.01)))
    assert caught.value.fault is Fault.UNREACHABLE


@pytest.mark.parametrize("status", ["301 Moved", "307 Temporary Redirect"])
async def test_redirects_are_not_followed(server: Any, answered: Any, status: str) -> None:
    server.script = [answered(status=status, headers={"location": f"{server.url}/elsewhere"})]
    with pytest.raises(ProviderError, match="redirect") as caught:
        await ask(provider(server.url))
    assert caught.value.fault is Fault.REFUSED
    assert len(server.asked) == 1


async def test_an_answer_of_another_type_is_broken(server: Any, answered: Any) -> None:
    server.script = [answered([b"<html>portal</html>"], headers={"content-type": "text/html"})]
    with pytest.raises(ProviderError) as caught:
        await ask(provider(server.url, Retries(0)))
    assert caught.value.fault is Fault.BROKEN


async def test_the_key_is_in_the_header_and_nowhere_else(
    server: Any, answered: Any, sse: Sse, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    refused = b'{"error": {"message": "Incorrect API key: sk-secret-1234567890"}}'
    server.script = [answered([sse("yes")]), answered([refused], status="401 Unauthorized")]
    assert await ask(provider(server.url)) == "yes"
    with pytest.raises(ProviderError) as caught:
        await ask(provider(server.url))
    assert [asked.headers["authorization"] for asked in server.asked] == [f"bearer {KEY}"] * 2
    assert all(KEY not in asked.line for asked in server.asked)
    logged = "\n".join(f"{r.getMessage()} {r.exc_text} {r.args}" for r in caplog.records)
    assert KEY[:8] not in f"{logged}{caught.value}{caught.value.__cause__!r}"


async def test_without_a_key_there_is_no_header(server: Any, answered: Any, sse: Sse) -> None:
    server.script = [answered([sse("yes")])]
    assert await ask(provider(server.url, api_key="")) == "yes"
    assert "authorization" not in server.asked[0].headers


def test_the_pauses_grow_and_end() -> None:
    error = ProviderError(Fault.DOWN, "", passing=True)
    pauses = [Retries(5).pause(error, tried) for tried in range(6)]
    assert pauses[-1] is None
    assert all(0.75 * 0.5 * 2**n <= (p or 0) <= 1.25 * 0.5 * 2**n for n, p in enumerate(pauses[:5]))
    assert Retries(5).pause(ProviderError(Fault.DENIED, ""), 0) is None


def test_retry_after_in_seconds_or_as_a_date() -> None:
    assert retry_after({"retry-after": "3"}) == 3
    assert retry_after({"retry-after": "0.5"}) == 0.5
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=600), usegmt=True)
    assert 500 < (retry_after({"retry-after": soon}) or 0) <= 600
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=600), usegmt=True)
    assert retry_after({"retry-after": past}) == 0


@pytest.mark.parametrize("value", ["", "soon", "-3", "1e9", "99999999999999999999-01-01"])
def test_a_strange_retry_after_is_none(value: str) -> None:
    assert retry_after({"retry-after": value}) is None
