"""What keeps things: in memory, or in SQLite."""

from pathlib import Path

from bot.api import Store, StoreError
from bot.store.memory import MemoryStore
from bot.store.values import Clock

__all__ = ["open_store", "passing_store"]


def passing_store(clock: Clock) -> Store:
    """Return a store that keeps what it is given until nobody holds it any more."""
    return MemoryStore(clock)


async def open_store(url: str, data: Path, *, clock: Clock, key: str | None = None) -> Store:
    """Open the store that ``url`` names: ``sqlite`` in the folder ``data``, or ``memory``.

    With a ``key`` (32 bytes in base64) what people said is encrypted on the disk.

    `StoreError` says what to do where that is not possible.
    """
    if url == "memory":
        return MemoryStore(clock)
    if url == "sqlite":
        from bot.store.sqlite import Seal, SqliteStore  # noqa: PLC0415 - only where it is chosen

        return await SqliteStore.open(data, clock, Seal(key))
    if url.startswith(("postgresql:", "postgres:")):
        message = "PostgreSQL is not supported yet; write `store: sqlite` or `store: memory`"
        raise StoreError(message)
    message = "`store` must be `sqlite` or `memory`"
    raise StoreError(message)
