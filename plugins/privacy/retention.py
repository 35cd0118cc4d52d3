"""Deleting what was kept for as long as the operator wants it kept."""

import asyncio
from datetime import timedelta
from typing import Final

from bot.api import Services, StoreError
from plugins.privacy.config import PrivacyConfig

FACTS: Final = "ai.memory"
PAUSE: Final = timedelta(hours=1)


async def purge(services: Services[PrivacyConfig]) -> int:
    """Delete what is over; return how many rows."""
    kept = services.config.retention
    now = services.clock()
    return await services.store.purge_older(
        None if kept.messages is None else now - kept.messages,
        {} if kept.facts is None else {FACTS: now - kept.facts},
    )


async def keep_purging(services: Services[PrivacyConfig]) -> None:
    """Delete what is over, every hour."""
    while True:
        try:
            if count := await purge(services):
                services.log.info("retention", extra={"deleted": count})
        except StoreError as error:
            services.log.warning("what is over could not be deleted: %s", error)
        await asyncio.sleep(PAUSE.total_seconds())
