"""Chat completions, as OpenAI and every compatible server speak them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from bot.api import Json, Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.calls import Calls
from plugins.ai.providers.provider import (
    End,
    Event,
    Piece,
    Request,
    Stop,
    ToolSpec,
    Turn,
    Usage,
)
from plugins.ai.providers.refusals import stream_error
from plugins.ai.providers.streaming import Dialect, decoded, mappings, unended
from plugins.ai.providers.vision import base64, shown
from plugins.ai.thinking import Thoughts

STOPS: Final[Mapping[str, Stop]] = {
    "length": Stop.LENGTH,
    "content_filter": Stop.FILTER,
    "tool_calls": Stop.TOOLS,
    "function_call": Stop.TOOLS,
}
LAST: Final = "[DONE]"


class Chunks:
    """Reads the chunks of one answer.

    ``stop`` is set once the answer is whole, ``closed`` once the server says that no more comes.
    """

    def __init__(self) -> None:
        self.stop: Stop | None = None
        self.closed = False
        self._thoughts = Thoughts()
        self._calls = Calls()

    @property
    def over(self) -> bool:
        """Whether the answer is whole, or the server says that no more comes."""
        return self.stop is not None or self.closed

    def take(self, data: str) -> Iterator[Event]:
        """Yield what a chunk adds."""
        if data.strip() == LAST:
            self.closed = True
        if self.closed:
            return
        chunk = decoded(data)
        if chunk.get("error"):
            raise stream_error(chunk["error"])
        yield from _usage(chunk.get("usage"))
        for choice in mappings(chunk.get("choices")):
            if choice.get("index") in {0, None}:
                yield from self._choice(choice)

    def finish(self) -> Iterator[Event]:
        """Yield what waited and the end; an answer that nothing ended is a fault."""
        rest = self._thoughts.finish()
        if rest:
            yield Piece(rest)
        if self.stop is None:
            raise unended()
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
        for piece in mappings(delta.get("tool_calls")):
            self._calls.take(piece)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.stop = STOPS.get(reason, Stop.DONE)


def payload(request: Request, config: AiConfig) -> dict[str, Json]:
    """Return the body of a request."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Json] = {
        "model": config.model,
        "messages": [*system, *(_message(turn, config) for turn in request.turns)],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if config.temperature is not None:
        body["temperature"] = config.temperature
    if config.max_tokens is not None:
        # Other servers know only the older name, and OpenAI's newer models only the newer one.
        own = urlsplit(config.address).hostname == "api.openai.com"
        body["max_completion_tokens" if own else "max_tokens"] = config.max_tokens
    if request.tools:
        body["tools"] = list(map(function, request.tools))
        if request.last:
            body["tool_choice"] = "none"
    if request.schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": request.schema, "strict": True},
        }
    return body


def function(tool: ToolSpec) -> dict[str, Json]:
    """Return a tool as chat completions describe it."""
    described: dict[str, Json] = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": described}


def _message(turn: Turn, config: AiConfig) -> dict[str, Json]:
    message: dict[str, Json] = {"role": turn.role.value, "content": turn.text}
    if images := shown(turn, config):
        urls = [f"data:{image.media_type};base64,{base64(image)}" for image in images]
        pictures: list[Json] = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
        message["content"] = [{"type": "text", "text": turn.text}, *pictures]
    if turn.calls:
        message["content"] = turn.text or None
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.parsed())},
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
    return "".join(part["text"] for part in mappings(content) if isinstance(part.get("text"), str))


DIALECT: Final = Dialect(
    lambda _: "chat/completions", lambda key: {"Authorization": f"Bearer {key}"}, payload, Chunks
)
