"""A reply that grows while it is written."""

import asyncio
import logging
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from bot.api.adapter import Adapter
from bot.api.errors import AdapterError, RateLimited
from bot.api.messages import Button, Chat, Reply, Sent

log = logging.getLogger(__name__)

FINAL_TRIES: Final = 4
LONGEST_WAIT: Final = 30.0


class Draft:
    """Shows a growing text at the pace that the platform stands, and the whole of it at the end.

    Use it as an async context manager. Pieces that come faster than the pace are shown together.
    Nothing is sent before there is something to see; a failed edit on the way is made good by the
    next one or by the last. Leaving the context shows the whole text, also after an error.
    """

    def __init__(self, adapter: Adapter, chat: Chat, reply_to: str | None = None) -> None:
        features = adapter.features
        self.text = ""
        self.buttons: tuple[Button, ...] = ()
        self.sent: Sent | None = None
        self._adapter = adapter
        self._chat = chat
        self._reply_to = reply_to
        self._edits = features.edits
        self._pace = features.edit_interval if chat.private else features.group_edit_interval
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._shower: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        if self._edits:
            self._shower = asyncio.create_task(self._show_changes(), name="draft")
        return self

    async def append(self, piece: str) -> None:
        """Add a piece to the text; it is shown soon."""
        self.text += piece
        if self.text.strip():
            self._changed.set()
        await asyncio.sleep(0)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A send under way is waited for, never cancelled: it may have been delivered already.
        self._closing.set()
        self._changed.set()
        if self._shower is not None:
            await self._shower
        if self.text.strip():
            await self._finish()

    async def _show_changes(self) -> None:
        while True:
            await self._changed.wait()
            if self._closing.is_set():
                return
            self._changed.clear()
            await self._rest(await self._try_to_show())

    async def _try_to_show(self) -> float:
        try:
            await self._show(partial=True)
        except RateLimited as limited:
            self._changed.set()
            return max(self._pace, limited.retry_after)
        except AdapterError as error:
            log.debug("a draft could not be shown: %s", type(error).__name__)
        return self._pace

    async def _rest(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), seconds)

    async def _show(self, *, partial: bool) -> None:
        reply = Reply(
            self.text,
            buttons=() if partial else self.buttons,
            reply_to=self._reply_to,
            partial=partial,
        )
        if self.sent is None:
            self.sent = await self._adapter.send(self._chat, reply)
        elif self.sent.reply != reply:
            self.sent = await self._adapter.edit(self.sent, reply)

    async def _finish(self) -> None:
        for left in reversed(range(FINAL_TRIES)):
            try:
                await self._show(partial=False)
            except RateLimited as limited:
                if not left or limited.retry_after > LONGEST_WAIT:
                    raise
                await asyncio.sleep(limited.retry_after)
            else:
                return
