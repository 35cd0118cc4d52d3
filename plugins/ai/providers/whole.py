"""A provider's answer as a whole, where nobody reads along."""

from contextlib import aclosing
from dataclasses import dataclass

from plugins.ai.providers.provider import End, Piece, Provider, Replaced, Request, Stop, Usage


@dataclass(slots=True)
class Whole:
    """The text, why it ended, what it used, and who answered instead of the first provider."""

    text: str = ""
    stop: Stop | None = None
    usage: Usage | None = None
    replaced: str | None = None


async def whole(provider: Provider, request: Request) -> Whole:
    """Return the whole answer to a request; raises `ProviderError`."""
    found = Whole()
    async with aclosing(provider.stream(request)) as events:
        async for event in events:
            match event:
                case Piece(text):
                    found.text += text
                case End(stop):
                    found.stop = stop
                case Usage():
                    found.usage = event
                case Replaced(name):
                    found.replaced = name
                case _:
                    pass
    return found
