"""Puts the parts together: plugins with their services, and the dispatcher over them."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bot.api import (
    Adapter,
    AdapterError,
    Chat,
    CommandInfo,
    OfferedTool,
    Plugin,
    Reply,
    Running,
    Sent,
    Services,
    Store,
)
from bot.background import Background
from bot.discretion import Discretion
from bot.dispatch import Dispatcher, Limits
from bot.i18n import Languages
from bot.identity import Identity
from bot.loader import Offers, start
from bot.privacy import Coordinator
from bot.store import passing_store


def utc_now() -> datetime:
    """Return the time, aware."""
    return datetime.now(UTC)


@dataclass(slots=True)
class Runtime:
    """Everything that lives between the platforms and the store.

    ``plugins`` are pairs of a plugin and its validated configuration, in order of priority.
    ``adapters`` may be added until the first message comes.
    """

    plugins: Sequence[tuple[Plugin[Any], Any]]
    store: Store
    languages: Languages
    data: Path
    clock: Callable[[], datetime] = utc_now
    limits: Limits = field(default_factory=Limits)
    adapters: dict[str, Adapter] = field(default_factory=dict)
    running: list[Running[Any]] = field(default_factory=list)
    commands: list[CommandInfo] = field(default_factory=list)
    offers: Offers = field(default_factory=Offers)
    backgrounds: list[Background] = field(default_factory=list)
    discretion: Discretion = field(init=False)

    def __post_init__(self) -> None:
        self.discretion = Discretion(self.store, partial(passing_store, self.clock))

    @asynccontextmanager
    async def started(self) -> AsyncIterator[Dispatcher]:
        """Set the plugins up and yield the dispatcher; tear them down in the end."""
        configs = {plugin.name: config for plugin, config in self.plugins}
        privacy = Coordinator(self.discretion, self.running)
        await self.discretion.begin()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._close_backgrounds)
            self.running += await start(
                stack,
                [plugin for plugin, _ in self.plugins],
                lambda plugin: self._services(plugin, configs, privacy),
            )
            stack.push_async_callback(self._close_backgrounds)
            self.commands += self.languages.command_infos([r.plugin for r in self.running])
            settling = asyncio.create_task(privacy.keep_settling(), name="owed erasures")
            stack.callback(settling.cancel)
            yield self._dispatcher()

    async def idle(self) -> None:
        """Wait until no plugin has work in the background."""
        while any(background.busy for background in self.backgrounds):
            for background in self.backgrounds:
                await background.idle()

    def _dispatcher(self) -> Dispatcher:
        return Dispatcher(
            self.running,
            adapters=self.adapters,
            store=self.discretion.store,
            discretion=self.discretion,
            identity=Identity(self.store.people),
            languages=self.languages,
            tools=self.offers,
            infos=self.commands,
            limits=self.limits,
        )

    def _services(
        self, plugin: Plugin[Any], configs: Mapping[str, Any], privacy: Coordinator
    ) -> Services[Any]:
        log = logging.getLogger(f"plugins.{plugin.name}")
        tasks = Background(log)
        self.backgrounds.append(tasks)
        return Services(
            name=plugin.name,
            config=configs[plugin.name],
            store=self.discretion.store,
            folder=lambda: self._folder(plugin.name),
            log=log,
            clock=self.clock,
            tasks=tasks,
            tools=self.offers,
            privacy=privacy,
            languages=self.languages.available,
            commands=lambda: self.commands,
            offer=lambda offer: self.offers.add(plugin.name, offer),
            send=self._send,
            speak=self.languages.translator,
            model_tools=lambda: [
                OfferedTool(plugin.name, tool, partial(self._state, plugin))
                for plugin, _ in self.plugins
                for tool in plugin.tools
            ],
            plugins=lambda: {r.plugin.name: r.plugin.summary for r in self.running},
        )

    def _state(self, plugin: Plugin[Any]) -> Any:
        return next(running.state for running in self.running if running.plugin is plugin)

    def _folder(self, name: str) -> Path:
        folder = self.data / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    async def _send(self, chat: Chat, reply: Reply) -> Sent:
        if chat.platform not in self.adapters:
            raise AdapterError(f"the platform {chat.platform!r} is not configured")
        return await self.adapters[chat.platform].send(chat, reply)

    async def _close_backgrounds(self) -> None:
        for background in self.backgrounds:
            await background.close()
