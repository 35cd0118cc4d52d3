"""Lines typed or written into messages; pure functions."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from bot.adapters.console.reading import LONGEST_LINE
from bot.api import Account, Chat, ChatKind, Command, Message, Quote

PLATFORM: Final = "console"
FIELDS: Final[Mapping[str, type]] = {
    "chat": str,
    "kind": str,
    "sender": str,
    "name": str,
    "text": str,
    "addressed": bool,
    "language": str,
    "reply_to": str,
    "id": str,
}
NEEDED: Final = ("chat", "sender", "text")


def typed(text: str, number: int, sender: Account, now: datetime) -> Message:
    """Return what a person typed at the prompt as a private message."""
    chat = Chat(PLATFORM, sender.id, ChatKind.PRIVATE)
    return Message(str(number), chat, sender, text, now, addressed=True, command=command(text))


def language(environment: Mapping[str, str]) -> str | None:
    """Return the language that a terminal's environment names, None for none in particular."""
    named = (environment.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    tag = next(filter(None, named), "").partition(".")[0]
    return None if tag in {"", "C", "POSIX"} else tag


def from_json(line: bytes, number: int, now: datetime, is_own: Callable[[str], bool]) -> Message:
    """Return the message of a line of JSON; ValueError says what is wrong with it.

    ``number`` is the line's and the message's id where none is given; ``is_own`` tells whether the
    bot sent a message id.
    """
    fields = _fields(line)
    kind = _kind(fields.get("kind", "private"))
    replied = fields.get("reply_to")
    quote = None if replied is None else Quote(replied, own=is_own(replied))
    addressed = kind is ChatKind.PRIVATE or fields.get("addressed", quote is not None and quote.own)
    message_id = fields.get("id", str(number))
    return Message(
        message_id,
        Chat(PLATFORM, fields["chat"], kind),
        Account(
            PLATFORM,
            fields["sender"],
            name=fields.get("name", fields["sender"]),
            language=fields.get("language"),
        ),
        fields["text"],
        now,
        addressed=addressed,
        command=command(fields["text"]),
        reply_to=quote,
        update=fields.get("id"),
    )


def command(text: str) -> Command | None:
    """Return the command that a text is, None where it is something else."""
    if not text.startswith("/"):
        return None
    name, _, arguments = text[1:].partition(" ")
    return Command(name, arguments.strip()) if name else None


def _fields(line: bytes) -> Mapping[str, Any]:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a line has at most {LONGEST_LINE} bytes")
    try:
        fields = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise ValueError("this is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise ValueError("this is no JSON") from error
    if not isinstance(fields, dict):
        raise ValueError("a message is a JSON object")  # noqa: TRY004 - one kind of fault
    given = {key: value for key, value in fields.items() if value is not None}
    for key, value in given.items():
        _check(key, value)
    for key in NEEDED:
        if not given.get(key, "").strip():
            raise ValueError(f"{key!r} is missing or empty")
    return given


def _check(key: str, value: object) -> None:
    if key not in FIELDS:
        raise ValueError(f"unknown key {key[:40]!r}; known are {', '.join(FIELDS)}")
    if not isinstance(value, FIELDS[key]):
        kind = "true or false" if FIELDS[key] is bool else "a text"
        raise ValueError(f"{key!r} must be {kind}")  # noqa: TRY004 - one kind of fault


def _kind(value: str) -> ChatKind:
    if value not in set(ChatKind):
        raise ValueError(f"'kind' must be one of {', '.join(ChatKind)}")
    return ChatKind(value)
