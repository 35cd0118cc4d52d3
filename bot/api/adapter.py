"""What a platform must offer, and what the runtime offers it."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from logging import Logger
from pathlib import Path
from typing import Any, Protocol

from bot.api.commands import CommandInfo
from bot.api.messages import Account, Attachment, Chat, Message, Reply, Sent

Receive = Callable[[Message], Awaitable[None]]
"""Takes a message in; returns once it is accepted, later while its chat has too many waiting."""


@dataclass(frozen=True, slots=True)
class Features:
    """What a platform can do.

    ``edits`` says whether a sent message can change; ``edit_interval`` and
    ``group_edit_interval`` are the seconds between two edits of one message that the platform
    stands, in a private chat and elsewhere. ``bursts`` says whether people send there one thought
    in several messages, as they do on a phone.
    """

    edits: bool = True
    edit_interval: float = 1.0
    group_edit_interval: float = 3.0
    bursts: bool = True


class Adapter(Protocol):
    """A platform that the bot talks on.

    Every method raises errors of the `AdapterError` branch only, never those of an SDK.
    """

    @property
    def name(self) -> str:
        """The platform's name, as in `Chat.platform`."""
        ...

    @property
    def features(self) -> Features:
        """What the platform can do."""
        ...

    async def run(self, receive: Receive) -> None:
        """Connect and hand over messages until cancelled.

        An event is acknowledged to the platform only after ``receive`` has returned.
        """
        ...

    async def send(self, chat: Chat, reply: Reply) -> Sent:
        """Send a reply, in several parts where it is too long for one, at the platform's pace."""
        ...

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        """Make a sent reply show another one; parts that would not change are left alone."""
        ...

    def working(self, message: Message) -> AbstractAsyncContextManager[None]:
        """Show that the bot is at work on a message for as long as the context is open."""
        ...

    async def fetch(self, file: Attachment, most: int) -> bytes:
        """Return what a file that came with a message holds; an error where it is over ``most``."""
        ...

    async def is_admin(self, chat: Chat, account: Account) -> bool:
        """Tell whether an account administers a chat; everybody does in private."""
        ...


@dataclass(frozen=True, slots=True)
class Host:
    """What the runtime gives to an adapter that is being built.

    ``commands`` is for menus. ``count`` adds one to a named counter that health reports show.
    ``moved`` tells that a chat has a new id (old, new), and is safe to tell twice. ``degraded``
    sets a line on what is wrong with the platform at the moment, or takes it back with None.
    """

    commands: Sequence[CommandInfo]
    log: Logger
    data: Path
    count: Callable[[str], None]
    moved: Callable[[Chat, Chat], Awaitable[None]]
    degraded: Callable[[str | None], None]


@dataclass(frozen=True, slots=True)
class Platform:
    """What an entry point of the group ``tertulia.adapters`` names.

    ``config`` is the pydantic model of the block in the YAML. ``build`` imports the platform's SDK
    and no sooner; without it, it raises `ConfigError` naming the extra to install. ``probe``
    connects for a moment with a validated block and returns who the bot is there.
    """

    name: str
    config: type[Any]
    build: Callable[[Any, Host], Adapter]
    probe: Callable[[Any], Awaitable[str]] | None = None
