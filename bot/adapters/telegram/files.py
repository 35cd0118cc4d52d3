"""The files that come with a message."""

from collections.abc import Mapping
from typing import Any, Final

from bot.api import Attachment

KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "photo": ("photo.jpg", "image/jpeg"),
    "document": ("document", "application/octet-stream"),
    "voice": ("voice.ogg", "audio/ogg"),
    "audio": ("audio.mp3", "audio/mpeg"),
    "video": ("video.mp4", "video/mp4"),
    "video_note": ("video.mp4", "video/mp4"),
    "animation": ("animation.mp4", "video/mp4"),
    "sticker": ("sticker.webp", "image/webp"),
}
"""Kind of file to the name and media type of one that has none of its own."""


def attachments(raw: Mapping[str, Any]) -> tuple[Attachment, ...]:
    """Return what is known of a message's files; ``raw`` is a Message of the Bot API."""
    kinds = [kind for kind in KINDS if kind in raw]
    if "animation" in kinds and "document" in kinds:
        kinds.remove("document")  # the same file again, for old clients
    return tuple(_attachment(kind, raw[kind]) for kind in kinds)


def _attachment(kind: str, found: Any) -> Attachment:
    file = found[-1] if kind == "photo" else found  # the sizes of a photo ascend
    name, media_type = KINDS[kind]
    return Attachment(
        file.get("file_name", name),
        file.get("mime_type", media_type),
        id=file["file_id"],
        size=file.get("file_size"),
    )
