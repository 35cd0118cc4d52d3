"""Anthropic's messages."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from bot.api import Json, Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.provider import (
    End,
    Event,
    Piece,
    Request,
    Stop,
    ToolCall,
    Turn,
    Usage,
)
from plugins.ai.providers.refusals import stream_error
from plugins.ai.providers.streaming import Dialect, decoded, mapping, text, unended
from plugins.ai.providers.vision import base64, shown

VERSION: Final = "2023-06-01"
MOST_TOKENS: Final = 4096
"""The limit of an answer where none is set; the API wants one."""

STOPS: Final[Mapping[str, Stop]] = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.FILTER,
    "tool_use": Stop.TOOLS,
}


class Messages:
    """Reads the events of one answer."""

    def __init__(self) -> None:
        self.over = False
        self._stop: Stop | None = None
        self._prompt = 0
        self._calls: dict[object, tuple[str, str, str]] = {}

    def take(self, data: str) -> Iterator[Event]:
        """Yield what an event adds."""
        event = decoded(data)
        kind = event.get("type")
        if kind == "error":
            raise stream_error(event.get("error"))
        if kind == "message_start":
            usage = mapping(mapping(event.get("message")).get("usage"))
            self._prompt = int(usage.get("input_tokens") or 0)
        elif kind == "content_block_start":
            yield from self._begun(event.get("index"), mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            yield from self._grown(event.get("index"), mapping(event.get("delta")))
        elif kind == "message_delta":
            yield from self._ended(event)
        elif kind == "message_stop":
            self.over = True
        elif kind == "message":
            yield from self._whole(event)

    def finish(self) -> Iterator[Event]:
        """Yield the tool calls and the end."""
        if self._stop is None:
            raise unended()
        if self._stop in {Stop.DONE, Stop.TOOLS}:
            for number, name, arguments in self._calls.values():
                yield ToolCall(number, name, arguments)
        yield End(self._stop)

    def _begun(self, index: object, block: Mapping[str, Any]) -> Iterator[Event]:
        if block.get("type") == "tool_use":
            given = block.get("input")
            arguments = json.dumps(given) if given else ""
            self._calls[index] = (text(block.get("id")), text(block.get("name")), arguments)
        elif block.get("type") == "text" and block.get("text"):
            yield Piece(text(block["text"]))

    def _grown(self, index: object, delta: Mapping[str, Any]) -> Iterator[Event]:
        if delta.get("type") == "text_delta":
            yield Piece(text(delta.get("text")))
        elif delta.get("type") == "input_json_delta" and index in self._calls:
            number, name, arguments = self._calls[index]
            self._calls[index] = (number, name, arguments + text(delta.get("partial_json")))

    def _ended(self, event: Mapping[str, Any]) -> Iterator[Event]:
        reason = mapping(event.get("delta")).get("stop_reason")
        if reason:
            self._stop = STOPS.get(reason, Stop.DONE)
        answer = mapping(event.get("usage")).get("output_tokens")
        if isinstance(answer, int):
            yield Usage(self._prompt, answer)

    def _whole(self, message: Mapping[str, Any]) -> Iterator[Event]:
        """Read an answer of a server that does not stream."""
        self._prompt = int(mapping(message.get("usage")).get("input_tokens") or 0)
        for index, block in enumerate(message.get("content") or ()):
            yield from self._begun(index, mapping(block))
        yield from self._ended({"delta": message, "usage": message.get("usage")})
        self.over = True


def payload(request: Request, config: AiConfig) -> Mapping[str, Json]:
    """Return the body of a request."""
    body: dict[str, Json] = {
        "model": config.model,
        "max_tokens": config.max_tokens or MOST_TOKENS,
        "messages": list(_messages(request.turns, config)),
        "stream": True,
    }
    system = request.system
    if request.schema is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
    if request.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": t.parameters}
            for t in request.tools
        ]
        if request.last:
            body["tool_choice"] = {"type": "none"}
    if system:
        body["system"] = system
    if config.temperature is not None:
        body["temperature"] = min(config.temperature, 1.0)  # the most that the API takes
    return body


def _messages(turns: Sequence[Turn], config: AiConfig) -> Iterator[dict[str, Json]]:
    """Yield the messages; the results of one step, and what is said behind them, are one."""
    for role, group in groupby(turns, key=_role):
        if role == "user":
            blocks = [block for turn in group for block in _said(turn, config)]
            plain = len(blocks) == 1 and blocks[0].get("type") == "text"
            yield {"role": role, "content": blocks[0]["text"] if plain else blocks}
        else:
            yield from map(_message, group)


def _role(turn: Turn) -> str:
    return "assistant" if turn.role is Role.ASSISTANT else "user"


def _said(turn: Turn, config: AiConfig) -> list[dict[str, Json]]:
    if turn.role is Role.TOOL:
        return [{"type": "tool_result", "tool_use_id": turn.call, "content": turn.text}]
    blocks: list[dict[str, Json]] = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": image.media_type, "data": base64(image)},
        }
        for image in shown(turn, config)
    ]
    return [*blocks, {"type": "text", "text": turn.text}]


def _message(turn: Turn) -> dict[str, Json]:
    if not turn.calls:
        return {"role": turn.role.value, "content": turn.text}
    blocks: list[Json] = [{"type": "text", "text": turn.text}] if turn.text else []
    blocks += [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": c.parsed()} for c in turn.calls
    ]
    return {"role": "assistant", "content": blocks}


DIALECT: Final = Dialect(
    lambda _: "v1/messages",
    lambda key: {"x-api-key": key, "anthropic-version": VERSION},
    payload,
    Messages,
)
