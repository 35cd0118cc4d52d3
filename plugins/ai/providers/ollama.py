"""Ollama's chat, for models on one's own machine."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bot.api import Json, Role
from plugins.ai.config import AiConfig
from plugins.ai.providers.openai import function
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
from plugins.ai.providers.streaming import Dialect, decoded, mapping, mappings, text, unended
from plugins.ai.providers.vision import base64, shown
from plugins.ai.thinking import Thoughts

ROOM: Final = 2048
"""How many tokens an answer has beside the history."""


class Lines:
    """Reads the lines of one answer."""

    def __init__(self) -> None:
        self._stop: Stop | None = None
        self._thoughts = Thoughts()
        self._calls: list[ToolCall] = []

    @property
    def over(self) -> bool:
        """Whether the answer is whole."""
        return self._stop is not None

    def take(self, data: str) -> Iterator[Event]:
        """Yield what a line adds."""
        line = decoded(data)
        if line.get("error"):
            raise stream_error(line["error"])
        message = mapping(line.get("message"))
        if shown := self._thoughts.feed(text(message.get("content"))):
            yield Piece(shown)
        for call in mappings(message.get("tool_calls")):
            self._called(mapping(call.get("function")))
        if line.get("done"):
            self._stop = Stop.LENGTH if line.get("done_reason") == "length" else Stop.DONE
            prompt, answer = line.get("prompt_eval_count"), line.get("eval_count")
            if isinstance(prompt, int) and isinstance(answer, int):
                yield Usage(prompt, answer)

    def finish(self) -> Iterator[Event]:
        """Yield what waited, the tool calls and the end."""
        if rest := self._thoughts.finish():
            yield Piece(rest)
        if self._stop is None:
            raise unended()
        if self._calls and self._stop is Stop.DONE:
            self._stop = Stop.TOOLS
            yield from self._calls
        yield End(self._stop)

    def _called(self, function: Mapping[str, Any]) -> None:
        given = function.get("arguments")
        arguments = given if isinstance(given, str) else json.dumps(given or {})
        number = f"call-{len(self._calls) + 1}"
        self._calls.append(ToolCall(number, text(function.get("name")), arguments))


def payload(request: Request, config: AiConfig) -> Mapping[str, Json]:
    """Return the body of a request; an answer has no limit unless one is set.

    The server takes no more than ``num_ctx``, of which it has little of its own accord, and drops
    the beginning of what is longer without a word.
    """
    names = request.names
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Json] = {
        "model": config.model,
        "messages": [*system, *(_message(turn, names, config) for turn in request.turns)],
        "stream": True,
    }
    options: dict[str, Json] = {"num_ctx": config.history.window + ROOM}
    if config.temperature is not None:
        options["temperature"] = config.temperature
    if config.max_tokens is not None:
        options["num_predict"] = config.max_tokens
    body["options"] = options
    if request.tools and not request.last:
        body["tools"] = list(map(function, request.tools))
    if request.schema is not None:
        body["format"] = request.schema
    return body


def _message(turn: Turn, names: Mapping[str, str], config: AiConfig) -> dict[str, Json]:
    message: dict[str, Json] = {"role": turn.role.value, "content": turn.text}
    if images := shown(turn, config):
        message["images"] = [base64(image) for image in images]
    if turn.calls:
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.parsed()}} for call in turn.calls
        ]
    if turn.role is Role.TOOL and turn.call is not None:
        message["tool_name"] = names.get(turn.call, "")
    return message


DIALECT: Final = Dialect(
    lambda _: "api/chat", lambda key: {"Authorization": f"Bearer {key}"}, payload, Lines
)
