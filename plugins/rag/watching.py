"""Looking at the documents again and again."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from typing import Final

from plugins.rag.errors import Code, RagError
from plugins.rag.ingest import Ingested

SECONDS: Final = 2.0


async def watch(
    look: Callable[[], Awaitable[Ingested]], on_error: Callable[[RagError], None]
) -> None:
    """Look every few seconds, for ever; a fault is told once for as long as it stays."""
    told: set[str] = set()
    while True:
        await asyncio.sleep(SECONDS)
        try:
            faults = (await look()).faults
        except RagError as error:
            faults = [error]
        except sqlite3.DatabaseError as error:
            faults = [RagError(Code.PERSIST_FAILED, f"a change could not be kept: {error}")]
        for fault in faults:
            if str(fault) not in told:
                on_error(fault)
        told = set(map(str, faults))
