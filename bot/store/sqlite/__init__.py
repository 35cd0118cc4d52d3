"""A store in one SQLite file."""

from bot.store.sqlite.copies import verify
from bot.store.sqlite.restoring import restore
from bot.store.sqlite.rotating import rotate
from bot.store.sqlite.sealing import Seal
from bot.store.sqlite.store import SqliteStore

__all__ = ["Seal", "SqliteStore", "restore", "rotate", "verify"]
