"""Sending and changing messages, in channels and in answer to interactions."""

import secrets
from collections.abc import Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any, Final

import discord
from discord.http import Route

from bot.adapters.discord.errors import (
    INVALID_INTERACTION_TOKEN,
    REPLY_NEEDS_HISTORY,
    UNKNOWN_WEBHOOK,
    code,
    sdk_errors,
)
from bot.adapters.discord.interactions import Interactions, Waiting
from bot.adapters.discord.outgoing import Json, Part, changed_message, form, new_message, parts
from bot.api import AdapterError, Attachment, Chat, Reply, Sent

OVER: Final = frozenset({INVALID_INTERACTION_TOKEN, UNKNOWN_WEBHOOK})
UNKNOWN_MESSAGE: Final = 10008
NOTHING: Final = Part()

MESSAGES: Final = "/channels/{channel_id}/messages"
MESSAGE: Final = "/channels/{channel_id}/messages/{message_id}"
FOLLOW_UPS: Final = "/webhooks/{webhook_id}/{webhook_token}"
FOLLOW_UP: Final = "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}"
ORIGINAL: Final = "@original"


class Sender:
    """Sends replies with a client; what answers an interaction goes through its token."""

    def __init__(self, client: discord.Client, interactions: Interactions) -> None:
        self._client = client
        self._interactions = interactions

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Send a reply in as many messages as it takes; the first one answers its message."""
        ids = [
            await self._send(chat, part, reply, number) for number, part in enumerate(parts(reply))
        ]
        return Sent(chat, tuple(ids), reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Change the messages of a reply that differ, add and delete what it takes."""
        ids = []
        pairs = zip_longest(sent.ids, parts(sent.reply), parts(reply))
        for number, (message, before, after) in enumerate(pairs):
            if after is None:
                await self._delete(sent.chat, message)
            elif message is None:
                ids.append(await self._send(sent.chat, after, reply, number))
            elif after == before:
                ids.append(message)
            else:
                change = changed_message(before or NOTHING, after)
                files = after.files if "attachments" in change else ()
                ids.append(await self._change(sent.chat, message, (change, files, after), reply))
        return Sent(sent.chat, tuple(ids), reply)

    async def drop_placeholder(self, message_id: str) -> None:
        """Take the sign of waiting away where nothing was answered."""
        waiting = self._interactions.get(message_id)
        if waiting is not None and waiting.placeholder:
            waiting.placeholder = False
            with suppress(AdapterError):
                await self._request("DELETE", FOLLOW_UP, message_id=ORIGINAL, **_token(waiting))

    async def _send(self, chat: Chat, part: Part, reply: Reply, number: int) -> str:
        waiting = self._interactions.get(reply.reply_to)
        if waiting is not None:
            try:
                return await self._answer(waiting, part)
            except AdapterError as error:
                if code(error) not in OVER:
                    raise
                self._interactions.forget(reply.reply_to)
        answered = None if number or waiting is not None else reply.reply_to
        request = new_message(part, secrets.token_hex(8), answered)
        try:
            made = await self._request(
                "POST", MESSAGES, request, part.files, channel_id=int(chat.id)
            )
        except AdapterError as error:
            if code(error) != REPLY_NEEDS_HISTORY:
                raise
            request.pop("message_reference", None)
            made = await self._request(
                "POST", MESSAGES, request, part.files, channel_id=int(chat.id)
            )
        return str(made["id"])

    async def _answer(self, waiting: Waiting, part: Part) -> str:
        """Put a part in the place of the sign of waiting, or after what was answered already."""
        if waiting.placeholder:
            change = changed_message(NOTHING, part)
            made = await self._request(
                "PATCH", FOLLOW_UP, change, part.files, message_id=ORIGINAL, **_token(waiting)
            )
            waiting.placeholder = False
        else:
            made = await self._request(
                "POST", FOLLOW_UPS, new_message(part), part.files, **_token(waiting)
            )
        return str(made["id"])

    async def _change(
        self,
        chat: Chat,
        message: str,
        change: tuple[Json, Sequence[Attachment], Part],
        reply: Reply,
    ) -> str:
        request, files, part = change
        waiting = self._interactions.get(reply.reply_to)
        try:
            if waiting is not None:
                await self._request(
                    "PATCH", FOLLOW_UP, request, files, message_id=message, **_token(waiting)
                )
            else:
                await self._request(
                    "PATCH", MESSAGE, request, files, channel_id=int(chat.id), message_id=message
                )
        except AdapterError as error:
            if code(error) in OVER:
                self._interactions.forget(reply.reply_to)
                return await self._change(chat, message, change, reply)
            if code(error) != UNKNOWN_MESSAGE:
                raise
            return await self._send(chat, part, reply, 1)
        return message

    async def _delete(self, chat: Chat, message: str) -> None:
        with suppress(AdapterError):  # it is only in the way
            await self._request("DELETE", MESSAGE, channel_id=int(chat.id), message_id=message)

    async def _request(
        self,
        method: str,
        path: str,
        request: Json | None = None,
        files: Sequence[Attachment] = (),
        **place: Any,
    ) -> Any:
        route = Route(method, path, **place)
        options: dict[str, Any] = {}
        if files:
            options["form"] = form(request or {}, files)
        elif request is not None:
            options["json"] = request
        if path == FOLLOW_UPS:
            options["params"] = {"wait": "true"}
        with sdk_errors():
            return await self._client.http.request(route, **options)


def _token(waiting: Waiting) -> dict[str, Any]:
    return {"webhook_id": waiting.application, "webhook_token": waiting.token}
