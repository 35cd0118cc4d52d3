"""Background work that somebody owns."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any


class Background:
    """The running tasks of one plugin: referenced until done, logged once when they fail."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """Run ``work`` until it is done or the plugin ends."""
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    @property
    def busy(self) -> bool:
        """Whether anything is running."""
        return bool(self._tasks)

    async def idle(self) -> None:
        """Wait until none is running, those included that start meanwhile."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def close(self) -> None:
        """Cancel what is running and wait for its end."""
        for task in self._tasks:
            task.cancel()
        await self.idle()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("background work failed: %s", task.get_name(), exc_info=error)
