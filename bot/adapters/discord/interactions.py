"""Slash commands and pressed buttons that wait for their answer."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

LIFE: Final = 15 * 60 - 30
"""Seconds in which an answer can go through an interaction's token, less some for the way."""


@dataclass(slots=True)
class Waiting:
    """One interaction.

    ``until`` is on the monotonic clock, in seconds. ``placeholder`` says that people see a line
    "… is thinking" which nothing has replaced yet.
    """

    application: int
    token: str
    placeholder: bool
    until: float


class Interactions:
    """The interactions of the last quarter of an hour by the id of their message."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: dict[str, Waiting] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, message_id: str, application: int, token: str, *, placeholder: bool) -> None:
        """Remember an interaction that was acknowledged just now; forget those that are over."""
        now = self._clock()
        for old in [key for key, waiting in self._waiting.items() if waiting.until <= now]:
            del self._waiting[old]
        self._waiting[message_id] = Waiting(application, token, placeholder, now + LIFE)

    def get(self, message_id: str | None) -> Waiting | None:
        """Return an interaction that can still be answered through its token."""
        waiting = self._waiting.get(message_id or "")
        return waiting if waiting is not None and waiting.until > self._clock() else None

    def forget(self, message_id: str | None) -> None:
        """Answer this one in its channel from now on."""
        self._waiting.pop(message_id or "", None)
