"""A store that forgets everything when the process ends."""

from bot.store.memory.store import MemoryStore

__all__ = ["MemoryStore"]
