"""Updates of the Bot API, as they are decoded from JSON, into messages; pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from bot.adapters.telegram.files import attachments
from bot.adapters.telegram.speech import Hearer, heard
from bot.api import Account, Chat, ChatKind, Command, Message, Quote

PLATFORM: Final = "telegram"
GENERAL: Final = 1
"""The thread of a forum's first topic, which is never named in a request."""

UNREADABLE: Final = (LookupError, TypeError, ValueError, AttributeError, OverflowError, OSError)
"""What `incoming` raises for what is no update of the Bot API."""

Json = Mapping[str, Any]


class Ignored(StrEnum):
    """Why an update is no message, as counters name it."""

    CHANNEL = "ignored: a channel post"
    SERVICE = "ignored: nothing to read"
    OTHER = "ignored: another kind of update"


@dataclass(frozen=True, slots=True)
class Moved:
    """A group became a supergroup and has a new id."""

    old: Chat
    new: Chat


def incoming(update: Json, bot: Hearer, now: datetime) -> Message | Moved | Ignored:
    """Return what an update says; ``now`` is the time of a button's press.

    Raises one of `UNREADABLE` for what is no update of the Bot API.
    """
    if (raw := update.get("message")) is not None:
        return _message(raw, update, bot)
    if (raw := update.get("edited_message")) is not None:
        return _message(raw, update, bot, edited=True)
    if (raw := update.get("callback_query")) is not None:
        return _pressed(raw, update, now)
    if "channel_post" in update or "edited_channel_post" in update:
        return Ignored.CHANNEL
    return Ignored.OTHER


def _message(
    raw: Json, update: Json, bot: Hearer, *, edited: bool = False
) -> Message | Moved | Ignored:
    text = raw.get("text")
    files = () if text is not None else attachments(raw)
    if text is None and not files:
        return _moved(raw)
    sender = _sender(raw)
    chat = _chat(raw)
    if sender is None or chat.kind is ChatKind.CHANNEL or "is_automatic_forward" in raw:
        return Ignored.CHANNEL
    quote = _quote(raw, bot)
    forwarded = _origin(raw["forward_origin"])[0] if "forward_origin" in raw else None
    speech = heard(raw, bot, quote, forwarded=forwarded is not None)
    return Message(
        str(raw["message_id"]),
        chat,
        sender,
        speech.text,
        datetime.fromtimestamp(raw["date"], UTC),
        addressed=chat.private or speech.addressed,
        command=speech.command,
        reply_to=quote,
        attachments=files,
        forwarded=forwarded,
        edited=edited,
        update=str(update["update_id"]),
    )


def _pressed(query: Json, update: Json, now: datetime) -> Message | Ignored:
    raw = query.get("message")
    data = query.get("data")
    if raw is None or not data:
        return Ignored.OTHER
    name, _, arguments = data.partition(" ")
    return Message(
        str(raw["message_id"]),
        _chat(raw),
        _account(query["from"]),
        f"/{data}",
        now,
        addressed=True,
        command=Command(name.lower(), arguments.strip()),
        update=str(update["update_id"]),
    )


def _moved(raw: Json) -> Moved | Ignored:
    here = _chat(raw)
    if (new := raw.get("migrate_to_chat_id")) is not None:
        return Moved(here, Chat(PLATFORM, str(new), ChatKind.GROUP, title=here.title))
    if (old := raw.get("migrate_from_chat_id")) is not None:
        return Moved(Chat(PLATFORM, str(old), ChatKind.GROUP, title=here.title), here)
    return Ignored.SERVICE


def _chat(raw: Json) -> Chat:
    chat = raw["chat"]
    kind = chat["type"]
    if kind == "private":
        return Chat(PLATFORM, str(chat["id"]), ChatKind.PRIVATE, _thread(raw))
    place = ChatKind.CHANNEL if kind == "channel" else ChatKind.GROUP
    return Chat(PLATFORM, str(chat["id"]), place, _thread(raw), chat.get("title"))


def _thread(raw: Json) -> str | None:
    if not raw.get("is_topic_message"):
        return None
    thread = raw.get("message_thread_id")
    return None if thread is None or thread == GENERAL else str(thread)


def _sender(raw: Json) -> Account | None:
    if (chat := raw.get("sender_chat")) is not None:
        return _nobody(chat)
    user = raw.get("from")
    return None if user is None else _account(user)


def _account(user: Json) -> Account:
    last = user.get("last_name")
    name = user["first_name"]
    return Account(
        PLATFORM,
        str(user["id"]),
        f"{name} {last}" if last else name,
        user.get("language_code"),
        user["is_bot"],
    )


def _nobody(chat: Json) -> Account:
    return Account(PLATFORM, str(chat["id"]), _title(chat), anonymous=True)


def _title(chat: Json) -> str:
    return str(chat.get("title") or chat.get("first_name") or chat["id"])


def _origin(origin: Json) -> tuple[str, Account]:
    """Return the name and the account of who said something first."""
    if (user := origin.get("sender_user")) is not None:
        account = _account(user)
    elif (chat := origin.get("sender_chat") or origin.get("chat")) is not None:
        account = _nobody(chat)
    else:
        account = Account(PLATFORM, "", origin.get("sender_user_name", ""), anonymous=True)
    return account.name or "?", account


def _quote(raw: Json, bot: Hearer) -> Quote | None:
    part = raw.get("quote")
    said = None if part is None else part["text"]
    if (replied := raw.get("reply_to_message")) is not None:
        if _opens_topic(raw, replied):
            return None
        text = said or replied.get("text") or replied.get("caption") or ""
        own = replied.get("from", {}).get("id") == bot.id
        return Quote(str(replied["message_id"]), text, _sender(replied), own)
    if (elsewhere := raw.get("external_reply")) is not None:
        sender = _origin(elsewhere["origin"])[1]
        return Quote(str(elsewhere.get("message_id", "")), said or "", sender)
    return None


def _opens_topic(raw: Json, replied: Json) -> bool:
    # Telegram gives each message of a topic the topic's opening as what it replies to.
    topic = raw.get("message_thread_id")
    return bool(raw.get("is_topic_message")) and replied["message_id"] == topic
