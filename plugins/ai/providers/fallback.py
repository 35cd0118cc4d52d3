"""One provider after the other, until one answers."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from logging import Logger
from typing import Final

from plugins.ai.providers.provider import (
    Event,
    Fault,
    Provider,
    ProviderError,
    Replaced,
    Request,
    Usage,
)

OTHERS_MAY: Final = frozenset({Fault.UNREACHABLE, Fault.TIMEOUT, Fault.BUSY, Fault.DOWN})
"""The faults of one provider that another one need not have."""


class Fallback:
    """Asks further providers where the first is out of order, while nothing was shown."""

    def __init__(self, providers: Sequence[Provider], log: Logger) -> None:
        self.name = providers[0].name
        self._providers = providers
        self._log = log

    async def close(self) -> None:
        """Close all of them."""
        for provider in self._providers:
            await provider.close()

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the answer of the first that gives one; say so when that is not the first."""
        for provider in self._providers:
            out = False
            try:
                async with aclosing(provider.stream(request)) as events:
                    async for event in events:
                        if not out and provider is not self._providers[0]:
                            yield Replaced(provider.name)
                        out = out or not isinstance(event, Usage)
                        yield event
            except ProviderError as error:
                last = provider is self._providers[-1]
                if out or last or error.fault not in OTHERS_MAY:
                    raise
                self._log.warning("provider %s failed (%s): %s", provider.name, error.fault, error)
            else:
                return
