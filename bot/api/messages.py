"""What is said: messages as every platform sees them, and the bot's replies."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

BUTTON_BYTES: Final = 64
"""Longest command of a button in UTF-8 bytes (Telegram: ``callback_data``)."""


class ChatKind(StrEnum):
    """Where a message was said."""

    PRIVATE = "private"
    GROUP = "group"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True)
class Chat:
    """A place to talk in; two chats with the same platform, id and thread are the same."""

    platform: str
    id: str
    kind: ChatKind = field(default=ChatKind.PRIVATE, compare=False)
    thread: str | None = None
    title: str | None = field(default=None, compare=False)
    language: str | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """``platform:id``, with ``:thread`` behind it where there is one."""
        if self.thread is None:
            return f"{self.platform}:{self.id}"
        return f"{self.platform}:{self.id}:{self.thread}"

    @property
    def private(self) -> bool:
        """Whether one person talks with the bot alone."""
        return self.kind is ChatKind.PRIVATE


@dataclass(frozen=True, slots=True)
class Account:
    """A user of one platform.

    ``language`` is the locale of the client as the platform names it. ``anonymous`` is set for
    one who speaks as a chat (an anonymous admin, a channel): such an account is nobody, so that
    nothing is ever stored under it.
    """

    platform: str
    id: str
    name: str = field(default="", compare=False)
    language: str | None = field(default=None, compare=False)
    is_bot: bool = field(default=False, compare=False)
    anonymous: bool = field(default=False, compare=False)

    @property
    def key(self) -> str:
        """``platform:id``."""
        return f"{self.platform}:{self.id}"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a message or goes out with a reply.

    ``id`` is the platform's reference of an incoming file, ``content`` the bytes of an outgoing
    one, ``size`` is in bytes.
    """

    name: str
    media_type: str = "application/octet-stream"
    content: bytes | None = None
    id: str | None = None
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """The message that another one answers; ``own`` says that the bot wrote it."""

    id: str
    text: str = ""
    sender: Account | None = None
    own: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """``/name arguments``, already told from plain text by the adapter."""

    name: str
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """What somebody said.

    ``addressed`` is set when the bot is meant: in private, by a mention, or by a reply to it.
    ``forwarded`` names the one who said it first when the sender only passed it on.
    ``update`` is the platform's number of the event, the same when it is delivered again.
    ``time`` is aware. ``parts`` are the messages that it was joined of, where a handler wants what
    comes quickly as one; each may be forwarded or not.
    """

    id: str
    chat: Chat
    sender: Account
    text: str
    time: datetime
    addressed: bool = False
    command: Command | None = None
    reply_to: Quote | None = None
    attachments: tuple[Attachment, ...] = ()
    forwarded: str | None = None
    edited: bool = False
    update: str | None = None
    parts: tuple["Message", ...] = ()

    def same_sender(self, other: "Message") -> bool:
        """Tell whether another message is by the same account."""
        return self.sender.key == other.sender.key


@dataclass(frozen=True, slots=True)
class Button:
    """A saved command: pressing it says ``/command`` with the presser's rights."""

    label: str
    command: str
    danger: bool = False

    def __post_init__(self) -> None:
        size = len(self.command.encode())
        if not self.label or not 0 < size <= BUTTON_BYTES:
            message = (
                f"a button needs a label and a command of 1 to {BUTTON_BYTES} bytes, not {size}"
            )
            raise ValueError(message)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the bot says.

    ``text`` is Markdown: bold, italic, code, fenced code, links, quotes and lists. ``reply_to`` is
    the id of the message that is answered. ``partial`` marks a draft that will still grow.
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[Button, ...] = ()
    reply_to: str | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """The receipt of a reply: its parts on the platform, and what they show."""

    chat: Chat
    ids: Sequence[str]
    reply: Reply
