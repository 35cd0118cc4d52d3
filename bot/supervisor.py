"""Keeping the adapters running, each for itself."""

import asyncio
import logging
import random
from time import monotonic
from typing import Final

from bot.api import Adapter, AdapterError, Receive, Unauthorized

log = logging.getLogger(__name__)

FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 60.0
STEADY: Final = 60.0
"""Seconds after which a connection counts as good, so that the waits begin anew."""


async def supervise(adapter: Adapter, receive: Receive) -> None:
    """Run an adapter until it ends by itself; start it again when it fails, ever more slowly.

    Raises `Unauthorized`, since only the operator can mend that.
    """
    wait = FIRST_WAIT
    while True:
        began = monotonic()
        try:
            await adapter.run(receive)
        except Unauthorized:
            raise
        except AdapterError as error:
            log.warning("%s is down: %s", adapter.name, error)
        except Exception:
            log.exception("%s broke down", adapter.name)
        else:
            return
        if monotonic() - began > STEADY:
            wait = FIRST_WAIT
        await asyncio.sleep(wait * random.uniform(0.75, 1.25))  # noqa: S311 - to spread load
        wait = min(wait * 2, LONGEST_WAIT)
