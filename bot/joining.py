"""Several messages that one person sends quickly one after the other, as one."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from bot.api import Following, Message

MOST_PAUSES: Final = 10
"""How long a person who does not stop is waited for, in pauses."""


async def join(
    first: Message, following: Following, fits: Callable[[Message], bool], pause: float
) -> Message:
    """Return a message with those of its sender that follow it within ``pause`` seconds each.

    It ends at one that does not fit, so that none is handled before another that came first.
    """
    if pause <= 0 or first.sender.anonymous:
        return first
    loop = asyncio.get_running_loop()
    own = _leading(first, following, fits)
    deadline = loop.time() + pause
    latest = loop.time() + pause * MOST_PAUSES
    with suppress(TimeoutError):
        while not _blocked(first, following, fits):
            async with asyncio.timeout_at(min(deadline, latest)):
                await following.arrived()
            before, own = len(own), _leading(first, following, fits)
            if len(own) > before:
                deadline = loop.time() + pause
    own = _leading(first, following, fits)
    taken = following.take(lambda message: message in own)
    return joined([first, *taken]) if taken else first


def joined(parts: Sequence[Message]) -> Message:
    """Return one message that says what all of these say, under the id of the first."""
    authors = {part.forwarded for part in parts}
    return replace(
        parts[0],
        text="\n".join(part.text for part in parts if part.text),
        attachments=tuple(file for part in parts for file in part.attachments),
        reply_to=next((part.reply_to for part in parts if part.reply_to is not None), None),
        forwarded=authors.pop() if len(authors) == 1 else None,
        parts=tuple(parts),
    )


def _leading(
    first: Message, following: Following, fits: Callable[[Message], bool]
) -> Sequence[Message]:
    own: list[Message] = []
    for message in filter(first.same_sender, following.waiting):
        if not fits(message):
            break
        own.append(message)
    return own


def _blocked(first: Message, following: Following, fits: Callable[[Message], bool]) -> bool:
    return any(first.same_sender(message) and not fits(message) for message in following.waiting)
