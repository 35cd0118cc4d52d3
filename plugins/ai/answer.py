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
    ToolCall,
    Usage,
)
from plugins.ai.screen import Screen


@dataclass(slots=True)
class Answer:
    """What came so far: ``raw`` as the model wrote it, and in ``draft`` as it may be shown.

    A turn with tools has several parts, and all but ``draft`` and ``usage`` are of the latest.
    ``stop`` says how it ended, ``broken`` what broke it off. ``calls`` are the tools that the model
    wants to run. ``usage`` is the sum, ``latest`` that of the latest part.
    """

    draft: Draft
    screen: Screen = field(default_factory=lambda: Screen(Citations(0), Links(())))
    raw: str = ""
    stop: Stop | None = None
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage | None = None
    latest: Usage | None = None
    broken: ProviderError | None = None
    replaced: str | None = None

    @property
    def shown(self) -> bool:
        """Whether the reader has something of the latest part to see."""
        return bool(self.screen.shown.strip())

    @property
    def cut(self) -> str | None:
        """Why the answer is not whole, None when it is."""
        if self.broken is not None:
            return self.broken.fault.value
        if self.stop in {Stop.LENGTH, Stop.FILTER}:
            return str(self.stop)
        return "interrupted" if self.stop is None else None

    async def take(self, events: AsyncGenerator[Event, None], screen: Screen) -> None:
        """Take a further part in; a failure is raised only while nothing of it was shown."""
        self.screen, self.raw, self.stop, self.calls = screen, "", None, []
        self.latest = None
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, Usage):
                        self.latest = event
                    await self._take(event)
        except ProviderError as error:
            await self._show(self.screen.finish())
            if not self.shown:
                raise
            self.broken = error
        else:
            await self._show(self.screen.finish())
        finally:
            if self.latest is not None:
                self.usage = self.latest if self.usage is None else self.usage + self.latest

    async def add(self, paragraph: str) -> None:
        """Show a further paragraph."""
        await self.draft.append(f"\n\n{paragraph}" if self.draft.text.strip() else paragraph)

    async def _show(self, text: str) -> None:
        if text and text == self.screen.shown:
            await self.add(text)
        elif text:
            await self.draft.append(text)

    async def _take(self, event: Event) -> None:
        match event:
            case Piece(text):
                self.raw += text
                await self._show(self.screen.feed(text))
            case ToolCall():
                self.calls.append(event)
            case End(stop):
                self.stop = stop
            case Replaced(name):
                self.replaced = name
            case _:
                pass
