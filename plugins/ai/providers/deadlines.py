"""How long an answer may take."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final, TypeVar

from plugins.ai.config import Timeouts
from plugins.ai.providers.provider import Fault, ProviderError

Item = TypeVar("Item")

AFTER_END: Final = 1.0
"""Seconds to wait for what may still follow an answer's end (the usage)."""


class Deadline:
    """Bounds each wait of one answer, its retries included, and all of them together."""

    def __init__(self, timeouts: Timeouts) -> None:
        self._clock = asyncio.get_running_loop().time
        self._end = self._clock() + timeouts.whole.total_seconds()
        self._first = timeouts.first_token.total_seconds()
        self._between = timeouts.between.total_seconds()
        self._limit = self._first
        self._waiting_for = "first_token"

    @property
    def left(self) -> float:
        """The seconds until the whole answer has to be there."""
        return self._end - self._clock()

    def begin(self) -> None:
        """Wait for a first piece from now on."""
        self._limit, self._waiting_for = self._first, "first_token"

    def started(self) -> None:
        """Wait for a next piece from now on."""
        if self._waiting_for == "first_token":
            self._limit, self._waiting_for = self._between, "between"

    def ended(self) -> None:
        """Wait for nothing but a late remark from now on."""
        self._limit, self._waiting_for = AFTER_END, "end"

    def wait(self) -> asyncio.Timeout:
        """Return the bound of the wait that begins now."""
        return asyncio.timeout(min(self._limit, self.left))

    def missed(self) -> ProviderError:
        """Return the error of a wait that took too long."""
        if self.left <= 0:
            return ProviderError(Fault.TIMEOUT, "the answer was not complete within timeouts.whole")
        message = f"no piece of the answer came within timeouts.{self._waiting_for}"
        return ProviderError(Fault.TIMEOUT, message)


async def timed(
    items: AsyncGenerator[Item, None], deadline: Deadline
) -> AsyncGenerator[Item, None]:
    """Yield what ``items`` yields, each in time, or raise `ProviderError`."""
    async with aclosing(items):
        while True:
            try:
                async with deadline.wait():
                    item = await anext(items)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                raise deadline.missed() from error
            deadline.started()
            yield item
