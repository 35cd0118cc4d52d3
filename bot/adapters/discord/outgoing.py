"""Replies into the messages of Discord; pure functions."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any, Final, TypeVar

from bot.api import Attachment, Button, Reply, split
from bot.api.fences import Fences

Item = TypeVar("Item")
Json = dict[str, Any]

LIMIT: Final = 2_000
FILES: Final = 10
ROWS: Final = 5
ROW: Final = 5
LONGEST_LABEL: Final = 80
SUPPRESS_EMBEDS: Final = 1 << 2
NO_MENTIONS: Final[Mapping[str, Any]] = {"parse": [], "replied_user": False}
MARK: Final = "```"
LANGUAGE: Final = re.compile(r"[\w+.#-]+", re.ASCII)
ACTION_ROW, BUTTON, SECONDARY, DANGER = 1, 2, 2, 4


@dataclass(frozen=True, slots=True)
class Part:
    """What goes out as one message."""

    text: str = ""
    files: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()


def parts(reply: Reply) -> Sequence[Part]:
    """Return the messages of a reply: its text, with files and buttons from the last one on."""
    texts = split(_fenced(_sound(reply.text)), LIMIT, utf16)
    files = list(_pages(reply.attachments, FILES))
    unique = tuple({button.command: button for button in reply.buttons}.values())
    buttons = list(_pages(unique, ROWS * ROW))
    last = zip_longest(texts[-1:], files, buttons, fillvalue=None)
    ends = (Part(text or "", file or (), button or ()) for text, file, button in last)
    return [*map(Part, texts[:-1]), *ends]


def new_message(part: Part, nonce: str | None = None, reply_to: str | None = None) -> Json:
    """Return the request that sends a part; the same ``nonce`` never sends it twice."""
    request = _message(part)
    if nonce is not None:
        request |= {"nonce": nonce, "enforce_nonce": True}
    if reply_to is not None:
        request["message_reference"] = {"message_id": reply_to, "fail_if_not_exists": False}
    if part.files:
        request["attachments"] = _attachments(part)
    return request


def changed_message(before: Part, after: Part) -> Json:
    """Return the request that makes a message of one part show another."""
    request = _message(after) | {"content": after.text, "components": _rows(after.buttons)}
    if before.files != after.files:
        request["attachments"] = _attachments(after)
    return request


def form(request: Json, files: Sequence[Attachment]) -> Sequence[dict[str, Any]]:
    """Return the fields of a multipart form that carries a request and its files."""
    fields: list[dict[str, Any]] = [{"name": "payload_json", "value": json.dumps(request)}]
    fields += (
        {
            "name": f"files[{number}]",
            "value": file.content or b"",
            "filename": file.name,
            "content_type": file.media_type,
        }
        for number, file in enumerate(files)
    )
    return fields


def utf16(text: str) -> int:
    """Return the length of a text as the strictest of Discord's counters has it."""
    return len(text) + sum(character > "\uffff" for character in text)


def _message(part: Part) -> Json:
    request: Json = {"flags": SUPPRESS_EMBEDS, "allowed_mentions": dict(NO_MENTIONS)}
    if part.text:
        request["content"] = part.text
    if part.buttons:
        request["components"] = _rows(part.buttons)
    return request


def _attachments(part: Part) -> Sequence[Json]:
    return [{"id": str(number), "filename": file.name} for number, file in enumerate(part.files)]


def _rows(buttons: Sequence[Button]) -> Sequence[Json]:
    return [
        {"type": ACTION_ROW, "components": [_button(button) for button in row]}
        for row in _pages(buttons, ROW)
    ]


def _button(button: Button) -> Json:
    label = button.label
    if utf16(label) > LONGEST_LABEL:
        label = f"{split(label, LONGEST_LABEL - 1, utf16)[0]}…"
    return {
        "type": BUTTON,
        "style": DANGER if button.danger else SECONDARY,
        "label": label,
        "custom_id": button.command,
    }


def _pages(items: Sequence[Item], size: int) -> Iterator[tuple[Item, ...]]:
    left = iter(items)
    while page := tuple(islice(left, size)):
        yield page


def _sound(text: str) -> str:
    """Return the text without halves of characters, which JSON cannot carry."""
    if not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _fenced(text: str) -> str:
    """Return the text with the one kind of fence that Discord knows, and a language it can read."""
    pieces, done = [], 0
    for fence in Fences(text).blocks:
        if MARK in text[fence.code : fence.close]:
            continue
        mark = text.index(fence.mark, fence.start)
        words = fence.info.split()
        language = words[0] if words and LANGUAGE.fullmatch(words[0]) else ""
        pieces += [text[done:mark], MARK, language, text[mark : fence.code][-1:].strip(" ")]
        done = fence.code
        if fence.close < len(text):
            pieces += [text[done : fence.close], " " * fence.indent, MARK]
            done = fence.end - text[fence.close : fence.end].endswith("\n")
    return "".join([*pieces, text[done:]])
