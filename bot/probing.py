"""Whether what the bot depends on answers: platforms and what plugins ask."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import NamedTuple

from bot.api import BotError, Probe
from bot.config import Config
from bot.loader import Catalog


class Outcome(NamedTuple):
    """What came of a probe: ``fault`` is None where it went well, and ``note`` what it said."""

    name: str
    note: str = ""
    fault: str | None = None
    seconds: float = 0.0

    def __str__(self) -> str:
        if self.fault is not None:
            return f"{self.name}: failed: {self.fault}"
        note = f", {self.note}" if self.note else ""
        return f"{self.name}: ok after {self.seconds * 1000:.0f} ms{note}"


async def probe(config: Config, catalog: Catalog) -> AsyncIterator[Outcome]:
    """Make all probes at once; yield what comes of each in the order of the file."""
    running = [asyncio.create_task(_outcome(*one)) for one in _probes(config, catalog).items()]
    for task in running:
        yield await task


def _probes(config: Config, catalog: Catalog) -> Mapping[str, Probe]:
    return dict([*_of_platforms(config, catalog), *_of_plugins(config, catalog)])


def _of_platforms(config: Config, catalog: Catalog) -> Iterator[tuple[str, Probe]]:
    for name, block in config.platforms.items():
        found = catalog.find_platform(name).probe
        if found is not None:
            yield f"platforms.{name}", _bound(found, block)


def _of_plugins(config: Config, catalog: Catalog) -> Iterator[tuple[str, Probe]]:
    for name, block in config.plugins.items():
        probes = catalog.found(name).probes
        if probes is not None:
            for what, found in probes(block).items():
                yield f"plugins.{name} {what}", found


def _bound(found: Callable[[object], Awaitable[str]], block: object) -> Probe:
    return lambda: found(block)


async def _outcome(name: str, made: Probe) -> Outcome:
    began = time.monotonic()
    try:
        note = await made()
    except BotError as error:
        return Outcome(name, fault=str(error))
    return Outcome(name, note, seconds=time.monotonic() - began)
