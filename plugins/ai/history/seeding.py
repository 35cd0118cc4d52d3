"""Conversations from elsewhere, in the form in which chat completions have them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.api import Entry, Json, Role
from plugins.ai.tokens import estimate

ROLES: Final = {role.value: role for role in (Role.USER, Role.ASSISTANT, Role.TOOL)}
PERSON: Final = re.compile(r"[a-z]+:.+")
FORM: Final = '{"role": "user", "content": "…"}'


def entries(messages: Sequence[Any], person: str | None) -> Iterator[Entry]:
    """Yield the entries of messages with ``role`` and ``content``; ValueError says which is wrong.

    A user's message may have a ``name``, for a group; an assistant's ``tool_calls``; a tool's has a
    ``tool_call_id``. Each may have a ``time``. Whose turn it is, by which it is erased, says the
    ``person`` of the user's message, or the one given here. Instructions (``system``,
    ``developer``) are left out: they are the operator's.
    """
    for number, message in enumerate(messages, 1):
        try:
            if isinstance(message, Mapping) and message.get("role") in {"system", "developer"}:
                continue
            entry = _entry(message, person)
            person = entry.person
            yield entry
        except ValueError as error:
            raise ValueError(f"message {number}: {error}") from None


def parse(text: str) -> Sequence[Any]:
    """Return the messages of a JSON array, of an object with ``messages``, or of JSON lines."""
    try:
        value = json.loads(text)
    except ValueError:
        return list(_lines(text))
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        return list(value["messages"])
    return value if isinstance(value, list) else [value]


def _lines(text: str) -> Iterator[Any]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from None


def _entry(message: Any, person: str | None) -> Entry:
    if not isinstance(message, Mapping) or message.get("role") not in ROLES:
        raise ValueError(f"should be like {FORM}, with the role user, assistant or tool")
    role = ROLES[message["role"]]
    text = _text(message.get("content"))
    content: dict[str, Json] = {"text": text}
    if role is Role.USER and isinstance(message.get("name"), str):
        content["speaker"] = message["name"]
    if role is Role.ASSISTANT and message.get("tool_calls"):
        content["calls"] = list(_calls(message["tool_calls"]))
    if role is Role.TOOL:
        if not isinstance(message.get("tool_call_id"), str):
            raise ValueError("a tool's message needs the tool_call_id that it answers")
        content["call"] = message["tool_call_id"]
    speaker = message.get("person", person)
    if not isinstance(speaker, str) or not PERSON.fullmatch(speaker):
        raise ValueError("whose it is should be an id like telegram:123456")
    size = estimate(json.dumps(content, ensure_ascii=False))
    return Entry(role, content, speaker, size, _time(message.get("time")))


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping)]
        return "\n".join(str(part["text"]) for part in parts if part.get("type") == "text")
    raise ValueError("content should be a text or a list of parts")


def _calls(calls: Any) -> Iterator[Json]:
    for call in calls if isinstance(calls, list) else [None]:
        match call:
            case {"id": str(id_), "function": {"name": str(name), "arguments": str(arguments)}}:
                yield {"id": id_, "name": name, "arguments": arguments}
            case _:
                raise ValueError("each of tool_calls needs an id, and a function with arguments")


def _time(value: Any) -> datetime | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("time should be like 2026-01-31T12:00:00+00:00") from None
    if time.tzinfo is None:
        raise ValueError("time needs an offset, like 2026-01-31T12:00:00+00:00")
    return time
