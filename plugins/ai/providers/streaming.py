"""What all providers that speak HTTP share: one request, its stream, deadlines and retries."""

import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

import httpx

from bot.api import Json
from plugins.ai.config import AiConfig
from plugins.ai.providers.connection import Connection, events
from plugins.ai.providers.deadlines import Deadline, timed
from plugins.ai.providers.provider import Event, Fault, ProviderError, Request
from plugins.ai.providers.retries import Retries, retried


class Reader(Protocol):
    """Reads one answer; ``over`` is set once nothing of it is missing."""

    @property
    def over(self) -> bool:
        """Whether the answer is whole, or the server says that no more comes."""
        ...

    def take(self, data: str) -> Iterator[Event]:
        """Yield what a chunk adds."""
        ...

    def finish(self) -> Iterator[Event]:
        """Yield what waited and the end; an answer that nothing ended is a fault."""
        ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a kind of server is spoken to: the path and headers, the body, and its answer."""

    path: Callable[[AiConfig], str]
    headers: Callable[[str], Mapping[str, str]]
    payload: Callable[[Request, AiConfig], Mapping[str, Json]]
    reader: Callable[[], Reader]


class Streaming:
    """A server of a dialect."""

    def __init__(self, config: AiConfig, dialect: Dialect, retries: Retries | None = None) -> None:
        key = config.api_key.get_secret_value()
        self.name = config.label
        self._config = config
        self._dialect = dialect
        self._retries = retries or Retries(config.retries)
        headers = dialect.headers(key) if key else {}
        self._connection = Connection(config.address, headers, config.timeouts, config.http)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the answer as it comes."""
        content = self._dialect.payload(request, self._config)
        deadline = Deadline(self._config.timeouts)
        attempts = retried(lambda: self._attempt(content, deadline), self._retries, deadline)
        async with aclosing(attempts):
            async for event in attempts:
                yield event

    async def _attempt(self, content: Json, deadline: Deadline) -> AsyncGenerator[Event, None]:
        reader = self._dialect.reader()
        path = self._dialect.path(self._config)
        try:
            async with (
                self._connection.post(path, content, deadline) as response,
                aclosing(timed(_data(response), deadline)) as texts,
            ):
                # Read on to the last byte: only then can the connection be kept.
                async for text in texts:
                    for event in reader.take(text):
                        yield event
                    if reader.over:
                        deadline.ended()
        except ProviderError:
            if not reader.over:
                raise
        for event in reader.finish():
            yield event


def decoded(data: str) -> Mapping[str, Any]:
    """Return a chunk's object, an empty one for what is none; what is no JSON is a fault."""
    try:
        chunk = json.loads(data)
    except ValueError as error:
        message = "a piece of the answer is no JSON"
        raise ProviderError(Fault.BROKEN, message, passing=True) from error
    return chunk if isinstance(chunk, Mapping) else {}


def mapping(value: object) -> Mapping[str, Any]:
    """Return a value where it is an object, an empty one otherwise."""
    return value if isinstance(value, Mapping) else {}


def mappings(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a list."""
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping):
            yield item


def text(value: object) -> str:
    """Return a value where it is text."""
    return value if isinstance(value, str) else ""


def unended() -> ProviderError:
    """Return the fault of an answer that nothing ended."""
    message = "the answer ended without saying why"
    return ProviderError(Fault.BROKEN, message, passing=True)


async def _data(response: httpx.Response) -> AsyncGenerator[str, None]:
    """Yield the chunks of a response: of a stream of events, of lines, or all of it at once."""
    kind = response.headers.get("content-type", "")
    if "event-stream" in kind:
        async with aclosing(events(response)) as sent:
            async for event in sent:
                yield event.data
    elif "ndjson" in kind:
        response.encoding = "utf-8"
        async for line in response.aiter_lines():
            if line.strip():
                yield line
    elif "json" in kind:
        yield (await response.aread()).decode("utf-8", "replace")
    else:
        async with aclosing(events(response)) as sent:  # which tells that it is none
            async for event in sent:
                yield event.data
