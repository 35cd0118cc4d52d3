"""When an answer is not wanted any more."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from bot.api import Context, Message

RESET: Final = "reset"


@dataclass(slots=True)
class Ended:
    """Whether a block was ended before it was through."""

    early: bool = False


@asynccontextmanager
async def until(event: Callable[[], Awaitable[None]]) -> AsyncIterator[Ended]:
    """End the block where it is when ``event`` comes."""
    block = asyncio.current_task()
    ended = Ended()

    async def end() -> None:
        await event()
        if block is not None:
            ended.early = block.cancel()

    before = 0 if block is None else block.cancelling()
    watcher = asyncio.create_task(end(), name="until")
    try:
        yield ended
    except asyncio.CancelledError:
        if not ended.early or (block is not None and block.uncancel() > before):
            raise
    finally:
        watcher.cancel()


async def unwanted(context: Context[Any], *, interrupt: bool) -> None:
    """Return when a reset of the conversation waits, or with ``interrupt`` any message.

    A message counts when it is by whoever is being answered, and a reset also by an admin.
    """
    while True:
        waiting = context.following.waiting
        for message in waiting:
            if await _ends(context, message, interrupt=interrupt):
                return
        if waiting == context.following.waiting:
            await context.following.arrived()


async def _ends(context: Context[Any], message: Message, *, interrupt: bool) -> bool:
    own = context.message.same_sender(message) and not message.sender.anonymous
    if message.command is not None:
        resets = message.command.name.lower() == RESET
        return resets and (own or await context.is_admin(message.sender))
    return interrupt and own and message.addressed
