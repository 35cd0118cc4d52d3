"""Google's generateContent."""

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
from plugins.ai.providers.streaming import Dialect, decoded, mapping, mappings, text, unended
from plugins.ai.providers.vision import base64, shown

STOPS: Final[Mapping[str, Stop]] = {"STOP": Stop.DONE, "MAX_TOKENS": Stop.LENGTH}
"""Every other reason is one of Google's filters."""


class Contents:
    """Reads the chunks of one answer."""

    def __init__(self) -> None:
        self._stop: Stop | None = None
        self._calls: list[ToolCall] = []

    @property
    def over(self) -> bool:
        """Whether the answer is whole."""
        return self._stop is not None

    def take(self, data: str) -> Iterator[Event]:
        """Yield what a chunk adds."""
        chunk = decoded(data)
        if chunk.get("error"):
            raise stream_error(chunk["error"])
        if mapping(chunk.get("promptFeedback")).get("blockReason"):
            self._stop = Stop.FILTER
        for candidate in list(mappings(chunk.get("candidates")))[:1]:
            yield from self._candidate(candidate)
        usage = mapping(chunk.get("usageMetadata"))
        prompt, answer = usage.get("promptTokenCount"), usage.get("candidatesTokenCount")
        if isinstance(prompt, int) and isinstance(answer, int):
            yield Usage(prompt, answer)

    def finish(self) -> Iterator[Event]:
        """Yield the tool calls and the end."""
        if self._stop is None:
            raise unended()
        if self._calls and self._stop is Stop.DONE:
            self._stop = Stop.TOOLS
            yield from self._calls
        yield End(self._stop)

    def _candidate(self, candidate: Mapping[str, Any]) -> Iterator[Event]:
        for part in mappings(mapping(candidate.get("content")).get("parts")):
            if part.get("thought"):
                continue
            if part.get("text"):
                yield Piece(text(part["text"]))
            if call := mapping(part.get("functionCall")):
                number = text(call.get("id")) or f"call-{len(self._calls) + 1}"
                arguments = json.dumps(call.get("args") or {})
                signature = text(part.get("thoughtSignature"))
                self._calls.append(ToolCall(number, text(call.get("name")), arguments, signature))
        if reason := candidate.get("finishReason"):
            self._stop = STOPS.get(reason, Stop.FILTER)


def payload(request: Request, config: AiConfig) -> Mapping[str, Json]:
    """Return the body of a request."""
    names = request.names
    options: dict[str, Json] = {}
    if config.temperature is not None:
        options["temperature"] = config.temperature
    if config.max_tokens is not None:
        options["maxOutputTokens"] = config.max_tokens
    if request.schema is not None:
        options |= {"responseMimeType": "application/json", "responseJsonSchema": request.schema}
    groups = groupby(request.turns, key=lambda turn: turn.role)
    body: dict[str, Json] = {
        "contents": [c for _, g in groups for c in _contents(list(g), names, config)]
    }
    if request.tools:
        body["tools"] = [
            {
                "functionDeclarations": [
                    {
                        "name": t.name,
                        "description": t.description,
                        "parametersJsonSchema": t.parameters,
                    }
                    for t in request.tools
                ]
            }
        ]
        if request.last:
            body["toolConfig"] = {"functionCallingConfig": {"mode": "NONE"}}
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if options:
        body["generationConfig"] = options
    return body


def _contents(
    turns: Sequence[Turn], names: Mapping[str, str], config: AiConfig
) -> list[dict[str, Json]]:
    """Return the contents of one role; the results of one step are one content."""
    if turns[0].role is not Role.TOOL:
        return [_content(turn, config) for turn in turns]
    responses: list[Json] = [
        {
            "functionResponse": {
                "name": names.get(turn.call or "", ""),
                "response": {"result": turn.text},
            }
        }
        for turn in turns
    ]
    return [{"role": "user", "parts": responses}]


def _content(turn: Turn, config: AiConfig) -> dict[str, Json]:
    parts: list[Json] = [
        {"inlineData": {"mimeType": image.media_type, "data": base64(image)}}
        for image in shown(turn, config)
        if image.media_type != "image/gif"  # which the API does not take
    ]
    parts += [{"text": turn.text}] if turn.text or not turn.calls else []
    parts += map(_call, turn.calls)
    return {"role": "model" if turn.role is Role.ASSISTANT else "user", "parts": parts}


def _call(call: ToolCall) -> dict[str, Json]:
    part: dict[str, Json] = {"functionCall": {"name": call.name, "args": call.parsed()}}
    return part | ({"thoughtSignature": call.signature} if call.signature else {})


DIALECT: Final = Dialect(
    lambda config: f"v1beta/models/{config.model}:streamGenerateContent?alt=sse",
    lambda key: {"x-goog-api-key": key},
    payload,
    Contents,
)
