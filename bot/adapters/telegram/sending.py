"""Sending and changing messages, through whatever Telegram says to that."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import zip_longest
from typing import Any, Final, TypeVar

from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReplyParameters,
)

from bot.adapters.telegram.errors import Migrated, refused, sdk_errors
from bot.adapters.telegram.outgoing import Part, keyboard, parts
from bot.api import AdapterError, Chat, Forbidden, RateLimited, Reply, Sent, Unavailable

DRAFT: Final = "draft-"
LARGEST_DRAFT: Final = (1 << 31) - 1
TRIES: Final = 4
LONGEST_WAIT: Final = 60.0
NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)
UNCHANGED: Final = "message is not modified"
NO_TOPIC: Final = ("thread not found", "topic_deleted", "topic_closed")
GONE: Final = ("message to edit not found", "message_id_invalid", "message can't be edited")

Answer = TypeVar("Answer")
Request = Callable[[int, dict[str, Any]], Awaitable[Answer]]
Moved = Callable[[Chat, Chat], Awaitable[None]]


class Sender:
    """Sends replies with a bot; ``moved`` is told of a chat that has a new id.

    What still grows in a private chat is shown as a draft, which is no message yet and has an id of
    ours. Where the server knows no drafts, it is a message that is edited.
    """

    def __init__(self, bot: Bot, moved: Moved) -> None:
        self._bot = bot
        self._moved = moved
        self._present: dict[str, str] = {}
        self._drafts = True

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Send a reply in as many messages as it takes; the first one answers its message."""
        draft = f"{DRAFT}{1 + secrets.randbelow(LARGEST_DRAFT)}"
        if await self._draft(chat, reply, draft):
            return Sent(chat, (draft,), reply)
        return await self._send_all(chat, reply)

    async def _send_all(self, chat: Chat, reply: Reply) -> Sent:
        ids = []
        for number, part in enumerate(parts(reply)):
            answered = None if number else reply.reply_to
            ids.append(await self._send(chat, part, answered, wait=not reply.partial))
        return Sent(chat, tuple(ids), reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Change the messages of a reply that differ, add and delete what it takes."""
        if sent.ids and sent.ids[0].startswith(DRAFT):
            if await self._draft(sent.chat, reply, sent.ids[0]):
                return Sent(sent.chat, sent.ids, reply)
            return await self._send_all(sent.chat, reply)
        ids = []
        for message, before, after in zip_longest(sent.ids, parts(sent.reply), parts(reply)):
            if message is not None and after == before:
                ids.append(message)
            elif message is not None and not _is_file(before) and _is_text(after):
                ids.append(await self._change(sent.chat, message, after, wait=not reply.partial))
            else:
                if message is not None:
                    await self._delete(sent.chat, message)
                if after is not None:
                    ids.append(await self._send(sent.chat, after, None, wait=not reply.partial))
        return Sent(sent.chat, tuple(ids), reply)

    async def _draft(self, chat: Chat, reply: Reply, draft: str) -> bool:
        """Show a reply as a draft; tell whether that can be."""
        found = parts(reply)
        if not (self._drafts and reply.partial and chat.private and len(found) == 1):
            return False
        number = int(draft.removeprefix(DRAFT))

        async def request(chat_id: int, options: dict[str, Any]) -> bool:
            return await self._bot.send_message_draft(
                chat_id, number, found[0].text, entities=_entities(found[0]), **options
            )

        thread = {} if chat.thread is None else {"message_thread_id": int(chat.thread)}
        try:
            return await self._request(chat, request, thread, wait=False)
        except (RateLimited, Unavailable, Forbidden):
            raise
        except AdapterError:
            self._drafts = False
            return False

    async def _send(self, chat: Chat, part: Part, answered: str | None, *, wait: bool) -> str:
        options: dict[str, Any] = {"reply_markup": _markup(part)}
        if chat.thread is not None:
            options["message_thread_id"] = int(chat.thread)
        if answered is not None:
            options["reply_parameters"] = ReplyParameters(
                int(answered), allow_sending_without_reply=True
            )

        async def request(chat_id: int, options: dict[str, Any]) -> Message:
            if part.file is not None:
                file = InputFile(part.file.content or b"", part.file.name)
                return await self._bot.send_document(chat_id, file, **options)
            return await self._bot.send_message(
                chat_id,
                part.text,
                entities=_entities(part),
                link_preview_options=NO_PREVIEW,
                **options,
            )

        message = await self._request(chat, request, options, wait=wait)
        return str(message.message_id)

    async def _change(self, chat: Chat, message: str, part: Part, *, wait: bool) -> str:
        async def request(chat_id: int, options: dict[str, Any]) -> Message | bool:
            return await self._bot.edit_message_text(
                part.text,
                chat_id,
                int(message),
                entities=_entities(part),
                link_preview_options=NO_PREVIEW,
                **options,
            )

        try:
            await self._request(chat, request, {"reply_markup": _markup(part)}, wait=wait)
        except AdapterError as error:
            if refused(error, *GONE):
                return await self._send(chat, part, None, wait=wait)
            if not refused(error, UNCHANGED):
                raise
        return message

    async def _delete(self, chat: Chat, message: str) -> None:
        async def request(chat_id: int, options: dict[str, Any]) -> bool:
            return await self._bot.delete_message(chat_id, int(message), **options)

        with suppress(AdapterError):  # it is only in the way
            await self._request(chat, request, {}, wait=True)

    async def _request(
        self, chat: Chat, request: Request[Answer], options: dict[str, Any], *, wait: bool
    ) -> Answer:
        """Make a request until it is answered: wait where Telegram asks to, follow a moved group.

        The answer to a topic that is gone goes to the group itself.
        """
        for left in reversed(range(TRIES)):
            try:
                with sdk_errors():
                    return await request(int(self._present.get(chat.id, chat.id)), options)
            except RateLimited as limited:
                if not wait or not left or limited.retry_after > LONGEST_WAIT:
                    raise
                await asyncio.sleep(limited.retry_after)
            except Migrated as migrated:
                if not left:
                    raise
                await self._follow(chat, str(migrated.new))
            except AdapterError as error:
                if not refused(error, *NO_TOPIC) or not options.pop("message_thread_id", None):
                    raise
        raise AssertionError

    async def _follow(self, chat: Chat, new: str) -> None:
        self._present[chat.id] = new
        await self._moved(chat, Chat(chat.platform, new, chat.kind, chat.thread, chat.title))


def _is_text(part: Part | None) -> bool:
    return part is not None and part.file is None


def _is_file(part: Part | None) -> bool:
    return part is not None and part.file is not None


def _markup(part: Part) -> InlineKeyboardMarkup | None:
    if not part.buttons:
        return None
    rows = keyboard(part.buttons)
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(label, callback_data=data) for label, data in row] for row in rows]
    )


def _entities(part: Part) -> list[MessageEntity]:
    return [MessageEntity(**entity) for entity in part.entities]
