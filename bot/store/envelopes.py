"""How a message is written down until it is finished."""

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

from bot.api import Account, Attachment, Chat, ChatKind, Command, Message, Quote
from bot.store.keys import shown

Row = dict[str, Any]


def event(message: Message) -> tuple[str, str]:
    """Return what a message is known by: its platform and update; ValueError without one."""
    if not message.update:
        text = "a message without an update cannot be told from others"
        raise ValueError(text)
    return message.chat.platform, shown(message.update)


def message_row(message: Message) -> Row:
    """Return a message, as one came, as an export shows it; of its files, what is known."""
    files = [{**asdict(file), "content": None} for file in message.attachments]
    row = {**asdict(message), "time": message.time.isoformat(), "attachments": files}
    del row["parts"]
    return row


def write_message(message: Message) -> str:
    """Return a message as JSON text in ASCII, which holds also what is no character."""
    return json.dumps(message_row(message), separators=(",", ":"))


def read_message(text: str) -> Message:
    """Return the message of a JSON text."""
    row: Row = json.loads(text)
    command = row["command"]
    known = {
        "chat": Chat(**{**row["chat"], "kind": ChatKind(row["chat"]["kind"])}),
        "sender": Account(**row["sender"]),
        "time": datetime.fromisoformat(row["time"]),
        "command": None if command is None else Command(**command),
        "reply_to": _quote(row["reply_to"]),
        "attachments": tuple(Attachment(**file) for file in row["attachments"]),
    }
    return Message(**{**row, **known})


def _quote(row: Row | None) -> Quote | None:
    if row is None:
        return None
    sender = row["sender"]
    return Quote(**{**row, "sender": None if sender is None else Account(**sender)})
