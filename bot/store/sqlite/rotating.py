"""Changing the key of the data."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from bot.api import StoreError
from bot.store.sqlite.faults import told
from bot.store.sqlite.files import NAME, examine
from bot.store.sqlite.link import connect
from bot.store.sqlite.migrating import migrate, migrations
from bot.store.sqlite.scrubbing import rewrite
from bot.store.sqlite.sealing import Seal, reseal, unlock


async def rotate(data: Path, old: Seal, new: Seal) -> None:
    """Encrypt a folder's data with another key, or with none; no program may have it open.

    `StoreError` where the old key is not the data's; nothing is changed then.
    """
    path = data / NAME
    with told(path):
        await asyncio.to_thread(_rotate, path, old, new)


def _rotate(path: Path, old: Seal, new: Seal) -> None:
    known = migrations()
    if not path.exists() or not (made := examine(path, known)):
        message = f"{path}: there is no data yet; the key takes effect when the bot starts"
        raise StoreError(message)
    with closing(connect(path, writes=True, seal=old)) as connection:
        _lock(connection)
        migrate(known, made, connection)
        unlock(old, connection)
        reseal(old, new, connection)
        rewrite(connection)


def _lock(connection: sqlite3.Connection) -> None:
    """Keep every other program out until the connection is closed."""
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("COMMIT")
