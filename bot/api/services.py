"""What the runtime hands to a plugin when it sets it up."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from logging import Logger
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from bot.api.commands import CommandInfo
from bot.api.messages import Chat, Reply, Sent
from bot.api.offers import Tools
from bot.api.store import Json, Store
from bot.api.text import Translator
from bot.api.tools import OfferedTool

Config = TypeVar("Config")


class Tasks(Protocol):
    """A plugin's background work: owned, logged when it fails, ended with the plugin."""

    def start(self, work: Coroutine[Any, Any, None], *, name: str) -> None:
        """Run ``work`` in the background; its failure is logged once under the plugin's name."""
        ...

    async def idle(self) -> None:
        """Wait until none is running."""
        ...


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an erasure did.

    ``counts`` are rows by the store's kinds, and under ``plugins.<name>`` what a plugin kept
    elsewhere. ``failures`` say by plugin why something could not be erased (message ids).
    """

    counts: Mapping[str, int]
    failures: Mapping[str, str] = field(default_factory=dict)


class Privacy(Protocol):
    """Everything that is kept of a person, in the store and by plugins, in one hand."""

    async def kept(self, person: str) -> Mapping[str, int]:
        """Return the number of rows by kind."""
        ...

    async def export(self, person: str) -> Mapping[str, Json]:
        """Return all that is kept, by kind and under ``plugins`` by plugin.

        Where a plugin could not answer, ``failures`` says why by its name (message ids).
        """
        ...

    async def archive(self, person: str) -> tuple[bytes, bool]:
        """Return the export as a zip archive, and whether something is missing in it."""
        ...

    async def erase(self, person: str) -> Receipt:
        """Delete all that is kept, for good."""
        ...

    async def pause(self, person: str, *, paused: bool) -> None:
        """Keep nothing more of a person, or begin to again."""
        ...

    def incognito(self, chat: Chat) -> bool:
        """Tell whether nothing of a chat is kept."""
        ...

    async def set_incognito(self, chat: Chat, *, on: bool) -> None:
        """Keep nothing of a chat from here on, or begin to again."""
        ...

    def recipients(self) -> Sequence[str]:
        """Return to whom the running plugins hand on what people write."""
        ...

    def statements(self) -> Mapping[str, str]:
        """Return the data statements (message ids) of the running plugins by plugin."""
        ...


@dataclass(frozen=True)
class Services(Generic[Config]):
    """What a plugin can use from its set-up to its end.

    ``config`` is the plugin's own block, validated. ``data`` is a folder of the plugin's own that
    exists once it is asked for. ``commands`` lists what is enabled, complete when every plugin is
    set up. ``plugins`` returns the summaries (message ids) of the running plugins by name, complete
    then too. ``model_tools`` returns what a model may call. ``offer`` publishes one object under
    the plugin's name. ``send`` starts a conversation of its own accord. ``speak`` returns the
    translator of a language.
    """

    name: str
    config: Config
    store: Store
    folder: Callable[[], Path]
    log: Logger
    clock: Callable[[], datetime]
    tasks: Tasks
    tools: Tools
    privacy: Privacy
    languages: Sequence[str]
    commands: Callable[[], Sequence[CommandInfo]]
    offer: Callable[[object], None]
    send: Callable[[Chat, Reply], Awaitable[Sent]]
    speak: Callable[[str], Translator]
    plugins: Callable[[], Mapping[str, str]] = dict
    model_tools: Callable[[], Sequence[OfferedTool[Any]]] = tuple
