"""A running plugin's history: opened, kept for as long as the operator wants it, closed."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from logging import Logger
from typing import Any, Final

from bot.api import Services
from plugins.ai.history.history import History
from plugins.ai.history.opening import open_own
from plugins.ai.history.own import OwnLog

PAUSE: Final = timedelta(hours=1)


@asynccontextmanager
async def opened(services: Services[Any]) -> AsyncIterator[History]:
    """Open the history that the configuration names, and close it in the end."""
    options, log = services.config.history, services.log
    own = open_own(options, services.folder, services.store, log, services.clock)
    history = History(services.store, options.window, own, summarizes=options.summarize)
    if own is None:
        yield history
        return
    expiring = keep_expiring(own, options.keep, services.clock, log)
    retention = asyncio.create_task(expiring, name="history retention")
    try:
        yield history
    finally:
        retention.cancel()
        await own.close()


async def keep_expiring(
    own: OwnLog, keep: timedelta | None, clock: Callable[[], datetime], log: Logger
) -> None:
    """Delete what is over, every hour."""
    while keep is not None:
        try:
            if count := await own.expire(clock() - keep):
                log.info("retention", extra={"deleted": count})
        except Exception:  # an operator's log may raise anything
            log.exception("what is over could not be deleted")
        await asyncio.sleep(PAUSE.total_seconds())
