"""Asking again after faults that pass."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from plugins.ai.providers.deadlines import Deadline
from plugins.ai.providers.provider import Event, ProviderError, Usage


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how late to ask again.

    The pauses (seconds) double from ``base``, each up to a quarter shorter or longer; a provider's
    own wish is granted up to ``longest``.
    """

    count: int = 2
    base: float = 0.5
    longest: float = 30.0

    def pause(self, error: ProviderError, tried: int) -> float | None:
        """Return how long to wait after ``tried`` retries, None to give up."""
        if not error.passing or tried >= self.count:
            return None
        if error.retry_after is None:
            return self.base * 2.0**tried * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
        if error.retry_after > self.longest:
            return None
        return error.retry_after + random.uniform(0, 0.2)  # noqa: S311 - no secret


async def retried(
    attempt: Callable[[], AsyncGenerator[Event, None]], retries: Retries, deadline: Deadline
) -> AsyncGenerator[Event, None]:
    """Yield an attempt's events; begin another one on a passing fault while no piece is out."""
    tried = 0
    while True:
        out = False
        try:
            async with aclosing(attempt()) as events:
                async for event in events:
                    out = out or not isinstance(event, Usage)
                    yield event
        except ProviderError as error:
            pause = None if out else retries.pause(error, tried)
            if pause is None or pause > deadline.left:
                raise
        else:
            return
        tried += 1
        await asyncio.sleep(pause)
        deadline.begin()
