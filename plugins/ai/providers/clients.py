"""HTTP clients for one server, of which each has few requests at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import httpx

AT_ONCE: Final = 50
"""How many requests one client has.

Its pool goes through all of its connections whenever a request begins or ends, so that a thousand
in one take the time of a million.
"""


class Clients:
    """Lends clients, and makes one more where all are busy."""

    def __init__(self, make: Callable[[], httpx.AsyncClient]) -> None:
        self._make = make
        self._busy: dict[httpx.AsyncClient, int] = {make(): 0}

    @contextmanager
    def lent(self) -> Iterator[httpx.AsyncClient]:
        """Lend the client that has the most requests of those with room for another one."""
        free = [client for client, busy in self._busy.items() if busy < AT_ONCE]
        client = max(free, key=self._busy.__getitem__) if free else self._make()
        self._busy[client] = self._busy.get(client, 0) + 1
        try:
            yield client
        finally:
            self._busy[client] -= 1

    async def close(self) -> None:
        """Close all of them."""
        for client in self._busy:
            await client.aclose()
