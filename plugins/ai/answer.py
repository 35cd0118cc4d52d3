"""One answer on its way from the provider to the reader."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from bot.api import Draft
from plugins.ai.citations import Citations
from plugins.ai.links import Links
from plugins.ai.providers.provider import (
    End,
    Event,
    Piece,
    ProviderError,
    Replaced,
    Stop,
    Usage,
)
from plugins.ai.screen import Screen


@dataclass(slots=True)
class Answer:
    """What came so far: ``raw`` as the model wrote it, and in ``draft`` as it may be shown.

    ``stop`` says how it ended, ``broken`` what broke it off.
    """

    draft: Draft
    screen: Screen = field(default_factory=lambda: Screen(Citations(0), Links(())))
    raw: str = ""
    stop: Stop | None = None
    usage: Usage | None = None
    broken: ProviderError | None = None
    replaced: str | None = None

    @property
    def shown(self) -> bool:
        """Whether the reader has something to see."""
        return bool(self.screen.shown.strip())

    @property
    def cut(self) -> str | None:
        """Why the answer is not whole, None when it is."""
        if self.broken is not None:
            return self.broken.fault.value
        if self.stop in {Stop.LENGTH, Stop.FILTER}:
            return str(self.stop)
        return "interrupted" if self.stop is None else None

    def begin(self, screen: Screen) -> None:
        """Forget what came, for another try while nothing was shown."""
        self.screen, self.raw, self.stop = screen, "", None

    async def take(self, events: AsyncGenerator[Event, None]) -> None:
        """Take a provider's events in; a failure is raised only while nothing was shown."""
        try:
            async with aclosing(events):
                async for event in events:
                    await self._take(event)
        except ProviderError as error:
            await self.add(self.screen.finish())
            if not self.shown:
                raise
            self.broken = error
        else:
            await self.add(self.screen.finish())

    async def add(self, text: str) -> None:
        """Show more text."""
        if text:
            await self.draft.append(text)

    async def _take(self, event: Event) -> None:
        match event:
            case Piece(text):
                self.raw += text
                await self.add(self.screen.feed(text))
            case End(stop):
                self.stop = stop
            case Usage():
                self.usage = event
            case Replaced(name):
                self.replaced = name
            case _:
                pass
