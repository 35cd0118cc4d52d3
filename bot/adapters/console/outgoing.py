"""Replies into lines of JSON or text; pure functions."""

import base64
import json
from collections.abc import Sequence

from bot.api import Attachment, Button, Chat, Reply


def event(kind: str, chat: Chat, message_id: str, reply: Reply) -> str:
    """Return what happened as one line of JSON; ``kind`` is reply, edit or draft."""
    fields: dict[str, object] = {
        "event": kind,
        "chat": chat.id,
        "id": message_id,
        "text": reply.text,
    }
    if reply.reply_to is not None:
        fields["reply_to"] = reply.reply_to
    if reply.buttons:
        fields["buttons"] = [{"label": b.label, "command": f"/{b.command}"} for b in reply.buttons]
    if reply.attachments:
        fields["attachments"] = [_file(attachment) for attachment in reply.attachments]
    return json.dumps(fields, ensure_ascii=False)


def fault(line: int, text: str) -> str:
    """Return the event of a faulty line."""
    fields = {"event": "error", "chat": None, "id": None, "line": line, "text": text}
    return json.dumps(fields, ensure_ascii=False)


def growth(shown: str, text: str) -> str:
    """Return what to print so that a text which is shown becomes another one."""
    return text[len(shown) :] if text.startswith(shown) else f"\n{text}"


def choices(buttons: Sequence[Button]) -> str:
    """Return lines that offer buttons to somebody who can only type."""
    return "".join(f"\n  · {button.label}: /{button.command}" for button in buttons)


def _file(attachment: Attachment) -> dict[str, object]:
    content = attachment.content or b""
    return {
        "name": attachment.name,
        "media_type": attachment.media_type,
        "size": len(content),
        "content": base64.b64encode(content).decode(),
    }
