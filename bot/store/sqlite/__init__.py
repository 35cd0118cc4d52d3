"""A store in one SQLite file."""

from bot.store.sqlite.restoring import restore
from bot.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore", "restore"]
