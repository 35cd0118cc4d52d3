"""Chat completions, as OpenAI and every compatible server speak them."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from bot.api import Json, Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.calls import Calls
from plugins.ai.providers.connection import Connection, events
from plugins.ai.providers.deadlines import Deadline, timed
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
from plugins.ai.providers.refusals import stream_error
from plugins.ai.providers.retries import Retries, retried
from plugins.ai.thinking import Thoughts

STOPS: Final[Mapping[str, Stop]] = {
    "length": Stop.LENGTH,
    "content_filter": Stop.FILTER,
    "tool_calls": Stop.TOOLS,
    "function_call": Stop.TOOLS,
}
LAST: Final = "[DONE]"


class OpenAi:
    """A server of chat completions."""

    def __init__(self, config: AiConfig, retries: Retries | None = None) -> None:
        key = config.api_key.get_secret_value()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.name = f"openai ({config.model})"
        self._config = config
        self._retries = retries or Retries(config.retries)
        self._connection = Connection(config.base_url, headers, config.timeouts, config.http)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the answer as it comes."""
        content = payload(request, self._config)
        deadline = Deadline(self._config.timeouts)
        attempts = retried(lambda: self._attempt(content, deadline), self._retries, deadline)
        async with aclosing(attempts):
            async for event in attempts:
                yield event

    async def _attempt(self, content: Json, deadline: Deadline) -> AsyncGenerator[Event, None]:
        chunks = Chunks()
        try:
            async with (
                self._connection.post("chat/completions", content, deadline) as response,
                aclosing(timed(_data(response), deadline)) as texts,
            ):
                # Read on to the last byte: only then can the connection be kept.
                async for text in texts:
                    for event in chunks.take(text):
                        yield event
                    if chunks.stop is not None or chunks.closed:
                        deadline.ended()
        except ProviderError:
            if chunks.stop is None and not chunks.closed:
                raise
        for event in chunks.finish():
            yield event


class Chunks:
    """Reads the chunks of one answer.

    ``stop`` is set once the answer is whole, ``closed`` once the server says that no more comes.
    """

    def __init__(self) -> None:
        self.stop: Stop | None = None
        self.closed = False
        self._thoughts = Thoughts()
        self._calls = Calls()

    def take(self, data: str) -> Iterator[Event]:
        """Yield what a chunk adds."""
        if data.strip() == LAST:
            self.closed = True
        if self.closed:
            return
        try:
            chunk = json.loads(data)
        except ValueError as error:
            message = "a piece of the answer is no JSON"
            raise ProviderError(Fault.BROKEN, message, passing=True) from error
        if not isinstance(chunk, Mapping):
            return
        if chunk.get("error"):
            raise stream_error(chunk["error"])
        yield from _usage(chunk.get("usage"))
        for choice in _mappings(chunk.get("choices")):
            if choice.get("index") in {0, None}:
                yield from self._choice(choice)

    def finish(self) -> Iterator[Event]:
        """Yield what waited and the end; an answer that nothing ended is a fault."""
        rest = self._thoughts.finish()
        if rest:
            yield Piece(rest)
        if self.stop is None:
            message = "the answer ended without saying why"
            raise ProviderError(Fault.BROKEN, message, passing=True)
        if self._calls and self.stop in {Stop.DONE, Stop.TOOLS}:
            self.stop = Stop.TOOLS
            yield from self._calls
        yield End(self.stop)

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Event]:
        delta = choice.get("delta") or choice.get("message")
        delta = delta if isinstance(delta, Mapping) else {}
        shown = self._thoughts.feed(_text(delta.get("content")) + _text(delta.get("refusal")))
        if shown:
            yield Piece(shown)
        for piece in _mappings(delta.get("tool_calls")):
            self._calls.take(piece)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.stop = STOPS.get(reason, Stop.DONE)


def payload(request: Request, config: AiConfig) -> dict[str, Json]:
    """Return the body of a request."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Json] = {
        "model": config.model,
        "messages": [*system, *map(_message, request.turns)],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if config.temperature is not None:
        body["temperature"] = config.temperature
    if config.max_tokens is not None:
        # Other servers know only the older name, and OpenAI's newer models only the newer one.
        own = urlsplit(config.base_url).hostname == "api.openai.com"
        body["max_completion_tokens" if own else "max_tokens"] = config.max_tokens
    if request.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.schema, "strict": True},
        }
    return body


async def _data(response: httpx.Response) -> AsyncGenerator[str, None]:
    """Yield the chunks of a response, or all of it where the server does not stream."""
    if "json" in response.headers.get("content-type", ""):
        yield (await response.aread()).decode("utf-8", "replace")
        return
    async with aclosing(events(response)) as sent:
        async for event in sent:
            yield event.data


def _message(turn: Turn) -> dict[str, Json]:
    message: dict[str, Json] = {"role": turn.role.value, "content": turn.text}
    if turn.calls:
        message["content"] = turn.text or None
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in turn.calls
        ]
    if turn.role is Role.TOOL:
        message["tool_call_id"] = turn.call
    return message


def _usage(usage: object) -> Iterator[Usage]:
    if isinstance(usage, Mapping):
        prompt, answer = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(prompt, int) and isinstance(answer, int):
            yield Usage(prompt, answer)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in _mappings(content) if isinstance(part.get("text"), str))


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping):
            yield item
